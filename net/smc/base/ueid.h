/* SPDX-License-Identifier: GPL-2.0 */
/* The user EIDs (UEIDs) of each network namespace. */
#ifndef _SMC_BASE_UEID_H
#define _SMC_BASE_UEID_H

#include <linux/seqlock.h>
#include "eid.h"

/**
 * struct smc_ueids - the UEIDs of one namespace
 * @lock: writers of @table take it, and readers retry; no other lock is taken
 *	under it; process context
 * @table: the UEIDs
 */
struct smc_ueids {
	seqlock_t lock;	/* leaf, process context */
	struct smc_eids table;
};

void smc_ueid_init(struct smc_ueids *u);

int smc_ueid_add(struct smc_ueids *u, const u8 eid[SMC_EID_LEN]);
int smc_ueid_remove(struct smc_ueids *u, const u8 eid[SMC_EID_LEN]);
void smc_ueid_flush(struct smc_ueids *u);
void smc_ueid_snapshot(struct smc_ueids *u, struct smc_eids *out);

#endif

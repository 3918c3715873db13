/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Enterprise IDs (EIDs): names of 32 characters, padded with blanks. Two hosts
 * can use version 2 if they have an EID in common. This file needs no lock,
 * because the callers hold the lock of the table.
 */
#ifndef _SMC_BASE_EID_H
#define _SMC_BASE_EID_H

#include <linux/types.h>

enum {
	SMC_EID_LEN		= 32,

	/* User EIDs (UEIDs) that an administrator may add. */
	SMC_EIDS_USER_MAX	= 4,

	/* This limit includes the default EID. A Proposal has room
	 * for 8 EIDs.
	 */
	SMC_EIDS_MAX		= SMC_EIDS_USER_MAX + 1,
};

/**
 * struct smc_eids - the user EIDs of a namespace, in the order in which the
 * client offers them
 * @n: used entries
 * @eid: names, without a terminating NUL; the default EID comes last, if the
 *	table has it
 */
struct smc_eids {
	u8 n;
	u8 eid[SMC_EIDS_MAX][SMC_EID_LEN];
};

void smc_eids_init(struct smc_eids *t);
bool smc_eids_has(const struct smc_eids *t, const u8 eid[SMC_EID_LEN]);
int smc_eids_add(struct smc_eids *t, const u8 eid[SMC_EID_LEN]);
int smc_eids_remove(struct smc_eids *t, const u8 eid[SMC_EID_LEN]);

#endif

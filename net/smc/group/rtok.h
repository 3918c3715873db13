/* SPDX-License-Identifier: GPL-2.0 */
/* Keys and addresses of the peer's RMBs, one pair per link. See rtok.c. */
#ifndef _SMC_GROUP_RTOK_H
#define _SMC_GROUP_RTOK_H

#include <linux/spinlock.h>
#include <linux/types.h>
#include "../base/limits.h"

/**
 * struct smc_rtok - one RMB of the peer
 * @id:		unique ID, which connections keep
 * @known:	bit per slot: @key is valid
 * @key:	key and address of the RMB, by slot of the link
 */
struct smc_rtok {
	u32 id;
	u8 known;
	struct {
		u32 rkey;
		u64 addr;
	} key[SMC_LINK_SLOTS];
};

/**
 * struct smc_rtoks - all RMBs of the peer
 * @lock:	protects the other members; no other lock is taken under it
 * @tab:	array of SMC_RMBS_PER_LGR_MAX entries
 * @n:		number of used entries of @tab
 * @last_id:	ID of the newest entry
 */
struct smc_rtoks {
	spinlock_t lock;	/* see above */
	struct smc_rtok *tab;
	unsigned int n;
	u32 last_id;
};

int smc_rtok_init(struct smc_rtoks *t);
void smc_rtok_destroy(struct smc_rtoks *t);
int smc_rtok_learn(struct smc_rtoks *t, u8 slot, u32 rkey, u64 addr, u32 *id);
int smc_rtok_set(struct smc_rtoks *t, u32 id, u8 slot, u32 rkey, u64 addr);
int smc_rtok_find(struct smc_rtoks *t, u8 slot, u32 rkey, u32 *id);
bool smc_rtok_delete(struct smc_rtoks *t, u8 slot, u32 rkey);
void smc_rtok_forget(struct smc_rtoks *t, u8 slot);
bool smc_rtok_get(struct smc_rtoks *t, u32 id, u8 slot, u32 *rkey, u64 *addr);

#endif

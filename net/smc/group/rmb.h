/* SPDX-License-Identifier: GPL-2.0 */
/* RMBs of one group: growth, elements, registration, retirement. */
#ifndef _SMC_GROUP_RMB_H
#define _SMC_GROUP_RMB_H

#include <linux/list.h>
#include <linux/types.h>
#include "../base/limits.h"

struct smc_lgr;
struct smc_mr;
struct smc_rmbe;

enum smc_rmb_state {
	SMC_RMB_NEW,		/* keys known, memory not yet open */
	SMC_RMB_ANNOUNCING,	/* CONFIRM RKEY under way */
	SMC_RMB_READY,		/* elements may be handed out */
	SMC_RMB_REVOKING,	/* DELETE RKEY under way, no elements out */
	SMC_RMB_GONE,
};

#define SMC_RMB_CLASSES	(SMC_RMBE_CODE_SENT_MAX + 1)

/**
 * struct smc_rmbs - RMBs of one group; lgr->lock
 * @list:	all RMBs
 * @n:		entries of @list, at most SMC_RMBS_PER_LGR_MAX
 * @free:	free elements by size code
 * @total:	elements by size code, what the next growth doubles
 * @wanted:	bit per size code: a handshake waits for an element
 * @busy:	RMB whose keys are being announced or revoked: one at a time;
 *		written by the worker only
 * @peer:	rkeys of the peer's RMBs; creator during first contact, then the
 *		worker only
 * @n_peer:	entries of @peer
 */
struct smc_rmbs {
	struct list_head list;
	unsigned int n;
	unsigned int free[SMC_RMB_CLASSES];
	unsigned int total[SMC_RMB_CLASSES];
	unsigned long wanted;
	struct smc_rmb *busy;
	u32 *peer;
	unsigned int n_peer;
};

void smc_rmbs_init(struct smc_rmbs *r);
void smc_rmbs_destroy(struct smc_lgr *lgr);
int smc_rmb_first(struct smc_lgr *lgr, u32 size, struct smc_rmbe *e);
int smc_rmb_open(struct smc_lgr *lgr);
int smc_rmbe_get(struct smc_lgr *lgr, u32 size, struct smc_rmbe *e);
void smc_rmb_work(struct smc_lgr *lgr);
void smc_rmb_llc(struct smc_lgr *lgr, const u8 *msg);
void smc_rmbs_revoke(struct smc_lgr *lgr);
int smc_rmbs_peer_add(struct smc_lgr *lgr, u32 rkey);
void smc_rmbe_describe(const struct smc_rmbe *e, u32 *rkey, u64 *addr);

#endif

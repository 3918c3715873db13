/* SPDX-License-Identifier: GPL-2.0 */
/* RMBs of one group: memory and elements (rmb.c), life (rmb_life.c), keys
 * (rkey.c).
 */
#ifndef _SMC_GROUP_RMB_H
#define _SMC_GROUP_RMB_H

#include <linux/list.h>
#include <linux/types.h>
#include "../base/limits.h"
#include "../transport/mr.h"

struct smc_lgr;
struct smc_link;
struct smc_rmbe;

enum smc_rmb_state {
	SMC_RMB_NEW,		/* keys known, memory not yet open */
	SMC_RMB_ANNOUNCING,	/* the peer does not know all keys yet */
	SMC_RMB_READY,		/* elements may be handed out */
	SMC_RMB_REVOKING,	/* DELETE RKEY under way, no elements out */
	SMC_RMB_GONE,
};

#define SMC_RMB_CLASSES	(SMC_RMBE_CODE_SENT_MAX + 1)

/**
 * struct smc_rmb - one buffer; lgr->lock unless constant
 * @list:	lgr->rmbs.list
 * @state:	enum smc_rmb_state
 * @code:	size code of the elements; constant
 * @n_elems:	elements; constant
 * @mem:	pages; constant
 * @tok:	registration by slot of the link. The key and address stay until
 *		another link takes the slot, as handshakes may have to name
 *		them; the region itself is the worker's (and the creator's).
 * @opened:	bit per slot: registered on the link that has the slot, or had
 *		it last; written by worker or creator
 * @told:	the same: the peer knows the key
 * @used:	bit per element that is handed out or quarantined
 * @n_used:	handed out
 * @n_dirty:	quarantined: the peer may still write there
 * @idle_since:	jiffies when @n_used became 0
 */
struct smc_rmb {
	struct list_head list;
	u8 state;
	u8 code;
	unsigned int n_elems;
	struct smc_mem mem;
	struct {
		struct smc_mr *mr;
		u32 rkey;
		u64 addr;
	} tok[SMC_LINK_SLOTS];
	u8 opened;
	u8 told;
	DECLARE_BITMAP(used, SMC_RMBES_PER_RMB_MAX);
	unsigned int n_used;
	unsigned int n_dirty;
	unsigned long idle_since;
};

/**
 * struct smc_rmbs - RMBs of one group; lgr->lock
 * @list:	all RMBs
 * @n:		entries of @list, at most SMC_RMBS_PER_LGR_MAX
 * @free:	free elements by size code
 * @total:	elements by size code, what the next growth doubles
 * @wanted:	bit per size code: an order of elements, by a handshake that
 *		waits or by one that took the last
 * @busy:	RMB whose keys are being announced or revoked: one at a time;
 *		written by the worker only
 */
struct smc_rmbs {
	struct list_head list;
	unsigned int n;
	unsigned int free[SMC_RMB_CLASSES];
	unsigned int total[SMC_RMB_CLASSES];
	unsigned long wanted;
	struct smc_rmb *busy;
};

/* rmb.c */
void smc_rmbs_init(struct smc_rmbs *r);
void smc_rmbs_destroy(struct smc_lgr *lgr);
struct smc_rmb *smc_rmb_alloc(struct smc_lgr *lgr, u8 code,
			      unsigned int n_elems);
void smc_rmb_free(struct smc_rmb *rmb);
int smc_rmb_map(struct smc_rmb *rmb, struct smc_link *link);
int smc_rmb_register(struct smc_lgr *lgr, struct smc_rmb *rmb, u8 slot);
void smc_rmb_tell(struct smc_lgr *lgr, struct smc_rmb *rmb, u8 slots);
void smc_rmbs_forget(struct smc_lgr *lgr, u8 slot);
void smc_rmbs_drop_link(struct smc_lgr *lgr, struct smc_link *link);
void smc_rmb_insert(struct smc_lgr *lgr, struct smc_rmb *rmb);
void smc_rmb_remove(struct smc_lgr *lgr, struct smc_rmb *rmb);
void smc_rmb_ready(struct smc_lgr *lgr, struct smc_rmb *rmb);
u32 smc_rmb_elem_size(const struct smc_rmb *rmb);
int smc_rmb_first(struct smc_lgr *lgr, const struct smc_link *link, u32 size,
		  struct smc_rmbe *e);
int smc_rmb_open(struct smc_lgr *lgr, struct smc_link *link);
bool smc_rmbs_full(const struct smc_lgr *lgr, u32 size);
bool smc_rmbs_free(struct smc_lgr *lgr, u8 code);
int smc_rmbe_get(struct smc_lgr *lgr, const struct smc_link *link, u32 size,
		 struct smc_rmbe *e);
void smc_rmb_want(struct smc_lgr *lgr, u32 size);

/* rmb_life.c */
void smc_rmb_work(struct smc_lgr *lgr);
void smc_rmb_announced(struct smc_lgr *lgr, struct smc_rmb *rmb, bool ok);
void smc_rmb_revoked(struct smc_lgr *lgr, struct smc_rmb *rmb);

#endif

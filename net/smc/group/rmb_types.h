/* SPDX-License-Identifier: GPL-2.0 */
/* One RMB of a group. */
#ifndef _SMC_GROUP_RMB_TYPES_H
#define _SMC_GROUP_RMB_TYPES_H

#include <linux/list.h>
#include <linux/types.h>
#include "../base/limits.h"
#include "../transport/mr.h"
#include "rmb_fsm.h"

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

#endif

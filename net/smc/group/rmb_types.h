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
 * struct smc_rmb - one RMB; lgr->lock protects the members that are not
 * constant
 * @list:	entry in lgr->rmbs.list
 * @state:	enum smc_rmb_state
 * @code:	size code of the elements; constant
 * @n_elems:	number of elements; constant
 * @mem:	pages of the RMB; constant
 * @tok:	registration on each link, by slot. Key and address stay until
 *		another link takes the slot, because handshakes may still name
 *		them. The worker and the creator use the memory region itself;
 *		others only sync it, under lgr->lock or called by the endpoint.
 * @opened:	bit per slot: registered on the link that has the slot, or had
 *		it last; worker or creator writes it
 * @told:	bit per slot: the peer knows the key; like @opened
 * @used:	bit per element: in use or quarantined
 * @n_used:	number of elements in use
 * @n_dirty:	number of quarantined elements, to which the peer may still
 *		write
 * @idle_since:	jiffies when @n_used became 0
 */
struct smc_rmb {
	struct list_head list;
	u8 state;
	u8 code;
	unsigned int n_elems;
	struct smc_mem *mem;
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

/* SPDX-License-Identifier: GPL-2.0 */
/* A connection as a member of its group. */
#ifndef _SMC_GROUP_MEMBER_TYPES_H
#define _SMC_GROUP_MEMBER_TYPES_H

#include <linux/list.h>
#include <linux/types.h>

struct smc_ep;
struct smc_lgr;
struct smc_lgr_member;
struct smc_link;

/**
 * struct smc_lgr_member_ops - callbacks of a connection
 * @run:	the member waited for a send slot: post some work now, then wait
 *		again if there is more. Softirq or process context, BH off.
 * @queued:	bytes that wait to be sent or to be known delivered, for views.
 *		lgr->lock held, must not sleep.
 * @down:	the group or the last link ended. Process context, may sleep.
 *		Called once, then the member is off the group's list.
 * @move:	send over @to from now on, if it was @from until now: as soon as
 *		what was posted there has completed, by smc_member_switch().
 *		Return: it was. Process context.
 */
struct smc_lgr_member_ops {
	void (*run)(struct smc_lgr_member *m);
	u64 (*queued)(struct smc_lgr_member *m);
	void (*down)(struct smc_lgr_member *m, int err);
	bool (*move)(struct smc_lgr_member *m, struct smc_link *from,
		     struct smc_link *to);
};

/**
 * struct smc_lgr_member - embedded in a connection
 * @ops:	callbacks
 * @lgr:	the group, one reference held from join to leave
 * @link:	that carries this connection's sends, one reference held from
 *		join to leave; changed by smc_member_switch() only
 * @ep:		its endpoint
 * @named:	slot of the link that Accept or Confirm names
 * @named_uid:	user ID of that link: another one may have got the slot since
 * @epoch:	last move that it was asked to make; lgr->lock
 * @list:	lgr->members.list, lgr->lock
 * @wait:	link's queue of members with work, its tx_lock
 */
struct smc_lgr_member {
	const struct smc_lgr_member_ops *ops;
	struct smc_lgr *lgr;
	struct smc_link *link;
	struct smc_ep *ep;
	u8 named;
	u32 named_uid;
	u32 epoch;
	struct list_head list;
	struct list_head wait;
};

#endif

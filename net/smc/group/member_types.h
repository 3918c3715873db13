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
struct smc_pack;
struct smc_writes;

/* How a record joins the queue of its link. */
enum smc_queue_how {
	SMC_QUEUE_FIRST		= 0x1,	/* before the others; from ->fill() only */
	SMC_QUEUE_PROMPT	= 0x2,	/* must not wait for the application */
};

/**
 * struct smc_lgr_member_ops - callbacks of a connection
 * @run:	called when a send slot is free for a member that waits. The
 *		connection posts one bundle, and queues again if it has more to
 *		send. Softirq or process context, BH off.
 * @fill:	instead of @run, on a link with frames: called when a frame of
 *		@link has room. The connection adds its record to @pack if it
 *		sends over @link, and queues again with smc_member_queue() if it
 *		has another record to send. If @writes is empty, the connection
 *		may add the WRITEs that its record announces. @others members
 *		wait behind it. Return: false: the frame has no room, and the
 *		connection has queued as the first one. Context as @run.
 * @settled:	a record that @fill has added has completed, or has not (@err):
 *		@move and @prod are those of smc_pack_add(). Softirq, or process
 *		context with BH off.
 * @closed:	the endpoint of the link with user ID @uid is quiet, and all
 *		that it has received was handled. Process context. May be NULL.
 * @down:	the group or its last link has ended. Process context, may
 *		sleep. Called once; the member is off the group's list by then.
 * @move:	tells the connection to move from link @from to @to. The
 *		connection calls smc_member_switch() as soon as all bundles that
 *		it has posted on @from have completed, or, with frames, at once.
 *		Return: true if the member used @from. Process context.
 */
struct smc_lgr_member_ops {
	void (*run)(struct smc_lgr_member *m);
	bool (*fill)(struct smc_lgr_member *m, struct smc_link *link,
		     struct smc_pack *pack, struct smc_writes *writes,
		     u32 others);
	void (*settled)(struct smc_lgr_member *m, u32 move, u64 prod, int err);
	void (*closed)(struct smc_lgr_member *m, u32 uid);
	void (*down)(struct smc_lgr_member *m, int err);
	bool (*move)(struct smc_lgr_member *m, struct smc_link *from,
		     struct smc_link *to);
};

/**
 * struct smc_lgr_member - a connection in its group; embedded in the connection
 * @ops:	callbacks
 * @lgr:	group; one reference from join to leave
 * @link:	link that carries this connection's sends; one reference from
 *		join to leave; only smc_member_switch() changes it
 * @ep:		endpoint of @link
 * @named_uid:	user ID of the link that Accept or Confirm names, which tells if
 *		another link has taken the slot @named
 * @epoch:	last move that the member has seen; lgr->lock
 * @list:	entry in lgr->members.list, under lgr->lock
 * @wait:	entry in link->queue.waiters, under link->queue.lock
 * @due:	with frames: estimate of the bytes of the record that waits;
 *		under link->queue.lock
 * @round:	with frames: number of the last frame for which ->fill() was
 *		called; under link->queue.lock
 * @named:	slot of the link that Accept or Confirm names
 * @prompt:	with frames: 1: this record must not wait for the application,
 *		0: it may; under link->queue.lock
 */
struct smc_lgr_member {
	const struct smc_lgr_member_ops *ops;
	struct smc_lgr *lgr;
	struct smc_link *link;
	struct smc_ep *ep;
	u32 named_uid;
	u32 epoch;
	struct list_head list;
	struct list_head wait;
	u32 due;
	u32 round;
	u8 named;
	u8 prompt;
};

#endif

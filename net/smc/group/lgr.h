/* SPDX-License-Identifier: GPL-2.0 */
/* Link groups: what connections and views may ask of them. */
#ifndef _SMC_GROUP_LGR_H
#define _SMC_GROUP_LGR_H

#include <linux/list.h>
#include <linux/types.h>
#include "role.h"

struct smc_contact;
struct smc_ep;
struct smc_lgr;
struct smc_link;

/* ---- connections of a group ---- */

struct smc_lgr_member;

/**
 * struct smc_lgr_member_ops - callbacks of a connection
 * @run:	the member waited for a send slot: post some work now, then wait
 *		again if there is more. Softirq or process context, BH off.
 * @queued:	bytes that wait to be sent or to be known delivered, for views.
 *		lgr->lock held, must not sleep.
 * @down:	the group or the last link ended. Process context, may sleep.
 *		Called once, then the member is off the group's list.
 * @move:	send over @to from now on, if it was @from until now: as soon as
 *		what was posted there has completed, by smc_lgr_switch().
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
 *		join to leave; changed by smc_lgr_switch() only
 * @ep:		its endpoint
 * @named:	slot of the link that Accept or Confirm names, @named_uid its user
 *		ID: another link may have got the slot since
 * @epoch:	last move that it was asked to make; lgr->lock
 * @list:	lgr->members, lgr->lock
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

/**
 * smc_lgr_join - make @m a member of the contact's group, on its link; takes a
 * group reference. Context: any but irq. Return: 0, -ENOLINK (group ended).
 */
int smc_lgr_join(struct smc_lgr_member *m, struct smc_contact *c,
		 const struct smc_lgr_member_ops *ops);
/**
 * smc_lgr_leave - undo smc_lgr_join(); after return no callback runs. Starts
 * the group's linger time when it was the last. Context: may sleep.
 */
void smc_lgr_leave(struct smc_lgr_member *m);
/**
 * smc_lgr_wait_slot - queue @m, fairly, until a send slot is free; ->run()
 * follows. Does nothing when it is queued already. Context: BH safe.
 */
void smc_lgr_wait_slot(struct smc_lgr_member *m);
/**
 * smc_lgr_switch - @m sends over @to from now on
 * @m:	member; what it has posted has completed
 * @to:	active link; the caller's reference becomes the member's
 *
 * The caller holds the lock that it takes for ->run() and for reading m->link.
 * Context: BH safe.
 */
void smc_lgr_switch(struct smc_lgr_member *m, struct smc_link *to);
struct smc_link *smc_link_get(struct smc_link *link);
void smc_link_put(struct smc_link *link);
/**
 * smc_lgr_peer_rmb - the peer named its RMB in Accept or Confirm
 * @m:	member
 * @rkey: key on the link that was named
 * @addr: address there
 * @id:	for smc_lgr_peer_key()
 *
 * Return: 0, -ENOSPC (too many RMBs), -ENOLINK (that link has gone, and another
 * one has its place).
 */
int smc_lgr_peer_rmb(struct smc_lgr_member *m, u32 rkey, u64 addr, u32 *id);
/**
 * smc_lgr_peer_key - key and address of the peer's RMB on @m's link
 *
 * Context: BH safe, as smc_lgr_switch(). Return: false: the peer has not told.
 */
bool smc_lgr_peer_key(struct smc_lgr_member *m, u32 id, u32 *rkey, u64 *addr);
/**
 * smc_lgr_may_move - can @m leave a link that works?
 * @m:	member
 * @id:	see smc_lgr_peer_rmb()
 * @from: link
 * @to:	link to go to
 *
 * Return: true if @from does not work, or the peer's key on @to is known.
 */
bool smc_lgr_may_move(struct smc_lgr_member *m, u32 id,
		      const struct smc_link *from, const struct smc_link *to);
/**
 * smc_lgr_keepalive - @m was idle for @idle jiffies: if its link was so too, ask
 * the peer by TEST LINK (R-4.5.3-03, -04). Context: BH safe; the caller holds
 * the lock that it takes for ->run().
 */
void smc_lgr_keepalive(struct smc_lgr_member *m, unsigned long idle);
/** smc_lgr_out_of_sync - a Decline with the S flag came: end the group (C.4) */
void smc_lgr_out_of_sync(struct smc_lgr *lgr);
/** smc_lgr_violation - the peer broke the protocol on this group's link:
 * count, trace, end the link with DELETE LINK reason 0x00040000. Any context.
 */
void smc_lgr_violation(struct smc_lgr *lgr);

struct smc_lgr *smc_lgr_get(struct smc_lgr *lgr);
void smc_lgr_put(struct smc_lgr *lgr);

/**
 * struct smc_lgr_user - what the floor above gives at start
 * @cdc:	a CDC message arrived for a connection of @lgr. Softirq. @buf has
 *		44 bytes and is valid during the call only.
 */
struct smc_lgr_user {
	void (*cdc)(struct smc_lgr *lgr, const u8 *buf);
};

int smc_group_init(const struct smc_lgr_user *user);
/** smc_group_shutdown - end all groups (orderly DELETE LINK), wait for it */
void smc_group_exit(void);

#endif

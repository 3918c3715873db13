/* SPDX-License-Identifier: GPL-2.0 */
/* Connections as members of a group. */
#ifndef _SMC_GROUP_MEMBER_H
#define _SMC_GROUP_MEMBER_H

#include <linux/types.h>
#include "member_types.h"

struct smc_contact;
struct smc_lgr;
struct smc_link;

/**
 * smc_member_join - make a connection a member of the contact's group
 * @m:	member, which will send over the contact's link
 * @c:	contact
 * @ops: callbacks of the connection
 *
 * The member holds a reference to the group and one to its link. Context: any
 * but irq.
 * Return: 0, -ENOLINK (group ended).
 */
int smc_member_join(struct smc_lgr_member *m, struct smc_contact *c,
		    const struct smc_lgr_member_ops *ops);

/**
 * smc_member_leave - undo smc_member_join()
 * @m:	member; no callback runs after return
 *
 * The last member to leave starts the group's linger time. Context: may sleep.
 */
void smc_member_leave(struct smc_lgr_member *m);

/**
 * smc_member_pause - keep the worker from calling a member of the group
 * @m:	member; the caller holds a reference to its group
 *
 * So the owner can replace its callbacks. smc_member_resume() follows. Takes
 * down_mutex. Context: process, not from a callback of a member, sleeps.
 */
void smc_member_pause(struct smc_lgr_member *m);

/** smc_member_resume - undo smc_member_pause() */
void smc_member_resume(struct smc_lgr_member *m);

/**
 * smc_member_queued - bytes came to the send queue of a member, or left it
 * @lgr:	its group
 * @change:	number of bytes
 *
 * The owner takes back what is left of its bytes when the member leaves.
 * Context: any but irq.
 */
void smc_member_queued(struct smc_lgr *lgr, s64 change);

/**
 * smc_member_wait_slot - queue a member until a send slot is free
 * @m:	member; may be queued already
 *
 * The queue serves members in the order of arrival and calls ->run(). Context:
 * BH safe.
 */
void smc_member_wait_slot(struct smc_lgr_member *m);

/**
 * smc_member_queue - queue a member that has a record to send in a frame
 * @m:	member; may be queued already
 * @due: estimate of the bytes of its record and of the data that wait
 * @how: bits of enum smc_queue_how, or 0
 *
 * The caller holds the lock that protects m->link. Context: BH off.
 * Return: true: the caller calls smc_link_serve() after it has released the
 * lock. False: the record waits for an event of the link. ->fill() ignores the
 * result.
 */
bool smc_member_queue(struct smc_lgr_member *m, u32 due, u8 how);

/**
 * smc_member_unread - the application has not read the member's new data yet
 * @m:	member; smc_member_seen() follows when the application handles it
 *
 * Records of other members may wait for the answer. The caller holds the lock
 * that protects m->link. Context: any.
 */
void smc_member_unread(struct smc_lgr_member *m);

/** smc_member_seen - undo smc_member_unread(), with the same lock */
void smc_member_seen(struct smc_lgr_member *m);

/**
 * smc_member_switch - make @m send over @to
 * @m:	member; all bundles that it has posted must have completed. Records in
 *	frames need not have completed.
 * @to:	active link, to which the caller holds a reference
 *
 * The caller holds the lock that its ->run() takes and that protects m->link.
 * Context: BH safe.
 */
void smc_member_switch(struct smc_lgr_member *m, struct smc_link *to);

/**
 * smc_member_faces - do the links of two in-host members end at each other?
 * @m:	member
 * @peer: member of another group, which wants to send to @m
 *
 * Context: any, while neither member changes its link. Return: false also if
 * the link of @m does not know its peer yet.
 */
bool smc_member_faces(const struct smc_lgr_member *m,
		      const struct smc_lgr_member *peer);

/**
 * smc_member_peer_rmb - store the RMB that the peer named in Accept or Confirm
 * @m:	member
 * @rkey: key of the RMB on the link that Accept or Confirm names
 * @addr: address of the RMB on that link
 * @id:	output: ID for smc_member_peer_key()
 *
 * Return: 0, -ENOSPC (too many RMBs), -ENOLINK (the link is gone, and another
 * link has its slot).
 */
int smc_member_peer_rmb(struct smc_lgr_member *m, u32 rkey, u64 addr, u32 *id);

/**
 * smc_member_offered_rmb - find the RMB whose key a frame of the peer names
 * @m:	member
 * @link: link that carried the frame
 * @rkey: key of the RMB on this link
 * @id:	output: ID for smc_member_peer_key()
 *
 * Context: BH safe. Return: 0, -ENOENT (the peer has not told this key before).
 */
int smc_member_offered_rmb(struct smc_lgr_member *m, const struct smc_link *link,
			   u32 rkey, u32 *id);

/**
 * smc_member_peer_key - get key and address of the peer's RMB on the member's
 * link
 * @m:	member
 * @id:	see smc_member_peer_rmb()
 * @rkey: output: the key
 * @addr: output: the address
 *
 * Context: BH safe, locks as for smc_member_switch(). Return: true; false if
 * the peer has not told key and address.
 */
bool smc_member_peer_key(struct smc_lgr_member *m, u32 id, u32 *rkey, u64 *addr);

/**
 * smc_member_in_host - is the peer this host?
 * @m:	member of a group
 *
 * Context: any. Return: true if the transport copies memory, without a device.
 */
bool smc_member_in_host(const struct smc_lgr_member *m);

/**
 * smc_member_may_move - can @m move from one link to another?
 * @m:	member
 * @id:	see smc_member_peer_rmb()
 * @from: link
 * @to:	new link
 *
 * Return: true if @from does not work, or the peer's key on @to is known.
 */
bool smc_member_may_move(struct smc_lgr_member *m, u32 id,
			 const struct smc_link *from, const struct smc_link *to);

/**
 * smc_member_keepalive - a member asks for a probe after its keepalive time
 * @m:	member
 * @idle: keepalive time in jiffies
 *
 * Sends TEST LINK if the link has been idle for as long as the member
 * (R-4.5.3-03, -04). Context: BH safe; the caller holds the lock that its
 * ->run() takes. Return: the jiffies when the link last showed that it works,
 * or was asked to: @idle later the member has to call again.
 */
unsigned long smc_member_keepalive(struct smc_lgr_member *m,
				   unsigned long idle);

/**
 * smc_member_heard - a message of the peer has arrived that the link did not
 * carry
 * @m:	member of a group within a host
 *
 * The link counts as tested, as after a message of its own. Context: BH safe;
 * the caller holds the lock that its ->run() takes.
 */
void smc_member_heard(struct smc_lgr_member *m);

/* all members; worker */
void smc_member_move_all(struct smc_lgr *lgr, struct smc_link *from,
			 struct smc_link *to, int n);
void smc_member_down_all(struct smc_lgr *lgr);

#endif

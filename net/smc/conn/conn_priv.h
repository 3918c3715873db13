/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inside of the connection floor.
 *
 * Lifetime. A connection is in a group from smc_conn_attach() until it reached
 * CLOSED. Then, each step once and in process context (conn.c):
 *
 *   leave	token out of the table, timers off, element back, out of the
 *		group: from here on no callback of a lower floor comes
 *   reap	an RCU grace period later no callback into the owner can still
 *		run: its memory is returned, ops->closed(), references dropped
 *
 * The table of tokens holds no reference: who found a connection there may use
 * it for as long as its RCU read section lasts, because the attach reference
 * is dropped by reap at the earliest. While bundles are posted (tx.inflight)
 * they share one more reference.
 */
#ifndef _SMC_CONN_PRIV_H
#define _SMC_CONN_PRIV_H

#include <linux/completion.h>
#include <linux/kref.h>
#include <linux/rhashtable-types.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include "../group/rmbe.h"
#include "../group/lgr.h"
#include "../group/link.h"
#include "../group/member.h"
#include "../wire/cdc.h"
#include "../wire/urgent.h"
#include "alive.h"
#include "close.h"
#include "conn.h"
#include "element.h"
#include "move.h"
#include "rx.h"
#include "token.h"

struct smc_seg;

/* Where a connection is in its group's life; goes down this list, but for HELD. */
enum smc_conn_place {
	SMC_PLACE_OUT,		/* no group yet */
	SMC_PLACE_IN,		/* member; sends and receives */
	SMC_PLACE_CUT,		/* member of a group that has ended */
	SMC_PLACE_LEAVING,	/* CLOSED, leave is queued */
	SMC_PLACE_LEFT,		/* no member any more, reap follows */
	SMC_PLACE_HELD,		/* reap waits for a reader to finish */
	SMC_PLACE_DONE,		/* closed() was called */
};

/* What the owner has to be told; collected under conn->lock. */
enum {
	SMC_TELL_READABLE	= 1,
	SMC_TELL_WRITABLE	= 2,
	SMC_TELL_CHANGED	= 4,
	SMC_TELL_URGENT		= 8,
};

/**
 * struct smc_conn - a connection
 * @ref:	users, the attach (see above), bundles in flight
 * @ops:	callbacks, constant
 * @owner:	constant; referenced from attach to closed()
 * @net:	the owner's, constant; counters only until closed()
 * @node:	token table; @token is constant while it is in there
 * @element:	of the peer, which it writes to
 * @member:	membership in the group, valid from attach until leave
 * @peer:	the peer's element, constant after smc_conn_start(), except that
 *		key and address are those of the link that is sent on, @lock
 * @lock:	protects everything below
 * @state:	enum smc_conn_state, written by smc_close_step() only; READ_ONCE
 *		by smc_conn_state()
 * @place:	enum smc_conn_place
 * @err:	0 or positive errno for the application, first one wins;
 *		READ_ONCE by smc_conn_error(), partner smc_close_error()
 * @tell:	SMC_TELL_*, taken by smc_conn_unlock()
 * @freed:	bytes of memory charge to be returned to the owner, taken by
 *		smc_conn_unlock() or, after leave, by reap
 */
struct smc_conn {
	struct kref ref;
	struct rcu_head rcu;
	const struct smc_conn_ops *ops;
	struct sock *owner;
	struct net *net;
	struct rhash_head node;
	u32 token;
	struct smc_lgr_member member;
	struct smc_element element;
	struct {
		u32 token;
		u32 rkey;
		u64 addr;	/* of the element, not of the RMB */
		u32 size;	/* 0: not known yet */
		u32 rmb;	/* smc_member_peer_key() */
		u64 off;	/* of the element in its RMB */
	} peer;

	spinlock_t lock;	/* see above */
	u8 state;
	u8 place;
	u8 tell;
	u32 freed;
	int err;

	/*
	 * Producer side. Positions: fin <= sent <= prep, sent <= high, and
	 * peer_cons <= sent <= peer_cons + peer.size. fin is behind peer_cons
	 * only as long as something is in flight.
	 */
	struct {
		u64 prep;	/* behind the last byte queued */
		u64 sent;	/* behind the last byte posted */
		u64 high;	/* the same, on any link so far */
		u64 fin;	/* behind the last byte known delivered */
		u64 peer_cons;	/* consumer position the peer told */
		struct list_head segs;	/* bytes fin..prep, in order */
		struct smc_seg *next;	/* segment of @sent, NULL if at prep */
		struct smc_seg *pinned;	/* being filled by a sender */
		u32 limit;	/* bytes that may be queued */
		u64 barrier;	/* nothing from here on is sent yet */
		struct smc_urg_tx urg;
		u32 inflight;	/* bundles posted and not completed */
		u16 seq;	/* of the last CDC posted */
		u16 ss;		/* of the last CDC completed (R-4.6.1-02) */
		u8 flags;	/* producer flags last posted */
		u8 said;	/* connection flags posted */
		u8 want;	/* connection flags to be posted */
		bool hold;	/* MSG_MORE: keep a partial burst back */
		bool spoke;	/* a message was posted: @seq may be 0 again */
		bool update;	/* the peer needs our consumer position */
		bool lost;	/* a message failed: the link is down */
		bool again;	/* after that: say on the next link how it is */
		bool validate;	/* the next message is the one with F */
		struct smc_link *target; /* next link, reference; not yet used */
		struct delayed_work cork; /* ends @hold */
	} tx;

	/*
	 * Consumer side: cons <= free <= prod <= told + rmbe.size,
	 * told <= free. Beyond cons @free is where urgent.c moved bytes away.
	 */
	struct {
		u64 prod;	/* producer position the peer told */
		u64 cons;	/* behind the last byte read */
		u64 free;	/* before it the element need keep nothing */
		u64 told;	/* consumer position in the last CDC posted */
		struct smc_rmbe rmbe;
		u32 size;	/* of the element, constant after attach */
		u16 seq;	/* of the last CDC taken (R-4.6.1-03) */
		u16 gap_seq;	/* up to here CDCs have to come by the old link */
		bool moved;	/* the peer has sent over another link before */
		bool gap;	/* they have not come yet */
		bool has_held;	/* @held is set */
		struct smc_cdc held; /* newest CDC that came behind the gap */
		struct delayed_work gap_timer;
		u8 prod_flags;	/* of the last CDC taken */
		u8 conn_flags;	/* D, C, A that ever came */
		bool busy;	/* a reader copies without the lock */
		u8 oob;		/* the urgent byte */
		struct smc_urg_rx urg;
		struct {
			u8 *buf;	/* bytes @start to @free; not if @busy */
			u64 start;
			u32 charge;	/* bytes charged to the owner */
			u8 one;		/* as @buf, if it is one byte */
		} kept;
		struct work_struct keep;
	} rx;

	struct smc_alive alive;

	/* The end. */
	struct {
		struct delayed_work timer;
		u64 mark;	/* tx.fin when @timer was started */
		struct smc_lgr *lgr;	/* for @rmbe after leave */
		struct work_struct leave;
		struct rcu_work reap;
		struct completion done;
	} end;
};

/* conn.c */
extern struct workqueue_struct *smc_conn_wq;
void smc_conn_lock(struct smc_conn *conn);
void smc_conn_unlock(struct smc_conn *conn);
void smc_conn_try_leave(struct smc_conn *conn);
void smc_conn_read_done(struct smc_conn *conn);

/** smc_conn_open - data flows: not before START, not after an abort or the end */
static inline bool smc_conn_open(const struct smc_conn *conn)
{
	return conn->state != SMC_CONN_INIT &&
	       conn->state < SMC_CONN_PEERABORTWAIT;
}

#endif

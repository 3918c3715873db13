/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The connection object: data only. The header of each source file declares its
 * functions.
 *
 * A connection is in a group from smc_life_attach() until the close machine
 * reaches CLOSED. Then two steps follow, each once and in process context
 * (life.c):
 *
 *   leave	The connection stops its timers, gives its element back and
 *		leaves the group. After that a lower floor calls the connection
 *		only if a message of the peer names its token.
 *   reap	After an RCU grace period no callback into the owner can run any
 *		more. The connection takes its token out of the table, returns
 *		its charge, calls ops->closed() and drops its references.
 *
 * The table of tokens holds no reference. A lookup may use the connection until
 * the end of its RCU read section: only reap drops the reference of the group,
 * and the memory is freed a grace period after the last reference. A lookup
 * that finds a place behind SMC_PLACE_IN may only record that the peer has
 * finished with the element (flags C and A).
 */
#ifndef _SMC_CONN_OBJECT_H
#define _SMC_CONN_OBJECT_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/rhashtable-types.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include "../group/member_types.h"
#include "../wire/urgent.h"
#include "close_fsm.h"
#include "framed_object.h"
#include "place_fsm.h"
#include "rfc_object.h"
#include "timer_object.h"

struct net;
struct smc_conn_ops;
struct smc_dialect;
struct smc_link;
struct smc_mailbox;
struct smc_seg;
struct sock;

/**
 * enum smc_conn_tell - pending callbacks of struct smc_conn_ops; bits
 * @SMC_TELL_READABLE:	->readable()
 * @SMC_TELL_WRITABLE:	->writable()
 * @SMC_TELL_CHANGED:	->changed()
 * @SMC_TELL_URGENT:	->urgent()
 */
enum smc_conn_tell {
	SMC_TELL_READABLE	= 1,
	SMC_TELL_WRITABLE	= 2,
	SMC_TELL_CHANGED	= 4,
	SMC_TELL_URGENT		= 8,
};

/**
 * struct smc_conn_news - what smc_conn_unlock() must report to the owner;
 * conn->lock
 * @freed:	bytes of charged memory that were released, to be reported to
 *		the owner. After leave, reap reports them.
 * @shrunk:	the same for memory that ops->grow() had charged. After leave,
 *		reap reports all as @freed.
 * @peer:	in-host: token of the connection whose mailbox has a letter; 0:
 *		none
 * @tell:	bits of enum smc_conn_tell
 * @noticed:	segments that are not needed any more and have a notice. After
 *		leave, reap or drain releases them.
 * @serve:	link to be served, with a reference; NULL: none
 */
struct smc_conn_news {
	u32 freed;
	u32 shrunk;
	u32 peer;
	u8 tell;
	struct list_head noticed;
	struct smc_link *serve;
};

/**
 * struct smc_conn_tx - bytes to be sent; conn->lock
 * @prep:	position behind the last byte queued
 * @sent:	position behind the last byte posted, at most @prep
 * @fin:	position behind the last byte known to be delivered, at most
 *		@sent
 * @edge:	the peer allows bytes up to this position; the dialect moves it
 * @barrier:	bytes from this position on are not sent, because a call with
 *		MSG_OOB is still adding to the queue, or because the peer had
 *		closed before they were queued; U64_MAX: no barrier
 * @burst:	number of bytes that the dialect can have in flight; 0: not
 *		known yet; READ_ONCE by count.c. See smc_txq_partial().
 * @limit:	limit of queued bytes; the memory for them may be twice as large
 * @cap:	limit of queued bytes while memory is short, otherwise U32_MAX
 * @lowat:	no more bytes are queued while this many bytes wait to be posted
 *		(TCP_NOTSENT_LOWAT)
 * @charged:	bytes of memory of @segs that are charged to the owner;
 *		READ_ONCE in smc_tx_memory()
 * @stale:	number of records in flight on links that the connection has
 *		left. While it is not 0, segments with a notice are parked.
 * @segs:	list of struct smc_seg, which holds the bytes from @fin to @prep
 *		in order; or one empty segment, which waits for the next bytes
 * @parked:	segments with a notice that the queue does not need any more,
 *		but that a device may still read
 * @next:	segment that holds the byte at @sent; NULL if @sent is @prep
 * @pinned:	segment that a sender extends without the lock, or NULL
 * @urg:	urgent bytes of the stream
 * @hold:	a partial burst must wait (MSG_MORE, TCP_CORK)
 * @over:	nothing is sent or in flight any more, so @segs holds nothing
 *		but @pinned
 *
 * A sender also holds the owner's socket lock.
 */
struct smc_conn_tx {
	u64 prep;
	u64 sent;
	u64 fin;
	u64 edge;
	u64 barrier;
	u32 burst;
	u32 limit;
	u32 cap;
	u32 lowat;
	u32 charged;
	u32 stale;
	struct list_head segs;
	struct list_head parked;
	struct smc_seg *next;
	struct smc_seg *pinned;
	struct smc_urg_tx urg;
	bool hold;
	bool over;
};

/**
 * struct smc_conn_rx - received bytes; conn->lock
 * @prod:	position behind the last byte received
 * @cons:	position behind the last byte read, at most @prod
 * @extents:	list of struct smc_extent, which tells where the bytes from
 *		@cons to @prod are, in order. The first one may be empty. While
 *		@busy is set, the dialect only adds extents at the end.
 * @size:	limit of unread bytes, set by the dialect; READ_ONCE by count.c
 * @fills:	times that the peer had used most of an element, 255 at most;
 *		READ_ONCE by smc_rx_fills()
 * @busy:	a reader copies without the lock
 * @oob:	the urgent byte
 * @stamping:	the application asks for measure.stamp
 * @urg:	position of the urgent byte
 *
 * A reader also holds the owner's socket lock.
 */
struct smc_conn_rx {
	u64 prod;
	u64 cons;
	struct list_head extents;
	u32 size;
	u8 fills;
	bool busy;
	u8 oob;
	bool stamping;
	struct smc_urg_rx urg;
};

/**
 * struct smc_conn_close - progress of the end of a connection; conn->lock
 * @state:	enum smc_conn_state, written by smc_close_step() only; READ_ONCE
 *		by smc_conn_state()
 * @want:	flags D, C, A (wire/cdc.h) that the application asked for
 * @said:	flags that were posted
 * @heard:	flags that the peer sent. A flag in @want, @said or @heard is
 *		never cleared.
 * @err:	0, or the positive errno for the application, which never
 *		changes again. READ_ONCE by smc_conn_error(), partner
 *		close_set_error()
 * @gone:	no program has the socket any more, so SMC_TIMER_CLOSE limits
 *		the end
 * @mark:	tx.fin when that timer was started
 */
struct smc_conn_close {
	u8 state;
	u8 want;
	u8 said;
	u8 heard;
	bool gone;
	int err;
	u64 mark;
};

/**
 * struct smc_conn_alive - keepalive, and the limit of a stall; conn->lock
 * @last:	jiffies of the last message, in either direction
 * @idle:	jiffies without a message before a probe; 0: never probe
 * @probed:	jiffies of the last probe, or of the call that set @idle; or, if
 *		the link was not idle when a probe was due, of its last message
 * @patience:	jiffies that queued bytes may wait without a delivery before the
 *		connection is aborted; 0: for ever
 * @since:	jiffies when @mark was seen first
 * @mark:	tx.fin at the last look for a stall
 *
 * Times are the low 32 bits of jiffies, as in TCP.
 */
struct smc_conn_alive {
	u32 last;
	u32 idle;
	u32 probed;
	u32 patience;
	u32 since;
	u64 mark;
};

/**
 * struct smc_conn_measure - counts and times, for TCP_INFO; conn->lock
 * @msgs_out:	messages posted
 * @msgs_in:	messages received
 * @data_out:	messages of @msgs_out that announce bytes
 * @data_in:	messages of @msgs_in that announce bytes
 * @moves:	how often the connection has changed its link
 * @rtt_us:	mean time from post to completion; 0: not known
 * @rttvar_us:	deviation of this time
 * @min_us:	shortest such time
 * @sent_at:	low 32 bits of jiffies at the last of @data_out
 * @heard_at:	low 32 bits of jiffies at the last of @data_in
 * @begin:	time of the post of the sample, in ns; 0: there is no sample
 * @from:	tx.fin at that time
 * @to:		tx.sent after the sample was posted
 * @rate:	bytes per second that were delivered during the last sample
 * @stamp:	with rx.stamping: real time of the last of @data_in, or 0
 */
struct smc_conn_measure {
	u32 msgs_out;
	u32 msgs_in;
	u32 data_out;
	u32 data_in;
	u32 moves;
	u32 rtt_us;
	u32 rttvar_us;
	u32 min_us;
	u32 sent_at;
	u32 heard_at;
	u64 begin;
	u64 from;
	u64 to;
	u64 rate;
	ktime_t stamp;
};

/**
 * struct smc_conn_life - membership in a group and its end
 * @place:	enum smc_conn_place, smc_conn_place_step()
 * @lgr:	group; one reference from leave to reap
 * @leave:	queued once, when @place becomes LEAVING
 * @reap:	queued a grace period after leave, and again when the reader of
 *		HELD has finished
 * @drain:	queued when the last bundle completes after reap, and holds its
 *		reference
 * @rcu:	for two grace periods: between leave and reap, and between
 *		conn_release() and conn_free()
 * @closed:	closed() was called; partners: conn_reap(), smc_life_detach()
 *
 * leave, reap and drain run one after the other, so they share memory.
 */
struct smc_conn_life {
	u8 place;
	bool closed;
	struct smc_lgr *lgr;
	union {
		struct work_struct leave;
		struct work_struct reap;
		struct work_struct drain;
		struct rcu_head rcu;
	};
};

/**
 * struct smc_conn - a connection
 * @ref:	references, for the reasons of enum smc_conn_ref
 * @token:	alert token, constant while @node is in the table
 * @ops:	callbacks, constant
 * @dialect:	wire format towards the peer, constant after attach
 * @owner:	constant; referenced from attach to closed()
 * @net:	namespace of the owner, constant; after closed() the namespace
 *		may be gone
 * @node:	entry in the table of tokens
 * @mail:	in-host without elements: mailbox, constant after attach;
 *		otherwise NULL
 * @member:	membership in the group, valid from attach until leave; its link
 *		changes under @lock
 * @lock:	protects the members after it
 * @news:	pending reports to the owner
 * @tx:		bytes to be sent
 * @rx:		received bytes
 * @close:	progress of the end
 * @alive:	keepalive
 * @measure:	counts and times
 * @timers:	deadlines, and the work item that serves them
 * @life:	membership in the group and its end
 * @rfc:	private to the dialect of RFC 7609
 * @framed:	private to the dialect of frames
 */
struct smc_conn {
	struct kref ref;
	u32 token;
	const struct smc_conn_ops *ops;
	const struct smc_dialect *dialect;
	struct sock *owner;
	struct net *net;
	struct rhash_head node;
	struct smc_mailbox *mail;
	struct smc_lgr_member member;

	spinlock_t lock;	/* protects the members after it */
	struct smc_conn_news news;
	struct smc_conn_tx tx;
	struct smc_conn_rx rx;
	struct smc_conn_close close;
	struct smc_conn_alive alive;
	struct smc_conn_measure measure;
	struct smc_conn_timers timers;
	struct smc_conn_life life;
	union {
		struct smc_rfc rfc;
		struct smc_framed framed;
	};
};

/**
 * smc_object_open() - is the connection open for data?
 * @conn:	connection, its lock held
 *
 * Return: false before START, after an abort and after the end.
 */
static inline bool smc_object_open(const struct smc_conn *conn)
{
	return conn->close.state != SMC_CONN_INIT &&
	       conn->close.state < SMC_CONN_PEERABORTWAIT;
}

#endif

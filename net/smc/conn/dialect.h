/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The interface between a connection and its wire format, the dialect.
 *
 * The core of a connection knows two streams of bytes with 64-bit positions,
 * the segments and extents that hold the bytes, and the peer's window. The core
 * also knows which of the flags D, C and A the application wants, this side has
 * sent, and the peer has sent. The dialect knows how bytes and flags travel. A
 * dialect is a const table of functions, chosen before the connection joins its
 * group.
 *
 * The dialect of RFC 7609 (rfc.c) has WRITEs into the peer's element, CDC
 * messages with cursors, and one bundle per connection. The dialect of frames
 * (framed.c) has records that share frames of the link. Another dialect needs:
 *
 *   - a table of this type, and its own part in struct smc_conn. The parts of
 *     two dialects can share a union, because a connection uses one of them;
 *   - a callback of struct smc_link_user that receives its messages. The
 *     callback finds the connection by the token, takes conn->lock, and checks
 *     place, group and dialect as smc_rfc_rx_cdc() does;
 *   - a choice in smc_life_attach(), which depends on the terms of the group.
 *
 * The core never asks which dialect a connection has.
 *
 * A dialect does the following to the core, always under conn->lock:
 *
 *   sending	The dialect takes the smc_txq_due() bytes at tx.sent from the
 *		segments, then moves tx.sent and tx.next, and calls
 *		smc_txq_posted(). The dialect moves tx.edge when the peer allows
 *		more, and calls smc_txq_delivered() when bytes are known to be
 *		delivered. The dialect sends the
 *		flags of close.want that are not in close.said, D and C only
 *		behind all data, then calls smc_close_said(). The dialect sets
 *		tx.burst once it knows the peer, and again if the peer's burst
 *		changes. When the dialect has sent all that it may send and
 *		smc_txq_partial() says that the rest must wait, it starts
 *		SMC_TIMER_CORK, which ends the wait.
 *   urgent	If smc_urg_tx_due() says so, the dialect sends a message even
 *		without data, and then calls smc_urg_tx_said(). When the peer
 *		has consumed bytes, it calls smc_urg_tx_passed(). The dialect of
 *		RFC 7609 sends nothing behind smc_urg_tx_limit(), and each
 *		message carries the flags of smc_urg_tx_flags(). Records in
 *		frames do not stop, and carry the position.
 *   receiving	The dialect checks every position before it uses the position.
 *		The dialect adds extents at the end with list_add_tail_rcu(),
 *		because a reader walks the list without the lock. While rx.busy
 *		is set, the dialect does not remove an extent and does not add
 *		one in front. The dialect moves rx.prod, and asks for
 *		SMC_TELL_READABLE. The dialect passes flags to smc_close_heard()
 *		and urgent data to smc_urgent_heard().
 *   both	The dialect notes the time of each message in alive.last. When
 *		one of its messages has completed, and the connection is not
 *		open, the dialect calls smc_close_settled(). When ->settled()
 *		may have become true for another reason, it calls
 *		smc_conn_try_leave(). For work without conn->lock it starts a
 *		timer, or queues a work item with a reference, as
 *		smc_rfc_urgent_keep() does.
 */
#ifndef _SMC_CONN_DIALECT_H
#define _SMC_CONN_DIALECT_H

#include <linux/types.h>
#include "timer_object.h"

struct smc_clc_accept;
struct smc_conn;
struct smc_conn_info;
struct smc_contact;
struct smc_lgr_member_ops;

/**
 * enum smc_reader - what the reader has done; argument of ->reader()
 * @SMC_READER_PEEKED:	the reader has read without consuming; rx.cons moves
 *			only over an urgent byte that the reader skipped
 * @SMC_READER_CONSUMED: the reader has consumed bytes, and rx.cons has moved
 * @SMC_READER_WAITS:	the reader leaves the available bytes and waits for more
 */
enum smc_reader {
	SMC_READER_PEEKED,
	SMC_READER_CONSUMED,
	SMC_READER_WAITS,
};

/**
 * struct smc_dialect - operations that depend on the wire format
 * @member:	callbacks of the group. The dialect supplies ->run() and
 *		->move(), which take conn->lock themselves. ->down() is
 *		smc_close_group_ended().
 * @small:	limit in bytes of an SMC_SEG_SMALL, less than a page. Between
 *		hosts the dialect copies its bytes, so no device reads from it.
 *		0: the dialect takes only segments with pages. An empty small
 *		segment stays in the queue until smc_txq_shrink().
 * @attach:	the connection becomes a member of its group: take the needed
 *		data from the contact, add the first extents, set rx.size.
 *		Cannot fail. conn->lock held, BH.
 * @set_peer:	store the peer's data from Accept or Confirm. No lock held, may
 *		sleep. Return: 0; -EPROTO: the message breaks the protocol;
 *		-ENOLINK: the link that the message names is gone.
 * @start:	the handshake has finished, the next step makes the connection
 *		ACTIVE. No lock held, may sleep. Return: 0, or a negative errno:
 *		the connection is aborted.
 * @push:	tx.prep, tx.hold or close.want has changed: send now, or make
 *		sure that sending follows. If may_wait is true, the bytes may
 *		wait for further bytes (no TCP_NODELAY). conn->lock held, BH.
 *		One call for each send.
 * @reader:	a reader has finished: free memory that only unread bytes
 *		needed, and send a window update if necessary. conn->lock held,
 *		BH. One call for each read.
 * @limit:	limit of unread bytes that the application has set (SO_RCVBUF).
 *		Follow as far as possible. conn->lock held, BH.
 *		Return: the limit from now on; the peer may have been promised
 *		more.
 * @settled:	returns true if nothing is in flight and nothing must be sent
 *		again. Then the connection may leave its group. conn->lock held,
 *		BH.
 * @flying:	returns true if a bundle or a record of the connection is in
 *		flight, so that the device may read from the segments.
 *		conn->lock held, BH.
 * @expired:	a timer of the dialect has expired. The function takes
 *		conn->lock and the timer (smc_timer_take()); otherwise the work
 *		item runs again at once. Process context, no lock held.
 * @leave:	the state is CLOSED and life.place LEAVING, and no timer runs:
 *		return the resources of the group that the connection holds.
 *		Keep memory from which a reader copies (rx.busy). Process
 *		context, no lock held, may sleep; once, before the connection
 *		leaves the group. The token is still in the table. life.lgr is
 *		set.
 * @reap:	no reader copies from the element any more: free what ->leave()
 *		had to keep, and add its charge to news.freed. Process context,
 *		no lock held, may sleep; once, a grace period after ->leave()
 *		and before the token is taken out of the table.
 * @free:	the last reference is gone: free memory. Any context, no lock.
 * @info:	fill in cursors and flags of the snapshot. conn->lock held, BH.
 * @take_mail:	take what the peer has handed over and a later ->deliver() would
 *		take, because the next step depends on it. conn->lock held, BH.
 *		NULL: there is never any.
 * @deliver:	the connection with this token has mail, because news.peer was
 *		set. BH safe, no lock held. NULL: the dialect never sets it.
 *
 * ->push(), ->settled(), ->flying(), ->info() and ->free() are also called for
 * a connection that was never attached (life.place is SMC_PLACE_OUT). The
 * dialect's part of struct smc_conn is zero then, but for memory that
 * smc_life_attach() has allocated.
 */
struct smc_dialect {
	const struct smc_lgr_member_ops *member;
	u32 small;

	void (*attach)(struct smc_conn *conn, struct smc_contact *c);
	int (*set_peer)(struct smc_conn *conn,
			const struct smc_clc_accept *peer);
	int (*start)(struct smc_conn *conn);

	void (*push)(struct smc_conn *conn, bool may_wait);
	void (*reader)(struct smc_conn *conn, enum smc_reader done);
	u32 (*limit)(struct smc_conn *conn, u32 bytes);
	bool (*settled)(const struct smc_conn *conn);
	bool (*flying)(const struct smc_conn *conn);

	void (*expired)(struct smc_conn *conn, enum smc_conn_timer which);
	void (*leave)(struct smc_conn *conn);
	void (*reap)(struct smc_conn *conn);
	void (*free)(struct smc_conn *conn);

	void (*info)(const struct smc_conn *conn, struct smc_conn_info *info);

	void (*take_mail)(struct smc_conn *conn);
	void (*deliver)(u32 token);
};

#endif

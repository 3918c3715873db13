// SPDX-License-Identifier: GPL-2.0
/*
 * RFC dialect: sending. Queued bytes become WRITEs. Each bundle of WRITEs ends
 * with a CDC message that tells the peer about the written bytes. A bundle is
 * posted with one doorbell. One function sends data, consumer position, D, C
 * and A, so each bundle carries everything that is pending.
 */
#include "../base/limits.h"
#include "../base/mib.h"
#include "../base/tunables.h"
#include "../group/member.h"
#include "../transport/transport.h"
#include "../wire/cdc.h"
#include "../wire/stream.h"
#include "close.h"
#include "conn.h"
#include "measure.h"
#include "rfc_failover.h"
#include "rfc_tx.h"
#include "timer.h"
#include "txq.h"

/*
 * Limit of bundles per call. After this number of bundles the connection waits
 * in the queue behind others. Each bundle can carry a whole window if the page
 * fragments allow it.
 */
#define TX_BURST	4

/* ---- what to send ---- */

/* May this side send anything new? It must not send after its own C or A
 * (R-A.4-17).
 */
static bool tx_may_talk(const struct smc_conn *conn)
{
	return conn->life.place == SMC_PLACE_IN &&
	       conn->close.state != SMC_CONN_INIT &&
	       conn->close.state != SMC_CONN_CLOSED &&
	       !(conn->close.said & (SMC_CDC_C | SMC_CDC_A));
}

/* Must the next message have the flag F? */
static bool tx_owes_f(const struct smc_conn *conn)
{
	return unlikely(conn->rfc.tx.path == SMC_PATH_VALIDATE ||
			conn->rfc.tx.path == SMC_PATH_VALIDATE_REPEAT);
}

/*
 * A repetition is pending: the last message may be lost with the old link. The
 * message is sent again in any state of the connection.
 */
static bool tx_repeats(const struct smc_conn *conn)
{
	if (likely(conn->rfc.tx.path == SMC_PATH_GOOD) ||
	    conn->life.place != SMC_PLACE_IN)
		return false;
	return conn->rfc.tx.path == SMC_PATH_REPEAT ||
	       conn->rfc.tx.path == SMC_PATH_VALIDATE_REPEAT ||
	       (conn->rfc.tx.path == SMC_PATH_VALIDATE &&
		conn->close.state != SMC_CONN_CLOSED);
}

/* Returns how many bytes may be written now, up to an urgent byte
 * (R-4.7.5-05).
 */
static u64 tx_data_due(const struct smc_conn *conn)
{
	u64 due = smc_txq_due(conn);

	if (!due)
		return 0;
	return smc_urg_tx_limit(&conn->tx.urg, conn->tx.sent + due) -
	       conn->tx.sent;
}

/* Returns the flags that may be sent: A at once, D and C behind all data
 * (R-4.8.1-12).
 */
static u8 tx_flags_due(const struct smc_conn *conn)
{
	u8 due = conn->close.want & ~conn->close.said;

	if (due & SMC_CDC_A)
		return SMC_CDC_A;
	if (!due || !smc_object_open(conn) || conn->rfc.tx.inflight ||
	    conn->tx.fin != conn->tx.prep)
		return 0;
	return due;
}

static bool tx_due(const struct smc_conn *conn)
{
	/* bundles in flight on the old link must end first (R-2.3-06) */
	if (conn->rfc.tx.target)
		return false;
	if (tx_repeats(conn))
		return true;
	return tx_may_talk(conn) &&
	       (conn->rfc.tx.update || tx_flags_due(conn) ||
		tx_data_due(conn) ||
		(smc_object_open(conn) && smc_urg_tx_due(&conn->tx.urg)));
}

/* ---- posting ---- */

/* The last WRITE of a slot, for smc_txq_gather(). */
struct tx_write {
	struct smc_ep *ep;
	struct smc_ep_slot *slot;
};

static u32 tx_write_page(void *to, const struct smc_seg *seg, u32 off, u32 len)
{
	const struct tx_write *w = to;

	return smc_ep_write_page(w->ep, w->slot, seg->page, off, len);
}

/* Puts WRITEs for up to @len bytes into @slot: two WRITEs if the element wraps
 * (R-4.7-04).
 */
static void tx_add_writes(struct smc_conn *conn, struct smc_ep_slot *slot,
			  struct smc_txq_spot *at, u64 len)
{
	const struct smc_rfc_peer *peer = &conn->rfc.peer;
	struct smc_ep *ep = conn->member.ep;
	struct tx_write w = { .ep = ep, .slot = slot };
	int i;

	for (i = 0; i < SMC_EP_MAX_WRITES && len; i++) {
		u32 piece = smc_stream_contig(at->pos, peer->size, len);
		u32 done;

		piece = min(piece, smc_ep_max_write(ep));
		smc_ep_write_begin(ep, slot, peer->rkey, peer->addr +
				   smc_stream_offset(at->pos, peer->size));
		done = smc_txq_gather(conn, at, piece, tx_write_page, &w);
		if (done < piece)
			break;
		len -= done;
	}
}

static void tx_fill_cdc(struct smc_conn *conn, u8 *msg, u64 end, u8 conn_flags)
{
	u32 window = smc_stream_window(conn->rfc.peer.size, end,
				       conn->rfc.tx.peer_cons);
	struct smc_cdc cdc = {
		.seq = conn->rfc.tx.seq + 1,
		.token = conn->rfc.peer.token,
		.conn_flags = conn_flags,
	};

	smc_stream_to_wire(end, conn->rfc.peer.size, &cdc.prod_wrap, &cdc.prod);
	smc_stream_to_wire(smc_rfc_tx_freed(conn), conn->rx.size,
			   &cdc.cons_wrap, &cdc.cons);
	cdc.prod += conn->rfc.eye;
	cdc.cons += conn->rfc.eye;
	if (smc_object_open(conn))
		cdc.prod_flags |= smc_urg_tx_flags(&conn->tx.urg, end);
	/* B flag: more bytes are queued than the peer has room for
	 * (R-A.4-14)
	 */
	if (smc_object_open(conn) && conn->tx.prep - end > window)
		cdc.prod_flags |= SMC_CDC_B;
	conn->rfc.tx.flags = cdc.prod_flags;
	smc_cdc_encode(msg, &cdc);
}

static void tx_completed(struct smc_ep_slot *slot, int err);

static void tx_in_flight(struct smc_conn *conn)
{
	if (!conn->rfc.tx.inflight++)
		smc_conn_get(conn, SMC_CONN_REF_FLIGHT);
}

/*
 * Return: true if @slot was posted. Otherwise the connection waits until the
 * device can map memory again, or the endpoint is going down.
 */
static bool tx_hand_over(struct smc_conn *conn, struct smc_ep_slot *slot)
{
	int err = smc_ep_slot_post(conn->member.ep, slot);

	if (err == -EAGAIN)
		smc_member_wait_slot(&conn->member);
	return !err;
}

/*
 * Posts the first message on a new link (R-4.6.1-04). The message repeats the
 * sequence number of the last message that is known to be delivered, and takes
 * no number of its own.
 */
static bool tx_post_f(struct smc_conn *conn, struct smc_ep_slot *slot)
{
	const struct smc_cdc cdc = {
		.seq = conn->rfc.tx.ss,
		.token = conn->rfc.peer.token,
		.prod_flags = SMC_CDC_F,
	};

	smc_cdc_encode(slot->msg, &cdc);
	slot->done = tx_completed;
	slot->cookie = conn;
	slot->end_pos = conn->tx.fin;
	slot->seq = conn->rfc.tx.ss;
	if (!tx_hand_over(conn, slot))
		return false;
	smc_rfc_failover_step(conn, SMC_PATH_EV_POSTED_F);
	tx_in_flight(conn);
	return true;
}

/*
 * Runs after a bundle was posted. Records the positions, the flags and the
 * sequence number that the bundle carries.
 */
static void tx_posted(struct smc_conn *conn, struct smc_txq_spot *at,
		      u8 flags)
{
	u8 news = flags & ~conn->close.said;
	u64 bytes = at->pos - conn->tx.sent;

	conn->rfc.tx.seq++;
	conn->rfc.tx.spoke = true;
	conn->alive.last = jiffies;
	conn->tx.sent = at->pos;
	conn->tx.next = at->seg;
	conn->rfc.tx.update = false;
	conn->rfc.tx.high = max(conn->rfc.tx.high, at->pos);
	conn->rfc.rx.told = smc_rfc_tx_freed(conn);
	if (unlikely(conn->rfc.tx.path != SMC_PATH_GOOD))
		smc_rfc_failover_step(conn, SMC_PATH_EV_POSTED);
	smc_urg_tx_said(&conn->tx.urg);
	tx_in_flight(conn);
	smc_mib_inc(conn->net, SMC_MIB_CDC_TX);
	smc_txq_posted(conn);
	smc_measure_posted(conn, bytes);
	if (bytes)
		smc_mib_add(conn->net, SMC_MIB_TX_BYTES, bytes);
	else if (!news)
		smc_mib_inc(conn->net, SMC_MIB_CDC_TX_UPDATE);
	smc_close_said(conn, flags);
}

/*
 * Posts one bundle with all that is pending. Return: false: everything stays
 * queued. A change of links, ->down() or ->run() follows.
 */
static bool tx_post(struct smc_conn *conn, struct smc_ep_slot *slot)
{
	struct smc_txq_spot at = { .seg = conn->tx.next, .pos = conn->tx.sent };
	bool talk = tx_may_talk(conn);
	u8 flags = conn->close.said | (talk ? tx_flags_due(conn) : 0);
	u64 bytes = talk ? tx_data_due(conn) : 0;

	if (tx_owes_f(conn))
		return tx_post_f(conn, slot);
	tx_add_writes(conn, slot, &at, bytes);
	/*
	 * a WRITE must take at least one piece, or tx_kick() would loop for
	 * ever
	 */
	if (WARN_ON_ONCE(bytes && at.pos == conn->tx.sent)) {
		smc_ep_slot_cancel(conn->member.ep, slot);
		return false;
	}
	tx_fill_cdc(conn, slot->msg, at.pos, flags);
	slot->done = tx_completed;
	slot->cookie = conn;
	slot->end_pos = at.pos;
	slot->seq = conn->rfc.tx.seq + 1;
	if (!tx_hand_over(conn, slot))
		return false;
	tx_posted(conn, &at, flags);
	return true;
}

/* Starts the timer that limits the wait of a partial burst (R-4.5.2-02). */
static void tx_arm_cork(struct smc_conn *conn)
{
	if (tx_may_talk(conn) && conn->tx.prep != conn->tx.sent &&
	    smc_txq_partial(conn))
		smc_timer_start(conn, SMC_TIMER_CORK,
				msecs_to_jiffies(SMC_CORK_MS));
}

/*
 * Posts up to @max bundles. If more is pending, the connection waits in the
 * link's queue. The rest may be a partial burst, which MSG_MORE holds back.
 */
static void tx_kick(struct smc_conn *conn, int max)
{
	struct smc_ep_slot *slot;

	lockdep_assert_held(&conn->lock);
	while (tx_due(conn)) {
		if (!max--) {
			smc_member_wait_slot(&conn->member);
			return;
		}
		slot = smc_ep_slot_get(conn->member.ep, SMC_EP_DATA);
		if (!slot) {
			smc_mib_inc(conn->net, SMC_MIB_TX_NOSLOT);
			smc_member_wait_slot(&conn->member);
			return;
		}
		if (!tx_post(conn, slot))
			return;
	}
	tx_arm_cork(conn);
}

/**
 * smc_rfc_tx_kick() - send everything that is pending
 * @conn:	connection, its lock held
 *
 * If no send slot is free, sending continues when the link has a free slot.
 */
void smc_rfc_tx_kick(struct smc_conn *conn)
{
	tx_kick(conn, TX_BURST);
}

/**
 * smc_rfc_tx_run() - struct smc_lgr_member_ops.run: the link has a slot
 * @m:		member, a connection
 *
 * Posts one bundle. If more is pending, the connection queues behind the
 * others.
 * Context: BH safe.
 */
void smc_rfc_tx_run(struct smc_lgr_member *m)
{
	struct smc_conn *conn = container_of(m, struct smc_conn, member);

	spin_lock_bh(&conn->lock);
	tx_kick(conn, 1);
	smc_conn_unlock(conn);
}

/* ---- completion ---- */

/* Runs in softirq when a bundle has completed. Bundles complete in order. */
static void tx_completed(struct smc_ep_slot *slot, int err)
{
	struct smc_conn *conn = slot->cookie;
	bool last;

	spin_lock_bh(&conn->lock);
	last = !--conn->rfc.tx.inflight;
	if (!err) {
		conn->rfc.tx.ss = slot->seq;
		smc_txq_delivered(conn, slot->end_pos);
		smc_measure_delivered(conn);
	} else if (conn->life.place == SMC_PLACE_IN) {
		/*
		 * the link is failing, and the bytes may not have arrived, so
		 * keep them
		 */
		smc_rfc_failover_step(conn, SMC_PATH_EV_FAILED);
	}
	if (last)
		smc_rfc_failover_settle(conn);
	if (last && conn->rfc.tx.target)
		smc_rfc_failover_switch(conn);
	smc_rfc_tx_kick(conn);
	smc_close_settled(conn);
	/* a bundle that was posted above holds a new reference */
	smc_conn_unlock(conn);
	if (last)
		smc_conn_landed(conn);
}

/* ---- for the table of the dialect ---- */

/*
 * While a message of this connection is in flight, further small sends wait for
 * its completion and are then sent together. Small sends do not wait if the
 * peer has read all bytes, because then only the completion is late.
 */
static bool tx_coalesce(const struct smc_conn *conn)
{
	u32 limit = READ_ONCE(smc_tunables(conn->net)->autocorking_size);

	return conn->rfc.tx.inflight && !conn->close.want &&
	       !conn->tx.urg.end && conn->rfc.tx.peer_cons != conn->tx.sent &&
	       conn->tx.prep - conn->tx.sent <= min(conn->tx.limit / 2, limit);
}

/**
 * smc_rfc_tx_push() - struct smc_dialect.push
 * @conn:	connection, its lock held
 * @may_wait:	queued bytes may wait for a message in flight
 */
void smc_rfc_tx_push(struct smc_conn *conn, bool may_wait)
{
	if (may_wait && !smc_txq_partial(conn) && tx_coalesce(conn)) {
		smc_mib_inc(conn->net, SMC_MIB_TX_COALESCED);
		return;
	}
	smc_rfc_tx_kick(conn);
}

/**
 * smc_rfc_tx_flying() - struct smc_dialect.flying
 * @conn:	connection, its lock held
 *
 * Return: a bundle was posted and has not completed.
 */
bool smc_rfc_tx_flying(const struct smc_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	return conn->rfc.tx.inflight;
}

/**
 * smc_rfc_tx_settled() - struct smc_dialect.settled
 * @conn:	connection, its lock held
 *
 * Return: nothing is in flight, and no message has to be sent again.
 */
bool smc_rfc_tx_settled(const struct smc_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	return !conn->rfc.tx.inflight &&
	       (conn->rfc.tx.path == SMC_PATH_GOOD ||
		conn->rfc.tx.path == SMC_PATH_VALIDATE);
}

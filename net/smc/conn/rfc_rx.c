// SPDX-License-Identifier: GPL-2.0
/*
 * RFC dialect: handles the peer's CDC messages, and decides when to send a
 * window update after reading.
 */
#include "../base/limits.h"
#include "../base/mib.h"
#include "../base/stats.h"
#include "../base/trace.h"
#include "../group/quarantine.h"
#include "../wire/cdc.h"
#include "../wire/stream.h"
#include "close.h"
#include "conn.h"
#include "measure.h"
#include "rfc_eye.h"
#include "rfc_failover.h"
#include "rfc_order_fsm.h"
#include "rfc_rx.h"
#include "rfc_tx.h"
#include "rfc_urgent.h"
#include "timer.h"
#include "token.h"
#include "urgent.h"

/* ---- room ---- */

/*
 * Requests an update when the peer needs to know our consumer cursor (4.5.1).
 */
static void rx_check_update(struct smc_conn *conn)
{
	const struct smc_rfc_rx *rx = &conn->rfc.rx;

	/*
	 * a peer with urgent data needs an update for every byte (R-4.7.6-03)
	 */
	if (smc_stream_update_due(conn->rx.size, conn->rx.prod, rx->told,
				  smc_rfc_tx_freed(conn),
				  rx->flags & SMC_CDC_B,
				  rx->flags &
				  (SMC_CDC_R | SMC_CDC_P | SMC_CDC_U)))
		conn->rfc.tx.update = true;
}

/**
 * smc_rfc_rx_reader() - struct smc_dialect.reader
 * @conn:	connection, its lock held
 * @done:	what the reader has done
 */
void smc_rfc_rx_reader(struct smc_conn *conn, enum smc_reader done)
{
	lockdep_assert_held(&conn->lock);
	switch (done) {
	case SMC_READER_WAITS:
		if (conn->rfc.rx.told == smc_rfc_tx_freed(conn))
			return;
		conn->rfc.tx.update = true;
		break;
	case SMC_READER_CONSUMED:
		smc_rfc_urgent_passed(conn);
		rx_check_update(conn);
		/* urgent data had to wait for the reader that has now
		 * finished
		 */
		smc_rfc_urgent_keep(conn);
		break;
	case SMC_READER_PEEKED:
		smc_rfc_urgent_passed(conn);
		smc_rfc_urgent_keep(conn);
		break;
	}
	smc_rfc_tx_kick(conn);
}

/**
 * smc_rfc_rx_limit() - struct smc_dialect.limit
 * @conn:	connection, its lock held
 * @bytes:	wanted limit
 *
 * The peer knows the size of the element from the handshake, and may fill it.
 * Return: that size.
 */
u32 smc_rfc_rx_limit(struct smc_conn *conn, u32 bytes)
{
	lockdep_assert_held(&conn->lock);
	return conn->rx.size;
}

/* ---- CDC messages ---- */

/*
 * R-A.4-13: the peer broke the protocol. The connection ends, and the
 * application sees a reset.
 */
static void rx_violation(struct smc_conn *conn, const char *what, u64 value)
{
	smc_mib_inc(conn->net, SMC_MIB_CDC_VIOLATION);
	trace_smc_violation(what, conn, value);
	smc_close_abort(conn, ECONNRESET);
}

/* Positions that a message contains. */
struct rx_claim {
	u64 at;		/* producer position of the message itself */
	u64 prod;	/* maximum of @at and the known position */
	u64 cons;
};

/* Return: 0, or a negative errno: the position is impossible. */
static int rx_expand_prod(const struct smc_conn *conn,
			  const struct smc_cdc *cdc, u64 *prod)
{
	u64 grant = conn->rfc.rx.told + conn->rx.size - conn->rx.prod;
	u8 eye = conn->rfc.eye;		/* cursors include the eye catcher */
	u64 back = 0;

	/*
	 * a peer that has moved starts behind the bytes that it knows to be
	 * delivered (R-4.6.2-04)
	 */
	if (conn->rfc.order.moved)
		back = min_t(u64, conn->rx.prod, conn->rx.size);
	return smc_stream_expand(conn->rx.prod - back, conn->rx.size,
				 cdc->prod_wrap, cdc->prod - eye, grant + back,
				 prod);
}

/*
 * Checks the positions of a message. The peer may write up to the end of its
 * window, and read up to the last byte that was written to its element. Equal
 * positions are valid (R-4.6.2-04).
 */
static bool rx_expand(struct smc_conn *conn, const struct smc_cdc *cdc,
		      struct rx_claim *c)
{
	u64 known = conn->rfc.tx.peer_cons;
	u8 eye = conn->rfc.eye;

	if (rx_expand_prod(conn, cdc, &c->prod)) {
		rx_violation(conn, "cdc producer",
			     (u64)cdc->prod_wrap << 32 | cdc->prod);
		return false;
	}
	c->at = c->prod;
	c->prod = max(c->prod, conn->rx.prod);
	c->cons = known;
	/* before our first message the peer may not know which element it
	 * writes to
	 */
	if (!conn->rfc.peer.size) {
		if (!cdc->cons_wrap && cdc->cons == eye)
			return true;
	} else if (!smc_stream_expand(known, conn->rfc.peer.size,
				      cdc->cons_wrap, cdc->cons - eye,
				      conn->rfc.tx.high - known, &c->cons)) {
		return true;
	}
	rx_violation(conn, "cdc consumer",
		     (u64)cdc->cons_wrap << 32 | cdc->cons);
	return false;
}

/*
 * Syncs the new bytes for the CPU. This is done before the message waits for
 * messages of another link, because the memory region of this link may be gone
 * after the wait. Bytes that have arrived over the other link are copied again
 * when its message is handled. rx_expand() handles a claim that is not valid.
 */
static void rx_sync(struct smc_conn *conn, const struct smc_link *link,
		    const struct smc_cdc *cdc)
{
	const struct smc_rmbe *e = &conn->rfc.rx.rmbe;
	u64 at = conn->rx.prod;
	u32 off, n;
	u64 prod;

	if (likely(!smc_rmbe_needs_sync(link, e)))
		return;
	/*
	 * sync the eye catcher even if no byte is new, see smc_rfc_eye_intact()
	 */
	if (conn->rfc.eye)
		smc_rmbe_received(link, e, 0, conn->rfc.eye);
	if (cdc->prod_flags & SMC_CDC_F || rx_expand_prod(conn, cdc, &prod) ||
	    prod <= at)
		return;
	off = smc_stream_offset(at, conn->rx.size);
	n = min_t(u64, prod - at, conn->rx.size - off);
	smc_rmbe_received(link, e, conn->rfc.eye + off, n);
	if (prod - at > n)
		smc_rmbe_received(link, e, conn->rfc.eye, prod - at - n);
}

/*
 * The peer has used more than three quarters of the element, as far as it
 * knows. It hears of bytes that were read when it has used half.
 */
static void rx_count_fill(struct smc_conn *conn, u64 prod)
{
	u32 most = conn->rx.size - conn->rx.size / 4;
	u64 told = conn->rfc.rx.told;

	if (conn->rx.prod - told <= most && prod - told > most &&
	    conn->rx.fills < U8_MAX)
		/* partner: smc_rx_fills() */
		WRITE_ONCE(conn->rx.fills, conn->rx.fills + 1);
}

/*
 * New bytes are in the element. If the application has closed the socket,
 * nobody will read them. The peer must learn of this; a TCP peer would get a
 * reset.
 */
static void rx_new_bytes(struct smc_conn *conn, u64 prod)
{
	rx_count_fill(conn, prod);
	conn->rx.prod = prod;
	if (prod - conn->rx.cons == conn->rx.size)
		smc_stat_buf(conn->net, SMC_STAT_RX, SMC_STAT_BUF_FULL);
	if (conn->close.said & SMC_CDC_C)
		/* the peer sent these bytes before it saw own C, and the peer's
		 * C follows
		 */
		return;
	if (conn->close.want & SMC_CDC_C)
		smc_close_abort(conn, ECONNRESET);
	else if (conn->close.state != SMC_CONN_INIT)
		conn->news.tell |= SMC_TELL_READABLE;
}

static void rx_urgent(struct smc_conn *conn, u8 flags, u64 prod)
{
	bool fresh = smc_urgent_heard(conn, flags, prod);

	smc_rfc_urgent_passed(conn);
	if (fresh)
		smc_rfc_urgent_keep(conn);
}

static void rx_apply(struct smc_conn *conn, const struct smc_cdc *cdc)
{
	u8 old = conn->close.heard;
	u64 had = conn->rx.prod;
	struct rx_claim c;

	if (unlikely(!smc_rfc_eye_intact(conn))) {
		rx_violation(conn, "eye catcher", conn->token);	/* R-4.4.1-06 */
		return;
	}
	if (!rx_expand(conn, cdc, &c))
		return;
	conn->rfc.order.seq = cdc->seq;
	conn->alive.last = jiffies;
	conn->rfc.rx.flags = cdc->prod_flags;
	conn->close.heard |= cdc->conn_flags;
	conn->rfc.tx.peer_cons = c.cons;
	conn->tx.edge = c.cons + conn->rfc.peer.size;
	smc_urg_tx_passed(&conn->tx.urg, c.cons);
	smc_rfc_failover_settle(conn);
	/*
	 * R-4.8.1-04: handle positions before flags; no new bytes may follow D
	 * (R-A.4-17)
	 */
	if (c.prod != conn->rx.prod && !(old & (SMC_CDC_D | SMC_CDC_C)) &&
	    !(cdc->conn_flags & SMC_CDC_A))
		rx_new_bytes(conn, c.prod);
	smc_measure_heard(conn, conn->rx.prod - had);
	if (conn->close.state < SMC_CONN_PEERABORTWAIT)
		rx_urgent(conn, cdc->prod_flags, min(c.at, conn->rx.prod));
	if (conn->close.state != SMC_CONN_INIT)
		smc_close_heard(conn, cdc->conn_flags & ~old);
	/* the peer may not know about room that was freed earlier (R-4.5.1-07,
	 * -08)
	 */
	if (smc_object_open(conn) &&
	    (cdc->prod_flags & (SMC_CDC_B | SMC_CDC_R)))
		rx_check_update(conn);
}

/* After an abort or the end only new flags of the peer have an effect
 * (R-4.8.2-03).
 */
static void rx_apply_late(struct smc_conn *conn, const struct smc_cdc *cdc)
{
	u8 fresh = cdc->conn_flags & ~conn->close.heard;

	conn->close.heard |= fresh;
	conn->rfc.order.seq = cdc->seq;
	smc_close_heard(conn, fresh);
}

static void rx_take(struct smc_conn *conn, const struct smc_cdc *cdc)
{
	if (conn->close.state < SMC_CONN_PEERABORTWAIT)
		rx_apply(conn, cdc);
	else
		rx_apply_late(conn, cdc);
}

/* ---- order ---- */

/* Only this function writes rfc.order.state. @cdc: the message of
 * event BEYOND.
 */
static void rx_order_step(struct smc_conn *conn, enum smc_rfc_order_event ev,
			  const struct smc_cdc *cdc)
{
	struct smc_rfc_order *order = &conn->rfc.order;
	const struct smc_fsm_cell *cell;

	lockdep_assert_held(&conn->lock);
	cell = smc_fsm_step(&smc_rfc_order_fsm, &order->state, ev);
	switch ((enum smc_rfc_order_action)cell->action) {
	case SMC_ORDER_DO_NOTHING:
		break;
	case SMC_ORDER_DO_WAIT:
		smc_timer_set(conn, SMC_TIMER_GAP,
			      msecs_to_jiffies(SMC_VALIDATE_WAIT_MS));
		break;
	case SMC_ORDER_DO_HOLD_NEWER:
		if (!smc_cdc_seq_newer(cdc->seq, order->held.seq))
			break;
		fallthrough;
	case SMC_ORDER_DO_HOLD:
		order->held = *cdc;
		break;
	case SMC_ORDER_DO_TAKE:
		rx_take(conn, &order->held);
		break;
	case SMC_ORDER_DO_LOST:
		rx_violation(conn, "cdc lost", order->until);
		break;
	}
}

/*
 * Notes that all messages up to @seq arrive over links before the newest. The
 * first gap keeps its end; messages beyond it wait.
 */
static void rx_promise(struct smc_rfc_order *order, u16 seq)
{
	if (order->state == SMC_ORDER_KEPT) {
		order->until = seq;
		order->promised = seq;
	} else if (smc_cdc_seq_newer(order->until, seq)) {
		/* an earlier move, which another CPU has handled late */
		order->until = seq;
	} else if (smc_cdc_seq_newer(seq, order->promised) &&
		   !(order->state == SMC_ORDER_HELD &&
		     smc_cdc_seq_covers(order->held.seq, seq))) {
		order->promised = seq;
	}
}

/*
 * A message with F shows that the peer has moved to another link (4.6.1).
 * Checks whether every message has arrived that the peer knows to be delivered.
 * A message may still be in the receive queue of the old link, which another
 * CPU serves. So a missing message counts as lost only after a short time.
 */
static void rx_validate(struct smc_conn *conn, const struct smc_cdc *cdc)
{
	struct smc_rfc_order *order = &conn->rfc.order;

	order->moved = true;
	if (smc_cdc_seq_covers(order->seq, cdc->seq) ||
	    conn->close.state >= SMC_CONN_PEERABORTWAIT)
		return;
	rx_promise(order, cdc->seq);
	rx_order_step(conn, SMC_ORDER_EV_MISSING, cdc);
}

/* Holds a message of the new link while messages of the old link are
 * missing.
 */
static bool rx_hold(struct smc_conn *conn, const struct smc_cdc *cdc)
{
	struct smc_rfc_order *order = &conn->rfc.order;

	if (likely(order->state == SMC_ORDER_KEPT) ||
	    cdc->prod_flags & SMC_CDC_F ||
	    smc_cdc_seq_covers(order->until, cdc->seq))
		return false;
	rx_order_step(conn, SMC_ORDER_EV_BEYOND, cdc);
	/* of the second link nothing is missing, if this is its last message */
	if (cdc->seq == order->promised)
		order->promised = order->until;
	return true;
}

/* Is the held message newer than the last one that the second link delivers? */
static bool rx_held_too_new(const struct smc_rfc_order *order)
{
	return order->state == SMC_ORDER_HELD &&
	       !smc_cdc_seq_covers(order->promised, order->held.seq);
}

/*
 * Ends the gap when the last message of the old link has arrived. If the peer
 * has moved again meanwhile, messages of the second link may be missing, too.
 */
static void rx_check_gap(struct smc_conn *conn)
{
	struct smc_rfc_order *order = &conn->rfc.order;

	if (likely(order->state == SMC_ORDER_KEPT) ||
	    !smc_cdc_seq_covers(order->seq, order->until))
		return;
	if (order->until != order->promised && rx_held_too_new(order)) {
		order->until = order->promised;
		return;
	}
	rx_order_step(conn, SMC_ORDER_EV_FILLED, NULL);
	if (smc_cdc_seq_covers(order->seq, order->promised) ||
	    conn->close.state >= SMC_CONN_PEERABORTWAIT)
		return;
	order->until = order->promised;
	rx_order_step(conn, SMC_ORDER_EV_MISSING, NULL);
}

/**
 * smc_rfc_rx_overdue() - SMC_TIMER_GAP has expired
 * @conn:	connection
 *
 * The old link must have delivered all its messages by now.
 * Context: process, no lock of the connection held.
 */
void smc_rfc_rx_overdue(struct smc_conn *conn)
{
	spin_lock_bh(&conn->lock);
	if (smc_timer_take(conn, SMC_TIMER_GAP)) {
		rx_order_step(conn, SMC_ORDER_EV_TIMEOUT, NULL);
		smc_rfc_tx_kick(conn);
		smc_conn_try_leave(conn);
	}
	smc_conn_unlock(conn);
}

static void rx_message(struct smc_conn *conn, const struct smc_cdc *cdc)
{
	u16 last = conn->rfc.order.seq;

	if (rx_hold(conn, cdc))
		return;
	if (cdc->prod_flags & SMC_CDC_F) {
		rx_validate(conn, cdc);
	} else if (cdc->seq == last || smc_cdc_seq_newer(cdc->seq, last)) {
		rx_take(conn, cdc);
		rx_check_gap(conn);
	} else {
		smc_mib_inc(conn->net, SMC_MIB_CDC_OLD);	/* R-A.4-04 */
		return;
	}
	smc_rfc_tx_kick(conn);
	smc_conn_try_leave(conn);
}

/*
 * Handles a message for a connection that leaves its group. Only a flag C or A
 * has an effect: the element becomes free. Return: true for the first such
 * message.
 */
static bool rx_leaving(struct smc_conn *conn, const struct smc_cdc *cdc)
{
	u8 word = cdc->conn_flags & (SMC_CDC_C | SMC_CDC_A);

	lockdep_assert_held(&conn->lock);
	word &= ~(conn->close.heard | conn->rfc.rx.late);
	conn->rfc.rx.late |= word;
	return word;
}

/*
 * A peer may only name tokens of its own group. It may name a connection of
 * another dialect, which uses the memory of conn->rfc for its own data.
 */
static bool rx_is_for(const struct smc_conn *conn, const struct smc_lgr *lgr)
{
	lockdep_assert_held(&conn->lock);
	return conn->member.lgr == lgr &&
	       conn->member.ops->run == smc_rfc_tx_run;
}

/**
 * smc_rfc_rx_cdc() - struct smc_link_user.cdc: a CDC message has arrived
 * @lgr:	group of the link
 * @link:	link that received it
 * @buf:	44 bytes, type and length checked
 *
 * A message with an unknown token is counted and dropped (R-A.4-07), unless it
 * is the peer's last message about a connection that has ended here.
 * Context: softirq.
 */
void smc_rfc_rx_cdc(struct smc_lgr *lgr, const struct smc_link *link,
		    const u8 *buf)
{
	struct smc_conn *conn;
	bool mine, ours = false, word = false;
	struct smc_cdc cdc;

	if (smc_cdc_decode(buf, SMC_CDC_LEN, &cdc))
		return;
	rcu_read_lock();	/* the read section keeps @conn, see object.h */
	conn = smc_token_find(cdc.token);
	if (conn) {
		spin_lock_bh(&conn->lock);
		mine = rx_is_for(conn, lgr);
		ours = mine && conn->life.place == SMC_PLACE_IN;
		if (ours) {
			smc_mib_inc(conn->net, SMC_MIB_CDC_RX);
			rx_sync(conn, link, &cdc);
			rx_message(conn, &cdc);
		} else if (mine && conn->life.place > SMC_PLACE_IN) {
			word = rx_leaving(conn, &cdc);
		}
		smc_conn_unlock(conn);
	}
	rcu_read_unlock();
	if (ours)
		return;
	/* a connection that is not in its group may have lost its namespace */
	smc_mib_inc(NULL, SMC_MIB_CDC_RX);
	/* the element of a connection that leaves may be quarantined already */
	if (cdc.conn_flags & (SMC_CDC_C | SMC_CDC_A) &&
	    (smc_quarantine_heard(lgr, cdc.token) || word))
		return;
	smc_mib_inc(NULL, SMC_MIB_CDC_NOTOKEN);
}

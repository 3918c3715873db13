// SPDX-License-Identifier: GPL-2.0
/*
 * Driver of the close state machine (table in close_fsm.c), which ends a
 * connection. The driver turns calls, flags on the wire and timers into events,
 * and runs the actions.
 */
#include "../base/limits.h"
#include "../base/mib.h"
#include "../wire/cdc.h"
#include "close.h"
#include "conn.h"
#include "dialect.h"
#include "object.h"
#include "timer.h"
#include "txq.h"

#define TELL_EVERYBODY	(SMC_TELL_READABLE | SMC_TELL_WRITABLE |	\
			 SMC_TELL_CHANGED)

static void close_start_timer(struct smc_conn *conn, unsigned int ms)
{
	conn->close.mark = conn->tx.fin;
	smc_timer_set(conn, SMC_TIMER_CLOSE, msecs_to_jiffies(ms));
}

/*
 * Once no program has the socket any more, the wait for the peer has a limit
 * (R-4.8.1-06). The connection waits until the peer has taken all data, and
 * then for the peer's flag C. As in TCP, there is no limit while a program
 * keeps the socket, also if it has shut down both directions.
 */
static void close_limit(struct smc_conn *conn)
{
	if (conn->close.gone)
		close_start_timer(conn, conn->close.said & SMC_CDC_C ?
				  SMC_CLOSE_WAIT_MS : SMC_CLOSE_DRAIN_MS);
}

static void close_run(struct smc_conn *conn, enum smc_close_action action)
{
	switch (action) {
	case SMC_CLOSE_DO_NOTHING:
		break;
	case SMC_CLOSE_DO_WAKE:
		conn->news.tell |= SMC_TELL_READABLE | SMC_TELL_CHANGED;
		break;
	case SMC_CLOSE_DO_WAIT:
		close_limit(conn);
		conn->news.tell |= SMC_TELL_CHANGED;
		break;
	case SMC_CLOSE_DO_PURGE:
		conn->close.want |= SMC_CDC_A;
		smc_txq_purge(conn);
		close_start_timer(conn, SMC_ABORT_WAIT_MS);
		conn->news.tell |= TELL_EVERYBODY;
		break;
	case SMC_CLOSE_DO_END:
		smc_txq_purge(conn);
		conn->news.tell |= TELL_EVERYBODY;
		break;
	}
}

/**
 * smc_close_step() - the only writer of close.state
 * @conn:	connection, its lock held
 * @ev:		what happened
 *
 * The table marks some events as impossible. Only a bug of this module causes
 * one, never a peer. The state then stays unchanged.
 */
void smc_close_step(struct smc_conn *conn, enum smc_close_event ev)
{
	const struct smc_fsm_cell *cell;

	lockdep_assert_held(&conn->lock);
	cell = smc_fsm_step(&smc_close_fsm, &conn->close.state, ev);
	if (WARN_ON_ONCE(cell->kind == SMC_FSM_VIOLATION ||
			 cell->kind == SMC_FSM_EMPTY))
		return;
	close_run(conn, cell->action);
}

/*
 * Sets the error that the application will see. A later error does not replace
 * the first.
 */
static void close_set_error(struct smc_conn *conn, int err)
{
	lockdep_assert_held(&conn->lock);
	if (!conn->close.err)
		/* partner: smc_conn_error() */
		WRITE_ONCE(conn->close.err, err);
}

/**
 * smc_close_abort() - abort the connection (RFC 7609 4.8.2)
 * @conn:	connection, its lock held
 * @err:	positive errno for the local application
 *
 * The next ->push() of the dialect sends the flag A.
 */
void smc_close_abort(struct smc_conn *conn, int err)
{
	lockdep_assert_held(&conn->lock);
	if (conn->close.state >= SMC_CONN_PEERABORTWAIT)
		return;
	close_set_error(conn, err);
	smc_close_step(conn, smc_close_ev_abort(conn->close.said,
						conn->close.heard));
}

/**
 * smc_close_lost() - the application has queued bytes although the peer has
 * closed, and nobody will read these bytes
 * @conn:	connection, its lock held; tx.barrier is the position of the
 *		first of these bytes
 *
 * A TCP peer would answer the bytes with a reset. As after that reset, the next
 * send fails, and the application can still read what the peer has sent
 * (R-4.8.1-21). The close machine continues with the application's close().
 */
void smc_close_lost(struct smc_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	close_set_error(conn, EPIPE);
	smc_txq_cut(conn, conn->tx.barrier);
	conn->news.tell |= TELL_EVERYBODY;
}

/**
 * smc_close_settled() - act on the completion of a message, which may be the
 * last one
 * @conn:	connection, its lock held
 *
 * When the message with own A has completed, the connection is closed. A closed
 * connection leaves its group as soon as it has nothing in flight.
 */
void smc_close_settled(struct smc_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	if (unlikely(conn->close.said & SMC_CDC_A) &&
	    conn->dialect->settled(conn))
		smc_close_step(conn, SMC_CLOSE_EV_TX_A_DONE);
	smc_conn_try_leave(conn);
}

/**
 * smc_close_said() - note that the dialect has posted flags
 * @conn:	connection, its lock held
 * @flags:	D, C, A of the message
 *
 * Flags that were posted before cause no event.
 */
void smc_close_said(struct smc_conn *conn, u8 flags)
{
	u8 fresh = flags & ~conn->close.said;

	lockdep_assert_held(&conn->lock);
	conn->close.said |= flags;
	if (fresh & SMC_CDC_A)
		smc_mib_inc(conn->net, SMC_MIB_ABORT_SENT);
	else if (fresh & SMC_CDC_C)
		smc_close_step(conn, smc_close_ev_tx_c(conn->close.heard));
	else if (fresh & SMC_CDC_D)
		smc_close_step(conn, SMC_CLOSE_EV_TX_D);
}

static void close_heard_c(struct smc_conn *conn)
{
	if (conn->tx.prep != conn->tx.sent)
		smc_close_abort(conn, ECONNRESET);	/* R-4.8.1-21 */
	else
		smc_close_step(conn, smc_close_ev_rx_c(conn->close.said));
}

/**
 * smc_close_heard() - handle the first D, C or A of the peer
 * @conn:	connection, its lock held
 * @fresh:	flags that the peer sent for the first time; close.heard
 *		contains them already
 *
 * Not called in INIT: smc_life_start() passes on flags that arrived earlier.
 */
void smc_close_heard(struct smc_conn *conn, u8 fresh)
{
	lockdep_assert_held(&conn->lock);
	if (fresh & SMC_CDC_A) {
		smc_mib_inc(conn->net, SMC_MIB_ABORT_RCVD);
		close_set_error(conn, ECONNRESET);	/* R-4.8.2-07 */
		smc_close_step(conn, smc_close_ev_rx_a(conn->close.said));
		return;
	}
	if (fresh & SMC_CDC_D)
		smc_close_step(conn, SMC_CLOSE_EV_RX_D);
	if (fresh & SMC_CDC_C)
		close_heard_c(conn);
}

/**
 * smc_close_group_ended() - struct smc_lgr_member_ops.down
 * @m:		member, a connection
 * @err:	reason, negative errno
 *
 * The group or its last link has ended. Context: process.
 */
void smc_close_group_ended(struct smc_lgr_member *m, int err)
{
	struct smc_conn *conn = container_of(m, struct smc_conn, member);
	bool member;

	spin_lock_bh(&conn->lock);
	member = conn->life.place == SMC_PLACE_IN;
	/* partner: life_enter() */
	smc_conn_place_step(conn, SMC_PLACE_EV_ENDED);
	if (member) {
		if (conn->close.state != SMC_CONN_CLOSED)
			close_set_error(conn, ECONNRESET);  /* R-4.8.3-03 */
		smc_close_step(conn, SMC_CLOSE_EV_GONE);
		smc_conn_try_leave(conn);
	}
	smc_conn_unlock(conn);
}

/* ---- for the owner ---- */

/* Lets the flag C follow all queued data. */
static void close_finish(struct smc_conn *conn)
{
	if (conn->close.want & SMC_CDC_C)
		return;
	conn->close.want |= SMC_CDC_C;
	conn->tx.hold = false;
	close_limit(conn);
}

/*
 * The peer's send() has returned for bytes in the mailbox, so they count as
 * unread data.
 */
static void close_take_mail(struct smc_conn *conn)
{
	if (conn->dialect->take_mail)
		conn->dialect->take_mail(conn);
}

/**
 * smc_close_sending() - the application sends no more
 * @conn:	connection
 * @both:	the application has shut down its receiving direction as well
 *
 * The flag D follows all queued data (R-4.8.1-14). If @both is true and no
 * unread data is left, the flag C follows instead (R-4.8.1-01).
 * Context: process, no lock of the connection held. Return: 0 or -ENOTCONN.
 */
int smc_close_sending(struct smc_conn *conn, bool both)
{
	int err = 0;

	spin_lock_bh(&conn->lock);
	close_take_mail(conn);
	if (conn->close.state >= SMC_CONN_PEERABORTWAIT) {
		err = -ENOTCONN;
	} else {
		conn->close.want |= SMC_CDC_D;
		if (both && conn->rx.prod == conn->rx.cons)
			close_finish(conn);
		conn->tx.hold = false;
		conn->dialect->push(conn, false);
		smc_conn_try_leave(conn);
	}
	smc_conn_unlock(conn);
	return err;
}

/**
 * smc_close_both() - the application has closed the socket, or has shut down
 * both directions with one call
 * @conn:	connection
 * @gone:	no program has the socket any more
 *
 * If unread data is left, the connection is aborted (R-4.8.1-11). Otherwise the
 * flag C follows all queued data, and the connection lives until the peer's C
 * arrives or, if @gone is true, a timer expires. Context: process, never
 * blocks, no lock of the connection held.
 */
void smc_close_both(struct smc_conn *conn, bool gone)
{
	spin_lock_bh(&conn->lock);
	close_take_mail(conn);
	conn->close.gone |= gone;
	if (conn->close.state >= SMC_CONN_PEERABORTWAIT)
		goto out;
	if (conn->close.want & SMC_CDC_C) {
		close_limit(conn);
		goto out;
	}
	if (conn->rx.prod != conn->rx.cons)
		smc_close_abort(conn, ECONNRESET);	/* R-4.8.1-11 */
	else
		close_finish(conn);
	conn->dialect->push(conn, false);
	smc_conn_try_leave(conn);
out:
	smc_conn_unlock(conn);
}

/**
 * smc_close_reset() - abort the connection: send the flag A and drop the data
 * of both directions (4.8.2)
 * @conn:	connection
 * @err:	positive errno for the local application
 *
 * Context: BH safe, no lock of the connection held.
 */
void smc_close_reset(struct smc_conn *conn, int err)
{
	spin_lock_bh(&conn->lock);
	smc_close_abort(conn, err);
	conn->dialect->push(conn, false);
	smc_conn_try_leave(conn);
	smc_conn_unlock(conn);
}

/**
 * smc_close_overdue() - SMC_TIMER_CLOSE has expired
 * @conn:	connection
 *
 * No program has the socket any more and the peer's flag C is overdue
 * (R-4.8.1-06), or its answer to an abort is. The peer gets more time as long
 * as it takes queued data.
 * Context: process, no lock of the connection held.
 */
void smc_close_overdue(struct smc_conn *conn)
{
	const u8 final = SMC_CDC_C | SMC_CDC_A;
	bool draining;

	spin_lock_bh(&conn->lock);
	if (!smc_timer_take(conn, SMC_TIMER_CLOSE))
		goto out;
	draining = !(conn->close.said & final) &&
		   conn->close.state < SMC_CONN_PEERABORTWAIT;
	if (draining && conn->tx.fin != conn->close.mark) {
		close_start_timer(conn, SMC_CLOSE_DRAIN_MS);
		goto out;
	}
	if (conn->close.state == SMC_CONN_CLOSED)
		goto out;
	smc_mib_inc(conn->net, SMC_MIB_CLOSE_TIMEOUT);
	if (draining) {
		smc_close_abort(conn, ETIMEDOUT);
	} else {
		close_set_error(conn, ETIMEDOUT);
		smc_close_step(conn, SMC_CLOSE_EV_TIMER);
	}
	conn->dialect->push(conn, false);
	smc_conn_try_leave(conn);
out:
	smc_conn_unlock(conn);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Driver of the close machine (close_fsm.c): turns calls, flags on the wire
 * and timers into its events and carries out its actions.
 *
 * Three sets of flags D, C, A say how far a connection is: tx.want (what the
 * application asked for), tx.said (what was posted) and rx.conn_flags (what
 * the peer said). They only ever grow.
 */
#include "../base/limits.h"
#include "../base/mib.h"
#include "conn_priv.h"
#include "txq.h"

static void start_timer(struct smc_conn *conn, unsigned int ms)
{
	conn->end.mark = conn->tx.fin;
	if (conn->place == SMC_PLACE_IN)
		mod_delayed_work(smc_conn_wq, &conn->end.timer,
				 msecs_to_jiffies(ms));
}

/** smc_close_error - what the application will see; the first one stays */
void smc_close_error(struct smc_conn *conn, int err)
{
	lockdep_assert_held(&conn->lock);
	if (!conn->err)
		WRITE_ONCE(conn->err, err);	/* smc_conn_error() */
}

static void run(struct smc_conn *conn, u16 action)
{
	const u8 everybody = SMC_TELL_READABLE | SMC_TELL_WRITABLE |
			     SMC_TELL_CHANGED;

	switch (action) {
	case SMC_CLOSE_DO_WAKE:
		conn->tell |= SMC_TELL_READABLE | SMC_TELL_CHANGED;
		break;
	case SMC_CLOSE_DO_WAIT:
		start_timer(conn, SMC_CLOSE_WAIT_MS);
		conn->tell |= SMC_TELL_CHANGED;
		break;
	case SMC_CLOSE_DO_PURGE:
		conn->tx.want |= SMC_CDC_A;
		smc_txq_purge(conn);
		start_timer(conn, SMC_ABORT_WAIT_MS);
		conn->tell |= everybody;
		break;
	case SMC_CLOSE_DO_END:
		smc_txq_purge(conn);
		conn->tell |= everybody;
		break;
	}
}

/**
 * smc_close_step - the only writer of conn->state
 * @conn:	connection, its lock held
 * @ev:		what happened
 *
 * An event that the table calls impossible is a mistake of ours, nothing that
 * a peer can cause; the connection then stays as it is.
 */
void smc_close_step(struct smc_conn *conn, enum smc_close_event ev)
{
	const struct smc_fsm_cell *cell;

	lockdep_assert_held(&conn->lock);
	cell = smc_fsm_step(&smc_close_fsm, &conn->state, ev);
	if (WARN_ON_ONCE(cell->kind == SMC_FSM_VIOLATION ||
			 cell->kind == SMC_FSM_EMPTY))
		return;
	run(conn, cell->action);
}

/** smc_close_abort - end now; A is sent by the next smc_tx_kick() */
void smc_close_abort(struct smc_conn *conn, int err)
{
	lockdep_assert_held(&conn->lock);
	if (conn->state >= SMC_CONN_PEERABORTWAIT)
		return;
	smc_close_error(conn, err);
	smc_close_step(conn, smc_close_ev_abort(conn->tx.said,
						conn->rx.conn_flags));
}

/** smc_close_said - a message with these flags for the first time was posted */
void smc_close_said(struct smc_conn *conn, u8 flags)
{
	if (flags & SMC_CDC_A)
		smc_mib_inc(conn->net, SMC_MIB_ABORT_SENT);
	else if (flags & SMC_CDC_C)
		smc_close_step(conn, smc_close_ev_tx_c(conn->rx.conn_flags));
	else if (flags & SMC_CDC_D)
		smc_close_step(conn, SMC_CLOSE_EV_TX_D);
}

static void heard_closed(struct smc_conn *conn)
{
	if (conn->tx.prep != conn->tx.sent)
		smc_close_abort(conn, ECONNRESET);	/* R-4.8.1-21 */
	else
		smc_close_step(conn, smc_close_ev_rx_c(conn->tx.said));
}

/**
 * smc_close_heard - the peer said D, C or A for the first time
 * @conn:	connection, its lock held
 * @fresh:	flags that were not known before
 *
 * rx.conn_flags has them already. Never in INIT: smc_conn_start() tells what
 * came before.
 */
void smc_close_heard(struct smc_conn *conn, u8 fresh)
{
	lockdep_assert_held(&conn->lock);
	if (fresh & SMC_CDC_A) {
		smc_mib_inc(conn->net, SMC_MIB_ABORT_RCVD);
		smc_close_error(conn, ECONNRESET);	/* R-4.8.2-07 */
		smc_close_step(conn, smc_close_ev_rx_a(conn->tx.said));
		return;
	}
	if (fresh & SMC_CDC_D)
		smc_close_step(conn, SMC_CLOSE_EV_RX_D);
	if (fresh & SMC_CDC_C)
		heard_closed(conn);
}

/* ---- local ends ---- */

int smc_conn_shutdown(struct smc_conn *conn)
{
	int err = 0;

	smc_conn_lock(conn);
	if (conn->state >= SMC_CONN_PEERABORTWAIT) {
		err = -ENOTCONN;
	} else {
		conn->tx.want |= SMC_CDC_D;
		conn->tx.hold = false;
		smc_tx_kick(conn);
	}
	smc_conn_unlock(conn);
	return err;
}

void smc_conn_close(struct smc_conn *conn)
{
	smc_conn_lock(conn);
	if (conn->state >= SMC_CONN_PEERABORTWAIT ||
	    (conn->tx.want & SMC_CDC_C))
		goto out;
	if (conn->rx.prod != conn->rx.cons) {
		smc_close_abort(conn, ECONNRESET);	/* R-4.8.1-11 */
	} else {
		conn->tx.want |= SMC_CDC_C;
		conn->tx.hold = false;
		start_timer(conn, SMC_CLOSE_DRAIN_MS);
	}
	smc_tx_kick(conn);
	smc_conn_try_leave(conn);
out:
	smc_conn_unlock(conn);
}

void smc_conn_abort(struct smc_conn *conn, int err)
{
	smc_conn_lock(conn);
	smc_close_abort(conn, err);
	smc_tx_kick(conn);
	smc_conn_try_leave(conn);
	smc_conn_unlock(conn);
}

/*
 * The application is gone and the peer took too long (R-4.8.1-06). As long as
 * queued data still moves it is given more time.
 */
void smc_close_timer(struct work_struct *work)
{
	const u8 final = SMC_CDC_C | SMC_CDC_A;
	struct smc_conn *conn = container_of(to_delayed_work(work),
					     struct smc_conn, end.timer);
	bool draining;

	smc_conn_lock(conn);
	draining = !(conn->tx.said & final) &&
		   conn->state < SMC_CONN_PEERABORTWAIT;
	if (draining && conn->tx.fin != conn->end.mark) {
		start_timer(conn, SMC_CLOSE_DRAIN_MS);
		goto out;
	}
	if (conn->state == SMC_CONN_CLOSED)
		goto out;
	smc_mib_inc(conn->net, SMC_MIB_CLOSE_TIMEOUT);
	if (draining) {
		smc_close_abort(conn, ETIMEDOUT);
	} else {
		smc_close_error(conn, ETIMEDOUT);
		smc_close_step(conn, SMC_CLOSE_EV_TIMER);
	}
	smc_tx_kick(conn);
	smc_conn_try_leave(conn);
out:
	smc_conn_unlock(conn);
}

enum smc_conn_state smc_conn_state(const struct smc_conn *conn)
{
	return READ_ONCE(conn->state);	/* smc_close_step() */
}

int smc_conn_error(const struct smc_conn *conn)
{
	return READ_ONCE(conn->err);	/* smc_close_error() */
}

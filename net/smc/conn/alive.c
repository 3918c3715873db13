// SPDX-License-Identifier: GPL-2.0
/*
 * Keepalive of RFC 7609 4.5.3. The application sets an idle time. A connection
 * that has been idle for that long makes its link probe the peer, unless
 * messages of other connections prove that the peer lives. The link also waits
 * for the answer.
 *
 * TCP_USER_TIMEOUT: a connection whose queued bytes are not delivered in time
 * is aborted.
 */
#include "../base/deadline.h"
#include "../group/member.h"
#include "alive.h"
#include "close.h"
#include "conn.h"
#include "dialect.h"
#include "object.h"
#include "timer.h"

/* ---- keepalive ---- */

/* Returns the number of jiffies since the last message, or since @probed. */
static u32 alive_idle_for(const struct smc_conn *conn)
{
	const struct smc_conn_alive *alive = &conn->alive;

	return min(smc_deadline_since(alive->probed),
		   smc_deadline_since(alive->last));
}

/* Starts the timer for the next probe, or stops it if there are no probes. */
static void alive_rearm(struct smc_conn *conn)
{
	u32 idle = conn->alive.idle;

	lockdep_assert_held(&conn->lock);
	if (idle)
		smc_timer_set(conn, SMC_TIMER_KEEPALIVE,
			      idle - min(idle, alive_idle_for(conn)));
	else
		smc_timer_stop(conn, SMC_TIMER_KEEPALIVE);
}

/**
 * smc_alive_set() - set the idle time before a keepalive probe (R-4.5.3-01)
 * @conn:	connection
 * @idle:	jiffies without a message before a probe; 0: never probe
 *
 * Context: BH safe, no lock of the connection held.
 */
void smc_alive_set(struct smc_conn *conn, u32 idle)
{
	spin_lock_bh(&conn->lock);
	conn->alive.idle = idle;
	conn->alive.probed = jiffies;
	alive_rearm(conn);
	smc_conn_unlock(conn);
}

static void alive_probe(struct smc_conn *conn)
{
	struct smc_conn_alive *alive = &conn->alive;

	lockdep_assert_held(&conn->lock);
	if (!alive->idle || alive_idle_for(conn) < alive->idle)
		return;
	alive->probed = smc_member_keepalive(&conn->member, alive->idle);
}

/**
 * smc_alive_keepalive() - SMC_TIMER_KEEPALIVE has expired
 * @conn:	connection
 *
 * Asks the link for a probe if the connection was idle for long enough.
 * Context: process, no lock of the connection held.
 */
void smc_alive_keepalive(struct smc_conn *conn)
{
	spin_lock_bh(&conn->lock);
	if (smc_timer_take(conn, SMC_TIMER_KEEPALIVE) &&
	    conn->life.place == SMC_PLACE_IN) {
		alive_probe(conn);
		alive_rearm(conn);
	}
	smc_conn_unlock(conn);
}

/* ---- TCP_USER_TIMEOUT ---- */

static void alive_look_later(struct smc_conn *conn)
{
	smc_timer_set(conn, SMC_TIMER_STALL,
		      max(conn->alive.patience / 8, 1U));
}

/**
 * smc_alive_watch() - bytes were queued: limit the time until their delivery
 * @conn:	connection, its lock held
 */
void smc_alive_watch(struct smc_conn *conn)
{
	struct smc_conn_alive *alive = &conn->alive;

	lockdep_assert_held(&conn->lock);
	if (likely(!alive->patience) || smc_timer_runs(conn, SMC_TIMER_STALL))
		return;
	alive->mark = conn->tx.fin;
	alive->since = jiffies;
	alive_look_later(conn);
}

/**
 * smc_alive_set_patience() - limit the time without a delivery
 * (TCP_USER_TIMEOUT)
 * @conn:	connection
 * @patience:	jiffies; 0: no limit
 *
 * As in TCP, a peer that takes no bytes because its application does not read
 * counts as stalled, too.
 * Context: BH safe, no lock of the connection held.
 */
void smc_alive_set_patience(struct smc_conn *conn, u32 patience)
{
	spin_lock_bh(&conn->lock);
	conn->alive.patience = patience;
	smc_timer_stop(conn, SMC_TIMER_STALL);
	if (conn->tx.prep != conn->tx.fin)
		smc_alive_watch(conn);
	smc_conn_unlock(conn);
}

/* Return: true if bytes have waited for too long. */
static bool alive_stalled(struct smc_conn *conn)
{
	struct smc_conn_alive *alive = &conn->alive;

	lockdep_assert_held(&conn->lock);
	if (alive->mark != conn->tx.fin) {
		alive->mark = conn->tx.fin;
		alive->since = jiffies;
	}
	return smc_deadline_since(alive->since) >= alive->patience;
}

/**
 * smc_alive_stall() - SMC_TIMER_STALL has expired
 * @conn:	connection
 *
 * Aborts a connection whose bytes have waited for too long.
 * Context: process, no lock of the connection held.
 */
void smc_alive_stall(struct smc_conn *conn)
{
	spin_lock_bh(&conn->lock);
	if (!smc_timer_take(conn, SMC_TIMER_STALL) ||
	    conn->life.place != SMC_PLACE_IN ||
	    conn->tx.prep == conn->tx.fin)
		goto out;
	if (alive_stalled(conn)) {
		smc_close_abort(conn, ETIMEDOUT);
		conn->dialect->push(conn, false);
		smc_conn_try_leave(conn);
	} else {
		alive_look_later(conn);
	}
out:
	smc_conn_unlock(conn);
}

/**
 * smc_alive_prepare() - initialise the keepalive of a new connection
 * @conn:	new connection, which nobody else can reach yet
 */
void smc_alive_prepare(struct smc_conn *conn)
{
	conn->alive.last = jiffies;
	conn->alive.probed = jiffies;
}

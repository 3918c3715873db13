// SPDX-License-Identifier: GPL-2.0
/*
 * Keepalive of RFC 7609 4.5.3. The application sets an idle time. A connection
 * that has been idle for that long makes its link probe the peer, unless
 * messages of other connections prove that the peer lives. The link also waits
 * for the answer.
 *
 * TCP_USER_TIMEOUT: a connection whose queued bytes are not delivered in time is
 * aborted.
 */
#include "../group/member.h"
#include "alive.h"
#include "close.h"
#include "conn.h"
#include "dialect.h"
#include "object.h"

static void alive_rearm(struct smc_conn *conn, unsigned long delay)
{
	lockdep_assert_held(&conn->lock);
	/*
	 * a connection that leaves its group first changes its place and then
	 * stops the timer
	 */
	if (conn->alive.idle && conn->life.place == SMC_PLACE_IN)
		mod_delayed_work(smc_conn_wq, &conn->alive.timer, delay);
}

/**
 * smc_alive_set() - set the idle time before a keepalive probe (R-4.5.3-01)
 * @conn:	connection
 * @idle:	jiffies without a message before a probe; 0: never probe
 *
 * Context: BH safe, no lock of the connection held.
 */
void smc_alive_set(struct smc_conn *conn, unsigned long idle)
{
	smc_conn_lock(conn);
	conn->alive.idle = idle;
	conn->alive.last = jiffies;
	if (idle)
		alive_rearm(conn, idle);
	else
		cancel_delayed_work(&conn->alive.timer);
	smc_conn_unlock(conn);
}

/* Runs when the idle time may have passed. */
static void alive_timer(struct work_struct *work)
{
	struct smc_conn *conn = container_of(to_delayed_work(work),
					     struct smc_conn, alive.timer);
	unsigned long since;
	unsigned long idle;

	smc_conn_lock(conn);
	idle = conn->alive.idle;
	since = jiffies - conn->alive.last;
	if (idle && conn->life.place == SMC_PLACE_IN) {
		if (since >= idle) {
			smc_member_keepalive(&conn->member, idle);
			since = 0;
		}
		alive_rearm(conn, idle - since);
	}
	smc_conn_unlock(conn);
}

/* ---- TCP_USER_TIMEOUT ---- */

/* Returns the interval at which the timer looks for a stall. */
static unsigned long stall_interval(const struct smc_conn *conn)
{
	return max(conn->alive.patience / 8, 1UL);
}

/**
 * smc_alive_watch() - bytes were queued: limit the time until their delivery
 * @conn:	connection, its lock held
 */
void smc_alive_watch(struct smc_conn *conn)
{
	struct smc_conn_alive *alive = &conn->alive;

	lockdep_assert_held(&conn->lock);
	if (likely(!alive->patience) || conn->life.place != SMC_PLACE_IN ||
	    delayed_work_pending(&alive->stall))
		return;
	alive->mark = conn->tx.fin;
	alive->since = jiffies;
	queue_delayed_work(smc_conn_wq, &alive->stall, stall_interval(conn));
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
void smc_alive_set_patience(struct smc_conn *conn, unsigned long patience)
{
	smc_conn_lock(conn);
	conn->alive.patience = patience;
	cancel_delayed_work(&conn->alive.stall);
	if (conn->tx.prep != conn->tx.fin)
		smc_alive_watch(conn);
	smc_conn_unlock(conn);
}

static void stall_check(struct work_struct *work)
{
	struct smc_conn *conn = container_of(to_delayed_work(work),
					     struct smc_conn, alive.stall);
	struct smc_conn_alive *alive = &conn->alive;

	smc_conn_lock(conn);
	if (!alive->patience || conn->life.place != SMC_PLACE_IN ||
	    conn->tx.prep == conn->tx.fin)
		goto out;
	if (alive->mark != conn->tx.fin) {
		alive->mark = conn->tx.fin;
		alive->since = jiffies;
	}
	if (jiffies - alive->since < alive->patience) {
		queue_delayed_work(smc_conn_wq, &alive->stall,
				   stall_interval(conn));
		goto out;
	}
	smc_close_abort(conn, ETIMEDOUT);
	conn->dialect->push(conn, false);
	smc_conn_try_leave(conn);
out:
	smc_conn_unlock(conn);
}

/**
 * smc_alive_prepare() - initialise the keepalive of a new connection
 * @conn:	new connection, which nobody else can reach yet
 */
void smc_alive_prepare(struct smc_conn *conn)
{
	INIT_DELAYED_WORK(&conn->alive.timer, alive_timer);
	INIT_DELAYED_WORK(&conn->alive.stall, stall_check);
}

/**
 * smc_alive_stop() - stop both timers
 * @conn:	connection whose place is not SMC_PLACE_IN any more
 *
 * Context: process, sleeps.
 */
void smc_alive_stop(struct smc_conn *conn)
{
	cancel_delayed_work_sync(&conn->alive.timer);
	cancel_delayed_work_sync(&conn->alive.stall);
}

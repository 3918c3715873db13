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

/* Sets the time at which the timer checks for a stall again. */
static void alive_look_later(struct smc_conn_alive *alive)
{
	alive->look = (jiffies + max(alive->patience / 8, 1UL)) ?: 1;
}

/* Returns the number of jiffies since the last message, or since @probed. */
static unsigned long alive_idle_for(const struct smc_conn *conn)
{
	const struct smc_conn_alive *alive = &conn->alive;

	return min(jiffies - alive->probed, jiffies - alive->last);
}

/* Returns the number of jiffies from now to @at, or 0 if @at has passed. */
static unsigned long alive_until(unsigned long at)
{
	return time_after(at, jiffies) ? at - jiffies : 0;
}

/* Lets the timer run when the next probe or the next look for a stall is due. */
static void alive_rearm(struct smc_conn *conn)
{
	struct smc_conn_alive *alive = &conn->alive;
	unsigned long delay = ULONG_MAX;

	lockdep_assert_held(&conn->lock);
	if (alive->idle)
		delay = alive->idle - min(alive->idle, alive_idle_for(conn));
	if (alive->look)
		delay = min(delay, alive_until(alive->look));
	/*
	 * a connection that leaves its group first changes its place and then
	 * stops the timer
	 */
	if (delay != ULONG_MAX && conn->life.place == SMC_PLACE_IN)
		mod_delayed_work(smc_conn_wq, &alive->timer, delay);
	else
		cancel_delayed_work(&alive->timer);
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
	spin_lock_bh(&conn->lock);
	conn->alive.idle = idle;
	conn->alive.probed = jiffies;
	alive_rearm(conn);
	smc_conn_unlock(conn);
}

/* Asks for a probe if the connection was idle for long enough. */
static void alive_probe(struct smc_conn *conn)
{
	struct smc_conn_alive *alive = &conn->alive;

	lockdep_assert_held(&conn->lock);
	if (!alive->idle || alive_idle_for(conn) < alive->idle)
		return;
	alive->probed = smc_member_keepalive(&conn->member, alive->idle);
}

/* ---- TCP_USER_TIMEOUT ---- */

/**
 * smc_alive_watch() - bytes were queued: limit the time until their delivery
 * @conn:	connection, its lock held
 */
void smc_alive_watch(struct smc_conn *conn)
{
	struct smc_conn_alive *alive = &conn->alive;

	lockdep_assert_held(&conn->lock);
	if (likely(!alive->patience) || alive->look)
		return;
	alive->mark = conn->tx.fin;
	alive->since = jiffies;
	alive_look_later(alive);
	alive_rearm(conn);
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
	spin_lock_bh(&conn->lock);
	conn->alive.patience = patience;
	conn->alive.look = 0;
	if (conn->tx.prep != conn->tx.fin)
		smc_alive_watch(conn);
	alive_rearm(conn);
	smc_conn_unlock(conn);
}

/* Return: true if bytes have waited for too long. */
static bool alive_stalled(struct smc_conn *conn)
{
	struct smc_conn_alive *alive = &conn->alive;

	lockdep_assert_held(&conn->lock);
	if (conn->tx.prep == conn->tx.fin)
		alive->look = 0;
	if (!alive->look || alive_until(alive->look))
		return false;
	alive_look_later(alive);
	if (alive->mark != conn->tx.fin) {
		alive->mark = conn->tx.fin;
		alive->since = jiffies;
	}
	return jiffies - alive->since >= alive->patience;
}

/* ---- the timer ---- */

static void alive_timer(struct work_struct *work)
{
	struct smc_conn *conn = container_of(to_delayed_work(work),
					     struct smc_conn, alive.timer);

	spin_lock_bh(&conn->lock);
	if (conn->life.place != SMC_PLACE_IN)
		goto out;
	alive_probe(conn);
	if (alive_stalled(conn)) {
		conn->alive.look = 0;
		smc_close_abort(conn, ETIMEDOUT);
		conn->dialect->push(conn, false);
		smc_conn_try_leave(conn);
	}
	alive_rearm(conn);
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
	INIT_DELAYED_WORK(&conn->alive.timer, alive_timer);
}

/**
 * smc_alive_stop() - stop the timer
 * @conn:	connection whose place is not SMC_PLACE_IN any more
 *
 * Context: process, sleeps.
 */
void smc_alive_stop(struct smc_conn *conn)
{
	cancel_delayed_work_sync(&conn->alive.timer);
}

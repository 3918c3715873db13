// SPDX-License-Identifier: GPL-2.0
/*
 * Timers of a connection. One work item serves all of them, because a work item
 * for each timer would need a third of the connection's memory. It runs when
 * the first timer expires, or with nothing to do if that timer was stopped. The
 * work function, in life.c, calls the handler of each timer that has expired.
 *
 * The handler takes conn->lock and calls smc_timer_take(). If another context
 * has stopped or restarted the timer by then, the handler does nothing.
 *
 * A timer starts only while the connection is in its group (SMC_PLACE_IN).
 */
#include <linux/workqueue.h>
#include "../base/deadline.h"
#include "conn.h"
#include "object.h"
#include "timer.h"

/**
 * smc_timer_rearm() - let the work item run when the first timer expires
 * @conn:	connection, its lock held; outside of SMC_PLACE_IN the function
 *		does nothing
 *
 * Context: BH safe.
 */
void smc_timer_rearm(struct smc_conn *conn)
{
	unsigned long delay = smc_deadline_first(conn->timers.at, SMC_TIMERS);

	lockdep_assert_held(&conn->lock);
	/*
	 * a connection that leaves its group first changes its place and then
	 * cancels the work item
	 */
	if (delay != ULONG_MAX && conn->life.place == SMC_PLACE_IN)
		mod_delayed_work(smc_conn_wq, &conn->timers.work, delay);
}

/**
 * smc_timer_set() - start a timer, or start it again
 * @conn:	connection, its lock held; outside of SMC_PLACE_IN the function
 *		does nothing
 * @which:	timer
 * @delay:	jiffies until it expires, see smc_deadline_in(); 0: at once
 *
 * Context: BH safe.
 */
void smc_timer_set(struct smc_conn *conn, enum smc_conn_timer which,
		   unsigned long delay)
{
	lockdep_assert_held(&conn->lock);
	if (conn->life.place != SMC_PLACE_IN)
		return;
	conn->timers.at[which] = smc_deadline_in(delay);
	smc_timer_rearm(conn);
}

/**
 * smc_timer_start() - start a timer, unless it runs
 * @conn:	connection, its lock held
 * @which:	timer
 * @delay:	as for smc_timer_set()
 *
 * Context: BH safe.
 */
void smc_timer_start(struct smc_conn *conn, enum smc_conn_timer which,
		     unsigned long delay)
{
	if (!smc_timer_runs(conn, which))
		smc_timer_set(conn, which, delay);
}

/**
 * smc_timer_stop() - stop a timer
 * @conn:	connection, its lock held
 * @which:	timer
 *
 * Context: BH safe.
 */
void smc_timer_stop(struct smc_conn *conn, enum smc_conn_timer which)
{
	lockdep_assert_held(&conn->lock);
	conn->timers.at[which] = 0;
}

/**
 * smc_timer_expired() - find the timers that have expired
 * @conn:	connection, its lock held
 *
 * Context: BH safe. Return: BIT(timer) of each timer that has expired.
 */
unsigned long smc_timer_expired(struct smc_conn *conn)
{
	unsigned long expired = 0;
	int i;

	lockdep_assert_held(&conn->lock);
	for (i = 0; i < SMC_TIMERS; i++)
		if (smc_deadline_over(conn->timers.at[i]))
			expired |= BIT(i);
	return expired;
}

/**
 * smc_timer_take() - stop a timer that has expired, for its handler
 * @conn:	connection, its lock held
 * @which:	timer
 *
 * Context: BH safe. Return: false if another context has stopped the timer or
 * started it again, so that the handler has nothing to do.
 */
bool smc_timer_take(struct smc_conn *conn, enum smc_conn_timer which)
{
	lockdep_assert_held(&conn->lock);
	return smc_deadline_take(&conn->timers.at[which]);
}

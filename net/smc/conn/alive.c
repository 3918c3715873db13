// SPDX-License-Identifier: GPL-2.0
/*
 * Keepalive of RFC 7609 4.5.3: a connection that has been idle for the time
 * its application set asks its link whether the peer lives, unless other
 * connections prove that. The answer is the link's business.
 */
#include "conn_priv.h"

static void rearm(struct smc_conn *conn, unsigned long delay)
{
	lockdep_assert_held(&conn->lock);
	/* leave() cancels it once the place is another */
	if (conn->alive.idle && conn->place == SMC_PLACE_IN)
		mod_delayed_work(smc_conn_wq, &conn->alive.timer, delay);
}

void smc_conn_keepalive(struct smc_conn *conn, unsigned long idle)
{
	smc_conn_lock(conn);
	conn->alive.idle = idle;
	conn->alive.last = jiffies;
	if (idle)
		rearm(conn, idle);
	else
		cancel_delayed_work(&conn->alive.timer);
	smc_conn_unlock(conn);
}

/** smc_alive_timer - the idle time may be over */
void smc_alive_timer(struct work_struct *work)
{
	struct smc_conn *conn = container_of(to_delayed_work(work),
					     struct smc_conn, alive.timer);
	unsigned long since;
	unsigned long idle;

	smc_conn_lock(conn);
	idle = conn->alive.idle;
	since = jiffies - conn->alive.last;
	if (idle && conn->place == SMC_PLACE_IN) {
		if (since >= idle) {
			smc_member_keepalive(&conn->member, idle);
			since = 0;
		}
		rearm(conn, idle - since);
	}
	smc_conn_unlock(conn);
}

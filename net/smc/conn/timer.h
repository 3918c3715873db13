/* SPDX-License-Identifier: GPL-2.0 */
/* Timers of a connection. See timer.c. */
#ifndef _SMC_CONN_TIMER_H
#define _SMC_CONN_TIMER_H

#include <linux/types.h>
#include "object.h"

void smc_timer_set(struct smc_conn *conn, enum smc_conn_timer which,
		   unsigned long delay);
void smc_timer_start(struct smc_conn *conn, enum smc_conn_timer which,
		     unsigned long delay);
void smc_timer_stop(struct smc_conn *conn, enum smc_conn_timer which);
bool smc_timer_take(struct smc_conn *conn, enum smc_conn_timer which);
unsigned long smc_timer_expired(struct smc_conn *conn);
void smc_timer_rearm(struct smc_conn *conn);

/**
 * smc_timer_runs() - does a timer run?
 * @conn:	connection, its lock held
 * @which:	timer
 *
 * Context: BH safe. Return: true from its start until its handler takes it, or
 * until it is stopped.
 */
static inline bool smc_timer_runs(const struct smc_conn *conn,
				  enum smc_conn_timer which)
{
	lockdep_assert_held(&conn->lock);
	return conn->timers.at[which];
}

#endif

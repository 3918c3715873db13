/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Dialect of frames: when an idle connection gives memory back. A connection
 * with small messages keeps its last small segment and its last small chunk,
 * and the next messages use them. An element, and a window that has grown, stay
 * while bytes arrive. SMC_TIMER_IDLE runs while there is such memory. It looks
 * at the connection from time to time (framed.c).
 */
#ifndef _SMC_CONN_FRAMED_IDLE_H
#define _SMC_CONN_FRAMED_IDLE_H

#include <linux/jiffies.h>
#include "../base/deadline.h"
#include "object.h"
#include "timer.h"

enum {
	/*
	 * Time between two looks. A direction without bytes for so long is
	 * idle.
	 */
	SMC_FRAMED_IDLE_MS	= 2000,
};

/**
 * smc_framed_idle_watch() - start SMC_TIMER_IDLE, unless it runs
 * @conn:	connection, its lock held, with memory that it can give back
 *
 * Context: BH safe.
 */
static inline void smc_framed_idle_watch(struct smc_conn *conn)
{
	if (unlikely(!smc_timer_runs(conn, SMC_TIMER_IDLE)))
		smc_timer_set(conn, SMC_TIMER_IDLE,
			      msecs_to_jiffies(SMC_FRAMED_IDLE_MS));
}

/**
 * smc_framed_idle_since() - is a direction idle?
 * @last:	low 32 bits of jiffies at the last message with bytes
 *
 * Context: any.
 */
static inline bool smc_framed_idle_since(u32 last)
{
	return smc_deadline_since(last) >= msecs_to_jiffies(SMC_FRAMED_IDLE_MS);
}

#endif

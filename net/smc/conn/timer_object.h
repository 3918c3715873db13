/* SPDX-License-Identifier: GPL-2.0 */
/* The timers of a connection: data only. See timer.c. */
#ifndef _SMC_CONN_TIMER_OBJECT_H
#define _SMC_CONN_TIMER_OBJECT_H

#include <linux/types.h>
#include <linux/workqueue.h>

/**
 * enum smc_conn_timer - timers of a connection
 * @SMC_TIMER_CORK:	a partial burst has waited for long enough; ends
 *			tx.hold. In-host also: memory was short, so send again
 * @SMC_TIMER_CLOSE:	at the end the peer takes no more data, or its flag C or
 *			its answer to an abort is missing
 * @SMC_TIMER_KEEPALIVE: the connection may have been idle for alive.idle
 * @SMC_TIMER_STALL:	next look for a stall (alive.patience)
 * @SMC_TIMER_GAP:	dialect of RFC 7609: missing messages count as lost
 * @SMC_TIMER_LINGER:	frames: the peer's last answer is overdue
 * @SMC_TIMER_ELEMENT:	frames: elements are to be taken or returned
 * @SMC_TIMER_IDLE:	frames: check again if the connection is idle and can
 *			return memory
 * @SMC_TIMERS:		number of timers
 */
enum smc_conn_timer {
	SMC_TIMER_CORK,
	SMC_TIMER_CLOSE,
	SMC_TIMER_KEEPALIVE,
	SMC_TIMER_STALL,
	SMC_TIMER_GAP,
	SMC_TIMER_LINGER,
	SMC_TIMER_ELEMENT,
	SMC_TIMER_IDLE,
	SMC_TIMERS,
};

/**
 * struct smc_conn_timers - timers (timer.c); conn->lock
 * @work:	runs when the first timer expires; queued only in place IN
 * @at:		deadline (base/deadline.h) of each timer; 0: it does not run
 */
struct smc_conn_timers {
	struct delayed_work work;
	u32 at[SMC_TIMERS];
};

#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * A frame that waits while the application reads. A frame brings data to
 * several connections. The application then reads from one after the other, and
 * answers each. On a slow device the first answer waits, so that the other ones
 * leave in the same frame (smc_coalesce_holds()). A timer ends the wait if the
 * application does not read.
 */
#include <linux/atomic.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include "../base/compat.h"
#include "hold.h"
#include "link_types.h"

static enum hrtimer_restart hold_over(struct hrtimer *timer)
{
	struct smc_link *link = container_of(timer, struct smc_link,
					     queue.hold.timer);

	/* these connections are not about to be read */
	atomic_set(&link->queue.hold.unread, 0);
	/* partner: smc_hold_wanted(); new data does not hold the frame again */
	WRITE_ONCE(link->queue.hold.state, SMC_HOLD_OVER);
	tasklet_schedule(&link->queue.tasklet);
	return HRTIMER_NORESTART;
}

/** smc_hold_init - initialise the hold of a new link */
void smc_hold_init(struct smc_link *link)
{
	atomic_set(&link->queue.hold.unread, 0);
	smc_compat_hrtimer(&link->queue.hold.timer, hold_over);
}

/**
 * smc_hold_begin - a frame waits for readers
 * @link: link, its queue locked
 * @ns: limit of the wait
 *
 * If the frame waits already, its limit stays. The tasklet of the queue runs at
 * the limit.
 */
void smc_hold_begin(struct smc_link *link, u64 ns)
{
	struct hrtimer *timer = &link->queue.hold.timer;

	lockdep_assert_held(&link->queue.lock);
	/*
	 * if the callback is running, its tasklet may have run already, so
	 * start the timer again
	 */
	if (!hrtimer_is_queued(timer))
		hrtimer_start(timer, ns_to_ktime(ns), HRTIMER_MODE_REL);
}

/**
 * smc_hold_stop - stop the timer
 * @link: link for which smc_hold_begin() is not called any more
 *
 * The tasklet may still run. Context: process.
 */
void smc_hold_stop(struct smc_link *link)
{
	hrtimer_cancel(&link->queue.hold.timer);
}


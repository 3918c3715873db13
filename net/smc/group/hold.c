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

enum {
	/* This many records are worth a frame of their own. */
	HOLD_MANY	= 8,
};

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

/** smc_hold_end - a frame leaves, so none waits; the queue is locked */
void smc_hold_end(struct smc_link *link)
{
	lockdep_assert_held(&link->queue.lock);
	hrtimer_try_to_cancel(&link->queue.hold.timer);
	WRITE_ONCE(link->queue.hold.state, SMC_HOLD_ALLOWED);
}

/**
 * smc_hold_left - a frame with records leaves
 * @link: link, its queue locked
 *
 * If it did not wait for all answers, the next one does.
 */
void smc_hold_left(struct smc_link *link)
{
	struct smc_hold *hold = &link->queue.hold;

	lockdep_assert_held(&link->queue.lock);
	hold->half = !hold->half && atomic_read(&hold->unread) > 0;
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

/** smc_hold_unread - a connection of the link has data to read; any context */
void smc_hold_unread(struct smc_link *link)
{
	atomic_inc(&link->queue.hold.unread);
}

/**
 * smc_hold_seen - the application handles a connection after smc_hold_unread()
 * @link: link
 *
 * The timer may have forgotten the connection. Context: any.
 */
void smc_hold_seen(struct smc_link *link)
{
	atomic_dec_if_positive(&link->queue.hold.unread);
}

/**
 * smc_hold_wanted - should the next frame wait for connections with unread
 * data?
 * @link: link
 * @n: number of records that wait
 *
 * If there are many records, and the application has read from half of the
 * connections, the frame leaves. Otherwise both hosts would work in turn: all
 * requests would be under way, and then all answers. The next frame waits for
 * the other half. Context: any. Return: false also if the frame has waited long
 * enough.
 */
bool smc_hold_wanted(const struct smc_link *link, u32 n)
{
	u32 unread = atomic_read(&link->queue.hold.unread);

	if (!link->queue.hold.half && n >= HOLD_MANY && n >= unread)
		return false;
	/* partner: hold_over() */
	return READ_ONCE(link->queue.hold.state) == SMC_HOLD_ALLOWED && unread;
}

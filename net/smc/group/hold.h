/* SPDX-License-Identifier: GPL-2.0 */
/* A frame that waits while the application reads. See hold.c. */
#ifndef _SMC_GROUP_HOLD_H
#define _SMC_GROUP_HOLD_H

#include <linux/atomic.h>
#include <linux/hrtimer.h>
#include <linux/lockdep.h>
#include "link_types.h"

enum {
	/* A frame with this many records leaves at once. */
	SMC_HOLD_MANY	= 8,
};

void smc_hold_init(struct smc_link *link);
void smc_hold_begin(struct smc_link *link, u64 ns);
void smc_hold_stop(struct smc_link *link);

/** smc_hold_end - a frame leaves, so none waits; the queue is locked */
static inline void smc_hold_end(struct smc_link *link)
{
	lockdep_assert_held(&link->queue.lock);
	/* a callback that is running would not be stopped either */
	if (hrtimer_is_queued(&link->queue.hold.timer))
		hrtimer_try_to_cancel(&link->queue.hold.timer);
	WRITE_ONCE(link->queue.hold.state, SMC_HOLD_ALLOWED);
}

/**
 * smc_hold_left - a frame with records leaves
 * @link: link, its queue locked
 *
 * If connections are still unread, this frame carries half of the answers, and
 * the next frame waits for the other half.
 */
static inline void smc_hold_left(struct smc_link *link)
{
	struct smc_hold *hold = &link->queue.hold;

	lockdep_assert_held(&link->queue.lock);
	hold->half = !hold->half && atomic_read(&hold->unread) > 0;
}

/** smc_hold_unread - a connection of the link has data to read; any context */
static inline void smc_hold_unread(struct smc_link *link)
{
	atomic_inc(&link->queue.hold.unread);
}

/**
 * smc_hold_seen - the application handles a connection after smc_hold_unread()
 * @link: link
 *
 * The timer may have forgotten the connection. Context: any.
 */
static inline void smc_hold_seen(struct smc_link *link)
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
static inline bool smc_hold_wanted(const struct smc_link *link, u32 n)
{
	u32 unread = atomic_read(&link->queue.hold.unread);

	if (!link->queue.hold.half && n >= SMC_HOLD_MANY && n >= unread)
		return false;
	/* partner: hold_over() */
	return READ_ONCE(link->queue.hold.state) == SMC_HOLD_ALLOWED && unread;
}

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * When a link that carries frames sends a frame that is not full. A frame that
 * leaves at once has the lowest delay, and a frame that waits carries more
 * records. While few frames are in flight, a frame leaves at once, unless the
 * device is slow and the application is about to add records. The code
 * only calculates, under the caller's locks.
 */
#ifndef _SMC_GROUP_COALESCE_H
#define _SMC_GROUP_COALESCE_H

#include <linux/types.h>

enum {
	/* Time in which the frames in flight should complete, in ns. */
	SMC_COALESCE_NS		= 100000,
	/* Limit of frames in flight before one that is not full waits. */
	SMC_COALESCE_FRAMES_MAX	= 8,
};

/**
 * struct smc_coalesce - frames of a link that have not completed
 * @flying:	number of these frames
 * @ahead:	number of completions until the sampled frame has completed; 0:
 *		no frame is sampled
 * @since:	time when the sampled frame was posted, in ns
 * @mean_ns:	mean time from post to completion; 0: not known
 * @held:	records that waited when the next frame began to wait for the
 *		application; 0: it does not wait
 * @skip:	number of frames from now on that do not wait for the
 *		application
 * @skips:	@skip after the last frame that has waited
 */
struct smc_coalesce {
	u32 flying;
	u32 ahead;
	u64 since;
	u32 mean_ns;
	u32 held;
	u8 skip;
	u8 skips;
};

u32 smc_coalesce_frames(const struct smc_coalesce *p);
bool smc_coalesce_holds(const struct smc_coalesce *p);
void smc_coalesce_held(struct smc_coalesce *p, u32 n);
void smc_coalesce_gained(struct smc_coalesce *p, u32 n);
void smc_coalesce_done(struct smc_coalesce *p, u64 now);

/**
 * smc_coalesce_may_send() - may a frame leave now?
 * @p: frames of the link
 * @full: the records that wait fill a frame
 *
 * If the function returns false, a frame is in flight, and the caller calls the
 * function again when that frame has completed. Context: any.
 */
static inline bool smc_coalesce_may_send(const struct smc_coalesce *p,
					 bool full)
{
	return full || !p->flying || p->flying < smc_coalesce_frames(p);
}

/**
 * smc_coalesce_posted() - note that a frame was posted
 * @p: frames of the link
 * @now: time in ns, from a monotonic clock
 *
 * Context: any.
 */
static inline void smc_coalesce_posted(struct smc_coalesce *p, u64 now)
{
	p->flying++;
	if (p->ahead)
		return;
	p->ahead = p->flying;
	p->since = now;
}

/**
 * smc_coalesce_leaves() - note that a frame leaves
 * @p: frames of the link
 * @n: number of records that wait
 *
 * An application may read from connections and answer on none of them, as a
 * proxy does. Its frames wait in vain. So after a frame that gained no record,
 * the next one does not wait. The number of frames that do not wait doubles
 * until one gains a record. Context: any.
 */
static inline void smc_coalesce_leaves(struct smc_coalesce *p, u32 n)
{
	if (p->held)
		smc_coalesce_gained(p, n);
	else if (p->skip)
		p->skip--;
}

#endif

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

bool smc_coalesce_may_send(const struct smc_coalesce *p, bool full);
bool smc_coalesce_holds(const struct smc_coalesce *p);
void smc_coalesce_held(struct smc_coalesce *p, u32 n);
void smc_coalesce_leaves(struct smc_coalesce *p, u32 n);
void smc_coalesce_posted(struct smc_coalesce *p, u64 now);
void smc_coalesce_done(struct smc_coalesce *p, u64 now);

#endif

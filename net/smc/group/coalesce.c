// SPDX-License-Identifier: GPL-2.0
/* When a link sends a frame that is not full. See coalesce.h. */
#include "coalesce.h"

/* Weight of a new sample, as a shift. */
#define COALESCE_SHIFT	3

/* Limit of frames that do not wait after a frame has waited in vain. */
#define COALESCE_SKIPS_MAX	31

/**
 * smc_coalesce_frames() - number of frames in flight from which on a frame that
 * is not full waits
 * @p: frames of the link
 *
 * An adapter completes a frame in some microseconds, and needs several
 * frames in flight to be busy. Software RoCE uses the CPU that the senders
 * need, so one frame with more records is cheaper than two frames. The
 * completion time shows which of the two a device is. If frames do not overlap,
 * this time grows with their number, so the result converges.
 * Context: any. Return: this number, at least 1.
 */
u32 smc_coalesce_frames(const struct smc_coalesce *p)
{
	u32 n;

	if (!p->mean_ns)
		return 1;
	n = SMC_COALESCE_NS / p->mean_ns;
	if (n > SMC_COALESCE_FRAMES_MAX)
		return SMC_COALESCE_FRAMES_MAX;
	return n ? n : 1;
}

/**
 * smc_coalesce_holds() - is it worth waiting for the application?
 * @p: frames of the link; smc_coalesce_may_send() has returned true
 *
 * On a slow device a frame costs more than several records. So while the
 * application reads from other connections of the link, and may answer, a frame
 * that is not full waits for these answers, but no longer than a frame takes to
 * complete. On a fast device it does not wait, and not if the last frames have
 * waited in vain. Context: any.
 *
 * Return: true if the frame may wait for up to @p->mean_ns; then
 * smc_coalesce_held() follows.
 */
bool smc_coalesce_holds(const struct smc_coalesce *p)
{
	return p->mean_ns && smc_coalesce_frames(p) == 1 && !p->skip;
}

/**
 * smc_coalesce_held() - note that a frame waits for the application
 * @p: frames of the link
 * @n: number of records that wait, at least 1
 *
 * Only the first call for a frame counts. Context: any.
 */
void smc_coalesce_held(struct smc_coalesce *p, u32 n)
{
	if (!p->held)
		p->held = n;
}

/**
 * smc_coalesce_gained() - a frame that has waited leaves
 * @p: frames of the link
 * @n: number of records that wait
 */
void smc_coalesce_gained(struct smc_coalesce *p, u32 n)
{
	if (n > p->held)
		p->skips = 0;
	else if (p->skips < COALESCE_SKIPS_MAX)
		p->skips = p->skips * 2 + 1;
	p->skip = p->skips;
	p->held = 0;
}

static void coalesce_sample(struct smc_coalesce *p, u64 ns)
{
	u32 sample = ns > SMC_COALESCE_NS * 16 ? SMC_COALESCE_NS * 16 : (u32)ns;

	if (!sample)
		sample = 1;
	if (!p->mean_ns)
		p->mean_ns = sample;
	else if (sample > p->mean_ns)
		p->mean_ns += (sample - p->mean_ns) >> COALESCE_SHIFT;
	else
		p->mean_ns -= (p->mean_ns - sample) >> COALESCE_SHIFT;
}

/**
 * smc_coalesce_done() - note that the oldest frame in flight has completed
 * @p: frames of the link
 * @now: time in ns
 *
 * Context: any.
 */
void smc_coalesce_done(struct smc_coalesce *p, u64 now)
{
	p->flying--;
	if (p->ahead && !--p->ahead)
		coalesce_sample(p, now - p->since);
}

// SPDX-License-Identifier: GPL-2.0
/* The window of a direction in the dialect of frames. See frames_window.h. */
#include "frames_window.h"

/*
 * Does the sender wait for the window? That is so if it had more to send and
 * the reader has read all bytes. The sender's flag may be older than the newest
 * window, so one window of bytes must have arrived since the window grew.
 */
static bool window_too_small(const struct smc_frames_window *w,
			     const struct smc_frames_in *in, u64 cons)
{
	return in->heard & SMC_FRAME_B && cons == in->prod &&
	       in->prod - w->mark >= w->size;
}

/**
 * smc_frames_window_want() - choose the window after a read
 * @w: current window
 * @in: receiver of the direction
 * @cons: position up to which the reader has read
 * @need: number of unread bytes for which the reader waits before it reads; 0:
 *	the reader takes any number
 * @cap: limit of the window
 *
 * The window doubles if the sender waits for it. A slow reader keeps its
 * window. The caller charges the difference of smc_frames_window_cost() to the
 * owner, and calls smc_frames_window_set(). If the charge fails, it passes the
 * current window. Context: any.
 *
 * Return: window in bytes, at least the current one.
 */
u32 smc_frames_window_want(const struct smc_frames_window *w,
			   const struct smc_frames_in *in, u64 cons, u32 need,
			   u32 cap)
{
	u32 want = w->size;

	if (window_too_small(w, in, cons))
		want = w->size > cap / 2 ? cap : 2 * w->size;
	if (want < need)
		want = need;
	if (want > cap)
		want = cap;
	return want > w->size ? want : w->size;
}

/**
 * smc_frames_window_narrow() - withdraw the element, and lower the window
 * @w: window
 * @in: receiver of the direction
 * @size: window in bytes, less than the current one
 *
 * The caller keeps the charge until smc_frames_window_needs() is lower.
 * Context: any. Return: false if the caller has to wait, see
 * smc_frames_in_offer().
 */
bool smc_frames_window_narrow(struct smc_frames_window *w,
			      struct smc_frames_in *in, u32 size)
{
	if (!smc_frames_in_narrow(in, size))
		return false;
	w->size = size;
	w->mark = in->prod;
	return true;
}

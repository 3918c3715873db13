/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The window of a direction in the dialect of frames.rst: how much the sender
 * may send before the reader has read. The receiver chooses it. The code only
 * calculates, under the caller's locks.
 */
#ifndef _SMC_CONN_FRAMES_WINDOW_H
#define _SMC_CONN_FRAMES_WINDOW_H

#include <linux/types.h>
#include "frames_in.h"

enum {
	/*
	 * Window of a new connection in bytes. It has room for a small request
	 * or its answer.
	 */
	SMC_FRAMES_WINDOW_MIN	= 8192,
	/* Limit of the free part of the last chunk in bytes. */
	SMC_FRAMES_CHUNK_MAX	= 4096,

	/*
	 * Memory of a window beyond its bytes and the heads of their chunks.
	 * The last chunk has at most half of its bytes free. In-host one page
	 * may also have a single byte.
	 */
	SMC_FRAMES_CHUNK_FREE	= SMC_FRAMES_CHUNK_MAX / 2,
	SMC_FRAMES_SLACK	= 4096 + 256 + SMC_FRAMES_CHUNK_FREE,
};

/**
 * struct smc_frames_window - window of a direction, at its receiver
 * @size:	bytes that the sender may send beyond what was read; charged to
 *		the owner
 * @mark:	position behind the last byte received when the window grew
 */
struct smc_frames_window {
	u32 size;
	u64 mark;
};

/**
 * smc_frames_window_needs() - get the window that must stay charged
 * @w: window
 * @in: receiver of the direction
 *
 * Context: any. Return: number of bytes, at least @w->size. It is higher while
 * the sender may still use a window that was lowered.
 */
static inline u32
smc_frames_window_needs(const struct smc_frames_window *w,
			const struct smc_frames_in *in)
{
	u64 open = in->bound > in->cons ? in->bound - in->cons : 0;

	return open > w->size ? (u32)open : w->size;
}

/**
 * smc_frames_window_cost() - bytes of memory that a window can take
 * @size: window in bytes, at most half of 2^32
 *
 * Unread bytes take their number, the heads of their chunks, and some memory
 * that has no bytes. Context: any. Return: bytes to charge to the owner.
 */
static inline u32 smc_frames_window_cost(u32 size)
{
	return size + size / 8 + SMC_FRAMES_SLACK;
}

/**
 * smc_frames_window_set() - note a read, and set the window
 * @w: window
 * @in: receiver of the direction
 * @cons: position up to which the reader has read
 * @size: window in bytes, which is charged; at least the current one
 *
 * Context: any. The caller then asks smc_frames_in_due() whether to send a
 * record.
 */
static inline void smc_frames_window_set(struct smc_frames_window *w,
					 struct smc_frames_in *in, u64 cons,
					 u32 size)
{
	if (size > w->size)
		w->mark = in->prod;
	w->size = size;
	smc_frames_in_read(in, cons, cons + size);
}

u32 smc_frames_window_want(const struct smc_frames_window *w,
			   const struct smc_frames_in *in, u64 cons, u32 need,
			   u32 cap);
bool smc_frames_window_narrow(struct smc_frames_window *w,
			      struct smc_frames_in *in, u32 size);

#endif

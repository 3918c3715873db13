/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Both directions of a connection in the dialect of frames.rst: what the next
 * record contains, and what a record of the peer means. The code only
 * calculates, under the caller's locks.
 */
#ifndef _SMC_CONN_FRAMES_H
#define _SMC_CONN_FRAMES_H

#include "frames_in.h"
#include "frames_out.h"

/**
 * struct smc_frames - a connection
 * @out:	the direction to the peer
 * @in:		the direction from the peer
 */
struct smc_frames {
	struct smc_frames_out out;
	struct smc_frames_in in;
};

/**
 * smc_frames_due() - should a record be sent now?
 * @f: connection
 * @prep: position behind the last byte queued
 *
 * Context: any.
 */
static inline bool smc_frames_due(const struct smc_frames *f, u64 prep)
{
	return smc_frames_out_due(&f->out, prep) || smc_frames_in_due(&f->in);
}

/**
 * smc_frames_parts() - get the parts that the next record has
 * @f: connection
 * @prep: position behind the last byte queued
 * @short_heads: see struct smc_frames_room
 *
 * The caller passes them to smc_frame_room(). Context: any. Return: the parts;
 * and SMC_FRAME_SHORT, if the record will have a short head however many of the
 * queued bytes it takes. Without it the record may still have a short head.
 */
static inline u8 smc_frames_parts(const struct smc_frames *f, u64 prep,
				  bool short_heads)
{
	u8 parts = smc_frames_out_parts(&f->out) | smc_frames_in_parts(&f->in);

	if (short_heads &&
	    smc_frame_fits_short(prep > f->out.sent ? prep : f->out.sent,
				 f->in.cons, smc_frames_in_window(&f->in),
				 f->out.offer.number))
		parts |= SMC_FRAME_SHORT;
	return parts;
}

/**
 * smc_frames_fill() - make the next record
 * @f: connection
 * @prep: position behind the last byte queued
 * @room: limits
 * @rec: output: the record, without token and data
 * @w: output: bytes that the caller writes to the peer's element
 *
 * The record has a short head if its values fit (F-38). smc_frames_out_fill()
 * and smc_frames_in_fill() describe what the caller must do next. Context: any.
 */
static inline void smc_frames_fill(struct smc_frames *f, u64 prep,
				   const struct smc_frames_room *room,
				   struct smc_frame_record *rec,
				   struct smc_frames_write *w)
{
	*rec = (struct smc_frame_record){};
	smc_frames_in_fill(&f->in, rec);
	smc_frames_out_fill(&f->out, prep, room, rec, w);
	if (room->short_heads &&
	    smc_frame_fits_short(rec->prod, rec->cons, rec->window, rec->heard))
		rec->parts |= SMC_FRAME_SHORT;
}

int smc_frames_take(struct smc_frames *f, u32 link,
		    const struct smc_frame_record *rec,
		    struct smc_frames_got *got);

#endif

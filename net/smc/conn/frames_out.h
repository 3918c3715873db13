/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The sender of a direction in the dialect of frames.rst: how far bytes were
 * sent, where the peer has room for them, and what happens after a change of
 * links. The code only calculates: the caller owns the bytes, posts records and
 * WRITEs, and holds its locks.
 */
#ifndef _SMC_CONN_FRAMES_OUT_H
#define _SMC_CONN_FRAMES_OUT_H

#include <linux/types.h>
#include "../wire/frame.h"
#include "frames_ask_fsm.h"

enum {
	/* A sender asks for an element if it has this many bytes more than one
	 * record can carry, because each frame costs two packets.
	 */
	SMC_FRAMES_MANY		= 16384,
};

/**
 * struct smc_frames_out - sender of a direction
 * @sent:	position behind the last byte posted. After a change of links
 *		@sent falls back to the position of the peer's answer.
 * @fin:	position behind the last byte known to be delivered, at most
 *		@sent; bytes before it are not sent again
 * @cons:	position up to which the peer has read, at most @sent
 * @edge:	the peer allows bytes up to this position; it is below @sent if
 *		the peer has lowered the window
 * @urgent:	position behind the newest urgent byte, or 0
 * @offer:	the newest offer of the peer that has arrived. @offer.rkey is
 *		the caller's name of the RMB, which does not depend on the link.
 * @move:	number of changes of links
 * @flying:	number of posted records that have not completed
 * @state:	enum smc_frames_ask_state, written by out_step() only
 * @want:	SMC_FRAME_D, C, A that the owner asked for
 * @said:	flags of @want that were posted since the last change of links;
 *		and SMC_FRAME_B, if the newest record had it
 * @owes:	a record must be sent, even without data
 */
struct smc_frames_out {
	u64 sent;
	u64 fin;
	u64 cons;
	u64 edge;
	u64 urgent;
	struct smc_frame_offer offer;
	u32 move;
	u32 flying;
	u8 state;
	u8 want;
	u8 said;
	bool owes;
};

/**
 * struct smc_frames_room - limits of a record
 * @data:	bytes of data that fit into the frame
 * @write:	bytes that may be written to the peer's element
 * @short_heads: both hosts know short heads (F-38)
 */
struct smc_frames_room {
	u32 data;
	u32 write;
	bool short_heads;
};

/**
 * struct smc_frames_write - bytes that must be written before a record is sent
 * @pos:	position of the first byte
 * @len:	number of bytes, or 0
 * @offer:	the element. Position p is at p modulo its size.
 */
struct smc_frames_write {
	u64 pos;
	u32 len;
	struct smc_frame_offer offer;
};

/**
 * smc_frames_out_limit() - how far would the flags and the window allow the
 * sender to go?
 * @out: sender
 * @prep: position behind the last byte queued
 *
 * Context: any. Return: position, at least @out->sent.
 */
static inline u64 smc_frames_out_limit(const struct smc_frames_out *out,
				       u64 prep)
{
	if (out->state != SMC_ASK_SENDS || out->want & SMC_FRAME_A)
		return out->sent;
	if (prep > out->edge)
		prep = out->edge;
	return prep > out->sent ? prep : out->sent;
}

/**
 * smc_frames_out_flags_due() - which flags must the next record carry because
 * no record has carried them?
 * @out: sender
 * @prep: position behind the last byte queued
 *
 * D and C wait until all bytes were sent (F-10). Context: any.
 */
static inline u8 smc_frames_out_flags_due(const struct smc_frames_out *out,
					  u64 prep)
{
	u8 due = out->want & (u8)~out->said;

	if (out->state != SMC_ASK_SENDS || out->sent < prep)
		due &= SMC_FRAME_A;
	return due;
}

/**
 * smc_frames_out_due() - must or may a record be sent?
 * @out: sender
 * @prep: position behind the last byte queued
 *
 * Bytes that are queued behind a full window need a record with B, because the
 * peer may wait for them without reading (F-09). Context: any.
 */
static inline bool smc_frames_out_due(const struct smc_frames_out *out,
				      u64 prep)
{
	if (out->owes || (out->want && smc_frames_out_flags_due(out, prep)))
		return true;
	if (out->state != SMC_ASK_SENDS || prep <= out->sent)
		return false;
	return !(out->said & SMC_FRAME_B) ||
	       (out->edge > out->sent && !(out->want & SMC_FRAME_A));
}

/**
 * smc_frames_out_parts() - get the parts that the next record has
 * @out: sender
 *
 * Context: any. Return: SMC_FRAME_MOVE and URGENT, or 0.
 */
static inline u8 smc_frames_out_parts(const struct smc_frames_out *out)
{
	u8 parts = 0;

	if (out->state == SMC_ASK_ASKS)
		parts |= SMC_FRAME_MOVE;
	if (out->urgent > out->cons)
		parts |= SMC_FRAME_URGENT;
	return parts;
}

void smc_frames_out_init(struct smc_frames_out *out, u32 window);
u64 smc_frames_out_writable(const struct smc_frames_out *out, u64 avail);
void smc_frames_out_fill(struct smc_frames_out *out, u64 prep,
			 const struct smc_frames_room *room,
			 struct smc_frame_record *rec,
			 struct smc_frames_write *w);
void smc_frames_out_done(struct smc_frames_out *out, u32 move, u64 prod);
void smc_frames_out_failed(struct smc_frames_out *out);
void smc_frames_out_moved(struct smc_frames_out *out);
int smc_frames_out_hear(struct smc_frames_out *out,
			const struct smc_frame_record *rec, bool newest);
bool smc_frames_out_settled(const struct smc_frames_out *out, u64 prep);

#endif

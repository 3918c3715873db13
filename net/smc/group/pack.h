/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Filling of a frame with the records of several connections (frames.rst, F-02
 * and F-03), and the choice of what a link sends next. A link has one server at
 * a time, and only the server fills frames. A lock of the link protects credits
 * and the frames in flight. The code only calculates.
 */
#ifndef _SMC_GROUP_PACK_H
#define _SMC_GROUP_PACK_H

#include <linux/types.h>
#include "../wire/frame.h"
#include "credit.h"
#include "coalesce.h"

enum {
	/* Records of a frame. A frame of 8192 bytes has room for 255 records
	 * without data, but rarely more than 64 wait.
	 */
	SMC_PACK_RECORDS	= 64,
	/* Minimum share of a connection in a frame, in bytes of data. Less data
	 * than this are not split, because each record costs both hosts about
	 * as much as a thousand bytes, and an incomplete message wakes its
	 * reader in vain.
	 */
	SMC_PACK_SHARE_MIN	= 1024,
	/* More data are not split to fill less than this many bytes. */
	SMC_PACK_PIECE_MIN	= 128,
	/* A frame is full if less than this part of it is left. */
	SMC_PACK_REST		= 16,
};

/**
 * struct smc_pack_entry - a record whose connection is told when the frame
 * completes
 * @who:	the connection; the caller holds a reference
 * @move:	number of its changes of links when the frame was filled
 * @prod:	producer position of its record
 */
struct smc_pack_entry {
	void *who;
	u32 move;
	u64 prod;
};

/**
 * struct smc_pack - a frame, from the first record to its completion
 * @f:		the frame
 * @size:	largest frame that the peer receives
 * @version:	version of the extension that both hosts use
 * @n:		number of records
 * @entry:	one for each record
 */
struct smc_pack {
	struct smc_frame_out f;
	u32 size;
	u8 version;
	u32 n;
	struct smc_pack_entry entry[SMC_PACK_RECORDS];
};

/* What a link sends next. */
enum smc_pack_do {
	SMC_PACK_NOTHING,
	SMC_PACK_HOLD,		/* nothing yet: the records wait for readers */
	SMC_PACK_FRAME,		/* a frame with records */
	SMC_PACK_RAISE,		/* a frame that raises the peer's count */
};

enum smc_pack_do smc_pack_next(struct smc_credit *c,
			       const struct smc_coalesce *coalesce, u64 due, u32 size,
			       bool unread);
int smc_pack_room(const struct smc_pack *p, u8 parts, u64 want, u32 others);
u8 *smc_pack_add(struct smc_pack *p, const struct smc_frame_record *rec,
		 void *who, u32 move);

/**
 * smc_pack_begin() - start a frame, which takes a credit
 * @p: output: the frame
 * @buf: memory of the frame, the caller's
 * @size: largest frame that the peer receives, at most the size of @buf
 * @version: see struct smc_pack
 * @c: credits of the link; the credit is taken now, because others may send
 *	while the frame is being filled
 *
 * The caller got SMC_PACK_FRAME or SMC_PACK_RAISE under the lock of the
 * credits, which it still holds. smc_pack_end() or smc_pack_cancel() follows.
 * Context: any.
 */
static inline void smc_pack_begin(struct smc_pack *p, u8 *buf, u32 size,
				  u8 version, struct smc_credit *c)
{
	smc_frame_begin(&p->f, buf, size);
	p->size = size;
	p->version = version;
	p->n = 0;
	smc_credit_sent(c);
}

/**
 * smc_pack_end() - finish a frame
 * @p: frame
 * @c: credits of the link, their lock held
 *
 * The caller posts the frame before it begins another one; otherwise the peer
 * could receive a lower count after a higher one. If the caller cannot post it,
 * the link must fail. Context: any. Return: length of the frame in bytes.
 */
static inline size_t smc_pack_end(struct smc_pack *p, struct smc_credit *c)
{
	return smc_frame_end(&p->f, smc_credit_tell(c), smc_credit_waited(c));
}

/**
 * smc_pack_cancel() - discard a frame without records
 * @p: frame; the connections that waited have no record to send any more
 * @c: credits of the link, their lock held
 *
 * Context: any. Return: false if the frame has records and must be posted.
 */
static inline bool smc_pack_cancel(const struct smc_pack *p,
				   struct smc_credit *c)
{
	if (p->n)
		return false;
	c->sent--;
	return true;
}

#endif

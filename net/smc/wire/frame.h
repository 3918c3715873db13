/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Frames: messages of the extension between two hosts with this module. A frame
 * is one SEND of a link and carries records of several connections.
 * Documentation/networking/smc/frames.rst describes the bytes (F-nn).
 *
 * The codec allocates no memory, takes no lock, and runs in any context.
 */
#ifndef SMC_WIRE_FRAME_H
#define SMC_WIRE_FRAME_H

#include <linux/errno.h>
#include "bytes.h"

enum {
	/*
	 * First byte of a frame, and of a frame whose sender has waited for
	 * credits. No CDC or LLC message starts with these bytes (F-01).
	 */
	SMC_FRAME_TYPE		= 0xfa,
	SMC_FRAME_TYPE_WAITED	= 0xfb,

	SMC_FRAME_HDR_LEN	= 8,
	SMC_FRAME_LONG_LEN	= 32,	/* head of a record, without parts */
	SMC_FRAME_SHORT_LEN	= 23,	/* short head (F-38) */

	/* bounds of the frame size that a host announces, as exponents of 2 */
	SMC_FRAME_LOG_MIN	= 9,
	SMC_FRAME_LOG_MAX	= 15,

	/* flags of a record */
	SMC_FRAME_B		= 0x80,	/* the writer is blocked */
	SMC_FRAME_W		= 0x40,	/* the writer wants an element */
	SMC_FRAME_D		= 0x20,	/* the stream ends at @prod */
	SMC_FRAME_C		= 0x10,	/* connection closed */
	SMC_FRAME_A		= 0x08,	/* abnormal close */
	SMC_FRAME_FLAGS		= 0xf8,

	/* parts of a record, in the order of the wire */
	SMC_FRAME_OFFER		= 0x80,
	SMC_FRAME_MOVE		= 0x40,
	SMC_FRAME_ANSWER	= 0x20,
	SMC_FRAME_URGENT	= 0x10,
	SMC_FRAME_PARTS		= 0xf0,

	/* among the parts: the record has a short head (F-38) */
	SMC_FRAME_SHORT		= 0x08,
};

/* Positions are below this limit, so sums of two positions do not overflow. */
#define SMC_FRAME_POS_MAX	0x4000000000000000ULL

/* Limits of a short head (F-38). */
#define SMC_FRAME_SHORT_POS	0xffffffffffULL
#define SMC_FRAME_SHORT_WINDOW	0xffffffU
#define SMC_FRAME_SHORT_HEARD	0xffffU

/**
 * struct smc_frame_hdr - start of a frame
 * @waited: the sender has waited for credits since its last frame, or still
 *		does
 * @records: number of records; 0 if the frame only raises @taken
 * @taken: flow control: how many SENDs, in total since the link was created,
 *	the receiver of the frame may post on this link; modulo 2^32
 */
struct smc_frame_hdr {
	bool waited;
	u8 records;
	u32 taken;
};

/**
 * struct smc_frame_offer - an element for the bytes of the other direction
 * @number: number of the offer; the first is 1, and each later number is larger
 * @rkey: key of the RMB on the link that carries the record
 * @offset: offset of the element in the RMB, in bytes
 * @size: size of the element in bytes, a power of two; 0: no element, and @rkey
 *	and @offset are 0
 */
struct smc_frame_offer {
	u32 number;
	u32 rkey;
	u32 offset;
	u32 size;
};

/**
 * struct smc_frame_record - state and data of one connection
 * @token: alert token of the receiver's connection
 * @flags: SMC_FRAME_B, W, D, C, A
 * @parts: SMC_FRAME_OFFER, MOVE, ANSWER, URGENT; and SMC_FRAME_SHORT
 * @len: length of @data
 * @prod: position behind the last byte that the record announces; @data ends
 *	here. With MOVE: position up to which the sender knows its bytes to be
 *	delivered
 * @cons: position behind the last byte that the sender of the record has read
 * @window: the peer may send up to position @cons + @window
 * @heard: number of the peer's newest offer that has arrived, or 0
 * @offer: OFFER: newest offer of the sender
 * @move: MOVE: number of the sender's change of links; the first is 1
 * @answer: ANSWER: number of the peer's change of links that is answered
 * @arrived: ANSWER: the peer continues at this position
 * @urgent: URGENT: position behind the urgent byte
 * @data: the data, in the frame. The encoder ignores it.
 */
struct smc_frame_record {
	u32 token;
	u8 flags;
	u8 parts;
	u16 len;
	u64 prod;
	u64 cons;
	u32 window;
	u32 heard;
	struct smc_frame_offer offer;
	u32 move;
	u32 answer;
	u64 arrived;
	u64 urgent;
	const u8 *data;
};

/* A frame that is being written; only the functions below use the members. */
struct smc_frame_out {
	struct smc_wr w;
	u8 records;
};

/* A frame that is being read; only the functions below use the members. */
struct smc_frame_in {
	struct smc_rd r;
	u8 left;
};

/** smc_frame_is() - is a received message a frame (F-01)? */
static inline bool smc_frame_is(const u8 *buf, size_t n)
{
	return n && (buf[0] == SMC_FRAME_TYPE ||
		     buf[0] == SMC_FRAME_TYPE_WAITED);
}

bool smc_frame_sane_parts(const struct smc_frame_record *rec);

u8 *smc_frame_add(struct smc_frame_out *f, const struct smc_frame_record *rec);

int smc_frame_open(struct smc_frame_in *f, const u8 *buf, size_t n,
		   struct smc_frame_hdr *hdr);
bool smc_frame_read(struct smc_frame_in *f, struct smc_frame_record *rec);

/** smc_frame_parts_len() - length of the parts of a record */
static inline size_t smc_frame_parts_len(u8 parts)
{
	return (parts & SMC_FRAME_OFFER ? 16U : 0) +
	       (parts & SMC_FRAME_MOVE ? 4U : 0) +
	       (parts & SMC_FRAME_ANSWER ? 12U : 0) +
	       (parts & SMC_FRAME_URGENT ? 8U : 0);
}

/** smc_frame_head_len() - length of the head of a record */
static inline size_t smc_frame_head_len(u8 parts)
{
	return parts & SMC_FRAME_SHORT ? SMC_FRAME_SHORT_LEN :
					 SMC_FRAME_LONG_LEN;
}

/**
 * smc_frame_room() - get the room that is left for one more record
 * @f: frame
 * @parts: parts of the record; and SMC_FRAME_SHORT
 *
 * Context: any.
 *
 * Return: number of bytes of data that the record may have, or -ENOSPC if not
 * even a record without data fits.
 */
static inline int smc_frame_room(const struct smc_frame_out *f, u8 parts)
{
	size_t left = f->w.len - f->w.pos;
	size_t n = smc_frame_head_len(parts) + smc_frame_parts_len(parts);

	if (f->w.bad || f->records == 255 || left < n)
		return -ENOSPC;
	left -= n;
	return left > 0xffff ? 0xffff : (int)left;
}

/**
 * smc_frame_sane() - check the values of a record (F-05)
 * @rec: record
 *
 * The function checks what needs no knowledge of the connection. A peer that
 * sends an insane record loses the connection. Context: any.
 *
 * Return: true if the values agree with each other.
 */
static inline bool smc_frame_sane(const struct smc_frame_record *rec)
{
	if (rec->flags & ~SMC_FRAME_FLAGS || rec->prod > SMC_FRAME_POS_MAX ||
	    rec->cons > SMC_FRAME_POS_MAX || rec->len > rec->prod)
		return false;
	return !(rec->parts & (u8)~SMC_FRAME_SHORT) ||
	       smc_frame_sane_parts(rec);
}

/**
 * smc_frame_fits_short() - does a short head have room for the values of a
 * record (F-38)?
 * @prod: see struct smc_frame_record
 * @cons: see struct smc_frame_record
 * @window: see struct smc_frame_record
 * @heard: see struct smc_frame_record
 *
 * Context: any.
 */
static inline bool smc_frame_fits_short(u64 prod, u64 cons, u32 window,
					u32 heard)
{
	return (prod | cons) <= SMC_FRAME_SHORT_POS &&
	       window <= SMC_FRAME_SHORT_WINDOW &&
	       heard <= SMC_FRAME_SHORT_HEARD;
}

/**
 * smc_frame_begin() - start a frame without records
 * @f: output: the frame
 * @buf: memory of the frame, which the caller still owns
 * @n: size of @buf, from %SMC_FRAME_HDR_LEN to 65535
 *
 * Context: any.
 */
static inline void smc_frame_begin(struct smc_frame_out *f, u8 *buf, size_t n)
{
	smc_wr_init(&f->w, buf, n);
	smc_wr_zero(&f->w, SMC_FRAME_HDR_LEN);
	f->records = 0;
}

/**
 * smc_frame_end() - write the header of a frame
 * @f: frame; smc_frame_add() must not follow
 * @taken: see struct smc_frame_hdr
 * @waited: see struct smc_frame_hdr
 *
 * Context: any. Return: length of the frame in bytes.
 */
static inline size_t smc_frame_end(struct smc_frame_out *f, u32 taken,
				   bool waited)
{
	size_t n = f->w.pos;

	f->w.pos = 0;
	smc_wr_u8(&f->w, waited ? SMC_FRAME_TYPE_WAITED : SMC_FRAME_TYPE);
	smc_wr_u8(&f->w, f->records);
	smc_wr_be16(&f->w, (u16)n);
	smc_wr_be32(&f->w, taken);
	f->w.pos = n;
	return n;
}

/**
 * smc_frame_next() - read the next record
 * @f: frame, opened by smc_frame_open() without an error
 * @rec: output: the record; @rec->data points into the frame
 *
 * Context: any. Return: true if @rec has the next record, false if no record is
 * left.
 */
static inline bool smc_frame_next(struct smc_frame_in *f,
				  struct smc_frame_record *rec)
{
	return f->left && smc_frame_read(f, rec);
}

#endif /* SMC_WIRE_FRAME_H */

// SPDX-License-Identifier: GPL-2.0
/* Frames of the extension between two hosts with this module. See frame.h. */
#include <linux/kernel.h>
#include "frame.h"

/* The number of bytes of each part, in the order of the wire (F-03). */
static const struct {
	u8 part;
	u8 len;
} frame_parts[] = {
	{ SMC_FRAME_OFFER, 16 },
	{ SMC_FRAME_MOVE, 4 },
	{ SMC_FRAME_ANSWER, 12 },
	{ SMC_FRAME_URGENT, 8 },
};

static size_t head_len(u8 parts)
{
	size_t len = SMC_FRAME_REC_LEN, i;

	for (i = 0; i < ARRAY_SIZE(frame_parts); i++)
		if (parts & frame_parts[i].part)
			len += frame_parts[i].len;
	return len;
}

static bool offer_sane(const struct smc_frame_offer *o)
{
	if (!o->number)
		return false;
	if (!o->size)
		return !o->rkey && !o->offset;
	return !(o->size & (o->size - 1)) && o->offset <= ~o->size;
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
bool smc_frame_sane(const struct smc_frame_record *rec)
{
	bool moved = rec->parts & SMC_FRAME_MOVE;

	if (rec->flags & ~SMC_FRAME_FLAGS || rec->parts & ~SMC_FRAME_PARTS)
		return false;
	if (rec->prod > SMC_FRAME_POS_MAX || rec->cons > SMC_FRAME_POS_MAX ||
	    rec->len > rec->prod)
		return false;
	if (rec->parts & SMC_FRAME_OFFER && !offer_sane(&rec->offer))
		return false;
	/*
	 * F-05: a record with the part move has neither data nor the end of the
	 * stream
	 */
	if (moved && (!rec->move || rec->len ||
		      rec->flags & (SMC_FRAME_D | SMC_FRAME_C)))
		return false;
	if (rec->parts & SMC_FRAME_ANSWER &&
	    (!rec->answer || rec->arrived > SMC_FRAME_POS_MAX))
		return false;
	return !(rec->parts & SMC_FRAME_URGENT) ||
	       (rec->urgent && rec->urgent <= SMC_FRAME_POS_MAX);
}

/**
 * smc_frame_begin() - start a frame without records
 * @f: output: the frame
 * @buf: memory of the frame, which the caller still owns
 * @n: size of @buf, from %SMC_FRAME_HDR_LEN to 65535
 *
 * Context: any.
 */
void smc_frame_begin(struct smc_frame_out *f, u8 *buf, size_t n)
{
	smc_wr_init(&f->w, buf, n);
	smc_wr_zero(&f->w, SMC_FRAME_HDR_LEN);
	f->records = 0;
}

/**
 * smc_frame_room() - get the room that is left for one more record
 * @f: frame
 * @parts: parts of the record
 *
 * Context: any.
 *
 * Return: number of bytes of data that the record may have, or -ENOSPC if not
 * even a record without data fits.
 */
int smc_frame_room(const struct smc_frame_out *f, u8 parts)
{
	size_t left = f->w.len - f->w.pos, head = head_len(parts);

	if (f->w.bad || f->records == 255 || left < head)
		return -ENOSPC;
	left -= head;
	return left > 0xffff ? 0xffff : (int)left;
}

/**
 * smc_frame_add() - append a record
 * @f: frame
 * @rec: the record; its values must be sane, and @rec->len at most
 *	smc_frame_room()
 *
 * Context: any.
 *
 * Return: memory of @rec->len bytes in the frame, to which the caller copies
 * the data; NULL if the record does not fit or is not sane, and the frame is
 * unchanged.
 */
u8 *smc_frame_add(struct smc_frame_out *f, const struct smc_frame_record *rec)
{
	struct smc_wr *w = &f->w;

	if (!smc_frame_sane(rec) || smc_frame_room(f, rec->parts) < rec->len)
		return NULL;
	smc_wr_be32(w, rec->token);
	smc_wr_u8(w, rec->flags);
	smc_wr_u8(w, rec->parts);
	smc_wr_be16(w, rec->len);
	smc_wr_be64(w, rec->prod);
	smc_wr_be64(w, rec->cons);
	smc_wr_be32(w, rec->window);
	smc_wr_be32(w, rec->heard);
	if (rec->parts & SMC_FRAME_OFFER) {
		smc_wr_be32(w, rec->offer.number);
		smc_wr_be32(w, rec->offer.rkey);
		smc_wr_be32(w, rec->offer.offset);
		smc_wr_be32(w, rec->offer.size);
	}
	if (rec->parts & SMC_FRAME_MOVE)
		smc_wr_be32(w, rec->move);
	if (rec->parts & SMC_FRAME_ANSWER) {
		smc_wr_be32(w, rec->answer);
		smc_wr_be64(w, rec->arrived);
	}
	if (rec->parts & SMC_FRAME_URGENT)
		smc_wr_be64(w, rec->urgent);
	f->records++;
	return smc_wr_take(w, rec->len);
}

/**
 * smc_frame_end() - write the header of a frame
 * @f: frame; smc_frame_add() must not follow
 * @taken: see struct smc_frame_hdr
 * @waited: see struct smc_frame_hdr
 *
 * Context: any. Return: length of the frame in bytes.
 */
size_t smc_frame_end(struct smc_frame_out *f, u32 taken, bool waited)
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

static bool read_record(struct smc_rd *r, struct smc_frame_record *rec)
{
	*rec = (struct smc_frame_record){};
	rec->token = smc_rd_be32(r);
	rec->flags = smc_rd_u8(r);
	rec->parts = smc_rd_u8(r);
	rec->len = smc_rd_be16(r);
	rec->prod = smc_rd_be64(r);
	rec->cons = smc_rd_be64(r);
	rec->window = smc_rd_be32(r);
	rec->heard = smc_rd_be32(r);
	/* F-03: the length of any other part is unknown */
	if (rec->parts & ~SMC_FRAME_PARTS)
		return false;
	if (rec->parts & SMC_FRAME_OFFER) {
		rec->offer.number = smc_rd_be32(r);
		rec->offer.rkey = smc_rd_be32(r);
		rec->offer.offset = smc_rd_be32(r);
		rec->offer.size = smc_rd_be32(r);
	}
	if (rec->parts & SMC_FRAME_MOVE)
		rec->move = smc_rd_be32(r);
	if (rec->parts & SMC_FRAME_ANSWER) {
		rec->answer = smc_rd_be32(r);
		rec->arrived = smc_rd_be64(r);
	}
	if (rec->parts & SMC_FRAME_URGENT)
		rec->urgent = smc_rd_be64(r);
	rec->data = smc_rd_take(r, rec->len);
	return !r->bad;
}

/**
 * smc_frame_open() - check a received frame and start reading it
 * @f: output: the frame
 * @buf: the message, which the caller still owns
 * @n: number of received bytes
 * @hdr: output: header of the frame
 *
 * The function checks the lengths of all records, so that no record has an
 * effect if a later one cannot be read (F-04). It does not check values; see
 * smc_frame_sane(). Context: any.
 *
 * Return: 0, or -EBADMSG.
 */
int smc_frame_open(struct smc_frame_in *f, const u8 *buf, size_t n,
		   struct smc_frame_hdr *hdr)
{
	struct smc_frame_record rec;
	struct smc_rd r;
	u16 len;
	u8 left;

	smc_rd_init(&f->r, buf, n);
	hdr->waited = smc_rd_u8(&f->r) == SMC_FRAME_TYPE_WAITED;
	hdr->records = smc_rd_u8(&f->r);
	len = smc_rd_be16(&f->r);
	hdr->taken = smc_rd_be32(&f->r);
	f->left = hdr->records;
	if (f->r.bad || !smc_frame_is(buf, n) || len != n)
		return -EBADMSG;
	r = f->r;
	for (left = f->left; left; left--)
		if (!read_record(&r, &rec))
			return -EBADMSG;
	return smc_rd_left(&r) ? -EBADMSG : 0;
}

/**
 * smc_frame_next() - read the next record
 * @f: frame, opened by smc_frame_open() without an error
 * @rec: output: the record; @rec->data points into the frame
 *
 * Context: any. Return: false if there is no further record.
 */
bool smc_frame_next(struct smc_frame_in *f, struct smc_frame_record *rec)
{
	if (!f->left)
		return false;
	f->left--;
	return read_record(&f->r, rec);
}

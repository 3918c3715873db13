// SPDX-License-Identifier: GPL-2.0
/* Frames of the extension between two hosts with this module. See frame.h. */
#include <linux/build_bug.h>
#include <linux/kernel.h>
#include "frame.h"

/* Where the fields of a record are that each record has (F-03). */
enum {
	REC_TOKEN	= 0,
	REC_FLAGS	= 4,
	REC_PARTS	= 5,
	REC_LEN		= 6,
	REC_PROD		= 8,
	REC_CONS		= 16,
	REC_WINDOW	= 24,
	REC_HEARD	= 28,

	/* in a short head (F-38); its other fields have the same offsets */
	SHORT_CONS	= 13,
	SHORT_WINDOW	= 18,
	SHORT_HEARD	= 21,
};

static_assert(REC_HEARD + 4 == SMC_FRAME_LONG_LEN);
static_assert(SHORT_HEARD + 2 == SMC_FRAME_SHORT_LEN);

static bool offer_sane(const struct smc_frame_offer *o)
{
	if (!o->number)
		return false;
	if (!o->size)
		return !o->rkey && !o->offset;
	return !(o->size & (o->size - 1)) && o->offset <= ~o->size;
}

/**
 * smc_frame_sane_parts() - check the parts of a record, for smc_frame_sane()
 * @rec: record
 *
 * Context: any. Return: true if the values agree with each other.
 */
bool smc_frame_sane_parts(const struct smc_frame_record *rec)
{
	bool moved = rec->parts & SMC_FRAME_MOVE;

	if (rec->parts & ~(SMC_FRAME_PARTS | SMC_FRAME_SHORT))
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

static void put_long(u8 *p, const struct smc_frame_record *rec)
{
	smc_bytes_put_be64(p + REC_PROD, rec->prod);
	smc_bytes_put_be64(p + REC_CONS, rec->cons);
	smc_bytes_put_be32(p + REC_WINDOW, rec->window);
	smc_bytes_put_be32(p + REC_HEARD, rec->heard);
}

static void put_short(u8 *p, const struct smc_frame_record *rec)
{
	smc_bytes_put_be40(p + REC_PROD, rec->prod);
	smc_bytes_put_be40(p + SHORT_CONS, rec->cons);
	smc_bytes_put_be24(p + SHORT_WINDOW, rec->window);
	smc_bytes_put_be16(p + SHORT_HEARD, (u16)rec->heard);
}

/**
 * smc_frame_add() - append a record
 * @f: frame
 * @rec: the record; its values must be sane, fit in a short head if it has one,
 *	and @rec->len must be at most smc_frame_room()
 *
 * Context: any.
 *
 * Return: memory of @rec->len bytes in the frame, to which the caller copies
 * the data; NULL if @rec breaks one of these rules, and the frame is unchanged.
 */
u8 *smc_frame_add(struct smc_frame_out *f, const struct smc_frame_record *rec)
{
	const bool short_head = rec->parts & SMC_FRAME_SHORT;
	struct smc_wr *w = &f->w;
	u8 *p;

	if (!smc_frame_sane(rec) || smc_frame_room(f, rec->parts) < rec->len)
		return NULL;
	if (short_head && !smc_frame_fits_short(rec->prod, rec->cons,
						rec->window, rec->heard))
		return NULL;
	p = smc_wr_take(w, smc_frame_head_len(rec->parts));
	smc_bytes_put_be32(p + REC_TOKEN, rec->token);
	p[REC_FLAGS] = rec->flags;
	p[REC_PARTS] = rec->parts;
	smc_bytes_put_be16(p + REC_LEN, rec->len);
	if (short_head)
		put_short(p, rec);
	else
		put_long(p, rec);
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

/*
 * Takes the fields that each record has. Return: NULL if they are not there, or
 * the record has an unknown part, whose length is unknown (F-03).
 */
static const u8 *read_head(struct smc_rd *r)
{
	const u8 *p = smc_rd_take(r, SMC_FRAME_SHORT_LEN);

	if (!p || p[REC_PARTS] & ~(SMC_FRAME_PARTS | SMC_FRAME_SHORT))
		return NULL;
	if (!(p[REC_PARTS] & SMC_FRAME_SHORT))
		smc_rd_skip(r, SMC_FRAME_LONG_LEN - SMC_FRAME_SHORT_LEN);
	return r->bad ? NULL : p;
}

static void get_long(const u8 *p, struct smc_frame_record *rec)
{
	rec->prod = smc_bytes_get_be64(p + REC_PROD);
	rec->cons = smc_bytes_get_be64(p + REC_CONS);
	rec->window = smc_bytes_get_be32(p + REC_WINDOW);
	rec->heard = smc_bytes_get_be32(p + REC_HEARD);
}

static void get_short(const u8 *p, struct smc_frame_record *rec)
{
	rec->prod = smc_bytes_get_be40(p + REC_PROD);
	rec->cons = smc_bytes_get_be40(p + SHORT_CONS);
	rec->window = smc_bytes_get_be24(p + SHORT_WINDOW);
	rec->heard = smc_bytes_get_be16(p + SHORT_HEARD);
}

static bool skip_record(struct smc_rd *r)
{
	const u8 *p = read_head(r);

	if (!p)
		return false;
	smc_rd_skip(r, smc_frame_parts_len(p[REC_PARTS]) +
		       smc_bytes_get_be16(p + REC_LEN));
	return !r->bad;
}

static bool read_record(struct smc_rd *r, struct smc_frame_record *rec)
{
	const u8 *p = read_head(r);

	if (!p)
		return false;
	*rec = (struct smc_frame_record){
		.token	= smc_bytes_get_be32(p + REC_TOKEN),
		.flags	= p[REC_FLAGS],
		.parts	= p[REC_PARTS],
		.len	= smc_bytes_get_be16(p + REC_LEN),
	};
	if (rec->parts & SMC_FRAME_SHORT)
		get_short(p, rec);
	else
		get_long(p, rec);
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
		if (!skip_record(&r))
			return -EBADMSG;
	return smc_rd_left(&r) ? -EBADMSG : 0;
}

/**
 * smc_frame_read() - read the next record of a frame that has one
 * @f: frame, see smc_frame_next()
 * @rec: output: the record
 *
 * Context: any. Return: false if the record cannot be read.
 */
bool smc_frame_read(struct smc_frame_in *f, struct smc_frame_record *rec)
{
	f->left--;
	return read_record(&f->r, rec);
}

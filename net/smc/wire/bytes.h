/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Bounded big-endian reader and writer for wire messages.
 *
 * The first access beyond the end marks the cursor as bad, and the mark stays.
 * Later reads return zero, and later writes do nothing. So a codec is a list of
 * fields with one check at its end. The code does not depend on alignment or
 * host byte order.
 *
 * The code allocates no memory, takes no lock, and runs in any context.
 */
#ifndef SMC_WIRE_BYTES_H
#define SMC_WIRE_BYTES_H

#include <linux/errno.h>
#include <linux/string.h>
#include <linux/types.h>

/**
 * struct smc_rd - read cursor
 * @p: first byte of the message, borrowed from the caller
 * @len: number of bytes that may be read
 * @pos: index of the next byte to read, at most @len
 * @bad: an access beyond @len was attempted
 */
struct smc_rd {
	const u8 *p;
	size_t len;
	size_t pos;
	bool bad;
};

/**
 * struct smc_wr - write cursor
 * @p: first byte of the buffer, borrowed from the caller
 * @len: number of bytes that may be written
 * @pos: index of the next byte to write, at most @len
 * @bad: an access beyond @len, or a value too wide for its field, was attempted
 */
struct smc_wr {
	u8 *p;
	size_t len;
	size_t pos;
	bool bad;
};

static inline void smc_rd_init(struct smc_rd *r, const u8 *buf, size_t len)
{
	r->p = buf;
	r->len = len;
	r->pos = 0;
	r->bad = false;
}

/* Only this function checks the bounds of the reader. */
static inline const u8 *smc_rd_take(struct smc_rd *r, size_t n)
{
	const u8 *p;

	if (r->bad || n > r->len - r->pos) {
		r->bad = true;
		return NULL;
	}
	p = r->p + r->pos;
	r->pos += n;
	return p;
}

/* The compiler replaces these shifts by one load or one store. */
static inline u16 smc_bytes_get_be16(const u8 *p)
{
	return (u16)(p[0] << 8 | p[1]);
}

static inline u32 smc_bytes_get_be24(const u8 *p)
{
	return (u32)p[0] << 16 | smc_bytes_get_be16(p + 1);
}

static inline u32 smc_bytes_get_be32(const u8 *p)
{
	return (u32)smc_bytes_get_be16(p) << 16 | smc_bytes_get_be16(p + 2);
}

static inline u64 smc_bytes_get_be40(const u8 *p)
{
	return (u64)p[0] << 32 | smc_bytes_get_be32(p + 1);
}

static inline u64 smc_bytes_get_be64(const u8 *p)
{
	return (u64)smc_bytes_get_be32(p) << 32 | smc_bytes_get_be32(p + 4);
}

static inline void smc_bytes_put_be16(u8 *p, u16 v)
{
	p[0] = (u8)(v >> 8);
	p[1] = (u8)(v & 0xff);
}

/* The value has at most 24 bits. */
static inline void smc_bytes_put_be24(u8 *p, u32 v)
{
	p[0] = (u8)(v >> 16);
	smc_bytes_put_be16(p + 1, (u16)(v & 0xffff));
}

static inline void smc_bytes_put_be32(u8 *p, u32 v)
{
	smc_bytes_put_be16(p, (u16)(v >> 16));
	smc_bytes_put_be16(p + 2, (u16)(v & 0xffff));
}

/* The value has at most 40 bits. */
static inline void smc_bytes_put_be40(u8 *p, u64 v)
{
	p[0] = (u8)(v >> 32);
	smc_bytes_put_be32(p + 1, (u32)(v & 0xffffffff));
}

static inline void smc_bytes_put_be64(u8 *p, u64 v)
{
	smc_bytes_put_be32(p, (u32)(v >> 32));
	smc_bytes_put_be32(p + 4, (u32)(v & 0xffffffff));
}

static inline u8 smc_rd_u8(struct smc_rd *r)
{
	const u8 *p = smc_rd_take(r, 1);

	return p ? *p : 0;
}

static inline u16 smc_rd_be16(struct smc_rd *r)
{
	const u8 *p = smc_rd_take(r, 2);

	return p ? smc_bytes_get_be16(p) : 0;
}

static inline u32 smc_rd_be24(struct smc_rd *r)
{
	const u8 *p = smc_rd_take(r, 3);

	return p ? smc_bytes_get_be24(p) : 0;
}

static inline u32 smc_rd_be32(struct smc_rd *r)
{
	const u8 *p = smc_rd_take(r, 4);

	return p ? smc_bytes_get_be32(p) : 0;
}

static inline u64 smc_rd_be64(struct smc_rd *r)
{
	const u8 *p = smc_rd_take(r, 8);

	return p ? smc_bytes_get_be64(p) : 0;
}

/* Copies @n bytes to @dst. Zeroes @dst if the message is too short. */
static inline void smc_rd_bytes(struct smc_rd *r, u8 *dst, size_t n)
{
	const u8 *p = smc_rd_take(r, n);

	if (p)
		memcpy(dst, p, n);
	else
		memset(dst, 0, n);
}

static inline void smc_rd_skip(struct smc_rd *r, size_t n)
{
	smc_rd_take(r, n);
}

static inline size_t smc_rd_left(const struct smc_rd *r)
{
	return r->bad ? 0 : r->len - r->pos;
}

static inline void smc_wr_init(struct smc_wr *w, u8 *buf, size_t len)
{
	w->p = buf;
	w->len = len;
	w->pos = 0;
	w->bad = false;
}

/* Only this function checks the bounds of the writer. */
static inline u8 *smc_wr_take(struct smc_wr *w, size_t n)
{
	u8 *p;

	if (w->bad || n > w->len - w->pos) {
		w->bad = true;
		return NULL;
	}
	p = w->p + w->pos;
	w->pos += n;
	return p;
}

static inline void smc_wr_u8(struct smc_wr *w, u8 v)
{
	u8 *p = smc_wr_take(w, 1);

	if (p)
		*p = v;
}

static inline void smc_wr_be16(struct smc_wr *w, u16 v)
{
	u8 *p = smc_wr_take(w, 2);

	if (p)
		smc_bytes_put_be16(p, v);
}

/* A value above 24 bits is not truncated. Such a value marks the
 * cursor as bad.
 */
static inline void smc_wr_be24(struct smc_wr *w, u32 v)
{
	u8 *p;

	if (v >> 24)
		w->bad = true;
	p = smc_wr_take(w, 3);
	if (p)
		smc_bytes_put_be24(p, v & 0xffffff);
}

static inline void smc_wr_be32(struct smc_wr *w, u32 v)
{
	u8 *p = smc_wr_take(w, 4);

	if (p)
		smc_bytes_put_be32(p, v);
}

static inline void smc_wr_be64(struct smc_wr *w, u64 v)
{
	u8 *p = smc_wr_take(w, 8);

	if (p)
		smc_bytes_put_be64(p, v);
}

static inline void smc_wr_bytes(struct smc_wr *w, const u8 *src, size_t n)
{
	u8 *p = smc_wr_take(w, n);

	if (p)
		memcpy(p, src, n);
}

/* Writes @n reserved bytes, which are zero (R-A.2-01, R-A.3-01). */
static inline void smc_wr_zero(struct smc_wr *w, size_t n)
{
	u8 *p = smc_wr_take(w, n);

	if (p)
		memset(p, 0, n);
}

#endif /* SMC_WIRE_BYTES_H */

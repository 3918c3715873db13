// SPDX-License-Identifier: GPL-2.0
/*
 * The queue of received bytes: a list of extents. The peer may change the bytes
 * in an element at any time. So this code copies the bytes or passes their
 * pages on, and never interprets them.
 */
#include <linux/bvec.h>
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/rculist.h>
#include <linux/socket.h>
#include <linux/uio.h>
#include "../wire/stream.h"
#include "object.h"
#include "rxq.h"

/*
 * Returns the extent that contains @pos, which always exists. Shortens @len to
 * the end of the extent. A reader calls this without the lock while the dialect
 * may add an extent at the end.
 */
static const struct smc_extent *rxq_extent(const struct smc_conn *conn, u64 pos,
					   u32 *len)
{
	/*
	 * the list macro does not accept a const list, although it only reads
	 */
	struct list_head *all = (struct list_head *)&conn->rx.extents;
	struct smc_extent *e, *after;

	e = list_first_entry(all, struct smc_extent, list);
	for (;;) {
		after = list_next_or_null_rcu(all, &e->list, struct smc_extent,
					      list);
		if (!after)
			return e;
		if (pos < after->start) {
			*len = min_t(u64, *len, after->start - pos);
			return e;
		}
		e = after;
	}
}

/* Offset of a byte in the page of an extent. */
static u32 rxq_page_off(const struct smc_extent *e, u64 pos)
{
	return e->skip + (u32)(pos - e->start);
}

static void rxq_page_to_mem(const struct smc_extent *e, u8 *to, u64 pos,
			    u32 len)
{
	u32 off = rxq_page_off(e, pos);

	while (len) {
		u32 in_page = offset_in_page(off);
		u32 n = min_t(u32, len, PAGE_SIZE - in_page);

		memcpy_from_page((char *)to, e->page + (off >> PAGE_SHIFT),
				 in_page, n);
		to += n;
		len -= n;
		off += n;
	}
}

static u32 rxq_ring_to_iter(const struct smc_extent *e, struct msghdr *msg,
			    u64 pos, u32 len)
{
	u32 off = e->skip + smc_stream_offset(pos, e->ring);
	u32 done = 0;

	while (done < len) {
		u32 in_page = offset_in_page(off);
		u32 n = min_t(u32, len - done, PAGE_SIZE - in_page);
		u32 copied = copy_page_to_iter(e->pages[off >> PAGE_SHIFT],
					       in_page, n, &msg->msg_iter);

		done += copied;
		if (copied < n)
			break;
		off += n;
		if (off == e->skip + e->ring)
			off = e->skip;
	}
	return done;
}

static void rxq_ring_to_mem(const struct smc_extent *e, u8 *to, u64 pos,
			    u32 len)
{
	u32 off = e->skip + smc_stream_offset(pos, e->ring);

	while (len) {
		u32 in_page = offset_in_page(off);
		u32 n = min_t(u32, len, PAGE_SIZE - in_page);

		memcpy_from_page((char *)to, e->pages[off >> PAGE_SHIFT],
				 in_page, n);
		to += n;
		len -= n;
		off += n;
		if (off == e->skip + e->ring)
			off = e->skip;
	}
}

/**
 * smc_rxq_to_iter() - copy received bytes to the application
 * @conn:	connection, rx.busy is set
 * @msg:	message, its iterator advances
 * @pos:	position of the first byte
 * @len:	bytes, at most up to rx.prod
 *
 * Context: without conn->lock; process, may sleep (page faults), if @msg has
 * user memory, otherwise any. Return: number of bytes copied; less than @len
 * after a page fault that failed.
 */
u32 smc_rxq_to_iter(const struct smc_conn *conn, struct msghdr *msg, u64 pos,
		    u32 len)
{
	u32 done = 0;

	while (done < len) {
		u32 n = len - done;
		const struct smc_extent *e = rxq_extent(conn, pos + done, &n);
		u32 copied = 0;

		switch (e->kind) {
		case SMC_EXTENT_RING:
			copied = rxq_ring_to_iter(e, msg, pos + done, n);
			break;
		case SMC_EXTENT_BUF:
			copied = copy_to_iter(e->buf + (pos + done - e->start),
					      n, &msg->msg_iter);
			break;
		case SMC_EXTENT_PAGE:
			copied = copy_page_to_iter(e->page,
						   rxq_page_off(e, pos + done),
						   n, &msg->msg_iter);
			break;
		}
		done += copied;
		if (copied < n)
			break;
	}
	return done;
}

/**
 * smc_rxq_in_page() - can smc_rxq_to_pages() get this byte?
 * @conn:	connection, its lock held
 * @pos:	position of the byte, less than rx.prod
 *
 * Context: BH safe. Return: true if it can.
 */
bool smc_rxq_in_page(const struct smc_conn *conn, u64 pos)
{
	u32 len = 1;

	lockdep_assert_held(&conn->lock);
	return rxq_extent(conn, pos, &len)->kind == SMC_EXTENT_PAGE;
}

/**
 * smc_rxq_to_pages() - take references to the pages of received bytes
 * @conn:	connection, rx.busy is set
 * @vecs:	filled with the parts of the bytes, each in one order-0 page
 * @nr:		room of @vecs; afterwards the number of parts
 * @pos:	position of the first byte
 * @len:	bytes, at most up to rx.prod
 *
 * Nobody writes to these bytes any more. So this works for bytes of a peer on
 * this host only: other peers write to a ring, and a buffer is no page.
 *
 * Context: any, without conn->lock. Return: bytes in @vecs, for which the
 * caller has the references; it ends before the first byte that is not in a
 * page.
 */
u32 smc_rxq_to_pages(const struct smc_conn *conn, struct bio_vec *vecs,
		     unsigned int *nr, u64 pos, u32 len)
{
	unsigned int room = *nr;
	u32 done = 0;

	for (*nr = 0; done < len && *nr < room; (*nr)++) {
		u32 n = len - done;
		const struct smc_extent *e = rxq_extent(conn, pos + done, &n);
		u32 off;

		if (e->kind != SMC_EXTENT_PAGE)
			break;
		off = rxq_page_off(e, pos + done);
		n = min_t(u32, n, PAGE_SIZE - offset_in_page(off));
		vecs[*nr] = (struct bio_vec){
			.bv_page = e->page + (off >> PAGE_SHIFT),
			.bv_offset = offset_in_page(off),
			.bv_len = n,
		};
		get_page(vecs[*nr].bv_page);
		done += n;
	}
	return done;
}

/**
 * smc_rxq_to_mem() - copy received bytes to memory of the kernel
 * @conn:	connection, its lock held
 * @to:		@len bytes
 * @pos:	position of the first byte
 * @len:	bytes, at most up to rx.prod
 *
 * Context: BH safe.
 */
void smc_rxq_to_mem(const struct smc_conn *conn, u8 *to, u64 pos, u32 len)
{
	lockdep_assert_held(&conn->lock);
	while (len) {
		u32 n = len;
		const struct smc_extent *e = rxq_extent(conn, pos, &n);

		switch (e->kind) {
		case SMC_EXTENT_RING:
			rxq_ring_to_mem(e, to, pos, n);
			break;
		case SMC_EXTENT_BUF:
			memcpy(to, e->buf + (pos - e->start), n);
			break;
		case SMC_EXTENT_PAGE:
			rxq_page_to_mem(e, to, pos, n);
			break;
		}
		to += n;
		pos += n;
		len -= n;
	}
}

/**
 * smc_rxq_passed() - note that all bytes before a position were read or skipped
 * @conn:	connection, its lock held
 * @pos:	position, at least rx.cons
 */
void smc_rxq_passed(struct smc_conn *conn, u64 pos)
{
	lockdep_assert_held(&conn->lock);
	conn->rx.cons = pos;
	smc_urg_rx_passed(&conn->rx.urg, pos);
}

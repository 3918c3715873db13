/* SPDX-License-Identifier: GPL-2.0 */
/* The send queue: bytes that are not known to be delivered. */
#ifndef _SMC_CONN_TXQ_H
#define _SMC_CONN_TXQ_H

#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/types.h>

struct page;
struct smc_conn;
struct ubuf_info;

/**
 * enum smc_seg_kind - where the descriptor of a segment is
 * @SMC_SEG_COPIED:	in front of the bytes, in the same page
 * @SMC_SEG_SMALL:	in front of the bytes, in memory from kmalloc(), to
 *			which nobody else may take a reference
 * @SMC_SEG_LENT:	allocated by kmalloc(); the page belongs to the caller
 */
enum smc_seg_kind {
	SMC_SEG_COPIED,
	SMC_SEG_SMALL,
	SMC_SEG_LENT,
};

/**
 * struct smc_seg - a run of queued bytes in one (compound) page
 * @list:	entry in conn->tx.segs
 * @start:	stream position of the first byte
 * @page:	page that holds the bytes; the segment has one reference, but
 *		none if it is SMC_SEG_SMALL
 * @off:	offset of the first byte in @page
 * @len:	number of bytes
 * @charge:	bytes charged to the owner: all memory that only this segment
 *		holds
 * @room:	free bytes behind the last one; not SMC_SEG_LENT
 * @kind:	enum smc_seg_kind
 * @notice:	SMC_SEG_LENT: tells the caller when the pages are free again
 *		(MSG_ZEROCOPY), with a reference; or NULL
 * @copied:	with @notice: bytes were copied, which the notice tells
 */
struct smc_seg {
	struct list_head list;
	u64 start;
	struct page *page;
	u32 off;
	u32 len;
	u32 charge;
	u32 room;
	u8 kind;
	struct ubuf_info *notice;
	bool copied;
};

void smc_txq_free_seg(struct smc_seg *seg);

/* ---- adding bytes ---- */

u32 smc_txq_room(const struct smc_conn *conn);
struct smc_seg *smc_txq_tail(struct smc_conn *conn);
void smc_txq_append(struct smc_conn *conn, struct smc_seg *seg);
void smc_txq_grow(struct smc_conn *conn, struct smc_seg *seg, u32 len,
		  u32 charge);
bool smc_txq_squeeze(struct smc_conn *conn);

/* ---- sending bytes ---- */

bool smc_txq_partial(const struct smc_conn *conn);
u64 smc_txq_due(const struct smc_conn *conn);
/**
 * struct smc_txq_spot - a place in the send queue
 * @seg:	segment that holds the byte at @pos; NULL: no more bytes are
 *		queued
 * @pos:	stream position
 */
struct smc_txq_spot {
	struct smc_seg *seg;
	u64 pos;
};

struct smc_seg *smc_txq_at(struct smc_conn *conn, u64 pos);

/**
 * smc_txq_after() - segment after another one
 * @conn:	connection, its lock held
 * @seg:	segment in its queue
 *
 * Return: segment, NULL if @seg is the last one.
 */
static inline struct smc_seg *smc_txq_after(struct smc_conn *conn,
					    struct smc_seg *seg)
{
	lockdep_assert_held(&conn->lock);
	if (list_is_last(&seg->list, &conn->tx.segs))
		return NULL;
	return list_next_entry(seg, list);
}

/**
 * smc_txq_gather() - pass queued bytes on, one piece of a segment after another
 * @conn:	connection, its lock held
 * @at:		first byte; the function moves it behind the last byte taken
 * @len:	limit of bytes
 * @take:	takes a piece, @len bytes at @off of the page of @seg, and
 *		returns how many of its bytes it took; fewer than all end the
 *		loop
 * @to:		for @take
 *
 * It is inline, so that the compiler turns @take into a direct call. Return:
 * number of bytes taken.
 */
static __always_inline u32
smc_txq_gather(struct smc_conn *conn, struct smc_txq_spot *at, u32 len,
	       u32 (*take)(void *to, const struct smc_seg *seg, u32 off,
			   u32 len),
	       void *to)
{
	u32 done = 0;

	while (done < len && at->seg) {
		struct smc_seg *seg = at->seg;
		u32 off = at->pos - seg->start;
		u32 n = min(seg->len - off, len - done);
		u32 took = take(to, seg, seg->off + off, n);

		done += took;
		at->pos += took;
		if (took < n)
			break;
		if (off + n == seg->len)
			at->seg = smc_txq_after(conn, seg);
	}
	return done;
}

/* ---- releasing bytes ---- */

void smc_txq_delivered(struct smc_conn *conn, u64 end);
void smc_txq_trim(struct smc_conn *conn);
void smc_txq_shrink(struct smc_conn *conn);
void smc_txq_cut(struct smc_conn *conn, u64 pos);
void smc_txq_purge(struct smc_conn *conn);
void smc_txq_uncharge(struct smc_conn *conn);
void smc_txq_destroy(struct smc_conn *conn);
void smc_txq_leave(struct smc_conn *conn);
void smc_txq_left(struct smc_conn *conn, u32 flying);
void smc_txq_landed(struct smc_conn *conn);
bool smc_txq_has_rest(const struct smc_conn *conn);
void smc_txq_give_up(struct smc_conn *conn, struct list_head *noticed);
void smc_txq_notify(struct list_head *noticed);

/**
 * smc_txq_keeps() - does the queue keep an empty segment?
 * @conn:	connection, its lock held
 *
 * Context: BH safe.
 */
static inline bool smc_txq_keeps(const struct smc_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	return conn->tx.prep == conn->tx.fin && !list_empty(&conn->tx.segs);
}

/**
 * smc_txq_posted() - the dialect has posted bytes and moved tx.sent
 * @conn:	connection, its lock held
 *
 * With TCP_NOTSENT_LOWAT a sender waits while the queue has too many bytes that
 * are not posted. The function makes smc_conn_unlock() wake this sender.
 */
static inline void smc_txq_posted(struct smc_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	if (unlikely(conn->tx.lowat != U32_MAX))
		conn->news.tell |= SMC_TELL_WRITABLE;
}

#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * The queue of bytes to be sent: a list of segments. The device reads from
 * their pages, so a segment lives until its last byte is known to be delivered
 * (R-4.6.1-01). When all bytes are delivered, an empty segment may stay for the
 * next ones.
 */
#include <linux/mm.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include "../base/compat.h"
#include "../base/limits.h"
#include "../base/stats.h"
#include "../group/member.h"
#include "dialect.h"
#include "object.h"
#include "txq.h"

static u64 seg_end(const struct smc_seg *seg)
{
	return seg->start + seg->len;
}

static bool txq_of_group(const struct smc_conn *conn)
{
	return conn->life.place >= SMC_PLACE_IN &&
	       conn->life.place <= SMC_PLACE_LEAVING;
}

/*
 * Adds @change to the totals of the group and of the namespace, which may be
 * gone after reap.
 */
static void txq_count(struct smc_conn *conn, s64 change)
{
	lockdep_assert_held(&conn->lock);
	if (!change || conn->life.place == SMC_PLACE_DONE)
		return;
	smc_stat_queued(conn->net, change);
	if (txq_of_group(conn))
		smc_member_queued(conn->member.lgr, change);
}

static void seg_uncharge(struct smc_conn *conn, struct smc_seg *seg)
{
	conn->news.freed += seg->charge;
	/* partner: smc_tx_memory() */
	WRITE_ONCE(conn->tx.charged, conn->tx.charged - seg->charge);
	seg->charge = 0;
}

/**
 * smc_txq_free_seg() - free a segment that is in no list and has no notice
 * @seg:	segment
 */
void smc_txq_free_seg(struct smc_seg *seg)
{
	struct page *page = seg->page;

	switch ((enum smc_seg_kind)seg->kind) {
	case SMC_SEG_SMALL:
		kfree(seg);
		break;
	case SMC_SEG_LENT:
		kfree(seg);
		fallthrough;
	case SMC_SEG_COPIED:	/* the page holds @seg, too */
		put_page(page);
		break;
	}
}

/*
 * Takes @seg out of the queue and releases its memory. A segment with a notice
 * waits in news.noticed, because the notice wakes the application, which needs
 * locks of the socket. The device of a link that the connection has left may
 * still read from the segment.
 */
static void seg_drop(struct smc_conn *conn, struct smc_seg *seg)
{
	seg_uncharge(conn, seg);
	if (unlikely(seg->notice)) {
		list_move_tail(&seg->list, conn->tx.stale ? &conn->tx.parked :
							    &conn->news.noticed);
		return;
	}
	list_del(&seg->list);
	smc_txq_free_seg(seg);
}

/**
 * smc_txq_tail() - last segment of the queue
 * @conn:	connection, its lock held
 *
 * Return: segment, NULL if there is none.
 */
struct smc_seg *smc_txq_tail(struct smc_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	if (list_empty(&conn->tx.segs))
		return NULL;
	return list_last_entry(&conn->tx.segs, struct smc_seg, list);
}

/**
 * smc_txq_shrink() - release the empty segment, unless a sender fills it
 * @conn:	connection, its lock held
 */
void smc_txq_shrink(struct smc_conn *conn)
{
	struct smc_seg *seg = smc_txq_tail(conn);

	if (smc_txq_keeps(conn) && seg != conn->tx.pinned)
		seg_drop(conn, seg);
}

/* ---- adding bytes ---- */

static u32 txq_used(const struct smc_conn *conn)
{
	return conn->tx.prep - conn->tx.fin;
}

/* Returns how many bytes fit into the last page and into the further pages that
 * the limit allows.
 */
static u32 txq_memory_room(const struct smc_conn *conn)
{
	u32 most = 2 * conn->tx.limit;
	u32 room = 0;

	if (!list_empty(&conn->tx.segs))
		room = list_last_entry(&conn->tx.segs, struct smc_seg,
				       list)->room;
	if (conn->tx.charged < most)
		room += most - conn->tx.charged;
	return room;
}

/**
 * smc_txq_room() - number of bytes that may be queued now
 * @conn:	connection, its lock held
 *
 * The queue has a limit of bytes and a limit of memory. A page that holds few
 * bytes counts in full.
 *
 * Return: bytes.
 */
u32 smc_txq_room(const struct smc_conn *conn)
{
	u32 limit = min(conn->tx.limit, conn->tx.cap);
	u32 used = txq_used(conn);

	lockdep_assert_held(&conn->lock);
	return used < limit ? min(limit - used, txq_memory_room(conn)) : 0;
}

/**
 * smc_txq_squeeze() - lower the limit of the queue, because no memory is left
 * @conn:	connection, its lock held
 *
 * Return: true; false if the queue is empty, so that no delivery can free
 * memory.
 */
bool smc_txq_squeeze(struct smc_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	if (!txq_used(conn))
		return false;
	conn->tx.cap = txq_used(conn) / 2;
	return true;
}

/**
 * smc_txq_grow() - queue bytes that lie behind the bytes of the last segment
 * @conn:	connection, its lock held
 * @seg:	last segment of the queue
 * @len:	bytes
 * @charge:	bytes of memory that the segment holds in addition; the caller
 *		charges them to the owner
 */
void smc_txq_grow(struct smc_conn *conn, struct smc_seg *seg, u32 len,
		  u32 charge)
{
	lockdep_assert_held(&conn->lock);
	seg->len += len;
	seg->charge += charge;
	/* partner: smc_tx_memory() */
	WRITE_ONCE(conn->tx.charged, conn->tx.charged + charge);
	conn->tx.prep += len;
	txq_count(conn, len);
	if (!conn->tx.next)
		conn->tx.next = seg;
}

/**
 * smc_txq_append() - queue the bytes of a new segment
 * @conn:	connection, its lock held
 * @seg:	segment with page, off, len, charge, room and kind set, and one
 *		reference on the page; the queue then owns the reference. The
 *		caller charges seg->charge bytes to the owner.
 *
 * An empty segment before it is of no use any more.
 */
void smc_txq_append(struct smc_conn *conn, struct smc_seg *seg)
{
	u32 charge = seg->charge;
	u32 len = seg->len;

	smc_txq_shrink(conn);
	seg->start = conn->tx.prep;
	seg->len = 0;
	seg->charge = 0;
	list_add_tail(&seg->list, &conn->tx.segs);
	smc_txq_grow(conn, seg, len, charge);
}

/* ---- sending bytes ---- */

/**
 * smc_txq_partial() - must the queue wait as a partial burst?
 * @conn:	connection, its lock held
 *
 * A full burst, flags and urgent data never wait (R-4.5.2-02). A burst is not
 * larger than TCP_NOTSENT_LOWAT: while so many bytes wait, the application
 * cannot add more.
 *
 * Return: true if the queue must wait; the caller then starts SMC_TIMER_CORK,
 * if the queue has bytes.
 */
bool smc_txq_partial(const struct smc_conn *conn)
{
	u32 burst = min3(conn->tx.limit / 2, conn->tx.burst,
			 (u32)SMC_AUTOCORK_DEFAULT_BYTES);

	lockdep_assert_held(&conn->lock);
	burst = min(burst, conn->tx.lowat);
	return conn->tx.hold && !conn->close.want && !conn->tx.urg.end &&
	       conn->tx.prep - conn->tx.sent < burst;
}

/**
 * smc_txq_due() - number of bytes behind tx.sent that may be sent now
 * @conn:	connection, its lock held
 *
 * Return: number of bytes that the peer and the application allow (R-A.4-08,
 * R-4.8.2-12). The dialect may send fewer bytes because of an urgent byte.
 */
u64 smc_txq_due(const struct smc_conn *conn)
{
	u64 end = min3(conn->tx.prep, conn->tx.barrier, conn->tx.edge);

	lockdep_assert_held(&conn->lock);
	if (!smc_object_open(conn) || end <= conn->tx.sent ||
	    smc_txq_partial(conn))
		return 0;
	return end - conn->tx.sent;
}

/**
 * smc_txq_at() - segment that holds a byte
 * @conn:	connection, its lock held
 * @pos:	position of the byte, at least tx.fin
 *
 * Return: segment, NULL if @pos is behind the last byte.
 */
struct smc_seg *smc_txq_at(struct smc_conn *conn, u64 pos)
{
	struct smc_seg *seg;

	lockdep_assert_held(&conn->lock);
	list_for_each_entry(seg, &conn->tx.segs, list)
		if (seg_end(seg) > pos)
			return seg;
	return NULL;
}

/* ---- releasing bytes ---- */

/*
 * Empties the last segment if it is small, so that the next bytes go there. No
 * device reads from a small segment, because the dialect copies its bytes. The
 * owner stays charged. Return: false if the segment must be dropped.
 */
static bool txq_keep(struct smc_conn *conn, struct smc_seg *seg)
{
	if (seg->kind != SMC_SEG_SMALL || conn->tx.over ||
	    !list_is_last(&seg->list, &conn->tx.segs))
		return false;
	seg->start += seg->len;
	seg->room += seg->len;
	seg->len = 0;
	return true;
}

/**
 * smc_txq_trim() - release the segments before tx.fin, at the end all
 * @conn:	connection, its lock held
 *
 * An empty small segment stays, until smc_txq_shrink() or the end.
 */
void smc_txq_trim(struct smc_conn *conn)
{
	struct smc_seg *seg, *tmp;

	lockdep_assert_held(&conn->lock);
	list_for_each_entry_safe(seg, tmp, &conn->tx.segs, list) {
		if (seg == conn->tx.pinned ||
		    (seg_end(seg) > conn->tx.fin && !conn->tx.over) ||
		    txq_keep(conn, seg))
			break;
		seg_drop(conn, seg);
	}
}

/**
 * smc_txq_left() - the connection has left a link
 * @conn:	connection, its lock held
 * @flying:	number of its records that have not completed, on any link
 *
 * Each of them ends with smc_txq_landed().
 */
void smc_txq_left(struct smc_conn *conn, u32 flying)
{
	lockdep_assert_held(&conn->lock);
	conn->tx.stale = flying;
}

/**
 * smc_txq_landed() - a record has completed on a link that the connection left
 * @conn:	connection, its lock held
 */
void smc_txq_landed(struct smc_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	if (WARN_ON_ONCE(!conn->tx.stale) || --conn->tx.stale)
		return;
	list_splice_tail_init(&conn->tx.parked, &conn->news.noticed);
}

/**
 * smc_txq_delivered() - release bytes that are known to be delivered
 * @conn:	connection, its lock held
 * @end:	position behind the last of these bytes; ignored if tx.fin is
 *	beyond this position
 *
 * Senders may wait for room. So the function tells the owner if a sender has
 * found the queue full, or if less than half of the queue was free.
 */
void smc_txq_delivered(struct smc_conn *conn, u64 end)
{
	u32 before = smc_txq_room(conn);
	u64 fin = max(conn->tx.fin, end);

	txq_count(conn, -(s64)(fin - conn->tx.fin));
	conn->tx.fin = fin;
	smc_txq_trim(conn);
	if (txq_used(conn) <= conn->tx.cap)
		conn->tx.cap = U32_MAX;
	if (before < conn->tx.limit / 2)
		conn->news.tell |= SMC_TELL_WRITABLE;
}

/*
 * Drops segments that were cut, in the order of the stream. A change of links
 * moves tx.sent back, so the old link may still have a bundle in flight that
 * reads from them.
 */
static void txq_drop_cut(struct smc_conn *conn, struct list_head *cut)
{
	struct smc_seg *seg, *tmp;

	list_for_each_entry_safe(seg, tmp, cut, list)
		seg_drop(conn, seg);
	if (unlikely(!list_empty(&conn->news.noticed)) &&
	    conn->dialect->flying(conn))
		list_splice_tail_init(&conn->news.noticed, &conn->tx.parked);
}

/**
 * smc_txq_cut() - forget all bytes from a position on
 * @conn:	connection, its lock held
 * @pos:	position, at least tx.sent and at most tx.prep
 */
void smc_txq_cut(struct smc_conn *conn, u64 pos)
{
	struct smc_seg *seg, *tmp;
	LIST_HEAD(cut);

	lockdep_assert_held(&conn->lock);
	list_for_each_entry_safe_reverse(seg, tmp, &conn->tx.segs, list) {
		if (seg->start < pos) {
			seg->len = min_t(u64, seg->len, pos - seg->start);
			break;
		}
		if (seg == conn->tx.pinned) {
			seg->start = pos;
			seg->len = 0;
		} else {
			list_move(&seg->list, &cut);
		}
	}
	txq_drop_cut(conn, &cut);
	txq_count(conn, -(s64)(conn->tx.prep - pos));
	conn->tx.prep = pos;
	if (conn->tx.sent == pos)
		conn->tx.next = NULL;
	smc_urg_tx_cut(&conn->tx.urg, pos);
	smc_txq_trim(conn);
}

/**
 * smc_txq_purge() - forget all bytes that were not posted
 * @conn:	connection, its lock held
 */
void smc_txq_purge(struct smc_conn *conn)
{
	smc_txq_cut(conn, conn->tx.sent);
}

/**
 * smc_txq_leave() - the connection leaves its group, whose total loses its
 * bytes
 * @conn:	connection in place LEAVING, its lock held
 *
 * The step LEFT follows under the same lock.
 */
void smc_txq_leave(struct smc_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	smc_member_queued(conn->member.lgr, -(s64)txq_used(conn));
}

/**
 * smc_txq_uncharge() - count the whole queue as freed, once at the end
 * @conn:	connection, its lock held
 *
 * The memory of bytes in flight is released later, by smc_txq_give_up().
 */
void smc_txq_uncharge(struct smc_conn *conn)
{
	struct smc_seg *seg;

	lockdep_assert_held(&conn->lock);
	txq_count(conn, -(s64)txq_used(conn));
	list_for_each_entry(seg, &conn->tx.segs, list)
		seg_uncharge(conn, seg);
}

/**
 * smc_txq_has_rest() - has smc_txq_give_up() anything to release?
 * @conn:	connection, its lock held
 *
 * Return: true if a segment is left, or a notice for the application.
 */
bool smc_txq_has_rest(const struct smc_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	return !list_empty(&conn->news.noticed) ||
	       !list_empty(&conn->tx.parked) || !list_empty(&conn->tx.segs);
}

/**
 * smc_txq_give_up() - release all segments at the end
 * @conn:	connection that has left its group and has nothing in flight;
 *		its lock held
 * @noticed:	empty list; output: segments with a notice. The caller passes it
 *		to smc_txq_notify()
 *
 * The application may keep its socket, and so the connection, for as long as it
 * wants. And a notice holds a reference to the owner, which holds the
 * connection. A sender that has pinned a segment releases it.
 */
void smc_txq_give_up(struct smc_conn *conn, struct list_head *noticed)
{
	lockdep_assert_held(&conn->lock);
	conn->tx.over = true;
	smc_txq_trim(conn);
	list_splice_init(&conn->news.noticed, noticed);
	list_splice_init(&conn->tx.parked, noticed);
}

/**
 * smc_txq_notify() - release segments and their notices
 * @noticed:	segments that are in no queue any more
 *
 * Context: BH safe, no lock of a connection or of a socket is held. A notice
 * drops a reference to the owner. If it may be the last one, process context.
 */
void smc_txq_notify(struct list_head *noticed)
{
	struct smc_seg *seg, *tmp;

	list_for_each_entry_safe(seg, tmp, noticed, list) {
		put_page(seg->page);
		smc_compat_notice(seg->notice, !seg->copied);
		kfree(seg);
	}
}

/**
 * smc_txq_destroy() - release all segments
 * @conn:	connection, its last reference is gone
 *
 * smc_txq_give_up() has released all notices.
 */
void smc_txq_destroy(struct smc_conn *conn)
{
	struct smc_seg *seg, *tmp;

	list_for_each_entry_safe(seg, tmp, &conn->tx.segs, list)
		seg_drop(conn, seg);
}

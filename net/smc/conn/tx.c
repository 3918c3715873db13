// SPDX-License-Identifier: GPL-2.0
/*
 * Functions that a sender calls. These functions copy the caller's bytes into
 * pages. Each such page belongs to one segment, and has the segment's
 * descriptor in front of the bytes. If the dialect copies the bytes of short
 * segments again, these segments take less than a page. Small sends that follow
 * each other extend the last segment. So the memory of each segment is known,
 * and charged. Pages that the caller lends, or that the application lends until
 * a notice (MSG_ZEROCOPY), are referenced, not copied. The dialect sends the
 * bytes to the peer.
 */
#include <linux/mm.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <linux/uio.h>
#include <net/sock.h>
#include "../base/compat.h"
#include "../base/mib.h"
#include "../base/skmem.h"
#include "../base/stats.h"
#include "../group/member.h"
#include "../wire/cdc.h"
#include "alive.h"
#include "close.h"
#include "conn.h"
#include "dialect.h"
#include "object.h"
#include "timer.h"
#include "tx.h"
#include "txq.h"

/* Size of the largest segment, including its descriptor. One page is always
 * allowed.
 */
#define SEG_MAX_BYTES	32768

/* Size of the smallest segment in bytes. Several short sends fit into it. */
#define SEG_MIN_BYTES	256

/* Limit of pages of the application that are looked up at once. */
#define TX_PAGES	16

/* ---- queueing; the caller holds the socket lock ---- */

/* Return: 0 if bytes may be queued, or a negative errno. */
static int tx_sendable(const struct smc_conn *conn)
{
	const u8 end = SMC_CDC_D | SMC_CDC_C | SMC_CDC_A;

	lockdep_assert_held(&conn->lock);
	if (conn->close.err)
		return -conn->close.err;
	if (conn->close.state == SMC_CONN_INIT)
		return -EAGAIN;
	if (!smc_object_open(conn) || (conn->close.want & end))
		return -EPIPE;
	return 0;
}

/*
 * A peer that has sent C has no application that reads. As in TCP, one send
 * succeeds nevertheless. Its bytes stay behind the barrier, and smc_tx_push()
 * drops them.
 */
static void tx_keep_back(struct smc_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	if (unlikely(conn->close.heard & SMC_CDC_C))
		conn->tx.barrier = min(conn->tx.barrier, conn->tx.prep);
}

/*
 * Reserves @size bytes in the memory account of the owner. A sender with an
 * empty queue has nothing to wait for, so it may have one page even at the
 * limit, as in TCP. Return: 0; -EAGAIN: retry after a delivery; -ENOBUFS: the
 * owner may not have that much memory.
 */
static int tx_schedule(struct smc_conn *conn, u32 size)
{
	struct sock *sk = conn->owner;
	int lack = size - sk->sk_forward_alloc;
	bool wait;

	if (lack <= 0 || smc_skmem_schedule(sk, lack, false))
		return 0;
	if (size > PAGE_SIZE + sizeof(struct smc_seg))
		return -ENOBUFS;
	spin_lock_bh(&conn->lock);
	wait = smc_txq_squeeze(conn);
	spin_unlock_bh(&conn->lock);
	if (wait)
		return -EAGAIN;
	return smc_skmem_schedule(sk, lack, true) ? 0 : -ENOBUFS;
}

/*
 * Pins the last segment if it has room. An empty one must have room for all
 * @len bytes, so that a small message stays in one segment. A delivery does not
 * free a pinned segment while the sender copies without the lock. Return:
 * number of bytes in the queue.
 */
static u32 tx_pin_tail(struct smc_conn *conn, u32 len)
{
	struct smc_seg *seg = smc_txq_tail(conn);

	if (seg && seg->room < (seg->len ? 1 : len))
		seg = NULL;
	conn->tx.pinned = seg;
	return conn->tx.prep - conn->tx.fin;
}

/* Returns the size of a segment for the bytes to copy, or for as many bytes as
 * are already queued, because sends often continue.
 */
static u32 tx_seg_size(u32 len, u32 queued)
{
	return max3(len + (u32)sizeof(struct smc_seg), queued,
		    (u32)SEG_MIN_BYTES);
}

/* Makes an empty segment of @size bytes of memory, which begin at @mem. */
static struct smc_seg *tx_empty_seg(void *mem, enum smc_seg_kind kind, u32 size)
{
	struct smc_seg *seg = mem;

	seg->kind = kind;
	seg->notice = NULL;
	seg->page = virt_to_page(mem);
	seg->off = offset_in_page(mem) + sizeof(*seg);
	seg->len = 0;
	seg->room = size - sizeof(*seg);
	seg->charge = size;
	return seg;
}

/* Allocates an empty segment of less than a page. Return: as tx_new_seg(). */
static struct smc_seg *tx_new_small(struct smc_conn *conn, u32 size)
{
	void *mem;
	int err;

	size = kmalloc_size_roundup(size);
	err = tx_schedule(conn, size);
	if (err)
		return ERR_PTR(err);
	mem = kmalloc(size, conn->owner->sk_allocation);
	if (!mem)
		return ERR_PTR(-ENOMEM);
	return tx_empty_seg(mem, SMC_SEG_SMALL, size);
}

/* Allocates an empty segment in its own page. Return: segment or ERR_PTR(). */
static struct smc_seg *tx_new_page(struct smc_conn *conn, unsigned int order)
{
	gfp_t gfp = conn->owner->sk_allocation;
	u32 size = PAGE_SIZE << order;
	struct page *page;
	int err;

	err = tx_schedule(conn, size);
	if (err)
		return ERR_PTR(err);
	if (order)
		gfp = (gfp & ~__GFP_DIRECT_RECLAIM) | __GFP_COMP |
		      __GFP_NOWARN | __GFP_NORETRY;
	page = alloc_pages(gfp, order);
	if (!page)
		return ERR_PTR(-ENOMEM);
	return tx_empty_seg(page_address(page), SMC_SEG_COPIED, size);
}

/*
 * Allocates an empty segment of @size bytes of memory. Return: segment, which
 * may be smaller; or ERR_PTR().
 */
static struct smc_seg *tx_new_seg(struct smc_conn *conn, u32 size)
{
	unsigned int order;
	struct smc_seg *seg;

	if (size <= conn->dialect->small && !conn->mail)
		return tx_new_small(conn, size);
	order = get_order(clamp_t(u32, size, PAGE_SIZE,
				  max_t(u32, PAGE_SIZE, SEG_MAX_BYTES)));
	seg = tx_new_page(conn, order);
	return IS_ERR(seg) && order ? tx_new_page(conn, 0) : seg;
}

/*
 * Queues the @len bytes that were copied behind the bytes of @seg. If the
 * connection has ended during the copy, the function queues nothing. A segment
 * that is not pinned is new.
 */
static int tx_commit(struct smc_conn *conn, struct smc_seg *seg, u32 len)
{
	struct sock *sk = conn->owner;
	bool grown;
	int err;

	spin_lock_bh(&conn->lock);
	grown = conn->tx.pinned;
	conn->tx.pinned = NULL;
	err = len ? tx_sendable(conn) : -EFAULT;
	if (err) {
		if (!grown)
			smc_txq_free_seg(seg);
		smc_txq_trim(conn);	/* the pin may have prevented an earlier trim */
		goto out;
	}
	tx_keep_back(conn);
	seg->room -= len;
	if (grown) {
		smc_txq_grow(conn, seg, len, 0);
	} else {
		seg->len = len;
		smc_txq_append(conn, seg);
		sk_mem_charge(sk, seg->charge);
	}
	WRITE_ONCE(sk->sk_wmem_queued, conn->tx.charged);
out:
	smc_conn_unlock(conn);
	return err;
}

/*
 * Copies up to @len bytes to the segment that is pinned, or to a new one.
 * @queued: bytes in the queue. Return: bytes or negative errno.
 */
static ssize_t tx_copy(struct smc_conn *conn, struct msghdr *msg, u32 len,
		       u32 queued)
{
	struct smc_seg *seg = conn->tx.pinned;
	size_t copied;
	int err;

	if (!seg)
		seg = tx_new_seg(conn, tx_seg_size(len, queued));
	if (IS_ERR(seg))
		return PTR_ERR(seg);
	len = min(len, seg->room);
	/* only an abort changes the length of a pinned segment */
	copied = copy_page_from_iter(seg->page, seg->off + READ_ONCE(seg->len),
				     len, &msg->msg_iter);
	err = tx_commit(conn, seg, copied);
	return err ?: copied;
}

/* As tx_copy(). The caller could not lend the bytes, and has pinned nothing. */
static ssize_t tx_copy_after_all(struct smc_conn *conn, struct msghdr *msg,
				 u32 len)
{
	u32 queued;

	spin_lock_bh(&conn->lock);
	queued = tx_pin_tail(conn, len);
	spin_unlock_bh(&conn->lock);
	return tx_copy(conn, msg, len, queued);
}

/*
 * Adds @len bytes of the caller's page to the end of the queue. @off counts
 * from the beginning of the compound page. A segment has a reference to its
 * notice.
 */
static int tx_lend(struct smc_conn *conn, struct page *page, u32 off, u32 len,
		   struct ubuf_info *notice)
{
	struct smc_seg *seg, *spare;
	u32 charge;
	int err;

	spare = kmalloc(sizeof(*spare), conn->owner->sk_allocation);
	if (!spare)
		return -ENOMEM;
	spin_lock_bh(&conn->lock);
	err = tx_sendable(conn);
	if (err)
		goto out;
	tx_keep_back(conn);
	seg = smc_txq_tail(conn);
	if (seg && seg->kind == SMC_SEG_LENT && seg->page == page &&
	    seg->off + seg->len == off && seg->notice == notice) {
		/* the segment that has the first byte of a page is charged for
		 * the whole page
		 */
		charge = offset_in_page(off) ? 0 : PAGE_SIZE;
		smc_txq_grow(conn, seg, len, charge);
		sk_mem_charge(conn->owner, charge);
		goto out;
	}
	spare->kind = SMC_SEG_LENT;
	spare->page = page;
	spare->off = off;
	spare->len = len;
	spare->room = 0;
	spare->charge = PAGE_SIZE + sizeof(*spare);
	spare->notice = notice;
	/* the transport within a host copies */
	spare->copied = notice && smc_member_in_host(&conn->member);
	get_page(page);
	if (notice)
		net_zcopy_get(notice);
	smc_txq_append(conn, spare);
	sk_mem_charge(conn->owner, spare->charge);
	spare = NULL;
out:
	WRITE_ONCE(conn->owner->sk_wmem_queued, conn->tx.charged);
	smc_conn_unlock(conn);
	kfree(spare);
	if (!err)
		smc_mib_add(conn->net, SMC_MIB_TX_LENT, len);
	return err;
}

/* Adds bytes of one page that the caller lends. @off is less than a page. */
static int tx_lend_part(struct smc_conn *conn, struct page *page, u32 off,
			u32 len, struct ubuf_info *notice)
{
	struct page *head = compound_head(page);
	int err;

	err = tx_schedule(conn, PAGE_SIZE + sizeof(struct smc_seg));
	if (err)
		return err;
	off += (u32)(page_to_pfn(page) - page_to_pfn(head)) << PAGE_SHIFT;
	return tx_lend(conn, head, off, len, notice);
}

/*
 * MSG_SPLICE_PAGES: the caller keeps the iterator's pages unchanged until the
 * last reference is gone. So the bytes are sent from these pages without a
 * copy.
 */
static ssize_t tx_lend_pages(struct smc_conn *conn, struct msghdr *msg, u32 len)
{
	struct iov_iter *it = &msg->msg_iter;
	const struct bio_vec *bv = it->bvec;
	struct page *page;
	u32 off, n;
	int err;

	off = bv->bv_offset + it->iov_offset;
	page = bv->bv_page + (off >> PAGE_SHIFT);
	off = offset_in_page(off);
	n = min3(len, (u32)(bv->bv_len - it->iov_offset),
		 (u32)(PAGE_SIZE - off));
	/* memory without its own reference count cannot be lent */
	if (!n || !sendpage_ok(page))
		return tx_copy_after_all(conn, msg, len);
	err = tx_lend_part(conn, page, off, n, NULL);
	if (err)
		return err;
	iov_iter_advance(it, n);
	return n;
}

/*
 * MSG_ZEROCOPY: the application leaves its pages unchanged until the notice.
 * The notice comes when the last segment with a reference to it is dropped: its
 * bytes are known to be delivered, or the connection has ended and no device
 * reads from the pages any more. Return: bytes or negative errno; 0: the pages
 * cannot be lent.
 */
static ssize_t tx_borrow(struct smc_conn *conn, struct msghdr *msg, u32 len)
{
	struct page *pages[TX_PAGES];
	u32 left, done = 0;
	ssize_t got;
	size_t off;
	int err = 0;
	int i;

	/* within a host the peer's reader would have the pages */
	if (conn->mail)
		return 0;
	got = iov_iter_get_pages2(&msg->msg_iter, pages, len, TX_PAGES, &off);
	if (got <= 0)
		return 0;	/* tx_copy() finds out why */
	left = got;
	for (i = 0; left; i++) {
		u32 n = min_t(u32, left, PAGE_SIZE - off);

		if (!err)
			err = tx_lend_part(conn, pages[i], off, n,
					   msg->msg_ubuf);
		if (!err)
			done += n;
		put_page(pages[i]);	/* the segment has its own reference */
		left -= n;
		off = 0;
	}
	iov_iter_revert(&msg->msg_iter, got - done);
	return done ?: err;
}

/**
 * smc_tx_last_notice() - get the notice of the last bytes in the queue
 * @conn:	connection
 *
 * Context: process, no lock of the connection held. Return: notice of the core
 * with a reference, or NULL: these bytes were delivered, or belong to no notice
 * or to one of io_uring.
 */
struct ubuf_info *smc_tx_last_notice(struct smc_conn *conn)
{
	struct ubuf_info *notice = NULL;
	struct smc_seg *seg;

	spin_lock_bh(&conn->lock);
	seg = smc_txq_tail(conn);
	if (seg && seg->notice && smc_compat_notice_is_core(seg->notice)) {
		notice = seg->notice;
		net_zcopy_get(notice);
	}
	smc_conn_unlock(conn);
	return notice;
}

/* Does the application lend its pages until a notice? */
static bool tx_borrows(const struct msghdr *msg)
{
	return unlikely(msg->msg_flags & MSG_ZEROCOPY) && msg->msg_ubuf;
}

/* Returns how many bytes TCP_NOTSENT_LOWAT allows to queue. */
static u32 tx_lowat_room(const struct smc_conn *conn)
{
	u64 unsent = conn->tx.prep - conn->tx.sent;

	lockdep_assert_held(&conn->lock);
	return unsent < conn->tx.lowat ? conn->tx.lowat - unsent : 0;
}

static ssize_t tx_take(struct smc_conn *conn, struct msghdr *msg, size_t len)
{
	bool lends = (msg->msg_flags & MSG_SPLICE_PAGES) &&
		     iov_iter_is_bvec(&msg->msg_iter);
	bool borrows = !lends && tx_borrows(msg);
	u32 room = 0, queued = 0;
	ssize_t n;
	int err;

	spin_lock_bh(&conn->lock);
	err = tx_sendable(conn);
	if (!err)
		room = min(smc_txq_room(conn), tx_lowat_room(conn));
	len = min_t(size_t, len, room);
	if (len && !lends && !borrows)
		queued = tx_pin_tail(conn, len);
	spin_unlock_bh(&conn->lock);
	if (!len)
		return err ?: -EAGAIN;
	if (lends)
		return tx_lend_pages(conn, msg, len);
	if (!borrows)
		return tx_copy(conn, msg, len, queued);
	n = tx_borrow(conn, msg, len);
	if (n)
		return n;
	msg->msg_flags &= ~MSG_ZEROCOPY;
	return tx_copy_after_all(conn, msg, len);
}

/* Sets a barrier: bytes after it wait until the urgent byte is known. */
static void tx_begin_urgent(struct smc_conn *conn)
{
	spin_lock_bh(&conn->lock);
	conn->tx.barrier = conn->tx.prep;
	spin_unlock_bh(&conn->lock);
}

static void tx_end_urgent(struct smc_conn *conn, bool taken)
{
	spin_lock_bh(&conn->lock);
	if (!(conn->close.heard & SMC_CDC_C))
		conn->tx.barrier = U64_MAX;
	if (taken && smc_object_open(conn)) {
		smc_urg_tx_mark(&conn->tx.urg, conn->tx.sent, conn->tx.prep);
		smc_stat_inc(conn->net, SMC_STAT_URGENT);
	}
	spin_unlock_bh(&conn->lock);
}

/**
 * smc_tx_queue() - add bytes to the send queue
 * @conn:	connection
 * @msg:	bytes to send. The function copies them, or with
 *		MSG_SPLICE_PAGES takes their pages. With MSG_ZEROCOPY and
 *		@msg->msg_ubuf it takes the pages of the application, and
 *		removes the flag if it has to copy. With MSG_OOB the last byte
 *		taken is urgent. Without frames nothing behind it is sent before
 *		the peer has read it (R-4.7.5-05).
 * @len:	number of bytes to take from @msg, if there is room
 *
 * Charges the owner for the memory. The caller then sends with smc_tx_push().
 *
 * Context: process, may sleep (page faults); socket lock held.
 * Return: number of bytes taken (> 0); -EAGAIN: no room; -EPIPE: this side has
 * finished sending; -ENOMEM; -ENOBUFS; -EFAULT; or the connection's error. If
 * the function returns an errno, it has taken nothing.
 */
ssize_t smc_tx_queue(struct smc_conn *conn, struct msghdr *msg, size_t len)
{
	bool urgent = msg->msg_flags & MSG_OOB;
	size_t done = 0;
	ssize_t ret = 0;

	if (urgent)
		tx_begin_urgent(conn);
	while (done < len) {
		ret = tx_take(conn, msg, len - done);
		if (ret <= 0)
			break;
		done += ret;
	}
	if (urgent)
		tx_end_urgent(conn, done);
	return done ?: ret;
}

/* ---- sending ---- */

/**
 * smc_tx_push() - send queued bytes, as far as window and slots allow
 * @conn:	connection
 * @nodelay:	do not coalesce behind a message in flight (TCP_NODELAY)
 * @more:	hold a partial burst back (MSG_MORE, TCP_CORK)
 *
 * If the bytes were queued after the peer had closed, this function drops them,
 * and the connection gets the error EPIPE.
 * Context: BH safe; socket lock held.
 */
void smc_tx_push(struct smc_conn *conn, bool nodelay, bool more)
{
	spin_lock_bh(&conn->lock);
	conn->tx.hold = more;
	smc_alive_watch(conn);
	if (unlikely(conn->tx.barrier < conn->tx.prep))
		smc_close_lost(conn);
	else if (conn->tx.prep != conn->tx.sent)
		conn->dialect->push(conn, !nodelay);
	smc_conn_unlock(conn);
}

/**
 * smc_tx_uncork() - SMC_TIMER_CORK has expired
 * @conn:	connection
 *
 * A partial burst has waited for long enough.
 * Context: process, no lock of the connection held.
 */
void smc_tx_uncork(struct smc_conn *conn)
{
	spin_lock_bh(&conn->lock);
	if (smc_timer_take(conn, SMC_TIMER_CORK)) {
		conn->tx.hold = false;
		conn->dialect->push(conn, false);
	}
	smc_conn_unlock(conn);
}

/* ---- for poll and ioctl ---- */

/**
 * smc_tx_unsent() - number of queued bytes that are not posted yet
 * (SIOCOUTQNSD)
 * @conn:	connection
 *
 * Context: BH safe. Return: bytes.
 */
u32 smc_tx_unsent(const struct smc_conn *conn)
{
	struct smc_conn *c = (struct smc_conn *)conn;
	u32 n;

	spin_lock_bh(&c->lock);
	n = c->tx.prep - c->tx.sent;
	spin_unlock_bh(&c->lock);
	return n;
}

/**
 * smc_tx_queued() - number of bytes that are queued or not known to be
 * delivered (SIOCOUTQ)
 * @conn:	connection
 *
 * Context: BH safe. Return: bytes.
 */
u32 smc_tx_queued(const struct smc_conn *conn)
{
	struct smc_conn *c = (struct smc_conn *)conn;
	u32 n;

	spin_lock_bh(&c->lock);
	n = c->tx.prep - c->tx.fin;
	spin_unlock_bh(&c->lock);
	return n;
}

/**
 * smc_tx_memory() - bytes of memory of the send queue that are charged to the
 * owner
 * @conn:	connection
 *
 * Context: any. Return: bytes; partners smc_txq_grow(), seg_uncharge().
 */
u32 smc_tx_memory(const struct smc_conn *conn)
{
	return READ_ONCE(conn->tx.charged);
}

/**
 * smc_tx_writable() - is enough of the queue free to wake a writer?
 * @conn:	connection
 *
 * If the queue is empty and has no room, a send fails at once, so the writer
 * need not wait. Context: BH safe. Return: false if a writer must wait.
 */
bool smc_tx_writable(const struct smc_conn *conn)
{
	struct smc_conn *c = (struct smc_conn *)conn;
	u32 queued, room;
	bool writable;

	spin_lock_bh(&c->lock);
	queued = c->tx.prep - c->tx.fin;
	room = tx_sendable(c) ? 0 : smc_txq_room(c);
	if (room)
		writable = room >= queued / 2 && tx_lowat_room(c);
	else
		writable = !queued;
	spin_unlock_bh(&c->lock);
	return writable;
}

/**
 * smc_tx_set_lowat() - set the limit of bytes that wait to be posted
 * @conn:	connection
 * @lowat:	bytes, at least 1; U32_MAX: no limit
 *
 * Context: BH safe, no lock of the connection held.
 */
void smc_tx_set_lowat(struct smc_conn *conn, u32 lowat)
{
	spin_lock_bh(&conn->lock);
	conn->tx.lowat = lowat;
	conn->news.tell |= SMC_TELL_WRITABLE;
	smc_conn_unlock(conn);
}

/**
 * smc_tx_set_limit() - set the limit of the queue after a change of SO_SNDBUF
 * @conn:	connection
 * @sndbuf:	limit of queued bytes
 *
 * Context: BH safe, no lock of the connection held.
 */
void smc_tx_set_limit(struct smc_conn *conn, u32 sndbuf)
{
	u32 before;

	spin_lock_bh(&conn->lock);
	before = smc_txq_room(conn);
	WRITE_ONCE(conn->tx.limit, sndbuf);	/* partner: smc_count_send() */
	if (smc_txq_room(conn) > before)
		conn->news.tell |= SMC_TELL_WRITABLE;
	smc_conn_unlock(conn);
}

/* ---- for other files of conn/ ---- */

/**
 * smc_tx_prepare() - initialise the sending side of a new connection
 * @conn:	new connection, which nobody else can reach yet
 * @sndbuf:	limit of queued bytes
 */
void smc_tx_prepare(struct smc_conn *conn, u32 sndbuf)
{
	INIT_LIST_HEAD(&conn->tx.segs);
	INIT_LIST_HEAD(&conn->tx.parked);
	conn->tx.limit = sndbuf;
	conn->tx.cap = U32_MAX;
	conn->tx.lowat = U32_MAX;
	conn->tx.barrier = U64_MAX;
}

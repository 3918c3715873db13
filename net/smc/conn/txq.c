// SPDX-License-Identifier: GPL-2.0
/*
 * The queue of bytes to be sent (D6): a list of segments. Bytes of the caller
 * are copied into the page fragment that the task shares among its sockets,
 * with the segment's descriptor in front of them; consecutive small sends grow
 * the last segment. Pages that the caller lends are referenced, not copied.
 * The device reads from these pages, so a segment lives until its last byte is
 * known to be delivered (R-4.6.1-01).
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uio.h>
#include <net/sock.h>
#include "../base/stats.h"
#include "conn_priv.h"
#include "txq.h"

/* Less room than this in a page is not worth a descriptor. */
#define SEG_MIN_BYTES	128

enum smc_seg_kind {
	SEG_COPIED,	/* descriptor and bytes share the page */
	SEG_LENT,	/* descriptor from kmalloc(), page of the caller */
};

static u64 seg_end(const struct smc_seg *seg)
{
	return seg->start + seg->len;
}

/* Takes @seg out of the queue and gives its memory back. */
static void drop(struct smc_conn *conn, struct smc_seg *seg)
{
	struct page *page = seg->page;

	conn->freed += seg->charge;
	list_del(&seg->list);
	if (seg->kind == SEG_LENT)
		kfree(seg);
	put_page(page);		/* the descriptor of SEG_COPIED is in there */
}

/* smc_txq_room - bytes that may be queued, conn->lock held */
u32 smc_txq_room(const struct smc_conn *conn)
{
	u64 used = conn->tx.prep - conn->tx.fin;

	return used < conn->tx.limit ? conn->tx.limit - used : 0;
}

/** smc_txq_delivered - free what tx.fin has passed */
void smc_txq_delivered(struct smc_conn *conn)
{
	struct smc_seg *seg, *tmp;

	lockdep_assert_held(&conn->lock);
	list_for_each_entry_safe(seg, tmp, &conn->tx.segs, list) {
		if (seg_end(seg) > conn->tx.fin || seg == conn->tx.pinned)
			break;
		drop(conn, seg);
	}
}

/** smc_txq_at - segment that holds the byte at @pos, NULL behind the last */
struct smc_seg *smc_txq_at(struct smc_conn *conn, u64 pos)
{
	struct smc_seg *seg;

	lockdep_assert_held(&conn->lock);
	list_for_each_entry(seg, &conn->tx.segs, list)
		if (seg_end(seg) > pos)
			return seg;
	return NULL;
}

/** smc_txq_purge - forget all bytes that were not posted */
void smc_txq_purge(struct smc_conn *conn)
{
	u64 sent = conn->tx.sent;
	struct smc_seg *seg, *tmp;

	lockdep_assert_held(&conn->lock);
	list_for_each_entry_safe_reverse(seg, tmp, &conn->tx.segs, list) {
		if (seg->start < sent) {
			seg->len = min_t(u64, seg->len, sent - seg->start);
			break;
		}
		if (seg == conn->tx.pinned) {
			seg->start = sent;
			seg->len = 0;
		} else {
			drop(conn, seg);
		}
	}
	conn->tx.prep = sent;
	conn->tx.next = NULL;
	smc_urg_tx_cut(&conn->tx.urg, sent);
	smc_txq_delivered(conn);
}

/** smc_txq_uncharge - count all of the queue as freed; for bytes in flight the
 * memory itself follows when they have completed
 */
void smc_txq_uncharge(struct smc_conn *conn)
{
	struct smc_seg *seg;

	lockdep_assert_held(&conn->lock);
	list_for_each_entry(seg, &conn->tx.segs, list) {
		conn->freed += seg->charge;
		seg->charge = 0;
	}
}

/** smc_txq_destroy - the last reference is gone */
void smc_txq_destroy(struct smc_conn *conn)
{
	struct smc_seg *seg, *tmp;

	list_for_each_entry_safe(seg, tmp, &conn->tx.segs, list)
		drop(conn, seg);
}

/* ---- queueing; the caller holds the socket lock ---- */

/* May bytes be queued? 0 or negative errno. */
static int sendable(const struct smc_conn *conn)
{
	const u8 end = SMC_CDC_D | SMC_CDC_C | SMC_CDC_A;

	lockdep_assert_held(&conn->lock);
	if (conn->err)
		return -conn->err;
	if (conn->state == SMC_CONN_INIT)
		return -EAGAIN;
	/* nobody reads at a peer that has said C */
	if (!smc_conn_open(conn) || (conn->tx.want & end) ||
	    (conn->rx.conn_flags & SMC_CDC_C))
		return -EPIPE;
	return 0;
}

static struct smc_seg *tail_of(struct smc_conn *conn)
{
	if (list_empty(&conn->tx.segs))
		return NULL;
	return list_last_entry(&conn->tx.segs, struct smc_seg, list);
}

/* Appends @len bytes that lie behind the bytes of @seg, which is the tail. */
static void grow(struct smc_conn *conn, struct smc_seg *seg, u32 len)
{
	seg->len += len;
	seg->charge += len;
	conn->tx.prep += len;
	if (!conn->tx.next)
		conn->tx.next = seg;
}

static void append(struct smc_conn *conn, struct smc_seg *seg)
{
	u32 len = seg->len;

	seg->start = conn->tx.prep;
	seg->len = 0;
	seg->charge = sizeof(*seg);
	list_add_tail(&seg->list, &conn->tx.segs);
	grow(conn, seg, len);
}

/*
 * The tail, if bytes at the fragment's offset would continue it. It is pinned:
 * delivery does not free it while its owner copies without the lock.
 */
static struct smc_seg *pin_tail(struct smc_conn *conn,
				const struct page_frag *frag)
{
	struct smc_seg *seg;

	if (!frag->page || frag->offset >= frag->size)
		return NULL;
	spin_lock_bh(&conn->lock);
	seg = tail_of(conn);
	if (seg && (seg->kind != SEG_COPIED || seg->page != frag->page ||
		    seg->off + seg->len != frag->offset))
		seg = NULL;
	conn->tx.pinned = seg;
	spin_unlock_bh(&conn->lock);
	return seg;
}

/* Where a new segment would begin in @frag; NULL: no memory. */
static struct smc_seg *carve(struct sock *sk, struct page_frag *frag)
{
	const u32 align = __alignof__(struct smc_seg);
	u32 off;

	if (!skb_page_frag_refill(sizeof(struct smc_seg) + align +
				  SEG_MIN_BYTES, frag, sk->sk_allocation))
		return NULL;
	off = ALIGN(frag->offset, align);
	return page_address(frag->page) + off;
}

/*
 * Ends what pin_tail() or carve() began: @len bytes were copied to @at. The
 * connection may have ended meanwhile, then nothing was queued.
 */
static int commit(struct smc_conn *conn, struct smc_seg *seg,
		  struct page_frag *frag, u32 at, u32 len)
{
	struct sock *sk = conn->owner;
	bool grown;
	int err;

	smc_conn_lock(conn);
	grown = conn->tx.pinned;
	conn->tx.pinned = NULL;
	err = len ? sendable(conn) : -EFAULT;
	if (err) {
		smc_txq_delivered(conn);	/* what the pin has kept */
		goto out;
	}
	if (grown) {
		grow(conn, seg, len);
		sk_mem_charge(sk, len);
	} else {
		seg->kind = SEG_COPIED;
		seg->page = frag->page;
		seg->off = at;
		seg->len = len;
		get_page(frag->page);
		append(conn, seg);
		sk_mem_charge(sk, seg->charge);
	}
	frag->offset = at + len;
out:
	smc_conn_unlock(conn);
	return err;
}

/* Copies up to @len bytes. Return: bytes or negative errno. */
static ssize_t copy_in(struct smc_conn *conn, struct msghdr *msg, u32 len)
{
	struct sock *sk = conn->owner;
	struct page_frag *frag = sk_page_frag(sk);
	struct smc_seg *seg = pin_tail(conn, frag);
	u32 at = frag->offset;
	size_t copied = 0;
	int err;

	if (!seg) {
		seg = carve(sk, frag);
		if (!seg)
			return -ENOMEM;
		at = (void *)(seg + 1) - page_address(frag->page);
	}
	len = min(len, frag->size - at);
	if (sk_wmem_schedule(sk, len + sizeof(*seg)))
		copied = copy_page_from_iter(frag->page, at, len,
					     &msg->msg_iter);
	else
		len = 0;
	err = commit(conn, seg, frag, at, copied);
	if (err == -EFAULT && !len)
		err = -ENOBUFS;
	return err ?: copied;
}

/* Puts @len bytes of a page of the caller at the end of the queue. */
static int lend(struct smc_conn *conn, struct page *page, u32 off, u32 len)
{
	struct smc_seg *seg, *spare;
	int err;

	spare = kmalloc(sizeof(*spare), conn->owner->sk_allocation);
	if (!spare)
		return -ENOMEM;
	smc_conn_lock(conn);
	err = sendable(conn);
	if (err)
		goto out;
	seg = tail_of(conn);
	if (seg && seg->kind == SEG_LENT && seg->page == page &&
	    seg->off + seg->len == off) {
		grow(conn, seg, len);
		sk_mem_charge(conn->owner, len);
		goto out;
	}
	spare->kind = SEG_LENT;
	spare->page = page;
	spare->off = off;
	spare->len = len;
	get_page(page);
	append(conn, spare);
	sk_mem_charge(conn->owner, spare->charge);
	spare = NULL;
out:
	smc_conn_unlock(conn);
	kfree(spare);
	return err;
}

/*
 * MSG_SPLICE_PAGES: the iterator's pages stay as they are until the last
 * reference is gone, they are sent from where they lie.
 */
static ssize_t lend_in(struct smc_conn *conn, struct msghdr *msg, u32 len)
{
	struct iov_iter *it = &msg->msg_iter;
	const struct bio_vec *bv = it->bvec;
	struct page *page, *head;
	u32 off, n;
	int err;

	off = bv->bv_offset + it->iov_offset;
	page = bv->bv_page + (off >> PAGE_SHIFT);
	off = offset_in_page(off);
	n = min3(len, (u32)(bv->bv_len - it->iov_offset),
		 (u32)(PAGE_SIZE - off));
	/* memory without a reference count of its own cannot be lent */
	if (!n || !sendpage_ok(page))
		return copy_in(conn, msg, len);
	if (!sk_wmem_schedule(conn->owner, n + sizeof(struct smc_seg)))
		return -ENOBUFS;
	head = compound_head(page);
	off += (u32)(page_to_pfn(page) - page_to_pfn(head)) << PAGE_SHIFT;
	err = lend(conn, head, off, n);
	if (err)
		return err;
	iov_iter_advance(it, n);
	return n;
}

static ssize_t take(struct smc_conn *conn, struct msghdr *msg, size_t len)
{
	u32 room;
	int err;

	spin_lock_bh(&conn->lock);
	err = sendable(conn);
	room = smc_txq_room(conn);
	spin_unlock_bh(&conn->lock);
	if (err)
		return err;
	if (!room)
		return -EAGAIN;
	len = min_t(size_t, len, room);
	if ((msg->msg_flags & MSG_SPLICE_PAGES) &&
	    iov_iter_is_bvec(&msg->msg_iter))
		return lend_in(conn, msg, len);
	return copy_in(conn, msg, len);
}

/* What follows is sent when its last byte, which is urgent, is known. */
static void begin_urgent(struct smc_conn *conn)
{
	spin_lock_bh(&conn->lock);
	conn->tx.barrier = conn->tx.prep;
	spin_unlock_bh(&conn->lock);
}

static void end_urgent(struct smc_conn *conn, bool taken)
{
	spin_lock_bh(&conn->lock);
	conn->tx.barrier = U64_MAX;
	if (taken && smc_conn_open(conn)) {
		smc_urg_tx_mark(&conn->tx.urg, conn->tx.sent, conn->tx.prep);
		smc_stat_inc(conn->net, SMC_STAT_URGENT);
	}
	spin_unlock_bh(&conn->lock);
}

ssize_t smc_tx_queue(struct smc_conn *conn, struct msghdr *msg, size_t len)
{
	bool urgent = msg->msg_flags & MSG_OOB;
	size_t done = 0;
	ssize_t ret = 0;

	if (urgent)
		begin_urgent(conn);
	while (done < len) {
		ret = take(conn, msg, len - done);
		if (ret <= 0)
			break;
		done += ret;
	}
	if (urgent)
		end_urgent(conn, done);
	return done ?: ret;
}

u32 smc_tx_space(const struct smc_conn *conn)
{
	struct smc_conn *c = (struct smc_conn *)conn;
	u32 room;

	spin_lock_bh(&c->lock);
	room = sendable(c) ? 0 : smc_txq_room(c);
	spin_unlock_bh(&c->lock);
	return room;
}

u32 smc_tx_unsent(const struct smc_conn *conn)
{
	struct smc_conn *c = (struct smc_conn *)conn;
	u32 n;

	spin_lock_bh(&c->lock);
	n = c->tx.prep - c->tx.sent;
	spin_unlock_bh(&c->lock);
	return n;
}

u32 smc_tx_queued(const struct smc_conn *conn)
{
	struct smc_conn *c = (struct smc_conn *)conn;
	u32 n;

	spin_lock_bh(&c->lock);
	n = c->tx.prep - c->tx.fin;
	spin_unlock_bh(&c->lock);
	return n;
}

void smc_tx_set_limit(struct smc_conn *conn, u32 sndbuf)
{
	u32 before;

	smc_conn_lock(conn);
	before = smc_txq_room(conn);
	conn->tx.limit = sndbuf;
	if (smc_txq_room(conn) > before)
		conn->tell |= SMC_TELL_WRITABLE;
	smc_conn_unlock(conn);
}

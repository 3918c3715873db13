// SPDX-License-Identifier: GPL-2.0
/*
 * Dialect of frames: handles the peer's records. Received bytes are copied into
 * chunks, which the reader frees. The last chunk stays for the next bytes if it
 * is small (framed_idle.h). framed_charge.c has what the owner pays.
 *
 * Records of a peer on this host come with the pages of its bytes. Pages for
 * which the charge is not enough are copied.
 */
#include <linux/highmem.h>
#include <linux/log2.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include "../base/mib.h"
#include "../base/stats.h"
#include "../base/trace.h"
#include "../group/info.h"
#include "../group/member.h"
#include "../wire/cdc.h"
#include "close.h"
#include "conn.h"
#include "framed_charge.h"
#include "framed_element.h"
#include "framed_idle.h"
#include "framed_mail.h"
#include "framed_rx.h"
#include "framed_tx.h"
#include "measure.h"
#include "object.h"
#include "token.h"
#include "urgent.h"

enum {
	RX_CHUNK_MIN	= 512,
	/* A connection keeps a last chunk of at most this size. */
	RX_CHUNK_KEPT	= 2048,
};

/* smc_frames_window_cost() counts an eighth of the bytes for the heads. */
static_assert((RX_CHUNK_MIN - sizeof(struct smc_chunk)) * 9 >=
	      RX_CHUNK_MIN * 8);

/* ---- memory ---- */

static struct smc_chunk *rx_chunk(struct list_head *entry)
{
	return list_entry(entry, struct smc_chunk, bytes.list);
}

static struct smc_chunk *rx_new_chunk(struct smc_conn *conn, u32 len)
{
	u32 n = clamp_t(u32, len + sizeof(struct smc_chunk), RX_CHUNK_MIN,
			SMC_FRAMES_CHUNK_MAX);
	struct smc_chunk *chunk;

	n = roundup_pow_of_two(n);
	chunk = kmalloc(n, GFP_ATOMIC | __GFP_NOWARN);
	if (!chunk)
		return NULL;
	chunk->size = n - sizeof(*chunk);
	chunk->held = n;
	chunk->bytes = (struct smc_extent){
		.kind = SMC_EXTENT_BUF,
		.buf = chunk->data,
	};
	conn->framed.mem.held += n;
	return chunk;
}

/* Makes an extent for bytes in an element. */
static struct smc_chunk *rx_new_ring(struct smc_conn *conn)
{
	struct smc_chunk *chunk;

	chunk = kzalloc(sizeof(*chunk), GFP_ATOMIC | __GFP_NOWARN);
	if (!chunk)
		return NULL;
	chunk->held = sizeof(*chunk);
	conn->framed.mem.held += chunk->held;
	return chunk;
}

static void rx_free_chunk(struct smc_conn *conn, struct smc_chunk *chunk)
{
	conn->framed.mem.held -= chunk->held;
	if (chunk->bytes.kind == SMC_EXTENT_PAGE)
		put_page(chunk->bytes.page);
	kfree(chunk);
}

/* Does the record say that the peer has written bytes to an element? */
static bool rx_is_written(const struct smc_conn *conn,
			  const struct smc_frame_record *rec)
{
	return !(rec->parts & SMC_FRAME_MOVE) &&
	       rec->prod > conn->rx.prod + rec->len &&
	       smc_frames_element_of(&conn->framed.f.in.elements, rec->heard);
}

/* Makes empty chunks, so that @len more bytes fit. Return: 0 or -ENOMEM. */
static int rx_make_room(struct smc_conn *conn, u32 have, u32 len)
{
	struct smc_framed_mem *mem = &conn->framed.mem;
	struct smc_chunk *chunk;
	struct list_head *at;

	list_for_each(at, &mem->spare)
		have += rx_chunk(at)->size;
	while (have < len) {
		chunk = rx_new_chunk(conn, len - have);
		if (!chunk)
			return -ENOMEM;
		list_add_tail(&chunk->bytes.list, &mem->spare);
		have += chunk->size;
	}
	return 0;
}

/*
 * Makes sure that there is memory for the bytes of a record. Return: 0;
 * -ENOMEM; -EPROTO: the peer wastes chunks, because it writes to the element
 * between short records. Without an element all chunks are full, except the
 * last one and an empty first one.
 */
static int rx_reserve(struct smc_conn *conn, const struct smc_frame_record *rec)
{
	struct smc_framed_mem *mem = &conn->framed.mem;
	bool written = rx_is_written(conn, rec);

	/* the first test is quick, and the charge is larger than the window */
	if (unlikely(mem->held / 2 > conn->framed.window.size) &&
	    mem->held > 2 * smc_framed_charge_window(conn))
		return -EPROTO;
	if (written && !mem->ring)
		mem->ring = rx_new_ring(conn);
	if (written && !mem->ring)
		return -ENOMEM;
	/* an empty chunk is used only if all bytes of the record fit */
	if (mem->room < rec->len && conn->rx.prod == conn->rx.cons)
		mem->room = 0;
	return rx_make_room(conn, written ? 0 : mem->room, rec->len);
}

/* Are the bytes of an extent in this element? */
static bool rx_is_in(const struct smc_extent *e, const struct smc_rmbe *rmbe)
{
	return e->kind == SMC_EXTENT_RING &&
	       e->pages == rmbe->pages + rmbe->first && e->ring == rmbe->size;
}

/*
 * Appends bytes in an element behind rx.prod. rx_reserve() has made an extent.
 */
static void rx_append_written(struct smc_conn *conn,
			      const struct smc_frames_element *el)
{
	const struct smc_rmbe *rmbe = smc_framed_element_rmbe(el);
	struct smc_framed_mem *mem = &conn->framed.mem;
	struct list_head *all = &conn->rx.extents;
	struct smc_extent *ring;

	/*
	 * the last extent is in the same element, so it now includes the new
	 * bytes
	 */
	if (!list_empty(all) && rx_is_in(&rx_chunk(all->prev)->bytes, rmbe))
		return;
	ring = &mem->ring->bytes;
	ring->pages = rmbe->pages + rmbe->first;
	ring->ring = rmbe->size;
	ring->start = conn->rx.prod;
	list_add_tail_rcu(&ring->list, all);
	mem->ring = NULL;
	mem->room = 0;
}

/* Appends bytes behind rx.prod. rx_reserve() has made room. */
static void rx_append(struct smc_conn *conn, const u8 *data, u32 len)
{
	struct smc_framed_mem *mem = &conn->framed.mem;
	struct smc_chunk *chunk;
	u64 pos = conn->rx.prod;
	u32 n;

	while (len) {
		if (!mem->room) {
			chunk = rx_chunk(mem->spare.next);
			list_del(&chunk->bytes.list);
			chunk->bytes.start = pos;
			mem->room = chunk->size;
			list_add_tail_rcu(&chunk->bytes.list,
					  &conn->rx.extents);
		}
		chunk = rx_chunk(conn->rx.extents.prev);
		n = min(len, mem->room);
		memcpy(chunk->data + (chunk->size - mem->room), data, n);
		mem->room -= n;
		data += n;
		pos += n;
		len -= n;
	}
}

/* ---- bytes of a peer on this host ---- */

/* Copies the bytes of a page behind rx.prod. rx_make_room() has made room. */
static void rx_append_page(struct smc_conn *conn, const struct smc_chunk *from)
{
	u32 off = from->bytes.skip;
	u32 left = from->len;

	while (left) {
		u32 n = min_t(u32, left, PAGE_SIZE - offset_in_page(off));
		u8 *page = kmap_local_page(from->bytes.page +
					   (off >> PAGE_SHIFT));

		rx_append(conn, page + offset_in_page(off), n);
		kunmap_local(page);
		conn->rx.prod += n;
		off += n;
		left -= n;
	}
}

/*
 * Do these bytes follow the last ones in the same page, all of which is
 * charged?
 */
static bool rx_continues(const struct smc_conn *conn,
			 const struct smc_chunk *chunk)
{
	const struct smc_chunk *last;

	if (list_empty(&conn->rx.extents))
		return false;
	last = rx_chunk(conn->rx.extents.prev);
	return last->bytes.kind == SMC_EXTENT_PAGE &&
	       last->bytes.page == chunk->bytes.page &&
	       last->held >= page_size(last->bytes.page) &&
	       last->bytes.skip + (conn->rx.prod - last->bytes.start) ==
			chunk->bytes.skip;
}

/* Appends the page of these bytes behind rx.prod. */
static void rx_append_piece(struct smc_conn *conn, struct smc_chunk *chunk)
{
	chunk->bytes.start = conn->rx.prod;
	conn->framed.mem.held += chunk->held;
	conn->framed.mem.room = 0;
	list_add_tail_rcu(&chunk->bytes.list, &conn->rx.extents);
	conn->rx.prod += chunk->len;
}

/*
 * May a page be kept for which the reader is not charged? Without memory for a
 * copy, pages are kept up to twice the charge, as rx_reserve() allows, and two
 * more: a small window may begin at the end of one page and end in the next.
 */
static bool rx_tolerates(const struct smc_conn *conn,
			 const struct smc_chunk *chunk)
{
	const u32 page = max_t(u32, SMC_FRAMED_PIECE_MAX, PAGE_SIZE) +
			 sizeof(*chunk);

	return conn->framed.mem.held + chunk->held <=
	       2ULL * (smc_framed_charge_window(conn) + page);
}

/*
 * Appends bytes that have arrived with their pages. If there is no memory for a
 * copy, the page is kept instead. If pages take too much memory, the connection
 * is aborted.
 */
static void rx_append_pieces(struct smc_conn *conn, struct list_head *pieces)
{
	const struct smc_framed_mem *mem = &conn->framed.mem;
	struct smc_chunk *chunk, *tmp;
	u32 copied = 0, lent = 0;

	list_for_each_entry_safe(chunk, tmp, pieces, bytes.list) {
		bool charged = smc_framed_charge_covers(conn, chunk);

		if (rx_continues(conn, chunk)) {
			conn->rx.prod += chunk->len;
			lent += chunk->len;
		} else if (!charged && !rx_make_room(conn, mem->room,
						     chunk->len)) {
			rx_append_page(conn, chunk);
			copied += chunk->len;
		} else if (charged || rx_tolerates(conn, chunk)) {
			list_del(&chunk->bytes.list);
			rx_append_piece(conn, chunk);
			lent += chunk->len;
		} else {
			smc_close_abort(conn, ENOBUFS);
			break;
		}
	}
	smc_framed_mail_discard(pieces);
	if (lent)
		smc_mib_add(conn->net, SMC_MIB_IN_HOST_LENT, lent);
	if (copied)
		smc_mib_add(conn->net, SMC_MIB_IN_HOST_COPIED, copied);
}

/*
 * Empties the last extent if it is a small chunk, so that the next bytes go
 * there. An in-host connection keeps no chunk, because its charge must cover
 * the pages of the peer. Return: false if the caller must free the extent.
 */
static bool rx_keep(struct smc_conn *conn, struct smc_chunk *chunk)
{
	if (chunk->bytes.kind != SMC_EXTENT_BUF || conn->mail ||
	    chunk->held > RX_CHUNK_KEPT)
		return false;
	chunk->bytes.start = conn->rx.prod;
	conn->framed.mem.room = chunk->size;
	smc_framed_idle_watch(conn);
	return true;
}

/*
 * Frees the chunks that were read, but keeps the last one if it is small. No
 * reader copies from them.
 */
static void rx_trim(struct smc_conn *conn)
{
	struct smc_conn_rx *rx = &conn->rx;

	if (rx->busy)
		return;
	while (!list_empty(&rx->extents)) {
		struct smc_chunk *chunk = rx_chunk(rx->extents.next);
		bool last = list_is_last(&chunk->bytes.list, &rx->extents);
		u64 end = last ? rx->prod :
				 rx_chunk(chunk->bytes.list.next)->bytes.start;

		if (end > rx->cons || (last && rx_keep(conn, chunk)))
			break;
		if (last)
			conn->framed.mem.room = 0;
		list_del(&chunk->bytes.list);
		rx_free_chunk(conn, chunk);
	}
}

static void rx_free_list(struct smc_conn *conn, struct list_head *list)
{
	while (!list_empty(list)) {
		struct smc_chunk *chunk = rx_chunk(list->next);

		list_del(&chunk->bytes.list);
		rx_free_chunk(conn, chunk);
	}
}

/* ---- window ---- */

/*
 * Chooses the window, and charges the owner for the growth. The caller holds
 * the owner's socket lock.
 */
static void rx_grant(struct smc_conn *conn, u32 need)
{
	struct smc_frames_window *w = &conn->framed.window;
	struct smc_frames_in *in = &conn->framed.f.in;
	u32 element, limit, want, had = w->size;

	if (!need && !smc_frames_in_wants(in)) {
		smc_frames_window_set(w, in, conn->rx.cons, had);
		return;
	}
	limit = smc_framed_element_limit(conn);
	element = smc_framed_element_wanted(conn);
	/* the window must be at least as large as an element that is offered */
	need = max(need, element);
	want = smc_frames_window_want(w, in, conn->rx.cons, need,
				      max(need, limit));
	if (want > had && !smc_framed_charge_raise(conn, want))
		want = had;
	smc_frames_window_set(w, in, conn->rx.cons, want);
	if (want > had)
		smc_framed_idle_watch(conn);
	WRITE_ONCE(conn->rx.size, want);	/* partners: count.c */
	if (element)
		smc_framed_element_offer(conn, element);
}

/**
 * smc_framed_rx_seen() - the application handles the connection
 * @conn:	connection, its lock held; a member of its group
 *
 * Also called before the connection leaves its link.
 */
void smc_framed_rx_seen(struct smc_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	if (!conn->framed.unread)
		return;
	conn->framed.unread = false;
	smc_member_seen(&conn->member);
}

/**
 * smc_framed_rx_reader() - struct smc_dialect.reader
 * @conn:	connection, its lock held; the caller holds the socket lock
 * @done:	what the reader has done
 */
void smc_framed_rx_reader(struct smc_conn *conn, enum smc_reader done)
{
	u64 unread = conn->rx.prod - conn->rx.cons;
	u32 need = 0;

	lockdep_assert_held(&conn->lock);
	/* a reader that left bytes unread, or has peeked at a full window, may
	 * wait for more bytes than the window allows
	 */
	if (done == SMC_READER_WAITS ||
	    (done == SMC_READER_PEEKED && unread >= conn->framed.window.size))
		need = min_t(u64, unread + conn->framed.window.size,
			     conn->framed.mem.cap);
	smc_framed_rx_seen(conn);
	rx_trim(conn);
	if (smc_object_open(conn))
		rx_grant(conn, need);
	/* a connection that has left returns its whole charge at the end */
	if (conn->life.place == SMC_PLACE_IN)
		smc_framed_charge_settle(conn);
	smc_framed_element_check(conn);
	smc_framed_tx_kick(conn);
}

/**
 * smc_framed_rx_limit() - struct smc_dialect.limit
 * @conn:	connection, its lock held
 * @bytes:	wanted limit
 *
 * The window does not shrink at once. It grows as before, when the sender or
 * the reader waits for it. Without ELASTIC the size of the element limits it.
 * Return: limit of the window in bytes.
 */
u32 smc_framed_rx_limit(struct smc_conn *conn, u32 bytes)
{
	struct smc_framed *fr = &conn->framed;

	lockdep_assert_held(&conn->lock);
	if (fr->element.elastic)
		bytes = min(bytes, smc_rmbe_round(U32_MAX));
	else
		bytes = min(bytes, smc_framed_element_size(conn));
	fr->mem.cap = max(bytes, fr->window.size);
	return fr->mem.cap;
}

/* ---- records ---- */

static void framed_violation(struct smc_conn *conn, const char *what, u64 value)
{
	smc_mib_inc(conn->net, SMC_MIB_RECORD_VIOLATION);
	trace_smc_violation(what, conn, value);
	smc_close_abort(conn, ECONNRESET);
}

static u8 rx_flags(u8 heard)
{
	return (heard & SMC_FRAME_D ? SMC_CDC_D : 0) |
	       (heard & SMC_FRAME_C ? SMC_CDC_C : 0) |
	       (heard & SMC_FRAME_A ? SMC_CDC_A : 0);
}

/*
 * New bytes have arrived. If the application has closed the socket, nobody will
 * read them. The peer must learn that, as a TCP peer would by a reset.
 * @pieces: chunks with the bytes of the record; NULL: they are in the record
 */
static void rx_bytes(struct smc_conn *conn, const struct smc_link *link,
		     const struct smc_frame_record *rec,
		     const struct smc_frames_got *got, struct list_head *pieces)
{
	if (conn->close.state >= SMC_CONN_PEERABORTWAIT ||
	    conn->close.said & SMC_CDC_C)
		return;
	if (conn->close.want & SMC_CDC_C) {
		smc_close_abort(conn, ECONNRESET);
		return;
	}
	if (got->written) {
		smc_framed_element_written(link, got);
		rx_append_written(conn, got->element);
		conn->rx.prod += got->written;
	}
	if (pieces) {
		rx_append_pieces(conn, pieces);
	} else {
		rx_append(conn, rec->data, rec->len);
		conn->rx.prod += rec->len;
	}
	if (conn->rx.prod - conn->rx.cons >= conn->rx.size)
		smc_stat_buf(conn->net, SMC_STAT_RX, SMC_STAT_BUF_FULL);
	/* a connection with bytes to send does not wait for itself */
	if (link == conn->member.link && !conn->framed.unread &&
	    conn->tx.prep == conn->tx.sent) {
		conn->framed.unread = true;
		smc_member_unread(&conn->member);
	}
	if (conn->close.state != SMC_CONN_INIT)
		conn->news.tell |= SMC_TELL_READABLE;
}

/* F-26: the peer repeats the urgent part until the byte was read. */
static void framed_urgent(struct smc_conn *conn, const struct smc_frame_record *rec)
{
	if (!(rec->parts & SMC_FRAME_URGENT) ||
	    conn->close.state >= SMC_CONN_PEERABORTWAIT)
		return;
	if (rec->urgent <= conn->rx.prod)
		smc_urgent_heard(conn, SMC_CDC_P | SMC_CDC_U, rec->urgent);
	else
		smc_urgent_heard(conn, SMC_CDC_P, conn->rx.prod);
}

static void rx_heard(struct smc_conn *conn)
{
	u8 fresh = rx_flags(conn->framed.f.in.heard) &
		   (u8)~conn->close.heard;

	conn->close.heard |= fresh;
	if (conn->close.state != SMC_CONN_INIT && fresh)
		smc_close_heard(conn, fresh);
}

/* @link: link that carried the record; NULL and @pieces in-host */
static void framed_take(struct smc_conn *conn, const struct smc_link *link,
			const struct smc_frame_record *rec,
			struct list_head *pieces)
{
	u32 uid = link ? smc_info_link_uid(link) : conn->framed.f.in.link;
	struct smc_frames_got got;
	int err;

	err = smc_frames_take(&conn->framed.f, uid, rec, &got);
	if (err) {
		framed_violation(conn, err == -ENODATA ? "frames lost" : "record",
				 rec->prod);
		return;
	}
	conn->alive.last = jiffies;
	smc_framed_tx_heard(conn);
	smc_framed_charge_settle(conn);
	if (got.written || got.data)
		rx_bytes(conn, link, rec, &got, pieces);
	smc_framed_element_check(conn);
	smc_measure_heard(conn, got.written + got.data);
	framed_urgent(conn, rec);
	rx_heard(conn);
	/*
	 * rx.cons may have moved over an urgent byte that a newer one replaced
	 */
	if (unlikely(conn->rx.cons > conn->framed.f.in.cons))
		smc_frames_window_set(&conn->framed.window, &conn->framed.f.in,
				      conn->rx.cons, conn->framed.window.size);
}

/*
 * Takes a record with an offer after it has replaced the key of the offer by
 * the name of the RMB. If the offer arrives before the CONFIRM RKEY that
 * announces the key, the record is taken without it, and the peer offers again.
 * A record that breaks a rule stays as it is, so that smc_frames_take() rejects
 * it.
 */
static noinline void framed_take_offer(struct smc_conn *conn,
				       const struct smc_link *link,
				       const struct smc_frame_record *rec)
{
	struct smc_frame_record named = *rec;

	if (rec->offer.size && smc_frame_sane(rec) &&
	    smc_member_offered_rmb(&conn->member, link, rec->offer.rkey,
				   &named.offer.rkey))
		named.parts ^= SMC_FRAME_OFFER;
	framed_take(conn, link, &named, NULL);
}

/* Does the connection use this dialect, so that conn->framed is valid? */
static bool rx_framed(const struct smc_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	return conn->member.ops->fill == smc_framed_tx_fill;
}

/**
 * smc_framed_rx_record() - struct smc_link_user.record: a record has arrived
 * @lgr:	group of the link
 * @link:	link that received it
 * @rec:	the record
 *
 * A record with an unknown token is counted and dropped. Context: softirq.
 * Return: 0; -ENOMEM: there is no memory for its data, and nothing has
 * happened.
 */
int smc_framed_rx_record(struct smc_lgr *lgr, const struct smc_link *link,
			 const struct smc_frame_record *rec)
{
	struct smc_conn *conn;
	bool ours = false;
	int err = 0;

	rcu_read_lock();	/* the read section keeps @conn, see object.h */
	conn = smc_token_find(rec->token);
	if (conn) {
		spin_lock_bh(&conn->lock);
		/* a peer may only name tokens of its own group */
		ours = conn->life.place == SMC_PLACE_IN &&
		       conn->member.lgr == lgr && rx_framed(conn);
		if (ours)
			err = rx_reserve(conn, rec);
		if (err == -EPROTO) {
			framed_violation(conn, "memory", conn->framed.mem.held);
			err = 0;
		} else if (ours && !err) {
			if (unlikely(rec->parts & SMC_FRAME_OFFER))
				framed_take_offer(conn, link, rec);
			else
				framed_take(conn, link, rec, NULL);
		}
		if (ours && !err) {
			smc_framed_tx_kick(conn);
			if (unlikely(!smc_object_open(conn)))
				smc_close_settled(conn);
		}
		if (ours)
			smc_mib_inc(conn->net, err ? SMC_MIB_RECORD_NOMEM :
						     SMC_MIB_RECORD_RX);
		smc_conn_unlock(conn);
	}
	rcu_read_unlock();
	if (!ours)
		smc_mib_inc(NULL, SMC_MIB_RECORD_NOTOKEN);
	return err;
}

/*
 * Takes a letter. Its newest record says all that the earlier ones said, but a
 * record can have fewer bytes than a letter, and the stream ends behind all.
 */
static void rx_take_letter(struct smc_conn *conn, struct smc_letter *letter)
{
	u64 pos = letter->rec.prod - letter->bytes;
	struct smc_frame_record rec;
	LIST_HEAD(pieces);

	smc_member_heard(&conn->member);
	do {
		rec = letter->rec;
		rec.len = smc_framed_mail_split(letter, &pieces);
		pos += rec.len;
		rec.prod = pos;
		if (!list_empty(&letter->pieces))
			rec.flags &= SMC_FRAME_B;
		framed_take(conn, NULL, &rec, &pieces);
		smc_framed_mail_discard(&pieces);
	} while (!list_empty(&letter->pieces));
}

/**
 * smc_framed_rx_take_mail() - struct smc_dialect.take_mail
 * @conn:	connection, its lock held
 */
void smc_framed_rx_take_mail(struct smc_conn *conn)
{
	struct smc_letter letter;

	lockdep_assert_held(&conn->lock);
	while (conn->mail && smc_framed_mail_take(conn, &letter)) {
		if (conn->life.place != SMC_PLACE_IN) {
			smc_framed_mail_discard(&letter.pieces);
			continue;
		}
		rx_take_letter(conn, &letter);
		smc_framed_tx_kick(conn);
		smc_close_settled(conn);
	}
}

/**
 * smc_framed_rx_deliver() - struct smc_dialect.deliver
 * @token:	token of an in-host connection
 *
 * The connection may answer with a letter to its peer, which the peer takes
 * here, too, so the two do not call each other.
 *
 * Context: BH safe, no lock of a connection held.
 */
void smc_framed_rx_deliver(u32 token)
{
	struct smc_conn *conn;

	rcu_read_lock();	/* the read section keeps @conn, see object.h */
	while (token) {
		conn = smc_token_find(token);
		if (!conn || !conn->mail)
			break;
		spin_lock_bh(&conn->lock);
		smc_framed_rx_take_mail(conn);
		token = conn->news.peer;
		conn->news.peer = 0;
		smc_conn_unlock(conn);
	}
	rcu_read_unlock();
}

/**
 * smc_framed_rx_closed() - struct smc_lgr_member_ops.closed
 * @m:		member, a connection
 * @uid:	user ID of the link whose endpoint is quiet
 *
 * Context: process.
 */
void smc_framed_rx_closed(struct smc_lgr_member *m, u32 uid)
{
	struct smc_conn *conn = container_of(m, struct smc_conn, member);

	spin_lock_bh(&conn->lock);
	/* partner: smc_life_without_frames() */
	if (conn->life.place == SMC_PLACE_IN && rx_framed(conn)) {
		if (smc_frames_in_closed(&conn->framed.f.in, uid))
			framed_violation(conn, "frames lost", uid);
		smc_framed_element_check(conn);
		smc_framed_tx_kick(conn);
		smc_close_settled(conn);
	}
	smc_conn_unlock(conn);
}

/* ---- life ---- */

/**
 * smc_framed_rx_prepare() - initialise the receiving side, for struct
 * smc_dialect.attach
 * @conn:	connection, its lock held
 * @link:	user ID of the link on which the peer sends first
 * @cap:	limit of the window in bytes
 */
void smc_framed_rx_prepare(struct smc_conn *conn, u32 link, u32 cap)
{
	struct smc_framed *fr = &conn->framed;

	smc_frames_in_init(&fr->f.in, link, SMC_FRAMES_WINDOW_MIN);
	fr->window.size = SMC_FRAMES_WINDOW_MIN;
	INIT_LIST_HEAD(&fr->mem.spare);
	fr->mem.cap = max_t(u32, cap, SMC_FRAMES_WINDOW_MIN);
	WRITE_ONCE(conn->rx.size, fr->window.size);	/* partners: count.c */
}

/**
 * smc_framed_rx_keeps() - is there memory for bytes, but no unread byte?
 * @conn:	connection, its lock held
 *
 * Context: BH safe.
 */
bool smc_framed_rx_keeps(const struct smc_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	return conn->framed.mem.held && conn->rx.prod == conn->rx.cons;
}

/**
 * smc_framed_rx_shrink() - free the memory for bytes, if none is unread
 * @conn:	connection, its lock held
 *
 * Context: BH safe.
 */
void smc_framed_rx_shrink(struct smc_conn *conn)
{
	if (smc_framed_rx_keeps(conn) && !conn->rx.busy)
		smc_framed_rx_free(conn);
}

/**
 * smc_framed_rx_free() - free all received bytes
 * @conn:	connection that was attached and has no reader
 *
 * Context: any.
 */
void smc_framed_rx_free(struct smc_conn *conn)
{
	struct smc_framed_mem *mem = &conn->framed.mem;

	rx_free_list(conn, &mem->spare);
	rx_free_list(conn, &conn->rx.extents);
	if (mem->ring)
		rx_free_chunk(conn, mem->ring);
	mem->ring = NULL;
	mem->room = 0;
}

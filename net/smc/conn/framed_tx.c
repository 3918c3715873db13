// SPDX-License-Identifier: GPL-2.0
/*
 * Dialect of frames: sending. A connection that has a record to send joins the
 * queue of its link. The builder of the link calls smc_framed_tx_fill(), which
 * adds the record to the frame and copies the data. Bytes stay in the send
 * queue until they are known to be delivered, because another link may have to
 * carry them again.
 *
 * An in-host connection sends at once: it puts its record into the mailbox of
 * the peer, with references to the pages of its bytes. The peer's reader was
 * charged for these bytes before it opened the window, so they are delivered.
 */
#include <linux/highmem.h>
#include <linux/mm.h>
#include "../base/limits.h"
#include "../base/mib.h"
#include "../group/link.h"
#include "../group/member.h"
#include "../group/pack.h"
#include "../group/writes.h"
#include "../wire/cdc.h"
#include "../wire/ext.h"
#include "../wire/stream.h"
#include "../wire/urgent.h"
#include "close.h"
#include "conn.h"
#include "frames_ask_fsm.h"
#include "framed_element.h"
#include "framed_idle.h"
#include "framed_mail.h"
#include "framed_tx.h"
#include "measure.h"
#include "object.h"
#include "timer.h"
#include "txq.h"

/* A working peer answers a change of links within this time. */
#define TX_LINGER_MS	2000

/* Delay before an in-host connection asks again for memory. */
#define TX_RETRY_MS	2

/* More bytes than this fill any frame. */
#define TX_DUE_MAX	65536

/*
 * Fewer bytes than this go in frames even if the peer has offered an element.
 */
#define TX_WRITE_MIN	8192

/*
 * If at least this many bytes are queued, and the next ones are in a page that
 * the application lends until a notice (MSG_ZEROCOPY), they do not go in a
 * frame, not even a short rest of the window.
 */
#define TX_BORROW_MIN	4096

/* ---- what to say ---- */

static u8 tx_to_frame(u8 flags)
{
	return (flags & SMC_CDC_D ? SMC_FRAME_D : 0) |
	       (flags & SMC_CDC_C ? SMC_FRAME_C : 0) |
	       (flags & SMC_CDC_A ? SMC_FRAME_A : 0);
}

static u8 tx_from_frame(u8 flags)
{
	return (flags & SMC_FRAME_D ? SMC_CDC_D : 0) |
	       (flags & SMC_FRAME_C ? SMC_CDC_C : 0) |
	       (flags & SMC_FRAME_A ? SMC_CDC_A : 0);
}

/* May this side send records? */
static bool framed_may_talk(const struct smc_conn *conn)
{
	return conn->life.place == SMC_PLACE_IN &&
	       conn->close.state != SMC_CONN_INIT && conn->framed.token;
}

static bool tx_partial(const struct smc_conn *conn)
{
	return unlikely(conn->tx.hold) && smc_txq_partial(conn);
}

/*
 * Position behind the last byte that may be sent, if the window allows it. This
 * function and tx_wait() are inline, because each message calls them several
 * times.
 */
static inline u64 tx_prep(const struct smc_conn *conn)
{
	u64 prep = min(conn->tx.prep, conn->tx.barrier);

	if (!smc_object_open(conn) || tx_partial(conn) ||
	    prep < conn->tx.sent)
		return conn->tx.sent;
	return prep;
}

/* Copies what the application wants to the state of the sending direction. */
static void tx_refresh(struct smc_conn *conn)
{
	struct smc_frames_out *out = &conn->framed.f.out;
	const struct smc_urg_tx *urg = &conn->tx.urg;
	u64 urgent = 0;
	u8 want;

	/* the common case: there is nothing but bytes */
	if (likely(!conn->close.want && !urg->end && !out->urgent))
		return;
	want = tx_to_frame(conn->close.want);
	if (!smc_object_open(conn))
		want &= SMC_FRAME_A;
	out->want |= want;
	if (smc_object_open(conn) && urg->end)
		urgent = urg->next ?: urg->end;
	if (urgent && (!urg->told || urgent != out->urgent))
		out->owes = true;	/* F-26 */
	out->urgent = urgent;
	if (conn->close.want & (SMC_CDC_C | SMC_CDC_A))
		smc_frames_in_drop(&conn->framed.f.in);
}

static u64 tx_waiting(const struct smc_conn *conn)
{
	const struct smc_frames_out *out = &conn->framed.f.out;
	u64 end = min(tx_prep(conn), out->edge);

	if (out->state != SMC_ASK_SENDS || (out->want & SMC_FRAME_A))
		return 0;
	return end > out->sent ? end - out->sent : 0;
}

static bool framed_due(struct smc_conn *conn)
{
	tx_refresh(conn);
	return smc_frames_due(&conn->framed.f, tx_prep(conn));
}

/*
 * Must another record follow the one that was just added? Only bytes and flags
 * may be left.
 */
static bool tx_has_more(struct smc_conn *conn)
{
	return (conn->tx.prep != conn->tx.sent || conn->close.want) &&
	       framed_due(conn);
}

/*
 * Starts the timers for a partial burst and for the peer's answer at the end.
 */
static void tx_start_timers(struct smc_conn *conn)
{
	if (smc_txq_partial(conn) && smc_object_open(conn) &&
	    conn->tx.prep != conn->tx.sent)
		smc_timer_start(conn, SMC_TIMER_CORK,
				msecs_to_jiffies(SMC_CORK_MS));
	if (conn->close.state == SMC_CONN_CLOSED &&
	    !conn->framed.f.out.flying && !smc_framed_tx_settled(conn))
		smc_timer_start(conn, SMC_TIMER_LINGER,
				msecs_to_jiffies(TX_LINGER_MS));
}

/*
 * A connection needs a timer only if it holds bytes back (MSG_MORE, TCP_CORK),
 * or if it is closed.
 */
static inline void tx_wait(struct smc_conn *conn)
{
	if (unlikely(conn->tx.hold || conn->close.state == SMC_CONN_CLOSED))
		tx_start_timers(conn);
}

/* @how: SMC_QUEUE_FIRST or 0. Return: see smc_member_queue(). */
static bool tx_queue(struct smc_conn *conn, u8 how)
{
	u64 n = min_t(u64, tx_waiting(conn), TX_DUE_MAX);

	/* the peer may also wait for something else, such as a window */
	if (smc_frames_due(&conn->framed.f, conn->tx.sent))
		how |= SMC_QUEUE_PROMPT;
	/* an estimate: the head may be short */
	return smc_member_queue(&conn->member, SMC_FRAME_LONG_LEN + n, how);
}

/* ---- records ---- */

/* Copies the next @len bytes of the queue into a frame. */
static void framed_copy(struct smc_conn *conn, u8 *to, u32 len)
{
	struct smc_seg *seg = conn->tx.next;
	u64 pos = conn->tx.sent;

	while (len) {
		u32 at = seg->off + (u32)(pos - seg->start);
		u32 left = seg->len - (u32)(pos - seg->start);
		u32 n = min3(len, left, (u32)(PAGE_SIZE - offset_in_page(at)));

		memcpy_from_page((char *)to, seg->page + (at >> PAGE_SHIFT),
				 offset_in_page(at), n);
		seg->copied = true;
		to += n;
		pos += n;
		len -= n;
		if (n == left)
			seg = smc_txq_after(conn, seg);
	}
	conn->tx.next = seg;
	conn->tx.sent = pos;
}

/*
 * For smc_txq_gather(): appends a piece to the last WRITE. A small segment goes
 * into a frame, because a WRITE needs a reference to its pages.
 */
static u32 framed_write_page(void *to, const struct smc_seg *seg, u32 off, u32 len)
{
	if (seg->kind == SMC_SEG_SMALL)
		return 0;
	return smc_writes_page(to, seg->page, off, len);
}

/* Does the application lend the page of these bytes until a notice? */
static bool tx_is_borrowed(const struct smc_seg *seg)
{
	return unlikely(seg && seg->notice);
}

/*
 * Returns the least number of bytes that go to the peer's element, if the frame
 * has room for @room bytes.
 */
static u32 tx_least(const struct smc_conn *conn, u32 room)
{
	if (tx_is_borrowed(conn->tx.next) &&
	    conn->tx.prep - conn->tx.sent >= TX_BORROW_MIN)
		return 1;
	return max_t(u32, TX_WRITE_MIN, room + 1);
}

/*
 * Returns how many of @waiting bytes go to the peer's element; 0 if they are
 * fewer than @least.
 */
static u64 tx_for_element(const struct smc_conn *conn, u64 waiting, u32 least)
{
	u64 n;

	if (waiting < least)
		return 0;
	n = smc_frames_out_writable(&conn->framed.f.out, waiting);
	return n >= least ? n : 0;
}

/*
 * Gathers @left bytes into WRITEs to the peer's element; two WRITEs if they
 * wrap. @at becomes the position behind them. Return: number of bytes; 0 if
 * they are fewer than @least, and the frame has room for them (@room).
 */
static u32 tx_write(struct smc_conn *conn, struct smc_writes *writes, u64 left,
		    u32 least, u32 room, struct smc_txq_spot *at)
{
	const struct smc_frame_offer *o = &conn->framed.f.out.offer;
	u32 rkey, total = 0, i;
	u64 addr;

	if (!left ||
	    !smc_member_peer_key(&conn->member, o->rkey, &rkey, &addr))
		return 0;
	*at = (struct smc_txq_spot){ .seg = conn->tx.next, .pos = conn->tx.sent };
	for (i = 0; i < SMC_EP_MAX_WRITES && left; i++) {
		u32 n = smc_stream_contig(at->pos, o->size, left);
		u32 done;

		smc_writes_begin(writes, rkey, addr + o->offset +
				 smc_stream_offset(at->pos, o->size));
		done = smc_txq_gather(conn, at, n, framed_write_page, writes);
		total += done;
		if (done < n)
			break;
		left -= done;
	}
	if (total > room || total >= least)
		return total;
	smc_writes_drop(writes);
	return 0;
}

/*
 * Returns the room for data in a frame with room for @room bytes, if @written
 * bytes before @at go to the element. The data would be a copy of pages that
 * the application lends. And smc_frames_fill() uses the element only if it
 * takes more bytes than the frame has room for.
 */
static u32 tx_data_room(u32 room, u32 written, const struct smc_txq_spot *at)
{
	if (written && (written <= room || tx_is_borrowed(at->seg)))
		return 0;
	return room;
}

/*
 * Runs after a record was added to a frame, or is about to be put into a
 * mailbox.
 * @bytes: bytes in the record and in its WRITEs.
 */
static void tx_said(struct smc_conn *conn, const struct smc_frame_record *rec,
		    u32 bytes)
{
	u8 flags = tx_from_frame(rec->flags);

	conn->alive.last = jiffies;
	if (rec->parts & SMC_FRAME_URGENT)
		smc_urg_tx_said(&conn->tx.urg);
	if (bytes)
		smc_mib_add(conn->net, SMC_MIB_TX_BYTES, bytes);
	smc_txq_posted(conn);
	smc_measure_posted(conn, bytes);
	smc_close_said(conn, flags);
}

/* Adds the record of the connection. Return: false if the frame has no room. */
static bool tx_add_record(struct smc_conn *conn, struct smc_pack *pack,
			  struct smc_writes *writes, u32 others)
{
	struct smc_frames *f = &conn->framed.f;
	struct smc_frames_room room = {
		.short_heads = pack->version >= SMC_EXT_SHORT_VERSION,
	};
	struct smc_frame_record rec;
	struct smc_frames_write w;
	u64 waiting = tx_waiting(conn), for_element;
	struct smc_txq_spot at;
	u32 least;
	u8 *data;
	int n;

	n = smc_pack_room(pack, smc_frames_parts(f, tx_prep(conn),
						 room.short_heads),
			  waiting, others);
	if (n < 0)
		return false;
	least = tx_least(conn, n);
	for_element = tx_for_element(conn, waiting, least);
	/*
	 * another connection has WRITEs in this frame, so this one uses the
	 * next
	 */
	if (for_element && writes->n)
		return false;
	room.write = tx_write(conn, writes, for_element, least, n, &at);
	room.data = tx_data_room(n, room.write, &at);
	smc_frames_fill(f, tx_prep(conn), &room, &rec, &w);
	rec.token = conn->framed.token;
	smc_framed_element_tell(conn, &rec);
	data = smc_pack_add(pack, &rec, &conn->member, f->out.move);
	if (WARN_ON_ONCE(!data)) {
		smc_writes_drop(writes);
		f->out.flying--;
		return true;
	}
	if (w.len) {
		conn->tx.next = at.seg;
		conn->tx.sent = at.pos;
	}
	if (rec.len)
		framed_copy(conn, data, rec.len);
	if (f->out.flying == 1)
		smc_conn_get(conn, SMC_CONN_REF_FLIGHT);
	smc_mib_inc(conn->net, SMC_MIB_RECORD_TX);
	tx_said(conn, &rec, w.len + rec.len);
	return true;
}

/**
 * smc_framed_tx_fill() - struct smc_lgr_member_ops.fill
 * @m:		member, a connection
 * @link:	link whose frame has room
 * @pack:	the frame
 * @writes:	WRITEs that precede the frame
 * @others:	number of members that wait behind this one
 *
 * Context: BH off. Return: false if the frame has no room.
 */
bool smc_framed_tx_fill(struct smc_lgr_member *m, struct smc_link *link,
			struct smc_pack *pack, struct smc_writes *writes,
			u32 others)
{
	struct smc_conn *conn = container_of(m, struct smc_conn, member);
	bool room = true;

	spin_lock_bh(&conn->lock);
	if (m->link != link || !framed_may_talk(conn) || !framed_due(conn))
		goto out;
	room = tx_add_record(conn, pack, writes, others);
	if (!room || tx_has_more(conn))
		tx_queue(conn, room ? 0 : SMC_QUEUE_FIRST);
	tx_wait(conn);
out:
	smc_conn_unlock(conn);
	return room;
}

/* Updates the send queue after the peer has acknowledged bytes. */
static void tx_sync(struct smc_conn *conn)
{
	const struct smc_frames_out *out = &conn->framed.f.out;

	if (unlikely(conn->tx.sent != out->sent)) {
		conn->tx.sent = out->sent;
		conn->tx.next = smc_txq_at(conn, out->sent);
	}
	if (out->fin > conn->tx.fin) {
		smc_txq_delivered(conn, out->fin);
		if (smc_txq_keeps(conn))
			smc_framed_idle_watch(conn);
		smc_measure_delivered(conn);
	}
}

/* ---- in-host ---- */

/*
 * Refers to the next bytes of the queue, @len at most. Return: number of bytes;
 * less if memory is short.
 */
static u32 mail_pieces(struct smc_conn *conn, struct smc_txq_spot *at, u32 len,
		       struct list_head *pieces)
{
	struct smc_chunk *chunk;
	u32 done = 0;

	while (done < len && at->seg) {
		u32 off = at->pos - at->seg->start;
		u32 n = min3(at->seg->len - off, len - done,
			     (u32)SMC_FRAMED_PIECE_MAX);

		if (n) {
			chunk = smc_framed_mail_lend(at->seg, at->seg->off + off,
						     n);
			if (!chunk)
				break;
			list_add_tail(&chunk->bytes.list, pieces);
		}
		done += n;
		at->pos += n;
		if (off + n == at->seg->len)
			at->seg = smc_txq_after(conn, at->seg);
	}
	return done;
}

/*
 * Puts the next record into the mailbox of the peer. Return: false if memory
 * for its bytes is short.
 */
static bool mail_record(struct smc_conn *conn)
{
	struct smc_txq_spot at = { .seg = conn->tx.next, .pos = conn->tx.sent };
	u32 len = min_t(u64, tx_waiting(conn), U16_MAX);
	struct smc_frames *f = &conn->framed.f;
	struct smc_frames_room room = {};
	struct smc_frame_record rec;
	struct smc_frames_write w;
	LIST_HEAD(pieces);

	room.data = mail_pieces(conn, &at, len, &pieces);
	smc_frames_fill(f, tx_prep(conn), &room, &rec, &w);
	rec.token = conn->framed.token;
	rec.flags &= (u8)~SMC_FRAME_W;	/* an element would not be faster */
	conn->tx.next = at.seg;
	conn->tx.sent = at.pos;
	tx_said(conn, &rec, rec.len);
	smc_framed_mail_post(conn, &rec, &pieces);
	smc_frames_out_done(&f->out, f->out.move, rec.prod);
	tx_sync(conn);
	return room.data == len;
}

/* Sends all records that are due. */
static void tx_mail(struct smc_conn *conn)
{
	bool any = false;

	while (framed_due(conn)) {
		any = true;
		if (!mail_record(conn)) {
			smc_timer_start(conn, SMC_TIMER_CORK,
					msecs_to_jiffies(TX_RETRY_MS));
			break;
		}
	}
	if (any)
		smc_close_settled(conn);
}

/* ---- what the other files call ---- */

/**
 * smc_framed_tx_kick() - send everything that is pending
 * @conn:	connection, its lock held
 *
 * If a record can be sent now, smc_conn_unlock() serves the link, or lets the
 * peer take it.
 */
void smc_framed_tx_kick(struct smc_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	if (!framed_may_talk(conn))
		return;
	if (conn->mail) {
		tx_mail(conn);
	} else if (framed_due(conn) && tx_queue(conn, 0) && !conn->news.serve) {
		conn->news.serve = smc_link_get(conn->member.link,
						SMC_LINK_REF_SERVE);
	}
	tx_wait(conn);
}

/* ---- completion ---- */

/**
 * smc_framed_tx_heard() - act on a record of the peer after smc_frames_take()
 * @conn:	connection, its lock held
 */
void smc_framed_tx_heard(struct smc_conn *conn)
{
	const struct smc_frames_out *out = &conn->framed.f.out;

	tx_sync(conn);
	conn->tx.edge = out->edge;
	smc_urg_tx_passed(&conn->tx.urg, out->cons);
}

/**
 * smc_framed_tx_done() - struct smc_lgr_member_ops.settled
 * @m:		member, a connection
 * @move:	value of out.move when the record was added
 * @prod:	producer position of the record
 * @err:	0, or a negative errno
 *
 * Context: BH off.
 */
void smc_framed_tx_done(struct smc_lgr_member *m, u32 move, u64 prod, int err)
{
	struct smc_conn *conn = container_of(m, struct smc_conn, member);
	struct smc_frames_out *out = &conn->framed.f.out;
	bool last;

	spin_lock_bh(&conn->lock);
	if (move != out->move)
		smc_txq_landed(conn);
	if (err) {
		smc_frames_out_failed(out);
		if (move == out->move && conn->life.place == SMC_PLACE_IN)
			conn->framed.unsure = true;
	} else {
		smc_frames_out_done(out, move, prod);
		tx_sync(conn);
	}
	last = !out->flying;
	/* a completion makes no record due, but the end may wait for it */
	if (framed_may_talk(conn))
		tx_wait(conn);
	if (unlikely(!smc_object_open(conn)))
		smc_close_settled(conn);
	/* a record that was added in the meantime holds a new reference */
	smc_conn_unlock(conn);
	if (last)
		smc_conn_landed(conn);
}

/**
 * smc_framed_tx_flying() - struct smc_dialect.flying
 * @conn:	connection, its lock held
 *
 * Return: a record was posted and has not completed.
 */
bool smc_framed_tx_flying(const struct smc_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	return conn->framed.f.out.flying;
}

/**
 * smc_framed_tx_settled() - struct smc_dialect.settled
 * @conn:	connection, its lock held
 *
 * Return: nothing is in flight, and no record has to be sent again.
 */
bool smc_framed_tx_settled(const struct smc_conn *conn)
{
	const struct smc_frames_out *out = &conn->framed.f.out;
	u8 said = conn->close.said;

	lockdep_assert_held(&conn->lock);
	if (out->flying)
		return false;
	if (conn->framed.alone || !(said & (SMC_CDC_C | SMC_CDC_A)))
		return true;
	if (conn->framed.unsure)
		return false;
	if (said & SMC_CDC_A)
		return out->said & SMC_FRAME_A;
	return smc_frames_out_settled(out, conn->tx.prep);
}

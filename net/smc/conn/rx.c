// SPDX-License-Identifier: GPL-2.0
/*
 * Consumer side: what the peer's CDC messages say, and reading from the own
 * element. The element's bytes are the peer's to change at any time; they are
 * copied and never looked at.
 */
#include <linux/mm.h>
#include <linux/socket.h>
#include <linux/uio.h>
#include "../base/limits.h"
#include "../base/mib.h"
#include "../base/stats.h"
#include "../base/trace.h"
#include "../wire/stream.h"
#include "conn_priv.h"

/* Notes when the peer needs our position (4.5.1). */
static void check_update(struct smc_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	/* a peer with urgent data waits for every byte (R-4.7.6-03) */
	if (smc_stream_update_due(conn->rx.size, conn->rx.prod, conn->rx.told,
				  conn->rx.free,
				  conn->rx.prod_flags & SMC_CDC_B,
				  conn->rx.prod_flags &
				  (SMC_CDC_R | SMC_CDC_P | SMC_CDC_U)))
		conn->tx.update = true;
}

/** smc_rx_passed - all before @pos was read or is not to be, lock held */
void smc_rx_passed(struct smc_conn *conn, u64 pos)
{
	conn->rx.cons = pos;
	if (pos >= conn->rx.free) {
		conn->rx.free = pos;
		smc_urg_forget(conn);
	}
	smc_urg_rx_passed(&conn->rx.urg, pos);
}

/* ---- CDC messages ---- */

/* R-A.4-13: the connection ends, the application sees a reset. */
static void violation(struct smc_conn *conn, const char *what, u64 value)
{
	smc_mib_inc(conn->net, SMC_MIB_CDC_VIOLATION);
	trace_smc_violation(what, conn, value);
	smc_close_abort(conn, ECONNRESET);
}

/*
 * 4.6.1: the peer moved to another link; has everything arrived here? What its
 * adapter knows to be delivered may still be in the old link's receive queue,
 * which another processor serves: that gets a moment before it counts as lost.
 */
static void validate(struct smc_conn *conn, const struct smc_cdc *cdc)
{
	conn->rx.moved = true;
	if (smc_cdc_seq_covers(conn->rx.seq, cdc->seq) ||
	    conn->state >= SMC_CONN_PEERABORTWAIT)
		return;
	conn->rx.gap = true;
	conn->rx.gap_seq = cdc->seq;
	mod_delayed_work(smc_conn_wq, &conn->rx.gap_timer,
			 msecs_to_jiffies(SMC_VALIDATE_WAIT_MS));
}

/* Positions that a message claims. */
struct claim {
	u64 at;		/* producer position as it is there, maybe a known one */
	u64 prod;
	u64 cons;
};

/*
 * The peer may have written up to the end of the window that it was told, and
 * read up to where we wrote. Equal positions are fine (R-4.6.2-04).
 */
static bool expand(struct smc_conn *conn, const struct smc_cdc *cdc,
		   struct claim *c)
{
	u64 grant = conn->rx.told + conn->rx.size - conn->rx.prod;
	u64 back = 0;

	/* after a move the peer begins where it is sure (R-4.6.2-04) */
	if (conn->rx.moved)
		back = min_t(u64, conn->rx.prod, conn->rx.size);
	if (smc_stream_expand(conn->rx.prod - back, conn->rx.size,
			      cdc->prod_wrap, cdc->prod, grant + back,
			      &c->prod)) {
		violation(conn, "cdc producer",
			  (u64)cdc->prod_wrap << 32 | cdc->prod);
		return false;
	}
	c->at = c->prod;
	c->prod = max(c->prod, conn->rx.prod);
	c->cons = conn->tx.peer_cons;
	/* before our first message the peer may not know its own element yet */
	if (!conn->peer.size) {
		if (!cdc->cons_wrap && !cdc->cons)
			return true;
	} else if (!smc_stream_expand(conn->tx.peer_cons, conn->peer.size,
				      cdc->cons_wrap, cdc->cons,
				      conn->tx.high - conn->tx.peer_cons,
				      &c->cons)) {
		return true;
	}
	violation(conn, "cdc consumer", (u64)cdc->cons_wrap << 32 | cdc->cons);
	return false;
}

/*
 * New bytes are in the element. With the application gone nobody will read
 * them: the peer has to learn that, as a TCP peer would by a reset.
 */
static void new_bytes(struct smc_conn *conn, u64 prod)
{
	conn->rx.prod = prod;
	if (prod - conn->rx.cons == conn->rx.size)
		smc_stat_buf(conn->net, SMC_STAT_RX, SMC_STAT_BUF_FULL);
	if (conn->tx.said & SMC_CDC_C)
		return;		/* it crossed ours: the peer's C is near */
	if (conn->tx.want & SMC_CDC_C)
		smc_close_abort(conn, ECONNRESET);
	else if (conn->state != SMC_CONN_INIT)
		conn->tell |= SMC_TELL_READABLE;
}

static void apply(struct smc_conn *conn, const struct smc_cdc *cdc)
{
	u8 old = conn->rx.conn_flags;
	struct claim c;

	if (!expand(conn, cdc, &c))
		return;
	conn->rx.seq = cdc->seq;
	conn->alive.last = jiffies;
	conn->rx.prod_flags = cdc->prod_flags;
	conn->rx.conn_flags |= cdc->conn_flags;
	conn->tx.peer_cons = c.cons;
	smc_urg_tx_passed(&conn->tx.urg, c.cons);
	smc_conn_settle(conn);
	/* R-4.8.1-04: positions before flags; nothing new after D (R-A.4-17) */
	if (c.prod != conn->rx.prod && !(old & (SMC_CDC_D | SMC_CDC_C)) &&
	    !(cdc->conn_flags & SMC_CDC_A))
		new_bytes(conn, c.prod);
	if (conn->state < SMC_CONN_PEERABORTWAIT)
		smc_urg_heard(conn, cdc->prod_flags, min(c.at, conn->rx.prod));
	if (conn->state != SMC_CONN_INIT)
		smc_close_heard(conn, cdc->conn_flags & ~old);
	/* it may wait for what we have read long ago (R-4.5.1-07, -08) */
	if (smc_conn_open(conn) &&
	    (cdc->prod_flags & (SMC_CDC_B | SMC_CDC_R)))
		check_update(conn);
}

/* After an abort or the end only the peer's last word counts (R-4.8.2-03). */
static void apply_late(struct smc_conn *conn, const struct smc_cdc *cdc)
{
	u8 fresh = cdc->conn_flags & ~conn->rx.conn_flags;

	conn->rx.conn_flags |= fresh;
	conn->rx.seq = cdc->seq;
	smc_close_heard(conn, fresh);
}

/* It came by the new link, and what is before it is still missing. */
static bool held(struct smc_conn *conn, const struct smc_cdc *cdc)
{
	if (!conn->rx.gap || cdc->prod_flags & SMC_CDC_F ||
	    smc_cdc_seq_covers(conn->rx.gap_seq, cdc->seq))
		return false;
	if (!conn->rx.has_held ||
	    smc_cdc_seq_newer(cdc->seq, conn->rx.held.seq))
		conn->rx.held = *cdc;
	conn->rx.has_held = true;
	return true;
}

static void take(struct smc_conn *conn, const struct smc_cdc *cdc)
{
	if (conn->state < SMC_CONN_PEERABORTWAIT)
		apply(conn, cdc);
	else
		apply_late(conn, cdc);
}

static void check_gap(struct smc_conn *conn)
{
	if (!conn->rx.gap ||
	    !smc_cdc_seq_covers(conn->rx.seq, conn->rx.gap_seq))
		return;
	conn->rx.gap = false;
	if (conn->rx.has_held)
		take(conn, &conn->rx.held);
	conn->rx.has_held = false;
}

/** smc_rx_gap_timer - what the old link had was handed up long ago */
void smc_rx_gap_timer(struct work_struct *work)
{
	struct smc_conn *conn = container_of(to_delayed_work(work),
					     struct smc_conn, rx.gap_timer);

	smc_conn_lock(conn);
	if (conn->rx.gap) {
		conn->rx.gap = false;
		violation(conn, "cdc lost", conn->rx.gap_seq);	/* R-4.6.1-07 */
		smc_tx_kick(conn);
		smc_conn_try_leave(conn);
	}
	smc_conn_unlock(conn);
}

static void receive(struct smc_conn *conn, const struct smc_cdc *cdc)
{
	if (held(conn, cdc))
		return;
	if (cdc->prod_flags & SMC_CDC_F) {
		validate(conn, cdc);
	} else if (cdc->seq == conn->rx.seq ||
		   smc_cdc_seq_newer(cdc->seq, conn->rx.seq)) {
		take(conn, cdc);
		check_gap(conn);
	} else {
		smc_mib_inc(conn->net, SMC_MIB_CDC_OLD);	/* R-A.4-04 */
		return;
	}
	smc_tx_kick(conn);
	smc_conn_try_leave(conn);
}

void smc_conn_cdc(struct smc_lgr *lgr, const u8 *buf)
{
	struct smc_conn *conn;
	struct smc_cdc cdc;
	bool ours = false;

	if (smc_cdc_decode(buf, SMC_CDC_LEN, &cdc))
		return;
	rcu_read_lock();	/* keeps @conn, see conn_priv.h */
	conn = smc_token_find(cdc.token);
	if (conn) {
		smc_conn_lock(conn);
		/* a token is worth nothing in another group (D10) */
		ours = conn->place == SMC_PLACE_IN && conn->member.lgr == lgr;
		if (ours)
			receive(conn, &cdc);
		smc_conn_unlock(conn);
	}
	rcu_read_unlock();
	if (!ours)
		smc_mib_inc(NULL, SMC_MIB_CDC_NOTOKEN);
}

/* ---- reading; the caller holds the socket lock ---- */

/* Is the next byte an urgent one that reading skips? */
static bool at_hole(const struct smc_conn *conn)
{
	return unlikely(smc_urg_rx_mark(&conn->rx.urg) == conn->rx.cons) &&
	       !smc_urg_in_line(conn);
}

/* Readable bytes; none after an abort (R-4.8.2-07). */
static u32 avail(const struct smc_conn *conn)
{
	if (!smc_conn_open(conn))
		return 0;
	return conn->rx.prod - conn->rx.cons - at_hole(conn);
}

u32 smc_rx_avail(const struct smc_conn *conn)
{
	struct smc_conn *c = (struct smc_conn *)conn;
	u32 n;

	spin_lock_bh(&c->lock);
	n = avail(c);
	spin_unlock_bh(&c->lock);
	return n;
}

bool smc_rx_eof(const struct smc_conn *conn)
{
	const u8 end = SMC_CDC_D | SMC_CDC_C | SMC_CDC_A;
	struct smc_conn *c = (struct smc_conn *)conn;
	bool eof;

	spin_lock_bh(&c->lock);
	if (c->state >= SMC_CONN_PEERABORTWAIT)
		eof = true;
	else
		eof = smc_conn_open(c) && (c->rx.conn_flags & end);
	spin_unlock_bh(&c->lock);
	return eof;
}

void smc_rx_tell(struct smc_conn *conn)
{
	smc_conn_lock(conn);
	if (smc_conn_open(conn) && conn->rx.told != conn->rx.free) {
		conn->tx.update = true;
		smc_tx_kick(conn);
	}
	smc_conn_unlock(conn);
}

/* Copies @len bytes from @pos on to @msg. Return: bytes copied. */
static u32 copy_element(struct smc_conn *conn, struct msghdr *msg, u64 pos,
			u32 len)
{
	u32 off = smc_stream_offset(pos, conn->rx.size);
	u32 done = 0;

	while (done < len) {
		struct page **p = conn->rx.rmbe.pages + conn->rx.rmbe.first;
		u32 in_page = offset_in_page(off);
		u32 n = min_t(u32, len - done, PAGE_SIZE - in_page);
		u32 copied = copy_page_to_iter(p[off >> PAGE_SHIFT], in_page, n,
					       &msg->msg_iter);

		done += copied;
		if (copied < n)
			break;
		off += n;
		if (off == conn->rx.size)
			off = 0;
	}
	return done;
}

/* The same, where the first @kept bytes are not in the element any more. */
static u32 copy_out(struct smc_conn *conn, struct msghdr *msg, u64 pos, u32 len,
		    u32 kept)
{
	u32 done = 0;

	if (unlikely(kept)) {
		kept = min(kept, len);
		done = copy_to_iter(conn->rx.kept.buf +
				    (pos - conn->rx.kept.start), kept,
				    &msg->msg_iter);
		if (done < kept)
			return done;
	}
	return done + copy_element(conn, msg, pos + done, len - done);
}

/* What a call will read. */
struct part {
	u64 pos;
	u32 len;
	u32 kept;	/* so many of them are in rx.kept */
};

/*
 * Begins to read: while rx.busy is set element and kept bytes stay ours,
 * whatever becomes of the connection.
 */
static void begin_read(struct smc_conn *conn, size_t len, u32 offset,
		       bool consume, struct part *part)
{
	bool hole;
	u64 mark;
	u32 n;

	smc_conn_lock(conn);
	hole = smc_conn_open(conn) && at_hole(conn);
	if (hole && consume) {
		smc_rx_passed(conn, conn->rx.cons + 1);
		hole = false;
	}
	n = avail(conn);
	n = offset < n ? min_t(size_t, len, n - offset) : 0;
	part->pos = conn->rx.cons + hole + offset;
	mark = smc_urg_rx_mark(&conn->rx.urg);
	if (unlikely(mark > part->pos) && mark - part->pos < n)
		n = mark - part->pos;
	part->len = n;
	part->kept = 0;
	if (unlikely(conn->rx.free > part->pos))
		part->kept = conn->rx.free - part->pos;
	conn->rx.busy = n != 0;
	smc_conn_unlock(conn);
}

static ssize_t end_read(struct smc_conn *conn, u64 pos, u32 n, bool consume)
{
	ssize_t ret = n;

	smc_conn_lock(conn);
	smc_conn_read_done(conn);
	if (!smc_conn_open(conn)) {
		ret = 0;	/* aborted meanwhile: what was copied is void */
	} else if (consume && n) {
		smc_rx_passed(conn, pos + n);
		smc_mib_add(conn->net, SMC_MIB_RX_BYTES, n);
		check_update(conn);
	}
	smc_urg_keep(conn);	/* it had to wait for us */
	smc_tx_kick(conn);
	smc_conn_unlock(conn);
	return ret;
}

ssize_t smc_rx_read(struct smc_conn *conn, struct msghdr *msg, size_t len,
		    u32 offset, int flags)
{
	bool consume = !(flags & MSG_PEEK);
	struct part part;
	ssize_t ret;
	u32 copied;

	begin_read(conn, len, offset, consume, &part);
	if (!part.len)
		return 0;
	copied = part.len;
	if (!(flags & MSG_TRUNC))
		copied = copy_out(conn, msg, part.pos, part.len, part.kept);
	ret = end_read(conn, part.pos, copied, consume);
	return ret || copied ? ret : -EFAULT;
}

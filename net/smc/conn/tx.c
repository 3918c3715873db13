// SPDX-License-Identifier: GPL-2.0
/*
 * Producer side: queued bytes become remote writes, and each bundle of writes
 * ends with the CDC message that publishes them (D7). Everything that has to
 * be said (data, consumer position, D, C, A) leaves through one function, so
 * whatever is posted carries all that is due.
 */
#include <net/sock.h>
#include "../base/limits.h"
#include "../base/mib.h"
#include "../base/tunables.h"
#include "../transport/transport.h"
#include "../wire/stream.h"
#include "conn_priv.h"
#include "txq.h"

/*
 * Bundles that one call may post before the connection queues up behind
 * others; each can carry a whole window if its pages allow.
 */
#define TX_BURST	4

/* ---- what is due ---- */

/* May anything new be said? Not after own C or A (R-A.4-17). */
static bool can_talk(const struct smc_conn *conn)
{
	return conn->place == SMC_PLACE_IN &&
	       conn->state != SMC_CONN_INIT &&
	       conn->state != SMC_CONN_CLOSED &&
	       !(conn->tx.said & (SMC_CDC_C | SMC_CDC_A));
}

/* What was said on a link that failed is said again, in any state. */
static bool repeats(const struct smc_conn *conn)
{
	return conn->place == SMC_PLACE_IN &&
	       (conn->tx.again ||
		(conn->tx.validate && conn->state != SMC_CONN_CLOSED));
}

/* A partial burst that MSG_MORE keeps back; a full one goes (R-4.5.2-02). */
static bool held(const struct smc_conn *conn)
{
	u32 burst = min3(conn->tx.limit / 2, conn->peer.size,
			 (u32)SMC_AUTOCORK_DEFAULT_BYTES);

	return conn->tx.hold && !conn->tx.want && !conn->tx.urg.end &&
	       conn->tx.prep - conn->tx.sent < burst;
}

/* Bytes that may be written now (R-A.4-08, R-4.7.5-05, R-4.8.2-12). */
static u64 data_due(const struct smc_conn *conn)
{
	u64 end = smc_urg_tx_limit(&conn->tx.urg, min(conn->tx.prep,
						      conn->tx.barrier));
	u32 window;

	if (!smc_conn_open(conn) || held(conn))
		return 0;
	window = smc_stream_window(conn->peer.size, conn->tx.sent,
				   conn->tx.peer_cons);
	return min_t(u64, window, end - conn->tx.sent);
}

/* Flags that may be said now: A at once, D and C behind all data (R-4.8.1-12). */
static u8 flags_due(const struct smc_conn *conn)
{
	u8 due = conn->tx.want & ~conn->tx.said;

	if (due & SMC_CDC_A)
		return SMC_CDC_A;
	if (!due || !smc_conn_open(conn) || conn->tx.inflight ||
	    conn->tx.fin != conn->tx.prep)
		return 0;
	return due;
}

static bool due(const struct smc_conn *conn)
{
	/* what is in flight has to end on the old link first (R-2.3-06) */
	if (conn->tx.target)
		return false;
	if (repeats(conn))
		return true;
	return can_talk(conn) &&
	       (conn->tx.update || flags_due(conn) || data_due(conn) ||
		(smc_conn_open(conn) && smc_urg_tx_due(&conn->tx.urg)));
}

/* ---- posting ---- */

/* A place in the queue. */
struct spot {
	struct smc_seg *seg;
	u64 pos;
};

static void next_seg(struct smc_conn *conn, struct spot *at)
{
	if (list_is_last(&at->seg->list, &conn->tx.segs))
		at->seg = NULL;
	else
		at->seg = list_next_entry(at->seg, list);
}

/* Gathers up to @len bytes into the last write of @slot. Return: bytes. */
static u32 gather(struct smc_conn *conn, struct smc_ep_slot *slot,
		  struct spot *at, u32 len)
{
	u32 done = 0;

	while (done < len && at->seg) {
		struct smc_seg *seg = at->seg;
		u32 off = at->pos - seg->start;
		u32 n = min(seg->len - off, len - done);
		u32 took = smc_ep_write_page(conn->member.ep, slot, seg->page,
					     seg->off + off, n);

		done += took;
		at->pos += took;
		if (took < n)
			break;		/* the gather list is full */
		if (off + n == seg->len)
			next_seg(conn, at);
	}
	return done;
}

/* Puts writes for up to @len bytes into @slot; two when they wrap (R-4.7-04). */
static void add_writes(struct smc_conn *conn, struct smc_ep_slot *slot,
		       struct spot *at, u64 len)
{
	struct smc_ep *ep = conn->member.ep;
	u32 size = conn->peer.size;
	int i;

	for (i = 0; i < SMC_EP_MAX_WRITES && len; i++) {
		u32 piece = smc_stream_contig(at->pos, size, len);
		u32 done;

		piece = min(piece, smc_ep_max_write(ep));
		smc_ep_write_begin(ep, slot, conn->peer.rkey, conn->peer.addr +
				   smc_stream_offset(at->pos, size));
		done = gather(conn, slot, at, piece);
		if (done < piece)
			break;
		len -= done;
	}
}

static void fill_cdc(struct smc_conn *conn, u8 *msg, u64 end, u8 conn_flags)
{
	u32 window = smc_stream_window(conn->peer.size, end,
				       conn->tx.peer_cons);
	struct smc_cdc cdc = {
		.seq = conn->tx.seq + 1,
		.token = conn->peer.token,
		.conn_flags = conn_flags,
	};

	smc_stream_to_wire(end, conn->peer.size, &cdc.prod_wrap, &cdc.prod);
	smc_stream_to_wire(conn->rx.free, conn->rx.size, &cdc.cons_wrap,
			   &cdc.cons);
	if (smc_conn_open(conn))
		cdc.prod_flags |= smc_urg_tx_flags(&conn->tx.urg, end);
	/* blocked: more is queued than the peer has room for (R-A.4-14) */
	if (smc_conn_open(conn) && conn->tx.prep - end > window)
		cdc.prod_flags |= SMC_CDC_B;
	conn->tx.flags = cdc.prod_flags;
	smc_cdc_encode(msg, &cdc);
}

static void tx_done(struct smc_ep_slot *slot, int err);

static void in_flight(struct smc_conn *conn)
{
	if (!conn->tx.inflight++)
		smc_conn_get(conn);
}

/*
 * The first message on another link (R-4.6.1-04). It has the number of the last
 * one that is known delivered; the sequence goes on behind it as if it were not
 * there.
 */
static bool post_validation(struct smc_conn *conn, struct smc_ep_slot *slot)
{
	const struct smc_cdc cdc = {
		.seq = conn->tx.ss,
		.token = conn->peer.token,
		.prod_flags = SMC_CDC_F,
	};

	smc_cdc_encode(slot->msg, &cdc);
	slot->done = tx_done;
	slot->cookie = conn;
	slot->end_pos = conn->tx.fin;
	slot->seq = conn->tx.ss;
	if (smc_ep_slot_post(conn->member.ep, slot))
		return false;
	conn->tx.validate = false;
	in_flight(conn);
	return true;
}

/* The bundle is on its way: all that follows from it. */
static void posted(struct smc_conn *conn, struct spot *at, u8 flags)
{
	u8 news = flags & ~conn->tx.said;
	u64 bytes = at->pos - conn->tx.sent;

	conn->tx.seq++;
	conn->tx.spoke = true;
	conn->alive.last = jiffies;
	conn->tx.sent = at->pos;
	conn->tx.next = at->seg;
	conn->tx.said = flags;
	conn->tx.update = false;
	conn->tx.again = false;
	conn->tx.high = max(conn->tx.high, at->pos);
	conn->rx.told = conn->rx.free;
	smc_urg_tx_said(&conn->tx.urg);
	in_flight(conn);
	smc_mib_inc(conn->net, SMC_MIB_CDC_TX);
	if (bytes)
		smc_mib_add(conn->net, SMC_MIB_TX_BYTES, bytes);
	else if (!news)
		smc_mib_inc(conn->net, SMC_MIB_CDC_TX_UPDATE);
	smc_close_said(conn, news);
}

/*
 * Posts one bundle with everything that is due. A failure to post means that
 * the endpoint is going down: all stays queued, ->down() follows.
 */
static bool post(struct smc_conn *conn, struct smc_ep_slot *slot)
{
	struct spot at = { .seg = conn->tx.next, .pos = conn->tx.sent };
	u8 flags = conn->tx.said | (can_talk(conn) ? flags_due(conn) : 0);
	u64 bytes = can_talk(conn) ? data_due(conn) : 0;

	if (conn->tx.validate)
		return post_validation(conn, slot);
	add_writes(conn, slot, &at, bytes);
	/* a write takes one piece at least, else we would spin */
	if (WARN_ON_ONCE(bytes && at.pos == conn->tx.sent)) {
		smc_ep_slot_cancel(conn->member.ep, slot);
		return false;
	}
	fill_cdc(conn, slot->msg, at.pos, flags);
	slot->done = tx_done;
	slot->cookie = conn;
	slot->end_pos = at.pos;
	slot->seq = conn->tx.seq + 1;
	if (smc_ep_slot_post(conn->member.ep, slot))
		return false;
	posted(conn, &at, flags);
	return true;
}

/* What is kept back leaves after a while, whatever happens (R-4.5.2-02). */
static void arm_cork(struct smc_conn *conn)
{
	if (can_talk(conn) && conn->tx.prep != conn->tx.sent && held(conn))
		queue_delayed_work(smc_conn_wq, &conn->tx.cork,
				   msecs_to_jiffies(SMC_CORK_MS));
}

/*
 * Posts up to @max bundles; what is left waits in the link's queue. A full burst
 * that the window or a bundle cut short may leave a part that is kept back.
 */
static void kick(struct smc_conn *conn, int max)
{
	struct smc_ep_slot *slot;

	lockdep_assert_held(&conn->lock);
	while (due(conn)) {
		if (!max--) {
			smc_member_wait_slot(&conn->member);
			return;
		}
		slot = smc_ep_slot_get(conn->member.ep, SMC_EP_DATA);
		if (!slot) {
			smc_mib_inc(conn->net, SMC_MIB_TX_NOSLOT);
			smc_member_wait_slot(&conn->member);
			return;
		}
		if (!post(conn, slot))
			return;
	}
	arm_cork(conn);
}

/** smc_tx_kick - send what is due, conn->lock held */
void smc_tx_kick(struct smc_conn *conn)
{
	kick(conn, TX_BURST);
}

/** smc_tx_run - a slot is free: one bundle, then behind the others again */
void smc_tx_run(struct smc_lgr_member *m)
{
	struct smc_conn *conn = container_of(m, struct smc_conn, member);

	smc_conn_lock(conn);
	kick(conn, 1);
	smc_conn_unlock(conn);
}

/* ---- completion ---- */

static void delivered(struct smc_conn *conn, const struct smc_ep_slot *slot)
{
	u32 before = smc_txq_room(conn);

	conn->tx.fin = max(conn->tx.fin, slot->end_pos);
	conn->tx.ss = slot->seq;
	smc_txq_delivered(conn);
	/*
	 * A sender that found it full waits, and so may one who finds little:
	 * tell them as long as less than half was free.
	 */
	if (before < conn->tx.limit / 2)
		conn->tell |= SMC_TELL_WRITABLE;
}

/* A bundle has completed, in order; softirq. */
static void tx_done(struct smc_ep_slot *slot, int err)
{
	struct smc_conn *conn = slot->cookie;
	bool last;

	smc_conn_lock(conn);
	last = !--conn->tx.inflight;
	/* not delivered for certain: the bytes are kept, the link is failing */
	if (!err)
		delivered(conn, slot);
	else if (conn->place == SMC_PLACE_IN)
		conn->tx.lost = true;
	if (last)
		smc_conn_settle(conn);
	if (last && conn->tx.target)
		smc_conn_switch(conn);
	if (last && (conn->tx.said & SMC_CDC_A) && !conn->tx.lost &&
	    !conn->tx.again)
		smc_close_step(conn, SMC_CLOSE_EV_TX_A_DONE);
	smc_tx_kick(conn);
	smc_conn_try_leave(conn);
	/* kick may have posted: then it has taken a reference of its own */
	smc_conn_unlock(conn);
	if (last)
		smc_conn_put(conn);
}

/* ---- for the owner ---- */

/*
 * While a message of this connection is under way further small sends wait for
 * its completion and leave together (D7). Not when the peer has read all that
 * was sent: then the link is idle, only its completion is late.
 */
static bool coalesce(const struct smc_conn *conn)
{
	u32 limit = READ_ONCE(smc_tunables(conn->net)->autocorking_size);

	return conn->tx.inflight && !conn->tx.want && !conn->tx.urg.end &&
	       conn->tx.peer_cons != conn->tx.sent &&
	       conn->tx.prep - conn->tx.sent <=
	       min(conn->tx.limit / 2, limit);
}

void smc_tx_push(struct smc_conn *conn, bool nodelay, bool more)
{
	smc_conn_lock(conn);
	conn->tx.hold = more;
	if (conn->tx.prep == conn->tx.sent)
		goto out;
	if (!held(conn) && !nodelay && coalesce(conn)) {
		smc_mib_inc(conn->net, SMC_MIB_TX_COALESCED);
		goto out;
	}
	smc_tx_kick(conn);
out:
	smc_conn_unlock(conn);
}

/** smc_tx_cork_timer - a partial burst was kept back long enough */
void smc_tx_cork_timer(struct work_struct *work)
{
	struct smc_conn *conn = container_of(to_delayed_work(work),
					     struct smc_conn, tx.cork);

	smc_conn_lock(conn);
	conn->tx.hold = false;
	smc_tx_kick(conn);
	smc_conn_unlock(conn);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The dialect of frames (frames.rst): records that travel with others in frames
 * of the link. This file has the start and the end of a connection, its moves
 * between links, and the table of operations. framed_tx.c sends, framed_rx.c
 * receives. frames*.c decide what a record says.
 */
#include "../base/limits.h"
#include "../base/mib.h"
#include "../group/contact.h"
#include "../group/info.h"
#include "../group/member.h"
#include "../wire/clc.h"
#include "close.h"
#include "conn.h"
#include "framed.h"
#include "framed_charge.h"
#include "framed_element.h"
#include "framed_idle.h"
#include "framed_mail.h"
#include "framed_rx.h"
#include "framed_tx.h"
#include "info.h"
#include "object.h"
#include "timer.h"
#include "txq.h"

/* ---- start ---- */

static void framed_attach(struct smc_conn *conn, struct smc_contact *c)
{
	struct smc_framed *fr = &conn->framed;

	lockdep_assert_held(&conn->lock);
	smc_frames_out_init(&fr->f.out, SMC_FRAMES_WINDOW_MIN);
	smc_framed_rx_prepare(conn, conn->member.named_uid, c->rmb_size);
	fr->named = c->rmbe.rmb;
	smc_framed_element_attach(conn, c);
	if (conn->mail)
		smc_framed_mail_open(conn);
	conn->tx.edge = fr->f.out.edge;
	/*
	 * the peer expects the first record on the link that the Accept named
	 */
	if (smc_info_link_uid(conn->member.link) != conn->member.named_uid)
		smc_frames_out_moved(&fr->f.out);
}

static int framed_set_peer(struct smc_conn *conn,
			   const struct smc_clc_accept *accept)
{
	u32 rmb;
	int err;

	if (!accept->token || accept->bsize_code > SMC_RMBE_CODE_MAX)
		return -EPROTO;
	/* in-host neither end has an element */
	if (conn->mail && (accept->rkey || accept->rmb_addr ||
			   !smc_framed_mail_expect(conn, accept->token)))
		return -EPROTO;
	/* other messages of the group may name the element's RMB */
	if (conn->framed.named) {
		err = smc_member_peer_rmb(&conn->member, accept->rkey,
					  accept->rmb_addr, &rmb);
		if (err == -ENOLINK)
			return err;
	}
	spin_lock_bh(&conn->lock);
	conn->framed.token = accept->token;
	if (!conn->framed.element.elastic)
		conn->framed.peer_size = (u32)SMC_RMBE_MIN_BYTES <<
					 accept->bsize_code;
	WRITE_ONCE(conn->tx.burst, SMC_FRAMES_WINDOW_MIN); /* smc_count_send() */
	smc_conn_unlock(conn);
	return 0;
}

static int framed_start(struct smc_conn *conn)
{
	if (WARN_ON_ONCE(!conn->framed.token))
		return -EDESTADDRREQ;
	smc_framed_element_start(conn);
	return 0;
}

/* The link decides when a frame that is not full leaves. */
static void framed_push(struct smc_conn *conn, bool may_wait)
{
	smc_framed_rx_seen(conn);
	smc_framed_tx_kick(conn);
}

/* ---- another link ---- */

/* callback struct smc_lgr_member_ops.move */
static bool framed_move(struct smc_lgr_member *m, struct smc_link *from,
			struct smc_link *to)
{
	struct smc_conn *conn = container_of(m, struct smc_conn, member);
	bool moved = false;

	spin_lock_bh(&conn->lock);
	if (conn->life.place > SMC_PLACE_IN || m->link != from || from == to)
		goto out;
	moved = true;
	smc_framed_rx_seen(conn);
	/* completions of the old link no longer prove delivery (F-23) */
	smc_member_switch(m, to);
	smc_mib_inc(conn->net, SMC_MIB_CONN_MOVED);
	conn->measure.moves++;
	if (conn->life.place == SMC_PLACE_OUT)
		goto out;	/* framed_attach() follows */
	smc_frames_out_moved(&conn->framed.f.out);
	smc_txq_left(conn, conn->framed.f.out.flying);
	conn->framed.unsure = false;
	smc_framed_tx_kick(conn);
	smc_conn_try_leave(conn);
out:
	smc_conn_unlock(conn);
	return moved;
}

static const struct smc_lgr_member_ops framed_member_ops = {
	.fill = smc_framed_tx_fill,
	.settled = smc_framed_tx_done,
	.closed = smc_framed_rx_closed,
	.down = smc_close_group_ended,
	.move = framed_move,
};

/* ---- timers ---- */

/* The peer has not answered for too long. */
static void framed_linger(struct smc_conn *conn)
{
	spin_lock_bh(&conn->lock);
	if (smc_timer_take(conn, SMC_TIMER_LINGER)) {
		conn->framed.alone = true;
		smc_close_settled(conn);
	}
	smc_conn_unlock(conn);
}

/* Gives back the memory of a direction that is idle. May look again later. */
static void framed_look(struct smc_conn *conn)
{
	spin_lock_bh(&conn->lock);
	if (!smc_timer_take(conn, SMC_TIMER_IDLE) || !smc_object_open(conn))
		goto out;
	if (smc_framed_idle_since(conn->measure.sent_at))
		smc_txq_shrink(conn);
	if (smc_framed_idle_since(conn->measure.heard_at)) {
		smc_framed_rx_shrink(conn);
		if (conn->rx.prod == conn->rx.cons)
			smc_framed_element_narrow(conn);
	}
	if (smc_txq_keeps(conn) || smc_framed_rx_keeps(conn) ||
	    smc_framed_element_spare(conn))
		smc_framed_idle_watch(conn);
out:
	smc_conn_unlock(conn);
}

/* callback struct smc_dialect.expired */
static void framed_expired(struct smc_conn *conn, enum smc_conn_timer which)
{
	switch (which) {
	case SMC_TIMER_LINGER:
		framed_linger(conn);
		break;
	case SMC_TIMER_ELEMENT:
		smc_framed_element_run(conn);
		break;
	case SMC_TIMER_IDLE:
		framed_look(conn);
		break;
	default:
		WARN_ON_ONCE(true);
	}
}

/* ---- end ---- */

static void framed_leave(struct smc_conn *conn)
{
	spin_lock_bh(&conn->lock);
	smc_framed_rx_seen(conn);
	spin_unlock_bh(&conn->lock);
	smc_framed_element_back(conn);
	if (conn->mail)
		smc_framed_mail_close(conn);
}

static void framed_reap(struct smc_conn *conn)
{
	smc_framed_element_back(conn);
	spin_lock_bh(&conn->lock);
	smc_framed_rx_free(conn);
	smc_framed_charge_return(conn);
	spin_unlock_bh(&conn->lock);
}

static void framed_free(struct smc_conn *conn)
{
	/*
	 * reap has freed bytes and elements, unless the connection was never
	 * attached
	 */
	smc_framed_mail_free(conn->mail);
	smc_framed_element_free(conn);
}

/* ---- views ---- */

static void framed_info(const struct smc_conn *conn, struct smc_conn_info *info)
{
	const struct smc_frames *f = &conn->framed.f;
	u32 own = smc_framed_element_size(conn);
	u32 peer = conn->framed.element.elastic ? f->out.offer.size :
						  conn->framed.peer_size;

	lockdep_assert_held(&conn->lock);
	info->rmbe_size = own;
	info->peer_rmbe_size = peer;
	info->rx_prod = smc_info_cursor(conn->rx.prod, own);
	info->rx_cons = smc_info_cursor(conn->rx.cons, own);
	info->tx_prod = smc_info_cursor(conn->tx.sent, peer);
	info->tx_cons = smc_info_cursor(f->out.cons, peer);
	info->in_flight = f->out.flying;
}

/* The dialect of frames. */
const struct smc_dialect smc_framed_dialect = {
	.member = &framed_member_ops,
	.small = SMC_FRAMED_TX_SMALL,
	.attach = framed_attach,
	.set_peer = framed_set_peer,
	.start = framed_start,
	.push = framed_push,
	.reader = smc_framed_rx_reader,
	.limit = smc_framed_rx_limit,
	.settled = smc_framed_tx_settled,
	.flying = smc_framed_tx_flying,
	.expired = framed_expired,
	.leave = framed_leave,
	.reap = framed_reap,
	.free = framed_free,
	.info = framed_info,
	.take_mail = smc_framed_rx_take_mail,
	.deliver = smc_framed_rx_deliver,
};

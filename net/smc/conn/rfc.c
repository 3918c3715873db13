// SPDX-License-Identifier: GPL-2.0
/*
 * The dialect of RFC 7609: WRITEs into the peer's element, and CDC messages
 * with cursors. This file has the start and the end of a connection, its moves
 * between links, and the table of operations. rfc_tx.c sends, rfc_rx.c
 * receives.
 */
#include <linux/overflow.h>
#include <linux/rculist.h>
#include "../base/limits.h"
#include "../group/contact.h"
#include "../group/quarantine.h"
#include "../group/lgr.h"
#include "../group/link.h"
#include "../group/member.h"
#include "../wire/cdc.h"
#include "../wire/clc.h"
#include "close.h"
#include "conn.h"
#include "info.h"
#include "object.h"
#include "rfc.h"
#include "rfc_element.h"
#include "rfc_failover.h"
#include "rfc_rx.h"
#include "rfc_tx.h"
#include "rfc_urgent.h"
#include "txq.h"

/* ---- start ---- */

static void rfc_attach(struct smc_conn *conn, struct smc_contact *c)
{
	struct smc_rfc_rx *rx = &conn->rfc.rx;

	lockdep_assert_held(&conn->lock);
	rx->rmbe = c->rmbe;
	c->rmbe.rmb = NULL;
	rx->bytes.pages = rx->rmbe.pages + rx->rmbe.first;
	conn->rfc.eye = smc_lgr_eye_len(conn->member.lgr);
	rx->bytes.skip = conn->rfc.eye;
	rx->bytes.ring = rx->rmbe.size - conn->rfc.eye;
	list_add_tail_rcu(&rx->bytes.list, &conn->rx.extents);
	/* partners: count.c; another dialect may change it later */
	WRITE_ONCE(conn->rx.size, rx->bytes.ring);
	smc_rfc_urgent_prepare(conn);
}

static int rfc_set_peer(struct smc_conn *conn,
			const struct smc_clc_accept *accept)
{
	struct smc_rfc_peer *peer = &conn->rfc.peer;
	u64 start, size;
	int err = 0;
	u32 rmb;

	if (!accept->rmbe_idx || accept->bsize_code > SMC_RMBE_CODE_MAX)
		return -EPROTO;
	size = (u64)SMC_RMBE_MIN_BYTES << accept->bsize_code;
	/* an element must not extend beyond the address space */
	if (check_add_overflow(accept->rmb_addr, (accept->rmbe_idx - 1) * size,
			       &start) || start + size - 1 < start)
		return -EPROTO;
	err = smc_member_peer_rmb(&conn->member, accept->rkey, accept->rmb_addr,
				  &rmb);
	if (err)
		return err == -ENOLINK ? err : -EPROTO;

	spin_lock_bh(&conn->lock);
	peer->token = accept->token;
	peer->rmb = rmb;
	peer->off = start - accept->rmb_addr + conn->rfc.eye;
	peer->size = size - conn->rfc.eye;
	WRITE_ONCE(conn->tx.burst, peer->size);	/* smc_count_send() */
	conn->tx.edge = conn->rfc.tx.peer_cons + peer->size;
	/*
	 * The connection may use a link that the message did not name. After a
	 * violation it has left the group, and has no link.
	 */
	if (conn->life.place != SMC_PLACE_IN || !smc_rfc_failover_resolve(conn))
		err = -ENOLINK;
	smc_conn_unlock(conn);
	return err;
}

static int rfc_start(struct smc_conn *conn)
{
	if (WARN_ON_ONCE(!conn->rfc.peer.size))
		return -EDESTADDRREQ;
	/* set the claim last, after all fields that identify the element were
	 * checked
	 */
	return smc_rfc_element_claim(conn);
}

/* ---- another link ---- */

/* callback struct smc_lgr_member_ops.move */
static bool rfc_move(struct smc_lgr_member *m, struct smc_link *from,
		     struct smc_link *to)
{
	struct smc_conn *conn = container_of(m, struct smc_conn, member);
	struct smc_rfc_tx *tx = &conn->rfc.tx;
	bool moved = false;

	spin_lock_bh(&conn->lock);
	if (conn->life.place > SMC_PLACE_IN ||
	    (m->link != from && tx->target != from) ||
	    !smc_member_may_move(m, conn->rfc.peer.rmb, from, to))
		goto out;
	if (tx->target)
		smc_link_put(tx->target, SMC_LINK_REF_TARGET);
	tx->target = NULL;
	moved = true;
	if (m->link != to) {
		tx->target = smc_link_get(to, SMC_LINK_REF_TARGET);
		if (!tx->inflight)
			smc_rfc_failover_switch(conn);
	}
	smc_rfc_tx_kick(conn);
	smc_conn_try_leave(conn);
out:
	smc_conn_unlock(conn);
	return moved;
}

static const struct smc_lgr_member_ops rfc_member_ops = {
	.run = smc_rfc_tx_run,
	.down = smc_close_group_ended,
	.move = rfc_move,
};

/* ---- end ---- */

/*
 * Returns how many bytes of the element the peer may have written. After a
 * clean end these are the announced bytes. After an abort or the end of the
 * group it is the whole element.
 */
static u32 rfc_used_bytes(const struct smc_conn *conn)
{
	if (conn->rfc.rx.late || (conn->close.said & SMC_CDC_A) ||
	    !(conn->close.heard & SMC_CDC_C) ||
	    (conn->close.heard & SMC_CDC_A))
		return conn->rx.size + conn->rfc.eye;
	return min_t(u64, conn->rx.prod, conn->rx.size) + conn->rfc.eye;
}

/* Have both sides sent that they have finished with the element? */
static bool rfc_both_done(const struct smc_conn *conn)
{
	const u8 final = SMC_CDC_C | SMC_CDC_A;

	lockdep_assert_held(&conn->lock);
	return (conn->close.said & final) &&
	       ((conn->close.heard | conn->rfc.rx.late) & final);
}

/*
 * Returns the element to its RMB. If a reader still copies from the element,
 * reap returns the element later.
 */
static void rfc_give_back(struct smc_conn *conn)
{
	struct smc_rmbe rmbe = {};
	bool clean, late;
	u32 used, token;

	spin_lock_bh(&conn->lock);
	if (!conn->rx.busy) {
		rmbe = conn->rfc.rx.rmbe;
		conn->rfc.rx.rmbe.rmb = NULL;
	}
	clean = rfc_both_done(conn);
	used = rfc_used_bytes(conn);
	token = conn->close.said & (SMC_CDC_C | SMC_CDC_A) ? conn->token : 0;
	smc_conn_unlock(conn);
	if (!rmbe.rmb)
		return;
	smc_rmbe_put(conn->life.lgr, &rmbe, used, clean, token);
	if (clean)
		return;
	/*
	 * the peer's last message may have arrived before the element was
	 * quarantined
	 */
	spin_lock_bh(&conn->lock);
	late = rfc_both_done(conn);
	spin_unlock_bh(&conn->lock);
	if (late)
		smc_quarantine_heard(conn->life.lgr, token);
}

/* callback struct smc_dialect.expired */
static void rfc_expired(struct smc_conn *conn, enum smc_conn_timer which)
{
	if (!WARN_ON_ONCE(which != SMC_TIMER_GAP))
		smc_rfc_rx_overdue(conn);
}

static void rfc_leave(struct smc_conn *conn)
{
	struct smc_link *target;

	smc_rfc_element_drop(conn);
	rfc_give_back(conn);

	/* rfc_move() sets no new target in SMC_PLACE_LEAVING */
	spin_lock_bh(&conn->lock);
	target = conn->rfc.tx.target;
	conn->rfc.tx.target = NULL;
	spin_unlock_bh(&conn->lock);
	if (target)
		smc_link_put(target, SMC_LINK_REF_TARGET);
}

static void rfc_reap(struct smc_conn *conn)
{
	rfc_give_back(conn);
	spin_lock_bh(&conn->lock);
	smc_rfc_urgent_free(conn);
	spin_unlock_bh(&conn->lock);
}

/* ---- views ---- */

static void rfc_info(const struct smc_conn *conn, struct smc_conn_info *info)
{
	u32 own = conn->rx.size;
	u32 peer = conn->rfc.peer.size;

	lockdep_assert_held(&conn->lock);
	info->rmbe_size = own + conn->rfc.eye;
	info->peer_rmbe_size = peer ? peer + conn->rfc.eye : 0;
	info->rx_prod = smc_info_cursor(conn->rx.prod, own);
	info->rx_cons = smc_info_cursor(smc_rfc_tx_freed(conn), own);
	info->tx_prod = smc_info_cursor(conn->tx.sent, peer);
	info->tx_cons = smc_info_cursor(conn->rfc.tx.peer_cons, peer);
	info->in_flight = conn->rfc.tx.inflight;
	info->rx_prod_flags = conn->rfc.rx.flags;
	info->tx_prod_flags = conn->rfc.tx.flags;
}

/* The dialect of RFC 7609. */
const struct smc_dialect smc_rfc_dialect = {
	.member = &rfc_member_ops,
	.attach = rfc_attach,
	.set_peer = rfc_set_peer,
	.start = rfc_start,
	.push = smc_rfc_tx_push,
	.reader = smc_rfc_rx_reader,
	.limit = smc_rfc_rx_limit,
	.settled = smc_rfc_tx_settled,
	.flying = smc_rfc_tx_flying,
	.expired = rfc_expired,
	.leave = rfc_leave,
	.reap = rfc_reap,
	.free = smc_rfc_urgent_free,
	.info = rfc_info,
};

/**
 * smc_rfc_init() - initialise the dialect when the module starts
 *
 * Context: process. Return: 0 or -ENOMEM.
 */
int smc_rfc_init(void)
{
	return smc_rfc_element_init();
}

/** smc_rfc_exit() - clean up when the module ends. Context: process, sleeps. */
void smc_rfc_exit(void)
{
	smc_rfc_element_exit();
}

// SPDX-License-Identifier: GPL-2.0
/*
 * A connection changes the link that it sends over (RFC 7609 4.6).
 *
 * What was posted on the old link has completed or failed then. The connection
 * says F with the number of the last message that is known delivered (SS), and
 * begins again behind the last byte that is: in new writes with new numbers,
 * perhaps together with newer bytes (R-4.6.2-03). Bytes that had arrived after
 * all are written a second time at the same place.
 */
#include <linux/overflow.h>
#include "../base/mib.h"
#include "../wire/cdc.h"
#include "conn_priv.h"
#include "txq.h"

/**
 * smc_conn_resolve - key and address of the peer's element on the own link
 * @conn:	connection, its lock held
 *
 * Return: false: the peer has not told them.
 */
bool smc_conn_resolve(struct smc_conn *conn)
{
	u32 rkey;
	u64 addr;

	lockdep_assert_held(&conn->lock);
	if (!smc_member_peer_key(&conn->member, conn->peer.rmb, &rkey, &addr) ||
	    check_add_overflow(addr, conn->peer.off, &addr))
		return false;
	conn->peer.rkey = rkey;
	conn->peer.addr = addr;
	return true;
}

/**
 * smc_conn_settle - bytes that the peer has read have arrived there
 * @conn:	connection, its lock held
 *
 * After a move the peer may have read more than is known delivered here. Memory
 * that the device still reads from is kept: nothing may be in flight.
 */
void smc_conn_settle(struct smc_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	if (conn->tx.peer_cons > conn->tx.sent) {
		conn->tx.sent = conn->tx.peer_cons;
		conn->tx.next = smc_txq_at(conn, conn->tx.sent);
	}
	if (conn->tx.inflight || conn->tx.peer_cons <= conn->tx.fin)
		return;
	conn->tx.fin = conn->tx.peer_cons;
	smc_txq_delivered(conn);
	conn->tell |= SMC_TELL_WRITABLE;
}

/* Begin again behind what is known delivered (R-4.6.2-01). */
static void rewind_tx(struct smc_conn *conn)
{
	/* something was said that may not have been heard */
	if (conn->tx.ss != conn->tx.seq)
		conn->tx.again = true;
	conn->tx.lost = false;
	/* after an abort no data are sent, only the word itself */
	if (!smc_conn_open(conn))
		return;
	conn->tx.sent = conn->tx.fin;
	conn->tx.next = smc_txq_at(conn, conn->tx.sent);
	smc_conn_settle(conn);
}

/**
 * smc_conn_switch - send over the link that was set as the next one
 * @conn:	connection, its lock held, nothing in flight
 */
void smc_conn_switch(struct smc_conn *conn)
{
	struct smc_link *to = conn->tx.target;

	lockdep_assert_held(&conn->lock);
	conn->tx.target = NULL;
	smc_member_switch(&conn->member, to);
	smc_mib_inc(conn->net, SMC_MIB_CONN_MOVED);
	if (conn->peer.size && !smc_conn_resolve(conn)) {
		/* the last word can be said without a key, data cannot */
		conn->tx.again = conn->tx.ss != conn->tx.seq;
		conn->tx.lost = false;
		smc_close_abort(conn, ECONNRESET);
		return;
	}
	if (!conn->tx.spoke)
		return;		/* the peer has heard nothing so far */
	conn->tx.validate = true;	/* R-4.6.1-04, -09 */
	rewind_tx(conn);
}

/** smc_conn_move - struct smc_lgr_member_ops.move */
bool smc_conn_move(struct smc_lgr_member *m, struct smc_link *from,
		   struct smc_link *to)
{
	struct smc_conn *conn = container_of(m, struct smc_conn, member);
	bool moved = false;

	smc_conn_lock(conn);
	if (conn->place > SMC_PLACE_IN ||
	    (m->link != from && conn->tx.target != from) ||
	    !smc_member_may_move(m, conn->peer.rmb, from, to))
		goto out;
	if (conn->tx.target)
		smc_link_put(conn->tx.target);
	conn->tx.target = NULL;
	moved = true;
	if (m->link != to) {
		conn->tx.target = smc_link_get(to);
		if (!conn->tx.inflight)
			smc_conn_switch(conn);
	}
	smc_tx_kick(conn);
	smc_conn_try_leave(conn);
out:
	smc_conn_unlock(conn);
	return moved;
}

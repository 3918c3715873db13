// SPDX-License-Identifier: GPL-2.0
/*
 * RFC dialect: a connection changes the link that it uses for sending (RFC 7609
 * 4.6).
 *
 * Before the change everything that was posted on the old link has completed or
 * failed. The connection then sends the flag F with the sequence number of the
 * last message that is known to be delivered (SS). The connection then starts
 * again behind the last byte that is known to be delivered, with new WRITEs and
 * new sequence numbers, which may include newer bytes (R-4.6.2-03). Some bytes
 * may have arrived in spite of the failure. The connection writes such bytes
 * again at the same position.
 */
#include <linux/overflow.h>
#include "../base/mib.h"
#include "../group/link.h"
#include "../group/member.h"
#include "close.h"
#include "object.h"
#include "rfc_failover.h"
#include "txq.h"

/**
 * smc_rfc_failover_step() - the only writer of rfc.tx.path
 * @conn:	connection, its lock held
 * @ev:		what happened
 *
 * Only a bug of this module causes an event that the table marks as impossible.
 */
void smc_rfc_failover_step(struct smc_conn *conn, enum smc_rfc_path_event ev)
{
	const struct smc_fsm_cell *cell;

	lockdep_assert_held(&conn->lock);
	cell = smc_fsm_step(&smc_rfc_path_fsm, &conn->rfc.tx.path, ev);
	WARN_ON_ONCE(cell->kind == SMC_FSM_VIOLATION ||
		     cell->kind == SMC_FSM_EMPTY);
}

/**
 * smc_rfc_failover_resolve() - get key and address of the peer's element on the
 * link
 * @conn:	connection, its lock held
 *
 * Return: true; false if the peer has not told key and address.
 */
bool smc_rfc_failover_resolve(struct smc_conn *conn)
{
	struct smc_rfc_peer *peer = &conn->rfc.peer;
	u32 rkey;
	u64 addr;

	lockdep_assert_held(&conn->lock);
	if (!smc_member_peer_key(&conn->member, peer->rmb, &rkey, &addr) ||
	    check_add_overflow(addr, peer->off, &addr))
		return false;
	peer->rkey = rkey;
	peer->addr = addr;
	return true;
}

/**
 * smc_rfc_failover_settle() - count bytes that the peer has read as delivered
 * @conn:	connection, its lock held
 *
 * After a change of links the peer may have read more bytes than are known to
 * be delivered. The memory is kept while a bundle is in flight, because the
 * device may read from it.
 */
void smc_rfc_failover_settle(struct smc_conn *conn)
{
	u64 read = conn->rfc.tx.peer_cons;

	lockdep_assert_held(&conn->lock);
	if (read > conn->tx.sent) {
		conn->tx.sent = read;
		conn->tx.next = smc_txq_at(conn, read);
	}
	if (conn->rfc.tx.inflight || read <= conn->tx.fin)
		return;
	smc_txq_delivered(conn, read);
	conn->news.tell |= SMC_TELL_WRITABLE;
}

/* Is it possible that the last message was not delivered? */
static bool path_unsure(const struct smc_conn *conn)
{
	return conn->rfc.tx.ss != conn->rfc.tx.seq;
}

/* Goes back to the byte behind the last one that is known to be delivered
 * (R-4.6.2-01).
 */
static void path_rewind(struct smc_conn *conn)
{
	/* after an abort only flags are sent, no data */
	if (!smc_object_open(conn))
		return;
	conn->tx.sent = conn->tx.fin;
	conn->tx.next = smc_txq_at(conn, conn->tx.sent);
	smc_rfc_failover_settle(conn);
}

/**
 * smc_rfc_failover_switch() - change to the link rfc.tx.target
 * @conn:	connection, its lock held, nothing in flight
 */
void smc_rfc_failover_switch(struct smc_conn *conn)
{
	struct smc_link *to = conn->rfc.tx.target;

	lockdep_assert_held(&conn->lock);
	conn->rfc.tx.target = NULL;
	smc_member_switch(&conn->member, to);
	smc_link_put(to, SMC_LINK_REF_TARGET);
	smc_mib_inc(conn->net, SMC_MIB_CONN_MOVED);
	conn->measure.moves++;
	if (conn->rfc.peer.size && !smc_rfc_failover_resolve(conn)) {
		/* flags can be sent without a key, data cannot */
		smc_rfc_failover_step(conn, path_unsure(conn) ?
				      SMC_PATH_EV_NO_KEY_UNSURE :
				      SMC_PATH_EV_NO_KEY);
		smc_close_abort(conn, ECONNRESET);
		return;
	}
	if (!conn->rfc.tx.spoke)
		return;		/* the peer has received no message so far */
	smc_rfc_failover_step(conn, path_unsure(conn) ?
			      SMC_PATH_EV_MOVED_UNSURE : SMC_PATH_EV_MOVED);
	path_rewind(conn);
}

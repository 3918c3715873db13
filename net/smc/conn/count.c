// SPDX-License-Identifier: GPL-2.0
/* Statistics of calls and buffers of a connection. */
#include "../base/stats.h"
#include "count.h"
#include "object.h"

/**
 * smc_count_start() - count a connection that starts to carry data
 * @conn:	connection
 * @wanted:	requested size of the element in bytes
 * @fresh:	true: the RMB was allocated for this connection
 *
 * Context: process.
 */
void smc_count_start(struct smc_conn *conn, u32 wanted, bool fresh)
{
	struct net *net = conn->net;

	smc_stat_size(net, SMC_STAT_TX, conn->tx.limit);
	smc_stat_buf(net, SMC_STAT_TX, SMC_STAT_BUF_ALLOC);
	smc_stat_size(net, SMC_STAT_RX, READ_ONCE(conn->rx.size));
	smc_stat_buf(net, SMC_STAT_RX, fresh ? SMC_STAT_BUF_ALLOC :
					       SMC_STAT_BUF_REUSE);
	if (READ_ONCE(conn->rx.size) < wanted)
		smc_stat_buf(net, SMC_STAT_RX, SMC_STAT_BUF_DOWNGRADE);
}

/**
 * smc_count_send() - count a send call that has returned
 * @conn:	connection
 * @len:	bytes that the caller passed
 * @done:	bytes that the call queued
 *
 * Context: process.
 */
void smc_count_send(struct smc_conn *conn, size_t len, size_t done)
{
	struct net *net = conn->net;

	smc_stat_call(net, SMC_STAT_TX, len, done);
	/* partner: smc_tx_set_limit() */
	if (len > READ_ONCE(conn->tx.limit))
		smc_stat_buf(net, SMC_STAT_TX, SMC_STAT_BUF_SMALL);
	if (len > READ_ONCE(conn->tx.burst))	/* partner: the dialect */
		smc_stat_buf(net, SMC_STAT_TX, SMC_STAT_BUF_SMALL_PEER);
}

/**
 * smc_count_recv() - count a receive call that has returned
 * @conn:	connection
 * @len:	bytes that the caller asked for
 * @done:	bytes that the call returned
 *
 * Context: process.
 */
void smc_count_recv(struct smc_conn *conn, size_t len, size_t done)
{
	smc_stat_call(conn->net, SMC_STAT_RX, done, done);
	if (len > READ_ONCE(conn->rx.size))	/* partner: the dialect */
		smc_stat_buf(conn->net, SMC_STAT_RX, SMC_STAT_BUF_SMALL);
}

/**
 * smc_count_full() - count a sender that found no room in the queue
 * @conn:	connection
 *
 * Context: process.
 */
void smc_count_full(struct smc_conn *conn)
{
	bool peer;

	spin_lock_bh(&conn->lock);
	peer = conn->tx.sent >= conn->tx.edge;
	spin_unlock_bh(&conn->lock);
	smc_stat_buf(conn->net, SMC_STAT_TX, SMC_STAT_BUF_FULL);
	if (peer)
		smc_stat_buf(conn->net, SMC_STAT_TX, SMC_STAT_BUF_FULL_PEER);
}

// SPDX-License-Identifier: GPL-2.0
/* Statistics of calls and buffers of a connection. */
#include "../base/stats.h"
#include "count.h"
#include "object.h"

/**
 * smc_count_start() - the connection carries data from now on
 * @conn:	connection
 * @wanted:	bytes of the element that was asked for
 * @fresh:	its RMB was made for this connection
 *
 * Context: process.
 */
void smc_count_start(struct smc_conn *conn, u32 wanted, bool fresh)
{
	struct net *net = conn->net;

	smc_stat_size(net, SMC_STAT_TX, conn->tx.limit);
	smc_stat_buf(net, SMC_STAT_TX, SMC_STAT_BUF_ALLOC);
	smc_stat_size(net, SMC_STAT_RX, conn->rx.size);
	smc_stat_buf(net, SMC_STAT_RX, fresh ? SMC_STAT_BUF_ALLOC :
					       SMC_STAT_BUF_REUSE);
	if (conn->rx.size < wanted)
		smc_stat_buf(net, SMC_STAT_RX, SMC_STAT_BUF_DOWNGRADE);
}

/**
 * smc_count_send() - a call to send has returned
 * @conn:	connection
 * @len:	bytes that it was given
 * @done:	bytes that it queued
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
	/* constant by now */
	if (len > conn->tx.burst)
		smc_stat_buf(net, SMC_STAT_TX, SMC_STAT_BUF_SMALL_PEER);
}

/**
 * smc_count_recv() - a call to receive has returned
 * @conn:	connection
 * @len:	bytes that it asked for
 * @done:	bytes that it got
 *
 * Context: process.
 */
void smc_count_recv(struct smc_conn *conn, size_t len, size_t done)
{
	smc_stat_call(conn->net, SMC_STAT_RX, done, done);
	if (len > conn->rx.size)
		smc_stat_buf(conn->net, SMC_STAT_RX, SMC_STAT_BUF_SMALL);
}

/**
 * smc_count_full() - a sender found no room
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

// SPDX-License-Identifier: GPL-2.0
/* What statistics want to know of calls and buffers of a connection. */
#include "../base/stats.h"
#include "conn_priv.h"
#include "count.h"

void smc_conn_count_start(struct smc_conn *conn, u32 wanted, bool fresh)
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

void smc_conn_count_send(struct smc_conn *conn, size_t len, size_t done)
{
	struct net *net = conn->net;

	smc_stat_call(net, SMC_STAT_TX, len, done);
	if (len > READ_ONCE(conn->tx.limit))
		smc_stat_buf(net, SMC_STAT_TX, SMC_STAT_BUF_SMALL);
	if (len > conn->peer.size)
		smc_stat_buf(net, SMC_STAT_TX, SMC_STAT_BUF_SMALL_PEER);
}

void smc_conn_count_recv(struct smc_conn *conn, size_t len, size_t done)
{
	smc_stat_call(conn->net, SMC_STAT_RX, done, done);
	if (len > conn->rx.size)
		smc_stat_buf(conn->net, SMC_STAT_RX, SMC_STAT_BUF_SMALL);
}

void smc_conn_count_full(struct smc_conn *conn)
{
	bool peer;

	spin_lock_bh(&conn->lock);
	peer = conn->tx.sent - conn->tx.peer_cons >= conn->peer.size;
	spin_unlock_bh(&conn->lock);
	smc_stat_buf(conn->net, SMC_STAT_TX, SMC_STAT_BUF_FULL);
	if (peer)
		smc_stat_buf(conn->net, SMC_STAT_TX, SMC_STAT_BUF_FULL_PEER);
}

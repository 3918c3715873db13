// SPDX-License-Identifier: GPL-2.0
/* Snapshots of connections for the views. */
#include "../group/info.h"
#include "../wire/stream.h"
#include "conn_priv.h"

/* Wrap count in the upper, cursor in the lower half. */
static u64 cursor(u64 pos, u32 size)
{
	u16 wrap;
	u32 curs;

	if (!size)
		return 0;
	smc_stream_to_wire(pos, size, &wrap, &curs);
	return (u64)wrap << 32 | curs;
}

void smc_conn_info(struct smc_conn *conn, struct smc_conn_info *info)
{
	spin_lock_bh(&conn->lock);
	info->token = conn->token;
	info->sndbuf_size = conn->tx.limit;
	info->rmbe_size = conn->rx.size;
	info->peer_rmbe_size = conn->peer.size;
	info->rx_prod = cursor(conn->rx.prod, conn->rx.size);
	info->rx_cons = cursor(conn->rx.free, conn->rx.size);
	info->tx_prod = cursor(conn->tx.sent, conn->peer.size);
	info->tx_cons = cursor(conn->tx.peer_cons, conn->peer.size);
	/* the send queue is no ring: these count in its limit */
	info->tx_prep = cursor(conn->tx.prep, conn->tx.limit);
	info->tx_sent = cursor(conn->tx.sent, conn->tx.limit);
	info->tx_fin = cursor(conn->tx.fin, conn->tx.limit);
	info->rx_prod_flags = conn->rx.prod_flags;
	info->rx_conn_flags = conn->rx.conn_flags;
	info->tx_prod_flags = conn->tx.flags;
	info->tx_conn_flags = conn->tx.said;
	info->state = conn->state;
	spin_unlock_bh(&conn->lock);
}

int smc_conn_lgr_info(struct smc_conn *conn, struct smc_lgr_info *info,
		      struct smc_link_info *link)
{
	struct smc_lgr *lgr = NULL;
	struct smc_link *on = NULL;

	spin_lock_bh(&conn->lock);
	if (conn->place == SMC_PLACE_IN || conn->place == SMC_PLACE_CUT) {
		lgr = smc_lgr_get(conn->member.lgr);
		on = smc_link_get(conn->member.link);
	}
	spin_unlock_bh(&conn->lock);
	if (!lgr)
		return -ENOLINK;
	smc_info_member(lgr, on, conn->net, info, link);
	smc_link_put(on);
	smc_lgr_put(lgr);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/* Snapshots of connections for the views. */
#include "../base/deadline.h"
#include "../group/info.h"
#include "../group/lgr.h"
#include "../group/link.h"
#include "../wire/stream.h"
#include "dialect.h"
#include "info.h"
#include "object.h"

/**
 * smc_info_cursor() - convert a position to a cursor
 * @pos:	position
 * @size:	size in bytes of the element in which the cursor counts; 0: not
 *	known
 *
 * Context: any. Return: wrap count in the upper, cursor in the lower half.
 */
u64 smc_info_cursor(u64 pos, u32 size)
{
	u16 wrap;
	u32 curs;

	if (!size)
		return 0;
	smc_stream_to_wire(pos, size, &wrap, &curs);
	return (u64)wrap << 32 | curs;
}

/**
 * smc_info_conn() - snapshot of a connection
 * @conn:	connection
 * @info:	filled in
 *
 * Context: BH safe, no lock of the connection held.
 */
void smc_info_conn(struct smc_conn *conn, struct smc_conn_info *info)
{
	u32 limit;

	*info = (struct smc_conn_info){};
	spin_lock_bh(&conn->lock);
	limit = conn->tx.limit;
	info->token = conn->token;
	info->sndbuf_size = limit;
	/* the send queue is not a ring, so these cursors wrap at its limit
	 */
	info->tx_prep = smc_info_cursor(conn->tx.prep, limit);
	info->tx_sent = smc_info_cursor(conn->tx.sent, limit);
	info->tx_fin = smc_info_cursor(conn->tx.fin, limit);
	info->rx_conn_flags = conn->close.heard;
	info->tx_conn_flags = conn->close.said;
	info->state = conn->close.state;
	info->sent = conn->tx.sent;
	info->delivered = conn->tx.fin;
	info->received = conn->rx.prod;
	info->read = conn->rx.cons;
	conn->dialect->info(conn, info);
	spin_unlock_bh(&conn->lock);
}

/**
 * smc_info_flow() - snapshot of what a connection has carried
 * @conn:	connection
 * @flow:	filled in
 *
 * Context: BH safe, no lock of the connection held.
 */
void smc_info_flow(struct smc_conn *conn, struct smc_conn_flow *flow)
{
	const struct smc_conn_measure *m = &conn->measure;
	const struct smc_conn_tx *tx = &conn->tx;
	const struct smc_conn_rx *rx = &conn->rx;
	struct smc_conn_info info = {};

	spin_lock_bh(&conn->lock);
	conn->dialect->info(conn, &info);
	*flow = (struct smc_conn_flow){
		.sent = tx->sent,
		.delivered = tx->fin,
		.received = rx->prod,
		.rate = m->rate,
		.unsent = tx->prep - tx->sent,
		.snd_wnd = tx->edge > tx->sent ? tx->edge - tx->sent : 0,
		.rcv_wnd = rx->prod - rx->cons < rx->size ?
			   rx->size - (rx->prod - rx->cons) : 0,
		.rcv_space = rx->size,
		.in_flight = info.in_flight,
		.msgs_out = m->msgs_out,
		.msgs_in = m->msgs_in,
		.data_out = m->data_out,
		.data_in = m->data_in,
		.moves = m->moves,
		.rtt_us = m->rtt_us,
		.rttvar_us = m->rttvar_us,
		.min_us = m->min_us,
		.sent_ago = m->data_out ? smc_deadline_since(m->sent_at) : 0,
		.heard_ago = m->data_in ? smc_deadline_since(m->heard_at) : 0,
		.said_ago = smc_deadline_since(conn->alive.last),
	};
	spin_unlock_bh(&conn->lock);
}

/**
 * smc_info_group() - snapshot of the group and of the link that carries the
 * sends
 * @conn:	connection
 * @info:	output: the group
 * @link:	output: the link
 *
 * Context: process. Return: 0; -ENOLINK: the connection is in no group.
 */
int smc_info_group(struct smc_conn *conn, struct smc_lgr_info *info,
		   struct smc_link_info *link)
{
	struct smc_lgr *lgr = NULL;
	struct smc_link *on = NULL;

	spin_lock_bh(&conn->lock);
	if (conn->life.place == SMC_PLACE_IN ||
	    conn->life.place == SMC_PLACE_CUT) {
		lgr = smc_lgr_get(conn->member.lgr, SMC_LGR_REF_VIEW);
		on = smc_link_get(conn->member.link, SMC_LINK_REF_VIEW);
	}
	spin_unlock_bh(&conn->lock);
	if (!lgr)
		return -ENOLINK;
	smc_info_member(lgr, on, conn->net, info, link);
	smc_link_put(on, SMC_LINK_REF_VIEW);
	smc_lgr_put(lgr, SMC_LGR_REF_VIEW);
	return 0;
}

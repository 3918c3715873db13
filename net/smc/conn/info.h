/* SPDX-License-Identifier: GPL-2.0 */
/* Snapshots of connections for the views. See info.c. */
#ifndef _SMC_CONN_INFO_H
#define _SMC_CONN_INFO_H

#include <linux/types.h>
#include "close_fsm.h"

struct smc_conn;
struct smc_lgr_info;
struct smc_link_info;

/**
 * struct smc_conn_flow - how much a connection has carried, and how fast
 * @sent:	bytes posted
 * @delivered:	bytes known to be delivered
 * @received:	bytes received
 * @rate:	bytes delivered per second, lately; 0: not known
 * @unsent:	bytes that wait to be posted
 * @snd_wnd:	bytes that the peer allows to send
 * @rcv_wnd:	bytes that the peer may send
 * @rcv_space:	largest number of unread bytes
 * @in_flight:	messages posted and not completed
 * @msgs_out:	messages posted
 * @msgs_in:	messages received
 * @data_out:	messages posted that announce bytes
 * @data_in:	messages received that announce bytes
 * @moves:	how often the connection has changed its link
 * @rtt_us:	mean time from post to completion; 0: not known
 * @rttvar_us:	deviation of this time
 * @min_us:	shortest such time
 * @sent_ago:	jiffies since the last of @data_out
 * @heard_ago:	jiffies since the last of @data_in
 * @said_ago:	jiffies since the last message in either direction
 */
struct smc_conn_flow {
	u64 sent;
	u64 delivered;
	u64 received;
	u64 rate;
	u32 unsent;
	u32 snd_wnd;
	u32 rcv_wnd;
	u32 rcv_space;
	u32 in_flight;
	u32 msgs_out;
	u32 msgs_in;
	u32 data_out;
	u32 data_in;
	u32 moves;
	u32 rtt_us;
	u32 rttvar_us;
	u32 min_us;
	u32 sent_ago;
	u32 heard_ago;
	u32 said_ago;
};

/**
 * struct smc_conn_info - snapshot of a connection
 * @token:		alert token
 * @sndbuf_size:	bytes that may be queued
 * @rmbe_size:		bytes of the own element
 * @peer_rmbe_size:	bytes of the peer's element
 * @rx_prod:		cursor up to which the peer has written
 * @rx_cons:		cursor up to which the application has read
 * @tx_prod:		cursor up to which bytes were posted
 * @tx_cons:		cursor up to which the peer's application has read
 * @tx_prep:		end of the queued bytes, counted in @sndbuf_size
 * @tx_sent:		end of the posted bytes, counted in @sndbuf_size
 * @tx_fin:		end of the delivered bytes, counted in @sndbuf_size
 * @rx_prod_flags:	producer flags of the last message received
 * @rx_conn_flags:	connection flags that the peer has sent
 * @tx_prod_flags:	producer flags of the last message posted
 * @tx_conn_flags:	connection flags that were posted
 * @state:		state of the close machine
 * @in_flight:		messages posted and not completed
 * @sent:		bytes since the start that were posted
 * @delivered:		bytes since the start that the peer is known to have
 * @received:		bytes since the start that have arrived
 * @read:		bytes since the start that the application has read
 *
 * Cursors have their wire format: wrap count in the upper half, cursor in the
 * lower half.
 */
struct smc_conn_info {
	u32 token;
	u32 sndbuf_size;
	u32 rmbe_size;
	u32 peer_rmbe_size;
	u64 rx_prod;
	u64 rx_cons;
	u64 tx_prod;
	u64 tx_cons;
	u64 tx_prep;
	u64 tx_sent;
	u64 tx_fin;
	u8 rx_prod_flags;
	u8 rx_conn_flags;
	u8 tx_prod_flags;
	u8 tx_conn_flags;
	enum smc_conn_state state;
	u32 in_flight;
	u64 sent;
	u64 delivered;
	u64 received;
	u64 read;
};

/* ---- for views ---- */

void smc_info_conn(struct smc_conn *conn, struct smc_conn_info *info);
void smc_info_flow(struct smc_conn *conn, struct smc_conn_flow *flow);
int smc_info_group(struct smc_conn *conn, struct smc_lgr_info *info,
		   struct smc_link_info *link);

/* ---- for other files of conn/ ---- */

u64 smc_info_cursor(u64 pos, u32 size);

#endif

// SPDX-License-Identifier: GPL-2.0
/* getsockopt(TCP_INFO) of a socket in mode SMC. */
#include <net/tcp.h>
#include "../base/compat.h"
#include "../conn/conn.h"
#include "../conn/info.h"
#include "sock.h"
#include "tcp_info.h"

static u8 state_for_tcp(const struct smc_sock *smc)
{
	bool shut = smc->asked.shut & SEND_SHUTDOWN;

	if (smc_conn_over(smc->conn))
		return TCP_CLOSE;
	switch (smc_conn_state(smc->conn)) {
	case SMC_CONN_PEERCLOSEWAIT1:
		return TCP_FIN_WAIT2;
	case SMC_CONN_APPCLOSEWAIT1:
		return shut ? TCP_LAST_ACK : TCP_CLOSE_WAIT;
	default:
		/* queued bytes are sent before the flag */
		return shut ? TCP_FIN_WAIT1 : TCP_ESTABLISHED;
	}
}

static void fill_times(const struct smc_conn_flow *flow, struct tcp_info *info)
{
	info->tcpi_last_data_sent = jiffies_to_msecs(flow->sent_ago);
	info->tcpi_last_data_recv = jiffies_to_msecs(flow->heard_ago);
	info->tcpi_last_ack_recv = jiffies_to_msecs(flow->said_ago);
	if (!flow->rtt_us)
		return;	/* the handshake's estimate is the best one */
	info->tcpi_rtt = flow->rtt_us;
	info->tcpi_rttvar = flow->rttvar_us;
	info->tcpi_min_rtt = flow->min_us;
	info->tcpi_delivery_rate = flow->rate;
}

void smc_tcp_info(struct smc_sock *smc, struct tcp_info *info)
{
	struct smc_conn_flow flow;

	sock_owned_by_me(&smc->sk);
	tcp_get_info(smc->clcsock->sk, info);
	smc_info_flow(smc->conn, &flow);
	info->tcpi_state = state_for_tcp(smc);
	info->tcpi_bytes_sent = flow.sent;
	info->tcpi_bytes_acked = flow.delivered;
	info->tcpi_bytes_received = flow.received;
	info->tcpi_notsent_bytes = flow.unsent;
	info->tcpi_unacked = flow.in_flight;
	info->tcpi_segs_out = flow.msgs_out;
	info->tcpi_segs_in = flow.msgs_in;
	info->tcpi_data_segs_out = flow.data_out;
	info->tcpi_data_segs_in = flow.data_in;
	info->tcpi_delivered = flow.data_out - min(flow.in_flight,
						   flow.data_out);
	info->tcpi_total_retrans = flow.moves;
	info->tcpi_snd_wnd = flow.snd_wnd;
	smc_compat_set_rcv_wnd(info, flow.rcv_wnd);
	info->tcpi_rcv_space = flow.rcv_space;
	info->tcpi_rcv_ssthresh = flow.rcv_space;
	fill_times(&flow, info);
}

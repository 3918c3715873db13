/* SPDX-License-Identifier: GPL-2.0 */
/* getsockopt(TCP_INFO) of a socket in mode SMC. */
#ifndef _SMC_SOCKET_TCP_INFO_H
#define _SMC_SOCKET_TCP_INFO_H

struct smc_sock;
struct tcp_info;

/**
 * smc_tcp_info - fill in struct tcp_info for the SMC connection
 * @smc:	socket, lock held, mode SMC
 * @info:	filled in
 *
 * Bytes, windows and times are those of the connection. A message counts as a
 * segment, a change of the link as a retransmission, and the time from post to
 * completion as round trip. Other members, such as the congestion window, are
 * those of the hidden TCP connection.
 * Context: process, takes the lock of the TCP socket.
 */
void smc_tcp_info(struct smc_sock *smc, struct tcp_info *info);

#endif

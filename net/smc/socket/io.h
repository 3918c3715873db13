/* SPDX-License-Identifier: GPL-2.0 */
/* sendmsg() and recvmsg() of AF_SMC. */
#ifndef _SMC_SOCKET_IO_H
#define _SMC_SOCKET_IO_H

#include <linux/types.h>

struct msghdr;
struct smc_sock;
struct socket;

int smc_sendmsg(struct socket *sock, struct msghdr *msg, size_t len);
int smc_recvmsg(struct socket *sock, struct msghdr *msg, size_t len, int flags);
/**
 * smc_io_flush - send queued bytes, subject to TCP_NODELAY and TCP_CORK
 * @smc:	socket, lock held, mode SMC
 * @msg_flags:	MSG_MORE: hold back a partial burst
 */
void smc_io_flush(struct smc_sock *smc, int msg_flags);

#endif

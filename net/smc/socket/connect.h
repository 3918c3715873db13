/* SPDX-License-Identifier: GPL-2.0 */
/* connect() of AF_SMC. */
#ifndef _SMC_SOCKET_CONNECT_H
#define _SMC_SOCKET_CONNECT_H

#include <linux/socket.h>
#include "../base/compat.h"
#include "sock.h"

struct socket;

int smc_connect(struct socket *sock, struct smc_compat_sockaddr *addr, int len,
		int flags);
/** smc_connect_sleep - smc_connect_wait() in mode CONNECTING */
int smc_connect_sleep(struct sock *sk, long *timeo);
/**
 * smc_connect_wait - sleep until a running handshake has ended
 * @sk:		socket, lock held; the function drops the lock while it sleeps
 * @timeo:	jiffies left
 *
 * Return: 0, -EAGAIN (@timeo has expired), or the result of sock_intr_errno().
 */
static inline int smc_connect_wait(struct sock *sk, long *timeo)
{
	return unlikely(smc_sk(sk)->mode == SMC_MODE_CONNECTING) ?
	       smc_connect_sleep(sk, timeo) : 0;
}

/**
 * smc_connect_cancel - end a handshake that runs, as TCP does in SYN-SENT
 * @sock:	socket in mode CONNECTING, lock held
 *
 * The socket can connect again, and its error is ECONNRESET.
 */
void smc_connect_cancel(struct socket *sock);

#endif

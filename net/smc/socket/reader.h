/* SPDX-License-Identifier: GPL-2.0 */
/* Readers inside the kernel: read_sock(), and their callback sk_data_ready. */
#ifndef _SMC_SOCKET_READER_H
#define _SMC_SOCKET_READER_H

#include <net/sock.h>

struct smc_sock;

/**
 * smc_reader_ready - new bytes, the end of the stream or an error are readable
 * @smc:	socket in mode SMC
 *
 * Calls sk_data_ready. If a reader inside the kernel has replaced the callback,
 * the callback runs as on TCP: under the lock of the socket, which the caller
 * then owns. So it may call read_sock(). If another context holds the lock, the
 * callback runs later.
 *
 * Context: softirq or process, no lock held; RCU read section.
 */
void smc_reader_ready(struct smc_sock *smc);
/**
 * smc_reader_ready_tcp - TCP has received bytes for a socket in mode TCP
 * @smc:	socket in mode TCP
 *
 * Calls sk_data_ready of the AF_SMC socket from a worker, if a reader inside
 * the kernel has replaced it. The caller has woken the shared wait queue.
 *
 * Context: any; the caller holds the lock of the TCP socket, and keeps @smc
 * alive.
 */
void smc_reader_ready_tcp(struct smc_sock *smc);
/**
 * smc_reader_failed_tcp - TCP has reported an error of a socket in mode TCP
 * @smc:	socket in mode TCP
 *
 * Calls sk_error_report and sk_state_change of the AF_SMC socket from a worker,
 * if it has a reader inside the kernel. Context: as smc_reader_ready_tcp().
 */
void smc_reader_failed_tcp(struct smc_sock *smc);
/**
 * smc_reader_tell - call sk_data_ready, and if TCP has failed other callbacks
 * @smc:	socket; the caller owns its lock
 *
 * Task of SMC_SF_TELL. In mode TCP it takes the lock of TCP. Context: process.
 */
void smc_reader_tell(struct smc_sock *smc);
/**
 * smc_reader_ready_owned - call sk_data_ready of a socket in mode SMC
 * @smc:	socket; the caller owns its lock
 *
 * Context: process.
 */
void smc_reader_ready_owned(struct smc_sock *smc);
/**
 * smc_reader_read_sock - read_sock() of struct proto_ops
 * @sk:		socket; the caller owns its lock
 * @desc:	for @actor; reading stops when @desc->count is 0
 * @actor:	consumer of the bytes; must not release the lock
 *
 * Passes copies to @actor, because the peer can change bytes in an element at
 * any time. @actor may keep clones of the skb. As on TCP, the bytes that @actor
 * does not take stay unread.
 *
 * Context: process, or called by sk_data_ready. Return: number of bytes taken;
 * -ENOTCONN; -ENOMEM; an errno of @actor if it has taken nothing.
 */
int smc_reader_read_sock(struct sock *sk, read_descriptor_t *desc,
			 sk_read_actor_t actor);
/** smc_reader_peek_len - peek_len() of struct proto_ops: readable bytes */
int smc_reader_peek_len(struct socket *sock);
/** smc_reader_prepare - initialise a new socket */
void smc_reader_prepare(struct smc_sock *smc);

#endif

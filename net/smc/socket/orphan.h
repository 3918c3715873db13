/* SPDX-License-Identifier: GPL-2.0 */
/* The hidden TCP socket after the application has closed its socket. */
#ifndef _SMC_SOCKET_ORPHAN_H
#define _SMC_SOCKET_ORPHAN_H

struct smc_sock;
struct socket;

/**
 * smc_orphan_take_tcp - take the hidden TCP socket away
 * @smc:	socket, lock held
 * @reset:	true: end it with RST instead of FIN
 *
 * Return: the TCP socket or NULL; the caller releases it without the lock.
 */
struct socket *smc_orphan_take_tcp(struct smc_sock *smc, bool reset);
/**
 * smc_orphan_begin - a socket is closed, its connection has not ended
 * @smc:	socket in mode SMC, lock held
 *
 * Aborts the connection if the namespace has too many of them
 * (net.smc.max_orphans). Context: process.
 */
void smc_orphan_begin(struct smc_sock *smc);
/**
 * smc_orphan_shed - abort the oldest orphan of the host, for its memory
 *
 * Context: process; locks of other sockets may be held.
 */
void smc_orphan_shed(void);
/**
 * smc_orphan_conn_gone - the connection of a socket has left its group
 * @smc:	socket, lock not held
 *
 * Ends TCP if the application has closed its socket: now, or when the socket's
 * lock is free. Context: process, may sleep, but not for that lock.
 */
void smc_orphan_conn_gone(struct smc_sock *smc);
/**
 * smc_orphan_fin - end the TCP connection of an orphan that has sent its C
 * @smc:	socket; the worker holds a reference
 *
 * Context: any.
 */
void smc_orphan_fin(struct smc_sock *smc);
/* Part of smc_sock_alloc(). */
void smc_orphan_prepare(struct smc_sock *smc);
int smc_orphan_init(void);
void smc_orphan_exit(void);

#endif

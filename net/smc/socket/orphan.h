/* SPDX-License-Identifier: GPL-2.0 */
/* The hidden TCP socket after the application has closed its socket. */
#ifndef _SMC_SOCKET_ORPHAN_H
#define _SMC_SOCKET_ORPHAN_H

struct smc_sock;
struct socket;

/**
 * smc_orphan_take_tcp - take the hidden TCP socket away
 * @smc:	socket, lock held
 * @reset:	true: end TCP with RST instead of FIN
 *
 * Return: the TCP socket or NULL; the caller releases it after it has dropped
 * the lock.
 */
struct socket *smc_orphan_take_tcp(struct smc_sock *smc, bool reset);
/**
 * smc_orphan_begin - note that a socket is closed and its connection has not
 * ended
 * @smc:	socket in mode SMC, lock held
 *
 * Aborts the connection if the namespace has too many orphans
 * (net.smc.max_orphans). Context: process.
 */
void smc_orphan_begin(struct smc_sock *smc);
/**
 * smc_orphan_shed - abort the oldest orphan of the host, to free its memory
 *
 * Context: process; locks of other sockets may be held.
 */
void smc_orphan_shed(void);
/**
 * smc_orphan_follow - end TCP as far as the connection has ended
 * @smc:	socket, lock held
 *
 * Shuts TCP for sending after the connection has sent its flag C, and ends TCP
 * after the connection has left its group. Task of SMC_SF_FOLLOW.
 *
 * Context: process. Return: the TCP socket or NULL; the caller releases it
 * after it has dropped the lock.
 */
struct socket *smc_orphan_follow(struct smc_sock *smc);
/**
 * smc_orphan_conn_gone - end TCP after the connection of a socket has left its
 * group
 * @smc:	socket, lock not held
 *
 * If the application has closed its socket, the function ends TCP at once, or
 * as soon as the socket's lock is free. Context: process, may sleep, but not
 * for that lock.
 */
void smc_orphan_conn_gone(struct smc_sock *smc);

#endif

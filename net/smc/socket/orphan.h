/* SPDX-License-Identifier: GPL-2.0 */
/* The hidden TCP socket after the application is gone. */
#ifndef _SMC_SOCKET_ORPHAN_H
#define _SMC_SOCKET_ORPHAN_H

struct smc_sock;
struct socket;

/**
 * smc_orphan_take_tcp - take the hidden TCP socket away
 * @smc:	socket, lock held
 * @reset:	its end is RST, not FIN
 *
 * Return: the TCP socket or NULL; the caller releases it without the lock.
 */
struct socket *smc_orphan_take_tcp(struct smc_sock *smc, bool reset);
/**
 * smc_orphan_conn_gone - the connection has left its group
 * @smc:	socket, lock not held
 *
 * TCP ends now if the application is gone. Context: process, may sleep.
 */
void smc_orphan_conn_gone(struct smc_sock *smc);
/**
 * smc_orphan_fin - an orphan has sent its C: end the TCP connection too
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

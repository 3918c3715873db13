/* SPDX-License-Identifier: GPL-2.0 */
/* Callbacks of the hidden TCP socket while they are ours. */
#ifndef _SMC_SOCKET_TCP_CB_H
#define _SMC_SOCKET_TCP_CB_H

#include <net/sock.h>

struct smc_sock;

/**
 * struct smc_tcp_user - who hears that something happened on the TCP socket
 * @listener:	mode LISTEN: connections wait
 * @handshake:	a handshake may run: there are bytes, or the state changed
 *
 * Context: any, the TCP socket's callback lock held, which keeps the AF_SMC
 * socket alive.
 */
struct smc_tcp_user {
	void (*listener)(struct smc_sock *smc);
	void (*handshake)(struct smc_sock *smc);
};

/**
 * smc_tcp_hook - take the callbacks of the hidden TCP socket
 * @smc:	socket
 *
 * Saves what was there in smc->tcp_cb. Idempotent. Context: process.
 */
void smc_tcp_hook(struct smc_sock *smc);
/**
 * smc_tcp_unhook - give the hidden TCP socket its own callbacks back
 * @smc:	socket
 *
 * Idempotent, any process context. Whoever releases @smc->clcsock calls this
 * and smc_ulp_detach() before, because the TCP socket may live on in FIN_WAIT.
 * Callbacks stay hooked in mode SMC: a TCP RST aborts the connection
 * (R-4.8.2-09).
 */
void smc_tcp_unhook(struct smc_sock *smc);
/** smc_tcp_owner - AF_SMC socket that hooked @tcp or NULL; callback lock held */
struct smc_sock *smc_tcp_owner(const struct sock *tcp);
/**
 * smc_tcp_reset_callbacks - the callbacks a TCP socket is born with, no owner
 * @tcp:	new socket that nobody else sees
 */
void smc_tcp_reset_callbacks(struct sock *tcp);
/**
 * smc_tcp_fatal - why the connection above has to end: positive errno, or 0
 * @tcp:	the hidden TCP socket behind an established connection, lock held
 *		or in one of its callbacks
 *
 * Return: the errno.
 */
int smc_tcp_fatal(struct sock *tcp);
/**
 * smc_tcp_cb_init - before the first TCP socket is hooked
 * @user:	who hears of TCP
 *
 * Return: 0 or what TCP says.
 */
int smc_tcp_cb_init(const struct smc_tcp_user *user);

#endif

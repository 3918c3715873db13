/* SPDX-License-Identifier: GPL-2.0 */
/* Callbacks of the hidden TCP socket while they are ours. */
#ifndef _SMC_SOCKET_TCP_CB_H
#define _SMC_SOCKET_TCP_CB_H

#include <net/sock.h>

struct smc_sock;

/**
 * smc_tcp_hook - take the callbacks of the hidden TCP socket
 *
 * Saves what was there in smc->tcp_cb. Idempotent. Context: process.
 */
void smc_tcp_hook(struct smc_sock *smc);
/** smc_tcp_owner - AF_SMC socket that hooked @tcp or NULL; callback lock held */
struct smc_sock *smc_tcp_owner(const struct sock *tcp);
/**
 * smc_tcp_reset_callbacks - the callbacks a TCP socket is born with, no owner;
 * for a new socket that nobody else sees
 */
void smc_tcp_reset_callbacks(struct sock *tcp);
/**
 * smc_tcp_fatal - why the connection above has to end: positive errno, or 0
 * @tcp:	the hidden TCP socket behind an established connection, lock held
 *		or in one of its callbacks
 */
int smc_tcp_fatal(struct sock *tcp);
int smc_tcp_cb_init(void);

#endif

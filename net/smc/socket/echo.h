/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Peers that show the TCP option but do not speak SMC. A server or middlebox
 * may echo unknown options. A client then sends its Proposal to a program that
 * does not know CLC, and loses the connection. To lose only one connection, the
 * host remembers the address for net.smc.echo_memory seconds and uses plain TCP
 * for it.
 */
#ifndef _SMC_SOCKET_ECHO_H
#define _SMC_SOCKET_ECHO_H

#include <linux/types.h>

struct net;
struct sock;
struct smc_history_key;

/** smc_echo_known - must a connect to this address omit the option? */
bool smc_echo_known(struct net *net, const struct smc_history_key *peer);
/**
 * smc_echo_remember - note that a connected peer does not speak SMC
 * @tcp:	the hidden TCP socket
 * @sure:	true: the peer answered with bytes that are not CLC; false: the
 *		peer closed the connection or sent nothing. A peer with SMC may
 *		also do that after a failure, so the entry expires earlier
 *
 * Context: process.
 */
void smc_echo_remember(struct sock *tcp, bool sure);
#endif

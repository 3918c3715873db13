/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Peers that show the TCP option without meaning it. A server or middlebox that
 * echoes unknown options makes a client send its Proposal to a program that has
 * never heard of it, and the connection is lost. Once is enough: the address is
 * remembered for net.smc.echo_memory seconds and gets plain TCP meanwhile.
 */
#ifndef _SMC_SOCKET_ECHO_H
#define _SMC_SOCKET_ECHO_H

#include <linux/in6.h>
#include <linux/types.h>

struct net;
struct sock;
struct sockaddr;

/* Addresses that a namespace remembers; the one nearest its end gives way. */
#define SMC_ECHO_MAX	256

/**
 * struct smc_echo_info - one address
 * @addr:	IPv4 mapped
 * @seconds:	until it is forgotten
 */
struct smc_echo_info {
	struct in6_addr addr;
	unsigned int seconds;
};

/** smc_echo_known - connect there without the option? Process context. */
bool smc_echo_known(struct net *net, const struct sockaddr *addr, int len);
/**
 * smc_echo_remember - a connected peer is no SMC peer
 * @tcp:	the hidden TCP socket
 * @sure:	it answered with something that is not CLC. Otherwise it closed or
 *		kept silent, which an SMC peer in trouble might do too, and is
 *		remembered for a shorter time
 *
 * Context: process.
 */
void smc_echo_remember(struct sock *tcp, bool sure);
/**
 * smc_echo_next - the next address of a namespace
 * @net:	namespace
 * @pos:	in: where to look (0: the first); out: where to go on
 * @info:	filled in
 *
 * Return: false at the end.
 */
bool smc_echo_next(struct net *net, unsigned int *pos,
		   struct smc_echo_info *info);

/** smc_echo_flush - forget all addresses of a namespace; process context */
void smc_echo_flush(struct net *net);

int smc_echo_init(void);
void smc_echo_exit(void);

#endif

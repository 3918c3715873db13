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

#include <linux/in6.h>
#include <linux/types.h>

struct net;
struct sock;
struct sockaddr;

/*
 * Limit of addresses that a namespace remembers. At the limit a new address
 * replaces the address that expires first.
 */
#define SMC_ECHO_MAX	256

/**
 * struct smc_echo_info - one address
 * @addr:	address; an IPv4 address is mapped to IPv6
 * @seconds:	time until the entry expires
 */
struct smc_echo_info {
	struct in6_addr addr;
	unsigned int seconds;
};

/** smc_echo_known - must a connect to this address omit the option? */
bool smc_echo_known(struct net *net, const struct sockaddr *addr, int len);
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
/**
 * smc_echo_next - get the next address of a namespace
 * @net:	namespace
 * @pos:	in: position, 0 for the first address; out: position of the next
 *	address
 * @info:	filled in
 *
 * Return: false at the end.
 */
bool smc_echo_next(struct net *net, unsigned int *pos,
		   struct smc_echo_info *info);

/** smc_echo_flush - forget all addresses of a namespace. Context: process. */
void smc_echo_flush(struct net *net);

int smc_echo_init(void);
void smc_echo_exit(void);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Addresses of peers that speak SMC, but that RDMA does not reach, for example
 * because a firewall drops it. A first contact with such a peer takes seconds, and
 * then the connection uses TCP. So the host remembers the address for
 * net.smc.dead_path_memory seconds, and connects to it by plain TCP. Then one
 * connection tries again. While it tries, the others use TCP. If the first contact
 * works, the address is forgotten.
 */
#ifndef _SMC_SOCKET_DEAD_PATH_H
#define _SMC_SOCKET_DEAD_PATH_H

#include <linux/types.h>

struct net;
struct sock;
struct sockaddr;

/** smc_dead_path_known - must a connect to this address omit the option? */
bool smc_dead_path_known(struct net *net, const struct sockaddr *addr, int len);
/** smc_dead_path_found - a client's first contact failed because of the link */
void smc_dead_path_found(const struct sock *tcp);
/** smc_dead_path_works - a client's first contact over RDMA has succeeded */
void smc_dead_path_works(const struct sock *tcp);

#endif

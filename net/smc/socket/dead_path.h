/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Addresses of peers that speak SMC, but that RDMA does not reach, for example
 * because a firewall drops it. A first contact with such a peer takes seconds,
 * and then the connection uses TCP. So the host remembers the address for
 * net.smc.dead_path_memory seconds, and connects to it by plain TCP. The first
 * connection after that tries again. While it tries, the others use TCP. If a
 * connection over RDMA works, the address is forgotten.
 *
 * The address is the one that the application has named, before BPF programs of
 * the cgroup change it.
 */
#ifndef _SMC_SOCKET_DEAD_PATH_H
#define _SMC_SOCKET_DEAD_PATH_H

#include <linux/types.h>

struct net;
struct smc_history_key;

/** smc_dead_path_known - must a connect to this address omit the option? */
bool smc_dead_path_known(struct net *net, const struct smc_history_key *peer);
/** smc_dead_path_found - a client has waited for its first link in vain */
void smc_dead_path_found(struct net *net, const struct smc_history_key *peer);
/** smc_dead_path_works - a client has a connection over RDMA */
void smc_dead_path_works(struct net *net, const struct smc_history_key *peer);

#endif

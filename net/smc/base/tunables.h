/* SPDX-License-Identifier: GPL-2.0 */
/* Tunables of one network namespace (net.smc.*). */
#ifndef _SMC_BASE_TUNABLES_H
#define _SMC_BASE_TUNABLES_H

#include <linux/types.h>

struct net;

/**
 * struct smc_tunables - values of net.smc.*
 * @wmem:	bytes, default limit of the send queue
 * @rmem:	bytes, default size of an element
 * @autocorking_size: bytes that wait behind a message in flight
 * @testlink_time: seconds without a message, then a link is probed; 0: never
 * @lgr_idle_time: seconds without a connection, then a group ends
 * @lgr_idle_max: groups without a connection
 * @hs_max_listener: pending handshakes per listener
 * @hs_max_net:	pending handshakes per namespace
 * @limit_smc_hs: default of SMC_LIMIT_HS of new sockets
 * @echo_memory: seconds; 0: peers that echo the option are not remembered
 * @max_conns:	SMC connections per namespace
 * @lgr_conns:	connections per group, version 2
 * @lgr_links:	links per group, version 2
 * @buf_type:	always 0
 *
 * Written by the sysctl handlers with bounds; read with READ_ONCE.
 */
struct smc_tunables {
	int wmem;
	int rmem;
	unsigned int autocorking_size;
	int testlink_time;
	int lgr_idle_time;
	int lgr_idle_max;
	int hs_max_listener;
	int hs_max_net;
	int limit_smc_hs;
	int echo_memory;
	int max_conns;
	int lgr_conns;
	int lgr_links;
	int buf_type;
};

struct smc_tunables *smc_tunables(struct net *net);

#endif

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
 * @rmem_first:	bytes, the same for a connection without frames with a peer and
 *		port that have not needed more; 0: @rmem
 * @autocorking_size: limit of bytes that wait while a message is in flight
 * @testlink_time: idle time in seconds before a link is probed; 0: never
 * @lgr_idle_time: idle time in seconds before a group ends
 * @lgr_idle_max: limit of idle groups
 * @hs_max_listener: limit of pending handshakes per listener
 * @hs_max_net:	limit of pending handshakes per namespace
 * @first_max_source: limit of first contacts that run for one address, server
 * @first_max_listener: the same per listener
 * @first_max_net: the same per namespace
 * @limit_smc_hs: default of SMC_LIMIT_HS for new sockets
 * @echo_memory: seconds to remember peers that echo the option; 0: do not
 *		 remember them
 * @dead_path_memory: seconds to use TCP to an address that RDMA does not reach;
 *		0: try again for each connection
 * @mem_share:	percent of net.smc.mem's pressure that elements may take
 * @max_conns:	limit of SMC connections per namespace
 * @max_orphans: limit of connections whose socket is closed
 * @lgr_conns:	limit of connections per group, version 2; the largest value
 *		also allows wide groups (F-36)
 * @lgr_links:	limit of links per group, version 2
 * @extension:	allowed capabilities of the extension, see smc_ext_own(); 0: off
 * @tclass:	traffic class of new links; -1: that of the socket
 * @eyecatcher:	elements of new groups start with an eye catcher
 * @buf_type:	always 0
 *
 * The sysctl handlers check bounds and write the values. Readers use READ_ONCE.
 */
struct smc_tunables {
	int wmem;
	int rmem;
	int rmem_first;
	unsigned int autocorking_size;
	int testlink_time;
	int lgr_idle_time;
	int lgr_idle_max;
	int hs_max_listener;
	int hs_max_net;
	int first_max_source;
	int first_max_listener;
	int first_max_net;
	int limit_smc_hs;
	int echo_memory;
	int dead_path_memory;
	int mem_share;
	int max_conns;
	int max_orphans;
	int lgr_conns;
	int lgr_links;
	int extension;
	int tclass;
	int eyecatcher;
	int buf_type;
};

struct smc_tunables *smc_tunables(struct net *net);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* Tunables of one network namespace (net.smc.*). */
#ifndef _SMC_BASE_TUNABLES_H
#define _SMC_BASE_TUNABLES_H

#include <linux/types.h>

struct net;

/**
 * struct smc_tunables - values of net.smc.*
 *
 * Written by the sysctl handlers with bounds; read with READ_ONCE.
 */
struct smc_tunables {
	int wmem;		/* bytes, default send queue limit */
	int rmem;		/* bytes, default element size */
	unsigned int autocorking_size;
	int testlink_time;	/* seconds, 0: off */
	int lgr_idle_time;	/* seconds without a connection, then a group ends */
	int lgr_idle_max;	/* groups without a connection */
	int hs_max_listener;	/* pending handshakes per listener */
	int hs_max_net;		/* pending handshakes per namespace */
	int limit_smc_hs;	/* default of SMC_LIMIT_HS of new sockets */
	int echo_memory;	/* seconds, 0: peers that echo are not remembered */
	int max_conns;		/* SMC connections per namespace */
	int lgr_conns;		/* connections per group, version 2 */
	int lgr_links;		/* links per group, version 2 */
	int buf_type;		/* always 0 */
};

struct smc_tunables *smc_tunables(struct net *net);

#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * Remembers the addresses of peers that RDMA does not reach. See dead_path.h.
 */
#include <net/net_namespace.h>
#include "../base/limits.h"
#include "../base/mib.h"
#include "../base/tunables.h"
#include "dead_path.h"
#include "history.h"

static struct smc_history *dead_paths(const struct net *net)
{
	return smc_history_of(net, SMC_HISTORY_DEAD_PATH);
}

static unsigned int dead_path_secs(struct net *net)
{
	return READ_ONCE(smc_tunables(net)->dead_path_memory);
}

bool smc_dead_path_known(struct net *net, const struct smc_history_key *peer)
{
	if (!dead_path_secs(net) ||
	    !smc_history_hold(dead_paths(net), peer, SMC_DEAD_PATH_TRIAL_SECS))
		return false;
	smc_mib_inc(net, SMC_MIB_DEAD_PATH_AVOIDED);
	return true;
}

void smc_dead_path_found(struct net *net, const struct smc_history_key *peer)
{
	unsigned int secs = dead_path_secs(net);

	smc_mib_inc(net, SMC_MIB_DEAD_PATH_SEEN);
	if (secs)
		smc_history_add(dead_paths(net), peer, secs);
}

void smc_dead_path_works(struct net *net, const struct smc_history_key *peer)
{
	smc_history_drop(dead_paths(net), peer);
}

// SPDX-License-Identifier: GPL-2.0
/* Remembers the addresses of peers that echo the TCP option. See echo.h. */
#include <linux/minmax.h>
#include <net/sock.h>
#include "../base/limits.h"
#include "../base/mib.h"
#include "../base/tunables.h"
#include "echo.h"
#include "history.h"

static unsigned int memory_secs(struct net *net)
{
	return READ_ONCE(smc_tunables(net)->echo_memory);
}

bool smc_echo_known(struct net *net, const struct smc_history_key *peer)
{
	if (!memory_secs(net) ||
	    !smc_history_has(smc_history_of(net, SMC_HISTORY_ECHO), peer))
		return false;
	smc_mib_inc(net, SMC_MIB_ECHO_AVOIDED);
	return true;
}

void smc_echo_remember(struct sock *tcp, bool sure)
{
	struct net *net = sock_net(tcp);
	unsigned int secs = memory_secs(net);
	struct smc_history_key key;

	if (!secs)
		return;
	if (!sure)
		secs = min_t(unsigned int, secs, SMC_ECHO_UNSURE_SECS);
	smc_history_peer(&key, tcp);
	smc_history_add(smc_history_of(net, SMC_HISTORY_ECHO), &key, secs);
	smc_mib_inc(net, SMC_MIB_ECHO_SEEN);
}

// SPDX-License-Identifier: GPL-2.0
/* Remembers the addresses of peers that echo the TCP option. See echo.h. */
#include <linux/inet.h>
#include <net/inet_sock.h>
#include <net/ipv6.h>
#include "../base/limits.h"
#include "../base/mib.h"
#include "../base/tunables.h"
#include "echo.h"
#include "history.h"

/* TCP refuses an address that is too short, and this function must not
 * read it.
 */
static bool addr_key(const struct sockaddr *addr, int len, struct in6_addr *key)
{
	switch (addr->sa_family) {
	case AF_INET:
		if (len < (int)sizeof(struct sockaddr_in))
			return false;
		ipv6_addr_set_v4mapped(((const struct sockaddr_in *)
					addr)->sin_addr.s_addr, key);
		return true;
	case AF_INET6:
		if (len < SIN6_LEN_RFC2133)
			return false;
		*key = ((const struct sockaddr_in6 *)addr)->sin6_addr;
		return true;
	default:
		return false;
	}
}

static unsigned int memory_secs(struct net *net)
{
	return READ_ONCE(smc_tunables(net)->echo_memory);
}

bool smc_echo_known(struct net *net, const struct sockaddr *addr, int len)
{
	struct smc_history_key key = {};

	if (!memory_secs(net) || !addr_key(addr, len, &key.addr) ||
	    !smc_history_has(smc_history_of(net, SMC_HISTORY_ECHO), &key))
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

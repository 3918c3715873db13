// SPDX-License-Identifier: GPL-2.0
/* Remembers peers and ports that need large elements. See bulk.h. */
#include <net/inet_sock.h>
#include <net/sock.h>
#include "../base/limits.h"
#include "../base/mib.h"
#include "../base/tunables.h"
#include "../conn/rx.h"
#include "bulk.h"
#include "history.h"
#include "sock.h"

static void bulk_key(const struct smc_sock *smc, struct smc_history_key *key)
{
	const struct sock *tcp = smc->clcsock->sk;

	smc_history_peer(key, tcp);
	key->server = smc->limit.learns == SMC_LEARNS_AS_SERVER;
	key->port = key->server ? inet_sk(tcp)->inet_sport :
				  inet_sk(tcp)->inet_dport;
}

u32 smc_bulk_element(struct smc_sock *smc, bool server)
{
	struct net *net = sock_net(&smc->sk);
	u32 first = READ_ONCE(smc_tunables(net)->rmem_first);
	u32 most = smc_sock_rmb(smc);
	struct smc_history_key key;

	sock_owned_by_me(&smc->sk);
	smc->limit.learns = SMC_LEARNS_NOT;
	first = max_t(u32, first ?: most, SMC_RMBE_MIN_BYTES);
	if (smc->sk.sk_userlocks & SOCK_RCVBUF_LOCK || most <= first)
		return most;
	smc->limit.learns = server ? SMC_LEARNS_AS_SERVER : SMC_LEARNS_AS_CLIENT;
	bulk_key(smc, &key);
	return smc_history_has(smc_history_of(net, SMC_HISTORY_BULK), &key) ? most : first;
}

void smc_bulk_learn(const struct smc_sock *smc)
{
	struct net *net = sock_net(&smc->sk);
	struct smc_history_key key;

	sock_owned_by_me(&smc->sk);
	if (smc->limit.learns == SMC_LEARNS_NOT ||
	    smc_rx_fills(smc->conn) < SMC_BULK_FILLS)
		return;
	bulk_key(smc, &key);
	if (smc_history_add(smc_history_of(net, SMC_HISTORY_BULK), &key, SMC_BULK_SECS))
		smc_mib_inc(net, SMC_MIB_BULK_LEARNED);
}

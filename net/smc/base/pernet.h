/* SPDX-License-Identifier: GPL-2.0 */
/* The module's data in each network namespace. */
#ifndef _SMC_BASE_PERNET_H
#define _SMC_BASE_PERNET_H

#include <linux/atomic.h>
#include <linux/percpu.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include "mib.h"
#include "stats.h"
#include "tunables.h"
#include "ueid.h"

struct ctl_table_header;
struct smc_hs_choice;
struct ctl_table;

/**
 * struct smc_pernet - the module's data in one network namespace
 * @tunables:	net.smc.* values
 * @mib:	counters; each CPU writes its own
 * @most:	counters that are high-water marks
 * @stats:	statistics; each CPU writes its own
 * @fallbacks:	why connections stayed on TCP
 * @hs_pending:	number of handshakes in progress, of all listeners and clients
 * @ueids:	user EIDs of version 2
 * @conns:	SMC connections (attached to a group)
 * @rmem:	bytes of memory for received data of all SMC connections:
 *		elements, and windows of frames
 * @orphans:	SMC connections whose socket is closed
 * @hs_choice:	BPF program that decides about handshakes, owned by
 *		socket/hs_ctrl.c; RCU
 * @sysctl:	registration and table of this namespace, owned by diag/sysctl.c
 * @sysctl_table: see @sysctl
 */
struct smc_pernet {
	struct smc_tunables tunables;
	struct smc_mib_cpu __percpu *mib;
	atomic64_t most[SMC_MIB_NR];
	struct smc_stats __percpu *stats;
	struct smc_fallbacks fallbacks;
	atomic_t hs_pending;
	atomic_t conns;
	atomic_long_t rmem;
	atomic_t orphans;
	struct smc_ueids ueids;
	struct smc_hs_choice __rcu *hs_choice;
	struct ctl_table_header *sysctl;
	struct ctl_table *sysctl_table;
};

/*
 * Only smc_pernet() reads these variables. With the second one it finds the
 * data of init_net without a search.
 */
extern unsigned int smc_pernet_id;
extern struct smc_pernet *smc_pernet_of_init;

/** smc_pernet - our data of @net; never NULL while the module is loaded */
static inline struct smc_pernet *smc_pernet(const struct net *net)
{
	if (likely(net == &init_net))
		return smc_pernet_of_init;
	return net_generic(net, smc_pernet_id);
}

int smc_pernet_init(void);
void smc_pernet_exit(void);

#endif

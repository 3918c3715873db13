// SPDX-License-Identifier: GPL-2.0
/*
 * The function that registers a sysctl table takes the size of the table. In
 * older kernels an empty entry ends the table.
 */
#include <linux/sysctl.h>
#include <net/net_namespace.h>

static inline struct ctl_table_header *
smc_probe_sysctl_size(struct net *net, struct ctl_table *table)
{
	return register_net_sysctl_sz(net, "net/smc", table, 1);
}

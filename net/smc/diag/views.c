// SPDX-License-Identifier: GPL-2.0
/* The views come and go with their network namespace. */
#include <net/net_namespace.h>
#include "diag.h"

static int __net_init views_net_init(struct net *net)
{
	int err;

	err = smc_sysctl_net_init(net);
	if (err)
		return err;
	err = smc_proc_net_init(net);
	if (err)
		smc_sysctl_net_exit(net);
	return err;
}

static void __net_exit views_net_exit(struct net *net)
{
	smc_proc_net_exit(net);
	smc_sysctl_net_exit(net);
}

static struct pernet_operations views_ops = {
	.init = views_net_init,
	.exit = views_net_exit,
};

int smc_views_init(void)
{
	return register_pernet_subsys(&views_ops);
}

void smc_views_exit(void)
{
	unregister_pernet_subsys(&views_ops);
}

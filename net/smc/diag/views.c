// SPDX-License-Identifier: GPL-2.0
/*
 * Files and sysctls exist per namespace; the netlink families serve all
 * namespaces.
 */
#include <net/net_namespace.h>
#include "genl.h"
#include "proc.h"
#include "sysctl.h"
#include "views.h"

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

int __init smc_views_init(void)
{
	int err;

	err = register_pernet_subsys(&views_ops);
	if (err)
		return err;
	err = smc_genl_init();
	if (err)
		unregister_pernet_subsys(&views_ops);
	return err;
}

void smc_views_exit(void)
{
	smc_genl_exit();
	unregister_pernet_subsys(&views_ops);
}

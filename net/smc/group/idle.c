// SPDX-License-Identifier: GPL-2.0
/*
 * Limits the number of idle groups in a namespace (net.smc.lgr_idle_max). Each
 * group costs queue pairs and an RMB, and a peer may use ever new peer IDs.
 * Above the limit the group that has been idle for longest ends. Groups in
 * which this host is the server end before the others.
 */
#include <linux/refcount.h>
#include <linux/slab.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include "idle.h"

/**
 * struct smc_idle - count of the idle groups of a namespace; groups may outlive
 * the namespace
 * @ref:	held by the namespace and by each of its groups
 * @n:		groups in state LINGER
 */
struct smc_idle {
	refcount_t ref;
	atomic_t n;
};

struct idle_net {
	struct smc_idle *idle;
};

static unsigned int idle_net_id;

/** smc_idle_get - reference for a new group; the namespace exists */
struct smc_idle *smc_idle_get(const struct net *net)
{
	struct idle_net *in = net_generic(net, idle_net_id);

	refcount_inc(&in->idle->ref);
	return in->idle;
}

/** smc_idle_put - a group, or the namespace, drops its reference */
void smc_idle_put(struct smc_idle *idle)
{
	if (refcount_dec_and_test(&idle->ref))
		kfree(idle);
}

/**
 * smc_idle_begin - a group becomes idle
 * @idle: of its namespace
 */
void smc_idle_begin(struct smc_idle *idle)
{
	atomic_inc(&idle->n);
}

/**
 * smc_idle_end - a group is no longer idle
 * @idle: of its namespace
 */
void smc_idle_end(struct smc_idle *idle)
{
	atomic_dec(&idle->n);
}

/**
 * smc_idle_crowded - are more groups idle than the limit allows?
 * @idle: of a namespace
 * @max: its limit
 */
bool smc_idle_crowded(const struct smc_idle *idle, int max)
{
	return atomic_read(&idle->n) > max;
}

static int __net_init idle_net_init(struct net *net)
{
	struct idle_net *in = net_generic(net, idle_net_id);

	in->idle = kzalloc(sizeof(*in->idle), GFP_KERNEL);
	if (!in->idle)
		return -ENOMEM;
	refcount_set(&in->idle->ref, 1);
	return 0;
}

static void __net_exit idle_net_exit(struct net *net)
{
	struct idle_net *in = net_generic(net, idle_net_id);

	smc_idle_put(in->idle);
}

static struct pernet_operations net_ops = {
	.init = idle_net_init,
	.exit = idle_net_exit,
	.id = &idle_net_id,
	.size = sizeof(struct idle_net),
};

int smc_idle_init(void)
{
	return register_pernet_subsys(&net_ops);
}

void smc_idle_exit(void)
{
	unregister_pernet_subsys(&net_ops);
}

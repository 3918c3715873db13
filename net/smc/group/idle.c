// SPDX-License-Identifier: GPL-2.0
/*
 * The groups of a namespace. The number of idle groups is limited
 * (net.smc.lgr_idle_max), because each group costs queue pairs and an RMB, and
 * a peer may use a new peer ID for each connection. Above the limit the group
 * that has been idle for longest ends. Groups in which this host is the server
 * end before the others.
 */
#include <linux/slab.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include "idle.h"

struct idle_net {
	struct smc_idle *idle;
};

static unsigned int idle_net_id;

/** smc_idle_of - groups of a namespace that exists; takes no reference */
struct smc_idle *smc_idle_of(const struct net *net)
{
	struct idle_net *in = net_generic(net, idle_net_id);

	return in->idle;
}

/** smc_idle_get - take a reference for a new group; the namespace exists */
struct smc_idle *smc_idle_get(const struct net *net)
{
	struct smc_idle *idle = smc_idle_of(net);

	refcount_inc(&idle->ref);
	return idle;
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
 * @entry: entry of the group, in no list
 * @role: the group's
 *
 * Context: any but irq, lgr->lock held.
 */
void smc_idle_begin(struct smc_idle *idle, struct list_head *entry,
		    enum smc_role role)
{
	spin_lock_bh(&idle->lock);
	list_add_tail(entry, &idle->order[role]);
	WRITE_ONCE(idle->n, idle->n + 1);
	spin_unlock_bh(&idle->lock);
}

/**
 * smc_idle_end - a group is no longer idle
 * @idle: of its namespace
 * @entry: entry of the group; in no list if the group was told to end
 *
 * Context: any but irq, lgr->lock held.
 */
void smc_idle_end(struct smc_idle *idle, struct list_head *entry)
{
	spin_lock_bh(&idle->lock);
	if (!list_empty(entry)) {
		list_del_init(entry);
		WRITE_ONCE(idle->n, idle->n - 1);
	}
	spin_unlock_bh(&idle->lock);
}

/**
 * smc_idle_crowded - are more groups idle than the limit allows?
 * @idle: count of a namespace
 * @max: limit of the namespace
 */
bool smc_idle_crowded(const struct smc_idle *idle, int max)
{
	return READ_ONCE(idle->n) > max;	/* partner: smc_idle_begin() */
}

/**
 * smc_idle_take - which idle group ends next?
 * @idle: groups of a namespace; its lock is held, so the group exists
 * @max: its limit
 *
 * A server's group ends before a client's, because the client keeps its group
 * longer (R-3.5.4-03). Return: entry, which is in no list any more; NULL: the
 * namespace is within its limit.
 */
struct list_head *smc_idle_take(struct smc_idle *idle, int max)
{
	struct list_head *entry;

	lockdep_assert_held(&idle->lock);
	if (!smc_idle_crowded(idle, max))
		return NULL;
	entry = idle->order[list_empty(&idle->order[SMC_SERV]) ? SMC_CLNT :
								 SMC_SERV].next;
	list_del_init(entry);
	WRITE_ONCE(idle->n, idle->n - 1);
	return entry;
}

static int __net_init idle_net_init(struct net *net)
{
	struct idle_net *in = net_generic(net, idle_net_id);
	int role;

	in->idle = kzalloc(sizeof(*in->idle), GFP_KERNEL);
	if (!in->idle)
		return -ENOMEM;
	refcount_set(&in->idle->ref, 1);
	in->idle->by_id = RB_ROOT;
	spin_lock_init(&in->idle->lock);
	for (role = 0; role < SMC_IDLE_ROLES; role++)
		INIT_LIST_HEAD(&in->idle->order[role]);
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

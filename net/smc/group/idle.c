// SPDX-License-Identifier: GPL-2.0
/*
 * How many groups without a connection a namespace keeps (net.smc.lgr_idle_max):
 * each costs queue pairs and an RMB, and a peer may come under ever new names.
 * Above the limit the one goes that has been idle for longest, those of which
 * this host is the server first.
 */
#include <linux/refcount.h>
#include <linux/slab.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include "../base/mib.h"
#include "lgr_priv.h"

/**
 * struct smc_lgr_idle - idle groups of a namespace, which they may outlive
 * @ref:	the namespace and each of its groups
 * @n:		groups in state LINGER
 */
struct smc_lgr_idle {
	refcount_t ref;
	atomic_t n;
};

struct idle_net {
	struct smc_lgr_idle *idle;
};

static unsigned int idle_net_id;

/** smc_lgr_idle_get - for a new group; the namespace is there */
struct smc_lgr_idle *smc_lgr_idle_get(const struct net *net)
{
	struct idle_net *in = net_generic(net, idle_net_id);

	refcount_inc(&in->idle->ref);
	return in->idle;
}

/** smc_lgr_idle_put - the group, or the namespace, is gone */
void smc_lgr_idle_put(struct smc_lgr_idle *idle)
{
	if (refcount_dec_and_test(&idle->ref))
		kfree(idle);
}

/** smc_lgr_idle_count - the state of @lgr was @before; lgr->lock held */
void smc_lgr_idle_count(struct smc_lgr *lgr, u8 before)
{
	lockdep_assert_held(&lgr->lock);
	if (before == SMC_LGR_LINGER && lgr->state != SMC_LGR_LINGER)
		atomic_dec(&lgr->idle->n);
	else if (before != SMC_LGR_LINGER && lgr->state == SMC_LGR_LINGER)
		atomic_inc(&lgr->idle->n);
}

/** smc_lgr_crowded - more are idle than may be, or are about to end */
bool smc_lgr_crowded(const struct smc_lgr *lgr)
{
	return atomic_read(&lgr->idle->n) > lgr->idle_max;
}

/**
 * smc_lgr_make_room - tell idle groups to end that are too many
 * @lgr: group that has just become idle
 *
 * Context: worker of @lgr.
 */
void smc_lgr_make_room(struct smc_lgr *lgr)
{
	while (smc_lgr_evict(lgr))
		smc_mib_inc(NULL, SMC_MIB_LGR_EVICTED);
}

static int __net_init net_init(struct net *net)
{
	struct idle_net *in = net_generic(net, idle_net_id);

	in->idle = kzalloc(sizeof(*in->idle), GFP_KERNEL);
	if (!in->idle)
		return -ENOMEM;
	refcount_set(&in->idle->ref, 1);
	return 0;
}

static void __net_exit net_exit(struct net *net)
{
	struct idle_net *in = net_generic(net, idle_net_id);

	smc_lgr_idle_put(in->idle);
}

static struct pernet_operations net_ops = {
	.init = net_init,
	.exit = net_exit,
	.id = &idle_net_id,
	.size = sizeof(struct idle_net),
};

int smc_lgr_idle_init(void)
{
	return register_pernet_subsys(&net_ops);
}

void smc_lgr_idle_exit(void)
{
	unregister_pernet_subsys(&net_ops);
}

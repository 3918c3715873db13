// SPDX-License-Identifier: GPL-2.0
#include "limits.h"
#include "pernet.h"

unsigned int smc_pernet_id __read_mostly;
struct smc_pernet *smc_pernet_of_init __read_mostly;

struct smc_tunables *smc_tunables(struct net *net)
{
	return &smc_pernet(net)->tunables;
}

static void set_defaults(struct smc_tunables *t, const struct net *net)
{
	t->wmem = SMC_WMEM_DEFAULT_BYTES;
	t->rmem = SMC_RMEM_DEFAULT_BYTES;
	t->rmem_first = SMC_RMEM_FIRST_BYTES;
	t->autocorking_size = SMC_AUTOCORK_DEFAULT_BYTES;
	t->testlink_time = SMC_TESTLINK_DEFAULT_SECS;
	t->lgr_idle_time = SMC_LGR_IDLE_DEFAULT_SECS;
	t->lgr_idle_max = SMC_LGR_IDLE_MAX;
	t->hs_max_listener = SMC_HS_MAX_LISTENER;
	t->hs_max_net = SMC_HS_MAX_NET;
	t->first_max_source = SMC_FIRST_MAX_SOURCE;
	t->first_max_listener = SMC_FIRST_MAX_LISTENER;
	t->first_max_net = SMC_FIRST_MAX_NET;
	t->echo_memory = SMC_ECHO_DEFAULT_SECS;
	t->dead_path_memory = SMC_DEAD_PATH_DEFAULT_SECS;
	t->mem_share = net_eq(net, &init_net) ? 100 : SMC_MEM_SHARE_PERCENT;
	t->max_conns = SMC_CONNS_MAX_NET;
	t->max_orphans = SMC_ORPHANS_MAX_NET;
	t->lgr_conns = SMC_LGR_CONNS_MAX;
	t->lgr_links = SMC_LINKS_LOCAL_MAX;
	t->extension = SMC_EXTENSION_ALL;
	t->tclass = SMC_TCLASS_OF_SOCKET;
}

static int __net_init pernet_init(struct net *net)
{
	struct smc_pernet *pn = net_generic(net, smc_pernet_id);

	if (net_eq(net, &init_net))
		smc_pernet_of_init = pn;
	set_defaults(&pn->tunables, net);
	atomic_set(&pn->hs_pending, 0);
	atomic_set(&pn->conns, 0);
	atomic_long_set(&pn->rmem, 0);
	atomic_set(&pn->orphans, 0);
	smc_ueid_init(&pn->ueids);
	spin_lock_init(&pn->fallbacks.lock);
	pn->mib = alloc_percpu(struct smc_mib_cpu);
	if (!pn->mib)
		return -ENOMEM;
	pn->stats = alloc_percpu(struct smc_stats);
	if (!pn->stats) {
		free_percpu(pn->mib);
		return -ENOMEM;
	}
	return 0;
}

static void __net_exit pernet_exit(struct net *net)
{
	free_percpu(smc_pernet(net)->stats);
	free_percpu(smc_pernet(net)->mib);
}

static struct pernet_operations pernet_ops = {
	.init = pernet_init,
	.exit = pernet_exit,
	.id = &smc_pernet_id,
	.size = sizeof(struct smc_pernet),
};

int smc_pernet_init(void)
{
	return register_pernet_subsys(&pernet_ops);
}

void smc_pernet_exit(void)
{
	unregister_pernet_subsys(&pernet_ops);
}

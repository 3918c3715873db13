// SPDX-License-Identifier: GPL-2.0
/*
 * Counters. Each CPU adds to its own copy with preemption off. Readers sum the
 * copies with READ_ONCE() and may see slightly old values.
 */
#include <linux/compiler.h>
#include <linux/kernel.h>
#include "pernet.h"

/* The table has one entry per counter, in the order of enum smc_mib. */
static const struct {
	enum smc_mib mib;
	const char *name;
} names[] = {
#define SMC_MIB(sym, text) { SMC_MIB_##sym, text },
#include "mib_list.h"
#undef SMC_MIB
};

static struct smc_mib_cpu __percpu *mib_of(struct net *net)
{
	return smc_pernet(net ?: &init_net)->mib;
}

struct smc_mib_cpu __percpu *smc_mib_of_init __read_mostly;

/** smc_mib_start - find the counters of init_net, before anything is counted */
void smc_mib_start(void)
{
	smc_mib_of_init = mib_of(&init_net);
}

/** smc_mib_add_net - smc_mib_add() for another namespace than init_net */
void smc_mib_add_net(struct net *net, enum smc_mib m, u64 n)
{
	this_cpu_add(mib_of(net)->val[m], n);
}

void smc_mib_max(struct net *net, enum smc_mib m, u64 v)
{
	atomic64_t *most = &smc_pernet(net ?: &init_net)->most[m];
	s64 old = atomic64_read(most);

	while ((s64)v > old && !atomic64_try_cmpxchg(most, &old, v))
		;
}

u64 smc_mib_read(struct net *net, enum smc_mib m)
{
	u64 sum = atomic64_read(&smc_pernet(net ?: &init_net)->most[m]);
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu_ptr(mib_of(net), cpu)->val[m]);
	return sum;
}

const char *smc_mib_name(enum smc_mib m)
{
	return names[m].name;
}

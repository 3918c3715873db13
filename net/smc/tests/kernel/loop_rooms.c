// SPDX-License-Identifier: GPL-2.0
/* The common part of the transport, built into the test module. */

/* The module smc itself defines the tracepoints. */
#define _SMC_BASE_TRACE_H
static inline void trace_smc_ref(const char *kind, const void *obj,
				 const char *why, int change)
{
}

#include "../../transport/queues.c"
#include "../../transport/ep.c"
#include "../../transport/mr.c"

static DEFINE_PER_CPU(struct smc_mib_cpu, mibs);

struct smc_mib_cpu __percpu *smc_mib_of_init = &mibs;

void smc_mib_add_net(struct net *net, enum smc_mib m, u64 n)
{
	this_cpu_add(mibs.val[m], n);
}

u64 smc_mib_read(struct net *net, enum smc_mib m)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += per_cpu(mibs, cpu).val[m];
	return sum;
}

/* SPDX-License-Identifier: GPL-2.0 */
/* Counters. Each network namespace has one set per CPU. */
#ifndef _SMC_BASE_MIB_H
#define _SMC_BASE_MIB_H

#include <linux/percpu.h>
#include <linux/types.h>
#include <net/net_namespace.h>

enum smc_mib {
#define SMC_MIB(sym, ...) SMC_MIB_##sym,
#include "mib_list.h"
#undef SMC_MIB
	SMC_MIB_NR
};

/* The counters of one CPU. */
struct smc_mib_cpu {
	u64 val[SMC_MIB_NR];
};

/* Counters of init_net, for smc_mib_add(). */
extern struct smc_mib_cpu __percpu *smc_mib_of_init;

void smc_mib_start(void);
void smc_mib_add_net(struct net *net, enum smc_mib m, u64 n);

/** smc_mib_add - add @n to a counter of @net (NULL: init_net); any context */
static inline void smc_mib_add(struct net *net, enum smc_mib m, u64 n)
{
	/*
	 * irq-safe, because completion handlers of some devices run with irqs
	 * off
	 */
	if (!net || likely(net_eq(net, &init_net)))
		this_cpu_add(smc_mib_of_init->val[m], n);
	else
		smc_mib_add_net(net, m, n);
}

#define smc_mib_inc(net, m) smc_mib_add((net), (m), 1)
/* Raises a high-water mark, which no other function changes. Any context. */
void smc_mib_max(struct net *net, enum smc_mib m, u64 v);
/** smc_mib_read - sum of a counter over all CPUs */
u64 smc_mib_read(struct net *net, enum smc_mib m);
const char *smc_mib_name(enum smc_mib m);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* Counters. Each network namespace has one set per CPU. */
#ifndef _SMC_BASE_MIB_H
#define _SMC_BASE_MIB_H

#include <linux/types.h>

struct net;

enum smc_mib {
#define SMC_MIB(sym, ...) SMC_MIB_##sym,
#include "mib_list.h"
#undef SMC_MIB
	SMC_MIB_NR
};

/** smc_mib_add - add @n to a counter of @net (NULL: init_net); any context */
void smc_mib_add(struct net *net, enum smc_mib m, u64 n);
#define smc_mib_inc(net, m) smc_mib_add((net), (m), 1)
/* Raises a high-water mark, which no other function changes. Any context. */
void smc_mib_max(struct net *net, enum smc_mib m, u64 v);
/** smc_mib_read - sum of a counter over all CPUs */
u64 smc_mib_read(struct net *net, enum smc_mib m);
const char *smc_mib_name(enum smc_mib m);

#endif

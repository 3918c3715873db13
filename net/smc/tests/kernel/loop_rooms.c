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

static atomic64_t mibs[SMC_MIB_NR];

void smc_mib_add(struct net *net, enum smc_mib m, u64 n)
{
	atomic64_add(n, &mibs[m]);
}

u64 smc_mib_read(struct net *net, enum smc_mib m)
{
	return atomic64_read(&mibs[m]);
}

/* SPDX-License-Identifier: GPL-2.0 */
/* Charges memory to a memory cgroup although a worker allocates it. */
#ifndef _SMC_BASE_MEMCG_H
#define _SMC_BASE_MEMCG_H

#include <linux/gfp.h>
#include <linux/memcontrol.h>

/*
 * GFP flags for an allocation that may fail, because the connection then stays
 * on TCP. If the charged cgroup is at its limit, the allocation fails, and the
 * OOM killer kills none of the cgroup's tasks.
 */
#define SMC_GFP_PAID	(GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

/**
 * smc_memcg_get - take a reference
 * @memcg: cgroup that the caller keeps alive, or NULL
 *
 * Context: any. Return: @memcg; mem_cgroup_put() drops the reference.
 */
static inline struct mem_cgroup *smc_memcg_get(struct mem_cgroup *memcg)
{
#ifdef CONFIG_MEMCG
	if (memcg)
		css_get(&memcg->css);
#endif
	return memcg;
}

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* Charges memory to a memory cgroup although a worker allocates it. */
#ifndef _SMC_BASE_MEMCG_H
#define _SMC_BASE_MEMCG_H

#include <linux/gfp.h>
#include <linux/memcontrol.h>

/*
 * Flags for memory without which a connection simply stays on TCP. At its limit
 * the cgroup that pays gets -ENOMEM, and none of its tasks is killed.
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

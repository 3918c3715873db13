/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory of several pages of 4 KiB. kmalloc() rounds such a size up to a power
 * of two. With larger pages the memory comes from kmalloc(), because the rest
 * of a page would be lost.
 */
#ifndef _SMC_BASE_EXACT_H
#define _SMC_BASE_EXACT_H

#include <linux/gfp.h>
#include <linux/sizes.h>
#include <linux/slab.h>

static inline bool smc_exact_small_pages(void)
{
	return get_order(SZ_4K + 1) == 1;
}

/** smc_exact_alloc - as kmalloc() */
static inline void *smc_exact_alloc(size_t size, gfp_t gfp)
{
	return smc_exact_small_pages() ? alloc_pages_exact(size, gfp) :
					 kmalloc(size, gfp);
}

/** smc_exact_free - as kfree(), with the size of the allocation; any context */
static inline void smc_exact_free(void *p, size_t size)
{
	if (!smc_exact_small_pages())
		kfree(p);
	else if (p)
		free_pages_exact(p, size);
}

#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * Sizes of elements and RMBs in bytes and pages. Pure arithmetic. The size of a
 * page is an argument, so that the tests cover kernels with larger pages.
 */
#include <linux/log2.h>
#include <linux/minmax.h>
#include "../base/limits.h"
#include "rmb_size.h"

/**
 * smc_rmb_size_round - choose the size of an element
 * @bytes:	wanted
 * @page:	bytes of a page
 *
 * An element consists of whole pages. It is read page by page, and a page that
 * two connections share could not be wiped for only one of them. Elements lie
 * side by side (R-A.2.3-06), so no padding is possible between them.
 *
 * Return: 16 KiB << n, within the limit.
 */
u32 smc_rmb_size_round(u32 bytes, u32 page)
{
	u32 min = max_t(u32, SMC_RMBE_MIN_BYTES, page);
	u32 max = SMC_RMBE_MIN_BYTES << SMC_RMBE_CODE_SENT_MAX;

	if (bytes >= max)
		return max;
	return bytes <= min ? min : roundup_pow_of_two(bytes);
}

/**
 * smc_rmb_size_pages - pages of an RMB
 * @size:	bytes of an element, from smc_rmb_size_round()
 * @n:		elements
 * @page:	bytes of a page
 *
 * The result is also the page of the RMB at which element @n begins; the first
 * element is 0.
 *
 * Return: number of pages.
 */
u32 smc_rmb_size_pages(u32 size, u32 n, u32 page)
{
	return n * (size / page);
}

/**
 * smc_rmb_size_growth - elements of a further RMB
 * @size:	bytes of an element, from smc_rmb_size_round()
 * @n:		wanted elements
 * @max_pages:	limit of pages in one region, of all links
 * @page:	bytes of a page
 *
 * Return: number of elements; 0: not even one can be registered.
 */
u32 smc_rmb_size_growth(u32 size, u32 n, u32 max_pages, u32 page)
{
	u32 limit = max_pages / smc_rmb_size_pages(size, 1, page);

	return min3(max(n, 1U), limit, (u32)SMC_RMBES_PER_RMB_MAX);
}

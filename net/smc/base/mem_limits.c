// SPDX-License-Identifier: GPL-2.0
#include <linux/math64.h>
#include <linux/mm.h>
#include "mem_limits.h"

long smc_mem_limits[3];

/* Sets the default limits: a third of the memory for all data, a quarter for
 * elements.
 */
void smc_mem_limits_init(void)
{
	unsigned long pages = totalram_pages();

	smc_mem_limits[0] = pages / 8;
	smc_mem_limits[1] = pages / 4;
	smc_mem_limits[2] = pages / 3;
}

u64 smc_mem_limits_rmem(unsigned int percent)
{
	u64 pages = READ_ONCE(smc_mem_limits[1]);

	/* the limit may be LONG_MAX */
	pages = min_t(u64, pages, U64_MAX >> PAGE_SHIFT);
	pages = div_u64(pages, 100) * percent +
		div_u64(pages % 100 * percent, 100);
	return pages << PAGE_SHIFT;
}

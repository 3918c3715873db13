/* SPDX-License-Identifier: GPL-2.0 */
/* Ends a table of objects. */
#ifndef _SMC_BASE_XA_H
#define _SMC_BASE_XA_H

#include <linux/bug.h>
#include <linux/xarray.h>

/**
 * smc_xa_exit - end an XArray whose entries have left
 * @table:	nobody uses it any more
 *
 * Nodes without an entry may remain where an insertion found no memory, so
 * xa_empty() does not tell whether an entry was forgotten. Context: process.
 */
static inline void smc_xa_exit(struct xarray *table)
{
	unsigned long index = 0;

	WARN_ON(xa_find(table, &index, ULONG_MAX, XA_PRESENT));
	xa_destroy(table);
}

#endif

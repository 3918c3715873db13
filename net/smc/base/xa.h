/* SPDX-License-Identifier: GPL-2.0 */
/* Destroys an XArray from which all objects were removed. */
#ifndef _SMC_BASE_XA_H
#define _SMC_BASE_XA_H

#include <linux/bug.h>
#include <linux/xarray.h>

/**
 * smc_xa_exit - destroy an XArray from which all entries were removed
 * @table:	the XArray, which nobody uses any more
 *
 * An insertion that found no memory may have left nodes without an entry. So
 * xa_empty() may be false although every entry was removed. Context: process.
 */
static inline void smc_xa_exit(struct xarray *table)
{
	unsigned long index = 0;

	WARN_ON(xa_find(table, &index, ULONG_MAX, XA_PRESENT));
	xa_destroy(table);
}

#endif

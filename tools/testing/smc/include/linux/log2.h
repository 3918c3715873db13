/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header. */
#ifndef SMC_SHIM_LINUX_LOG2_H
#define SMC_SHIM_LINUX_LOG2_H

#include <linux/types.h>

static inline bool is_power_of_2(u64 n)
{
	return n && !(n & (n - 1));
}

/* Floor of the binary logarithm; @n is not 0. */
static inline int ilog2(u64 n)
{
	return 63 - __builtin_clzll(n);
}

#endif /* SMC_SHIM_LINUX_LOG2_H */

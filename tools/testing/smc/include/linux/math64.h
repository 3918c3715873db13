/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header. */
#ifndef SMC_SHIM_LINUX_MATH64_H
#define SMC_SHIM_LINUX_MATH64_H

#include <linux/types.h>

static inline u64 div_u64_rem(u64 dividend, u32 divisor, u32 *remainder)
{
	*remainder = (u32)(dividend % divisor);
	return dividend / divisor;
}

#endif /* SMC_SHIM_LINUX_MATH64_H */

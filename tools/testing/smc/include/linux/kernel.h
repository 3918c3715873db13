/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header. */
#ifndef SMC_SHIM_LINUX_KERNEL_H
#define SMC_SHIM_LINUX_KERNEL_H

#include <linux/types.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#endif /* SMC_SHIM_LINUX_KERNEL_H */

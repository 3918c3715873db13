/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header. */
#ifndef SMC_SHIM_LINUX_COMPILER_H
#define SMC_SHIM_LINUX_COMPILER_H

/* One thread here. */
#define READ_ONCE(x)		(x)
#define WRITE_ONCE(x, v)	((x) = (v))

#endif /* SMC_SHIM_LINUX_COMPILER_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header. */
#ifndef SMC_SHIM_LINUX_BUILD_BUG_H
#define SMC_SHIM_LINUX_BUILD_BUG_H

#include <assert.h>

#undef static_assert
#define static_assert(expr) _Static_assert(expr, #expr)

#endif /* SMC_SHIM_LINUX_BUILD_BUG_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header. */
#ifndef SMC_SHIM_LINUX_STRING_H
#define SMC_SHIM_LINUX_STRING_H

#include <string.h>

#endif /* SMC_SHIM_LINUX_STRING_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header. */
#ifndef SMC_SHIM_LINUX_MODULE_H
#define SMC_SHIM_LINUX_MODULE_H

#define MODULE_LICENSE(s)	_Static_assert(sizeof(s) > 1, "license")
#define MODULE_VERSION(s)	_Static_assert(sizeof(s) > 1, "version")
#define MODULE_DESCRIPTION(s)	_Static_assert(sizeof(s) > 1, "description")

#endif /* SMC_SHIM_LINUX_MODULE_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kernel options that this module needs. If one is missing, probe.sh shows the
 * text of #error and the build ends. An option comes after the options that it
 * depends on. CONFIG_SMC lets TCP handle option 254.
 */
#include <linux/kconfig.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#error this kernel is older than Linux 6.1
#elif !IS_ENABLED(CONFIG_INET)
#error this kernel lacks CONFIG_INET
#elif !IS_ENABLED(CONFIG_INFINIBAND)
#error this kernel lacks CONFIG_INFINIBAND
#elif !IS_ENABLED(CONFIG_SMC)
#error this kernel lacks CONFIG_SMC (with it goes CONFIG_DIBS from Linux 6.18 on)
#elif defined(MODULE) && IS_BUILTIN(CONFIG_SMC)
#error this kernel has CONFIG_SMC=y, and what is built in cannot be replaced
#endif

// SPDX-License-Identifier: GPL-2.0
/* A handler of a sysctl may not change the table. */
#include <linux/sysctl.h>

static inline int smc_probe_sysctl_handler(const struct ctl_table *table,
					   int write, void *buf, size_t *len,
					   loff_t *pos)
{
	return 0;
}

static inline proc_handler *smc_probe_sysctl_const(void)
{
	return smc_probe_sysctl_handler;
}

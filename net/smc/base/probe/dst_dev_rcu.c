// SPDX-License-Identifier: GPL-2.0
/* dst_dev_rcu() reads the device of a route. */
#include <net/dst.h>

static inline struct net_device *smc_probe_dst_dev_rcu(struct dst_entry *dst)
{
	return dst_dev_rcu(dst);
}

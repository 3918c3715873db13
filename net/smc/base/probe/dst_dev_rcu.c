// SPDX-License-Identifier: GPL-2.0
/* The device of a route is read with dst_dev_rcu(). */
#include <net/dst.h>

static inline struct net_device *smc_probe_dst_dev_rcu(struct dst_entry *dst)
{
	return dst_dev_rcu(dst);
}

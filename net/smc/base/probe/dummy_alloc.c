// SPDX-License-Identifier: GPL-2.0
/* alloc_netdev_dummy() makes a network device without an interface. */
#include <linux/netdevice.h>

static inline struct net_device *smc_probe_dummy_alloc(void)
{
	return alloc_netdev_dummy(0);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Snapshots of devices, taken under RCU. The removal of a device waits for RCU.
 */
#include <linux/netdevice.h>
#include <linux/pci.h>
#include <rdma/ib_cache.h>
#include "dev.h"
#include "dev_info.h"
#include "port_priv.h"

struct search {
	const struct net *net;
	u32 after;
	u32 found;			/* 0: no device was found yet */
	struct smc_dev_info *info;
};

static bool next_device(struct smc_port *port, void *arg)
{
	struct search *s = arg;

	if (port->dev_id > s->after &&
	    (!s->found || port->dev_id < s->found) &&
	    rdma_dev_access_netns(port->ibdev, s->net))
		s->found = port->dev_id;
	return false;
}

/* Finds the net device of the port's first GID with a net device in @net. Needs
 * RCU.
 */
static int port_ifindex(const struct smc_port *port, const struct net *net)
{
	u32 n = port->ibdev->port_data[port->num].immutable.gid_tbl_len;
	const struct ib_gid_attr *attr;
	struct net_device *ndev;
	int found = 0;
	u32 i;

	for (i = 0; i < n && !found; i++) {
		attr = rdma_get_gid_attr(port->ibdev, port->num, i);
		if (IS_ERR(attr))
			continue;
		ndev = rdma_read_gid_attr_ndev_rcu(attr);
		if (!IS_ERR_OR_NULL(ndev) && net_eq(dev_net(ndev), net))
			found = ndev->ifindex;
		rdma_put_gid_attr(attr);
	}
	return found;
}

static void fill_device(const struct smc_port *port, struct smc_dev_info *info)
{
	const struct device *parent = port->ibdev->dev.parent;
	const struct pci_dev *pci;

	smc_port_ibname(port, info->ibname);
	if (!parent || !dev_is_pci(parent))
		return;
	pci = to_pci_dev(parent);
	info->pci = true;
	info->pci_vendor = pci->vendor;
	info->pci_device = pci->device;
	strscpy(info->pci_id, pci_name(pci), sizeof(info->pci_id));
}

static void fill_port(struct smc_port *port, const struct net *net,
		      struct smc_port_info *info)
{
	info->num = port->num;
	info->active = !smc_port_gone(port);
	info->ifindex = port_ifindex(port, net);
	smc_pnet_port(port, &info->pnet);
}

static bool fill_next(struct smc_port *port, void *arg)
{
	struct search *s = arg;

	if (port->dev_id != s->found)
		return false;
	fill_device(port, s->info);
	if (port->num <= SMC_DEV_INFO_PORTS)
		fill_port(port, s->net, &s->info->port[port->num - 1]);
	return false;
}

bool smc_dev_info_next(const struct net *net, u32 *id,
		       struct smc_dev_info *info)
{
	struct search s = { .net = net, .after = *id, .info = info };

	memset(info, 0, sizeof(*info));
	/* the entry stays empty if the port is just being removed: try the next
	 * one
	 */
	while (!info->ibname[0]) {
		s.found = 0;
		smc_dev_first_port(next_device, &s);
		if (!s.found)
			return false;
		smc_dev_first_port(fill_next, &s);
		s.after = s.found;
	}
	*id = s.found;
	return true;
}

struct one_port {
	const struct smc_port *port;
	const struct net *net;
	struct smc_port_info *info;
};

static bool this_port(struct smc_port *port, void *arg)
{
	struct one_port *one = arg;

	if (port == one->port)
		fill_port(port, one->net, one->info);
	return false;
}

/* The device is certain to exist only while its port is on the list. */
void smc_port_info(const struct smc_port *port, const struct net *net,
		   struct smc_port_info *info)
{
	struct one_port one = { .port = port, .net = net, .info = info };

	memset(info, 0, sizeof(*info));
	smc_dev_first_port(this_port, &one);
}

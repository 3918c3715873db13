// SPDX-License-Identifier: GPL-2.0
/* View of the RDMA devices that the caller's namespace may use. */
#include <linux/slab.h>
#include "../group/info.h"
#include "../transport/dev_info.h"
#include "genl.h"
#include "genl_msg.h"

/**
 * struct use - use of a device by the groups of the namespace
 * @links:	number of links, by port
 * @critical:	a group with connections has all its active links on this device
 */
struct use {
	u32 links[SMC_DEV_INFO_PORTS];
	bool critical;
};

/* A part of a dump has at most this number of devices. */
#define DEVS_MAX	16

/**
 * struct found - a device of a part of a dump
 * @id:		its number
 * @dev:	snapshot
 * @use:	use by groups
 */
struct found {
	u32 id;
	struct smc_dev_info dev;
	struct use use;
};

static void count_group(const struct smc_lgr_info *lgr, const char *ibname,
			struct use *use)
{
	unsigned int i, on = 0, active = 0;

	for (i = 0; i < lgr->n_links; i++) {
		const struct smc_link_info *link = &lgr->link[i];
		bool same = !strcmp(link->ibname, ibname);

		if (same && link->ibport && link->ibport <= SMC_DEV_INFO_PORTS)
			use->links[link->ibport - 1]++;
		if (link->state != SMC_LINK_INFO_ACTIVE)
			continue;
		active++;
		on += same;
	}
	if (lgr->conns && on && on == active)
		use->critical = true;
}

/* Visits each group once, for all devices of one part of a dump. */
static int find_use(struct net *net, struct found *found, unsigned int n)
{
	struct smc_lgr_info *lgr = kmalloc(sizeof(*lgr), GFP_KERNEL);
	unsigned int i;
	u32 id = 0;

	if (!lgr)
		return -ENOMEM;
	while (smc_info_next(net, &id, lgr, false)) {
		for (i = 0; i < n; i++)
			count_group(lgr, found[i].dev.ibname, &found[i].use);
		cond_resched();
	}
	kfree(lgr);
	return 0;
}

static int put_port(struct sk_buff *skb, const struct smc_port_info *port,
		    u32 links, int attr)
{
	struct nlattr *nest = nla_nest_start(skb, attr);

	if (!nest ||
	    nla_put_u8(skb, SMC_A_PORT_PNET_USR, !!port->pnet.s[0]) ||
	    nla_put_string(skb, SMC_A_PORT_PNETID, port->pnet.s) ||
	    nla_put_u32(skb, SMC_A_PORT_NETDEV, port->ifindex) ||
	    nla_put_u8(skb, SMC_A_PORT_STATE, port->active) ||
	    nla_put_u8(skb, SMC_A_PORT_VALID, 1) ||
	    nla_put_u32(skb, SMC_A_PORT_LNK_CNT, links))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int put_pci(struct sk_buff *skb, const struct smc_dev_info *dev)
{
	/* existing tools show uninitialised memory if an attribute is missing
	 */
	return nla_put_u32(skb, SMC_A_DEV_PCI_FID, 0) ?:
	       nla_put_u16(skb, SMC_A_DEV_PCI_CHID, 0) ?:
	       nla_put_u16(skb, SMC_A_DEV_PCI_VENDOR, dev->pci_vendor) ?:
	       nla_put_u16(skb, SMC_A_DEV_PCI_DEVICE, dev->pci_device) ?:
	       nla_put_string(skb, SMC_A_DEV_PCI_ID, dev->pci_id);
}

static int put_dev(struct sk_buff *skb, const struct smc_dev_info *dev,
		   const struct use *use)
{
	static const int attrs[] = { SMC_A_DEV_PORT, SMC_A_DEV_PORT2 };
	struct nlattr *nest = nla_nest_start(skb, SMC_A_DEV_SMCR);
	unsigned int i;

	if (!nest ||
	    nla_put_u8(skb, SMC_A_DEV_IS_CRIT, use->critical) ||
	    put_pci(skb, dev) ||
	    nla_put_string(skb, SMC_A_DEV_IB_NAME, dev->ibname))
		return -EMSGSIZE;
	for (i = 0; i < SMC_DEV_INFO_PORTS; i++)
		if (dev->port[i].num &&
		    put_port(skb, &dev->port[i], use->links[i], attrs[i]))
			return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int dev_message(struct sk_buff *skb, struct netlink_callback *cb,
		       const struct found *found)
{
	void *msg = smc_genl_msg_put(skb, cb, SMC_CMD_DEV_SMCR);

	if (!msg)
		return -EMSGSIZE;
	if (put_dev(skb, &found->dev, &found->use)) {
		genlmsg_cancel(skb, msg);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, msg);
	return 0;
}

static int devs_message(struct sk_buff *skb, struct netlink_callback *cb,
			struct found *found)
{
	struct smc_genl_msg_pos *pos = smc_genl_msg_pos(cb);
	struct net *net = sock_net(skb->sk);
	unsigned int i, n = 0;
	u32 id = pos->id;
	int err = 0;

	while (n < DEVS_MAX && smc_dev_info_next(net, &id, &found[n].dev))
		found[n++].id = id;
	if (n)
		err = find_use(net, found, n);
	for (i = 0; !err && i < n; i++) {
		err = dev_message(skb, cb, &found[i]);
		if (!err)
			pos->id = found[i].id;
	}
	return smc_genl_msg_result(skb, err);
}

int smc_genl_devs(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct found *found = kcalloc(DEVS_MAX, sizeof(*found), GFP_KERNEL);
	int len;

	if (!found)
		return -ENOMEM;
	len = devs_message(skb, cb, found);
	kfree(found);
	return len;
}

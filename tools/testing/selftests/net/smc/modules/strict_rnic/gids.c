// SPDX-License-Identifier: GPL-2.0
/*
 * Adds GIDs of RoCE version 1 to the GIDs of version 2. Adapters have both. The
 * software device knows only version 2. A queue pair with a GID of version 1
 * therefore uses the same GID of version 2, and a bit of the hop limit tells
 * the versions apart. A queue pair gets no packets of the other version.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/module.h>
#include <linux/netfilter.h>
#include <linux/netfilter_ipv4.h>
#include <linux/netfilter_ipv6.h>
#include <linux/udp.h>
#include <net/ip.h>
#include <rdma/ib.h>
#include <rdma/ib_cache.h>
#include "strict.h"

static bool rocev1;
module_param(rocev1, bool, 0444);
MODULE_PARM_DESC(rocev1, "addresses of RoCE version 1 too");

static int v1_lost;
module_param(v1_lost, int, 0444);
MODULE_PARM_DESC(v1_lost, "packets that came with the other version of RoCE");

#define V1_HOPS		0x80

/* Adds the GIDs. The GIDs stay until the device is deleted. */
void strict_gids_attach(struct strict_dev *sd)
{
	u32 port;

	if (!rocev1)
		return;
	rdma_for_each_port(sd->ib, port)
		sd->ib->port_data[port].immutable.core_cap_flags |=
			RDMA_CORE_CAP_PROT_ROCE;
	rdma_roce_rescan_device(sd->ib);
}

void strict_gids_detach(struct strict_dev *sd)
{
	u32 port;

	if (!rocev1)
		return;
	rdma_for_each_port(sd->ib, port)
		sd->ib->port_data[port].immutable.core_cap_flags &=
			~RDMA_CORE_CAP_PROT_ROCE;
}

static bool is_v1(const struct ib_qp_attr *attr, int mask)
{
	const struct ib_gid_attr *gid = attr->ah_attr.grh.sgid_attr;

	return mask & IB_QP_AV && gid && gid->gid_type == IB_GID_TYPE_ROCE;
}

/**
 * strict_gids_modify_qp - modify_qp() of the device
 * @sd:		device
 * @qp:		queue pair
 * @attr:	as in struct ib_device_ops
 * @mask:	like @attr
 * @udata:	like @attr
 *
 * Return: 0 or a negative errno.
 */
int strict_gids_modify_qp(struct strict_dev *sd, struct ib_qp *qp,
			  struct ib_qp_attr *attr, int mask,
			  struct ib_udata *udata)
{
	const struct ib_gid_attr *v1 = attr->ah_attr.grh.sgid_attr, *v2;
	struct ib_qp_attr changed = *attr;
	int err;

	if (!rocev1 || !is_v1(attr, mask))
		return sd->real.modify_qp(qp, attr, mask, udata);
	v2 = rdma_find_gid_by_port(sd->ib, &v1->gid, IB_GID_TYPE_ROCE_UDP_ENCAP,
				   v1->port_num, NULL);
	if (IS_ERR(v2))
		return PTR_ERR(v2);
	changed.ah_attr.grh.sgid_attr = v2;
	changed.ah_attr.grh.sgid_index = v2->index;
	changed.ah_attr.grh.hop_limit |= V1_HOPS;
	err = sd->real.modify_qp(qp, &changed, mask, udata);
	rdma_put_gid_attr(v2);
	if (!err)
		strict_queues_set_v1(qp);
	return err;
}

#ifdef CONFIG_NETFILTER
struct roce_header {
	struct udphdr udp;
	__be32 opcode;
	__be32 qpn;
};

static unsigned int on_packet(void *priv, struct sk_buff *skb,
			      const struct nf_hook_state *state)
{
	const struct roce_header *roce;
	struct roce_header buf;
	bool v1, udp;
	int off;

	if (state->pf == NFPROTO_IPV4) {
		udp = ip_hdr(skb)->protocol == IPPROTO_UDP;
		v1 = ip_hdr(skb)->ttl & V1_HOPS;
		off = ip_hdrlen(skb);
	} else {
		udp = ipv6_hdr(skb)->nexthdr == IPPROTO_UDP;
		v1 = ipv6_hdr(skb)->hop_limit & V1_HOPS;
		off = sizeof(struct ipv6hdr);
	}
	if (!udp)
		return NF_ACCEPT;
	roce = skb_header_pointer(skb, off, sizeof(buf), &buf);
	if (!roce || roce->udp.dest != htons(ROCE_V2_UDP_DPORT) ||
	    strict_queues_accept(be32_to_cpu(roce->qpn) & 0xffffff, v1))
		return NF_ACCEPT;
	WRITE_ONCE(v1_lost, v1_lost + 1);	/* about right */
	return NF_DROP;
}

static const struct nf_hook_ops hooks[] = {
	{
		.hook		= on_packet,
		.pf		= NFPROTO_IPV4,
		.hooknum	= NF_INET_LOCAL_IN,
		.priority	= NF_IP_PRI_FIRST,
	}, {
		.hook		= on_packet,
		.pf		= NFPROTO_IPV6,
		.hooknum	= NF_INET_LOCAL_IN,
		.priority	= NF_IP6_PRI_FIRST,
	},
};

int strict_gids_init(void)
{
	if (!rocev1)
		return 0;
	return nf_register_net_hooks(&init_net, hooks, ARRAY_SIZE(hooks));
}

void strict_gids_exit(void)
{
	if (rocev1)
		nf_unregister_net_hooks(&init_net, hooks, ARRAY_SIZE(hooks));
}
#else
int strict_gids_init(void)
{
	if (!rocev1)
		return 0;
	pr_err("strict_rnic: no rocev1: this kernel has no netfilter\n");
	return -EOPNOTSUPP;
}

void strict_gids_exit(void)
{
}
#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * Chooses another port for a link group: on the same network, with the same
 * type of GID.
 */
#include <linux/if_vlan.h>
#include <linux/inetdevice.h>
#include <net/addrconf.h>
#include <net/ipv6.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>
#include "dev.h"
#include "pnet.h"
#include "port_priv.h"

/* Criteria and result of the search. */
struct search {
	const struct smc_dev_choice *like;
	u64 net_cookie;
	const struct in6_addr *peer;
	bool (*fit)(const struct smc_port *port, void *arg);
	void *arg;
	struct smc_dev_choice *choice;
};

static bool same_kind(const struct in6_addr *a, const struct in6_addr *b)
{
	return ipv6_addr_v4mapped(a) == ipv6_addr_v4mapped(b) &&
	       rdma_link_local_addr((struct in6_addr *)a) ==
	       rdma_link_local_addr((struct in6_addr *)b);
}

static bool on_link_v4(struct net_device *ndev, __be32 addr)
{
	const struct in_ifaddr *ifa;
	struct in_device *in_dev;

	in_dev = __in_dev_get_rcu(ndev);
	if (!in_dev)
		return false;
	in_dev_for_each_ifa_rcu(ifa, in_dev)
		if (inet_ifa_match(addr, ifa))
			return true;
	return false;
}

/*
 * Are both GIDs on one Layer 2 network? The function compares only the
 * addresses (R-5.2-01).
 */
static bool on_link(struct net_device *ndev, const struct in6_addr *addr)
{
	if (ipv6_addr_v4mapped(addr))
		return on_link_v4(ndev, addr->s6_addr32[3]);
	if (rdma_link_local_addr((struct in6_addr *)addr))
		return true;
	return IS_ENABLED(CONFIG_IPV6) && ipv6_chk_prefix(addr, ndev);
}

static bool gid_fits(struct smc_port *port, struct search *s,
		     const struct ib_gid_attr *attr)
{
	const struct in6_addr *gid = (const void *)attr->gid.raw;
	struct net_device *ndev = rdma_read_gid_attr_ndev_rcu(attr);
	u16 vlan = VLAN_N_VID;

	if (IS_ERR_OR_NULL(ndev) || attr->index > U8_MAX ||
	    dev_net(ndev)->net_cookie != s->net_cookie ||
	    !rdma_dev_access_netns(port->ibdev, dev_net(ndev)) ||
	    attr->gid_type != s->like->gid_type ||
	    !same_kind(gid, (const void *)s->like->gid) ||
	    (s->peer && !on_link(ndev, s->peer)) ||
	    rdma_read_gid_l2_fields(attr, &vlan, s->choice->mac))
		return false;
	return (vlan < VLAN_N_VID ? vlan : 0) == s->like->vlan;
}

/* Excludes ports that the PNETID table puts on another network (smc_pnet). */
static bool same_net(const struct smc_port *a, const struct smc_port *b)
{
	struct smc_pnet_name of_a = {}, of_b = {};

	rcu_read_lock();
	smc_pnet_port(a, &of_a);
	smc_pnet_port(b, &of_b);
	rcu_read_unlock();
	return !strcmp(of_a.s, of_b.s);
}

static bool match_other(struct smc_port *port, void *arg)
{
	u32 n = port->ibdev->port_data[port->num].immutable.gid_tbl_len;
	const struct ib_gid_attr *attr;
	struct search *s = arg;
	bool fits = false;
	u32 i;

	/* long messages of version 2 need two buffers per receive;
	 * smc_dev_choose() requires the same
	 */
	if (s->like->v2 && port->ibdev->attrs.max_recv_sge < 2)
		return false;
	if (smc_port_gone(port) || !s->fit(port, s->arg) ||
	    !same_net(port, s->like->port))
		return false;
	for (i = 0; !fits && i < min_t(u32, n, U8_MAX + 1); i++) {
		attr = rdma_get_gid_attr(port->ibdev, port->num, i);
		if (IS_ERR(attr))
			continue;
		fits = gid_fits(port, s, attr);
		if (fits) {
			s->choice->gid_idx = attr->index;
			memcpy(s->choice->gid, attr->gid.raw,
			       sizeof(s->choice->gid));
		}
		rdma_put_gid_attr(attr);
	}
	return fits;
}

int smc_dev_choose_other(const struct smc_dev_choice *like, u64 net_cookie,
			 const u8 *peer_gid,
			 bool (*fit)(const struct smc_port *port, void *arg),
			 void *arg, struct smc_dev_choice *choice)
{
	struct search s = {
		.like = like,
		.net_cookie = net_cookie,
		.peer = (const void *)peer_gid,
		.fit = fit,
		.arg = arg,
		.choice = choice,
	};

	memset(choice, 0, sizeof(*choice));
	choice->vlan = like->vlan;
	choice->gid_type = like->gid_type;
	choice->v2 = like->v2;
	choice->tclass = like->tclass;
	choice->sl = like->sl;
	choice->port = smc_dev_first_port(match_other, &s);
	return choice->port ? 0 : -ENODEV;
}

bool smc_dev_on_link(const struct smc_dev_choice *choice, const u8 *peer_gid)
{
	const struct in6_addr *peer = (const void *)peer_gid;
	struct smc_port *port = choice->port;
	const struct ib_gid_attr *attr;
	struct net_device *ndev;
	bool on = false;

	if (!smc_port_use(port))
		return false;
	attr = rdma_get_gid_attr(port->ibdev, port->num, choice->gid_idx);
	if (!IS_ERR(attr)) {
		rcu_read_lock();
		ndev = rdma_read_gid_attr_ndev_rcu(attr);
		on = !IS_ERR_OR_NULL(ndev) &&
		     same_kind((const void *)attr->gid.raw, peer) &&
		     on_link(ndev, peer);
		rcu_read_unlock();
		rdma_put_gid_attr(attr);
	}
	smc_port_unuse(port);
	return on;
}

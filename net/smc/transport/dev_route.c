// SPDX-License-Identifier: GPL-2.0
/* From the route of a TCP socket to the RDMA port and GID beneath it. */
#include <linux/if_vlan.h>
#include <linux/netdevice.h>
#include <net/dst.h>
#include <net/inet_sock.h>
#include <net/ipv6.h>
#include <net/neighbour.h>
#include <net/route.h>
#include <net/sock.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>
#include "../base/compat.h"
#include "dev.h"
#include "pnet.h"
#include "port_priv.h"

/* Criteria and result of the search. */
struct search {
	struct net *net;
	struct net_device *ndev;	/* current candidate, RCU */
	union ib_gid src;		/* own address, IPv4 mapped */
	struct smc_pnet_name pnet;	/* network of the path; empty: unknown */
	struct smc_dev_choice *choice;
};

/* GID types in the order of preference: routable ones first. */
static const enum ib_gid_type gid_types[] = {
	IB_GID_TYPE_ROCE_UDP_ENCAP,
	IB_GID_TYPE_ROCE,
};

/* Consumes the reference of @attr. */
static bool take_gid(struct search *s, const struct ib_gid_attr *attr)
{
	struct smc_dev_choice *c = s->choice;
	u16 vlan = 0;
	int err = -ERANGE;

	if (attr->index <= U8_MAX)
		err = rdma_read_gid_l2_fields(attr, &vlan, c->mac);
	if (!err) {
		c->gid_idx = attr->index;
		c->gid_type = attr->gid_type;
		c->v2 = attr->gid_type == IB_GID_TYPE_ROCE_UDP_ENCAP &&
			ipv6_addr_v4mapped((void *)attr->gid.raw) &&
			attr->device->attrs.max_recv_sge >= 2;
		c->vlan = vlan < VLAN_N_VID ? vlan : 0;
		memcpy(c->gid, attr->gid.raw, sizeof(c->gid));
	}
	rdma_put_gid_attr(attr);
	return !err;
}

/*
 * Finds the GID that equals the connection's own address, on this net device.
 */
static bool gid_by_address(struct smc_port *port, struct search *s)
{
	const struct ib_gid_attr *attr;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(gid_types); i++) {
		attr = rdma_find_gid_by_port(port->ibdev, &s->src, gid_types[i],
					     port->num, s->ndev);
		if (!IS_ERR(attr))
			return take_gid(s, attr);
	}
	return false;
}

/*
 * Is the GID of the connection's address family, and usable beyond the local
 * link?
 */
static bool gid_alike(const struct search *s, const union ib_gid *gid)
{
	return ipv6_addr_v4mapped((void *)gid->raw) ==
	       ipv6_addr_v4mapped((void *)s->src.raw) &&
	       !rdma_link_local_addr((void *)gid->raw);
}

/* Finds a GID of this net device and type: any, or one like the own address. */
static bool gid_by_ndev(struct smc_port *port, struct search *s,
			enum ib_gid_type type, bool any)
{
	u32 n = port->ibdev->port_data[port->num].immutable.gid_tbl_len;
	const struct ib_gid_attr *attr;
	u32 i;

	for (i = 0; i < min_t(u32, n, U8_MAX + 1); i++) {
		attr = rdma_get_gid_attr(port->ibdev, port->num, i);
		if (IS_ERR(attr))
			continue;
		if (attr->gid_type == type &&
		    rdma_read_gid_attr_ndev_rcu(attr) == s->ndev &&
		    (any || gid_alike(s, &attr->gid)))
			return take_gid(s, attr);
		rdma_put_gid_attr(attr);
	}
	return false;
}

/* Takes any GID of the port, if the PNETID table names the network. */
static bool gid_by_type(struct smc_port *port, struct search *s,
			enum ib_gid_type type, bool link_local)
{
	u32 n = port->ibdev->port_data[port->num].immutable.gid_tbl_len;
	const struct ib_gid_attr *attr;
	struct net_device *ndev;
	u32 i;

	for (i = 0; i < min_t(u32, n, U8_MAX + 1); i++) {
		attr = rdma_get_gid_attr(port->ibdev, port->num, i);
		if (IS_ERR(attr))
			continue;
		ndev = rdma_read_gid_attr_ndev_rcu(attr);
		if (attr->gid_type == type && !IS_ERR_OR_NULL(ndev) &&
		    net_eq(dev_net(ndev), s->net) &&
		    rdma_link_local_addr((void *)attr->gid.raw) == link_local)
			return take_gid(s, attr);
		rdma_put_gid_attr(attr);
	}
	return false;
}

/*
 * If the PNETID table names the network of the path, only ports of that network
 * qualify.
 */
static bool same_network(const struct smc_port *port, const struct search *s)
{
	struct smc_pnet_name name;

	if (!s->pnet.s[0])
		return true;
	return smc_pnet_port(port, &name) && !strcmp(name.s, s->pnet.s);
}

static bool port_usable(struct smc_port *port, struct search *s)
{
	return !smc_port_gone(port) && same_network(port, s) &&
	       rdma_dev_access_netns(port->ibdev, s->net);
}

static bool match_address(struct smc_port *port, void *arg)
{
	return port_usable(port, arg) && gid_by_address(port, arg);
}

static bool match_ndev(struct smc_port *port, void *arg)
{
	unsigned int i;

	if (!port_usable(port, arg))
		return false;
	/* the connection's address may belong to another net device */
	for (i = 0; i < ARRAY_SIZE(gid_types); i++)
		if (gid_by_ndev(port, arg, gid_types[i], false))
			return true;
	for (i = 0; i < ARRAY_SIZE(gid_types); i++)
		if (gid_by_ndev(port, arg, gid_types[i], true))
			return true;
	return false;
}

static bool match_network(struct smc_port *port, void *arg)
{
	unsigned int i;

	if (!port_usable(port, arg))
		return false;
	for (i = 0; i < ARRAY_SIZE(gid_types); i++)
		if (gid_by_type(port, arg, gid_types[i], false) ||
		    gid_by_type(port, arg, gid_types[i], true))
			return true;
	return false;
}

static int find_network(struct net_device *ndev,
			struct netdev_nested_priv *priv)
{
	struct search *s = priv->data;

	return smc_pnet_ndev(ndev, &s->pnet);	/* end of the walk */
}

static int try_ndev(struct net_device *ndev, struct netdev_nested_priv *priv)
{
	struct search *s = priv->data;

	s->ndev = ndev;
	s->choice->port = smc_dev_first_port(match_address, s);
	if (!s->choice->port)
		s->choice->port = smc_dev_first_port(match_ndev, s);
	return !!s->choice->port;	/* end of the walk */
}

static void own_address(const struct sock *sk, union ib_gid *gid)
{
	struct in6_addr *addr = (struct in6_addr *)gid->raw;

#if IS_ENABLED(CONFIG_IPV6)
	if (sk->sk_family == AF_INET6) {
		*addr = sk->sk_v6_rcv_saddr;
		return;
	}
#endif
	ipv6_addr_set_v4mapped(inet_sk(sk)->inet_saddr, addr);
}

int smc_dev_choose(struct sock *sk, struct smc_dev_choice *choice)
{
	struct search s = { .net = sock_net(sk), .choice = choice };
	struct netdev_nested_priv priv = { .data = &s };
	struct net_device *ndev;
	struct dst_entry *dst;

	memset(choice, 0, sizeof(*choice));
	own_address(sk, &s.src);
	rcu_read_lock();
	dst = rcu_dereference(sk->sk_dst_cache);
	ndev = dst ? dst_dev_rcu(dst) : NULL;
	if (ndev && !find_network(ndev, &priv))
		netdev_walk_all_lower_dev_rcu(ndev, find_network, &priv);
	if (ndev && !try_ndev(ndev, &priv))
		netdev_walk_all_lower_dev_rcu(ndev, try_ndev, &priv);
	if (!choice->port && s.pnet.s[0])
		choice->port = smc_dev_first_port(match_network, &s);
	rcu_read_unlock();
	return choice->port ? 0 : -ENODEV;
}

/* Returns the net device of the GID, with a reference, or NULL. */
static struct net_device *gid_ndev(const struct smc_dev_choice *choice)
{
	const struct ib_gid_attr *attr;
	struct net_device *ndev;

	if (!smc_port_use(choice->port))
		return NULL;
	attr = rdma_get_gid_attr(choice->port->ibdev, choice->port->num,
				 choice->gid_idx);
	if (IS_ERR(attr)) {
		smc_port_unuse(choice->port);
		return NULL;
	}
	rcu_read_lock();
	ndev = rdma_read_gid_attr_ndev_rcu(attr);
	if (IS_ERR(ndev))
		ndev = NULL;
	dev_hold(ndev);
	rcu_read_unlock();
	rdma_put_gid_attr(attr);
	smc_port_unuse(choice->port);
	return ndev;
}

static int next_hop(struct rtable *rt, __be32 daddr, u8 *mac)
{
	struct neighbour *neigh = dst_neigh_lookup(&rt->dst, &daddr);
	int err = -EAGAIN;

	if (!neigh)
		return -EHOSTUNREACH;
	/*
	 * the net device may have longer addresses than Ethernet, for which
	 * @mac has no room
	 */
	if (neigh->dev->addr_len != ETH_ALEN) {
		err = -EHOSTUNREACH;
	} else if (READ_ONCE(neigh->nud_state) & NUD_VALID) {
		neigh_ha_snapshot(mac, neigh, neigh->dev);
		err = 0;
	} else {
		neigh_event_send(neigh, NULL);
	}
	neigh_release(neigh);
	return err;
}

int smc_dev_route(struct net *net, const struct smc_dev_choice *choice,
		  const u8 *peer_gid, struct smc_dev_path *path)
{
	const struct in6_addr *own = (const void *)choice->gid;
	const struct in6_addr *his = (const void *)peer_gid;
	struct flowi4 fl4 = {};
	struct net_device *ndev;
	struct rtable *rt;
	int err = 0;

	if (!ipv6_addr_v4mapped(own) || !ipv6_addr_v4mapped(his))
		return -EAFNOSUPPORT;
	/*
	 * set no interface: with one, the lookup treats any address as on-link
	 */
	fl4.saddr = own->s6_addr32[3];
	fl4.daddr = his->s6_addr32[3];
	rt = ip_route_output_key(net, &fl4);
	if (IS_ERR(rt))
		return -EHOSTUNREACH;
	ndev = gid_ndev(choice);
	memset(path, 0, sizeof(*path));
	path->gateway = rt->rt_uses_gateway;
	/* a gateway must be on the network of the port */
	if (!ndev || rt->rt_type != RTN_UNICAST ||
	    (path->gateway && rt->dst.dev != ndev))
		err = -EHOSTUNREACH;
	else if (path->gateway)
		err = next_hop(rt, fl4.daddr, path->mac);
	ip_rt_put(rt);
	dev_put(ndev);
	path->known = !err;
	return err;
}

void smc_dev_choice_get(const struct smc_dev_choice *choice)
{
	if (choice->port)
		smc_port_get(choice->port, SMC_PORT_REF_CHOICE);
}

void smc_dev_choice_put(struct smc_dev_choice *choice)
{
	if (choice->port)
		smc_port_put(choice->port, SMC_PORT_REF_CHOICE);
	choice->port = NULL;
}

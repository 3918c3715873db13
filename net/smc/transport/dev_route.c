// SPDX-License-Identifier: GPL-2.0
/* Finds the RDMA port and the GID that belong to the route of a TCP socket. */
#include <linux/if_vlan.h>
#include <linux/netdevice.h>
#include <net/dst.h>
#include <net/inet_ecn.h>
#include <net/inet_sock.h>
#include <net/ip6_fib.h>
#include <net/ip6_route.h>
#include <net/ipv6.h>
#include <net/neighbour.h>
#include <net/route.h>
#include <net/sock.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>
#include "../base/compat.h"
#include "../base/limits.h"
#include "../base/tunables.h"
#include "dev.h"
#include "gid_pick.h"
#include "pnet.h"
#include "port_priv.h"

/* The highest of the eight priorities of Ethernet. */
#define SL_MAX	7

/* Criteria and result of the search. */
struct search {
	struct net *net;
	struct net_device *ndev;	/* current candidate, RCU; NULL: any */
	union ib_gid src;		/* own address; IPv4 is mapped */
	struct smc_pnet_name pnet;	/* network of the path; empty: unknown */
	struct smc_dev_choice *choice;
};

/* Notes entry @idx of the GID table. Return: false: the port is of no use. */
static bool take_gid(struct smc_port *port, u8 idx, struct smc_dev_gid *gid)
{
	const struct ib_gid_attr *attr;
	u16 vlan = VLAN_N_VID;
	int err;

	attr = rdma_get_gid_attr(port->ibdev, port->num, idx);
	if (IS_ERR(attr))
		return false;	/* the entry has gone */
	err = rdma_read_gid_l2_fields(attr, &vlan, gid->mac);
	gid->vlan = vlan < VLAN_N_VID ? vlan : 0;
	gid->usable = !err;
	gid->idx = idx;
	memcpy(gid->gid, attr->gid.raw, sizeof(gid->gid));
	rdma_put_gid_attr(attr);
	return !err;
}

/* Stores this entry, with its VLAN and MAC, in the choice. */
static void use_gid(struct smc_dev_choice *c, const struct smc_dev_gid *gid,
		    enum ib_gid_type type)
{
	c->gid_idx = gid->idx;
	c->gid_type = type;
	c->vlan = gid->vlan;
	memcpy(c->gid, gid->gid, sizeof(c->gid));
	memcpy(c->mac, gid->mac, sizeof(c->mac));
}

/* Fills the choice. Return: false: the port is of no use. */
static bool take_gids(struct smc_port *port, struct search *s,
		      const struct smc_gid_pick *pick)
{
	int v1 = smc_gid_pick_v1(pick), v2 = smc_gid_pick_v2(pick);
	struct smc_dev_choice *c = s->choice;
	struct smc_dev_gid gid = {};

	memset(&c->of_v2, 0, sizeof(c->of_v2));
	if (v1 < 0 || !take_gid(port, v1, &gid))
		return false;
	use_gid(c, &gid, pick->v1.rank ? IB_GID_TYPE_ROCE :
					 IB_GID_TYPE_ROCE_UDP_ENCAP);
	if (v2 >= 0 && port->ibdev->attrs.max_recv_sge >= 2 &&
	    !take_gid(port, v2, &c->of_v2))
		return false;
	c->v2 = c->of_v2.usable && v1 == v2;
	return true;
}

/* Does the entry belong to the path? RCU. */
static bool on_path(const struct search *s, const struct ib_gid_attr *attr)
{
	struct net_device *ndev = rdma_read_gid_attr_ndev_rcu(attr);

	/* the devices below a container's macvlan or VLAN may be the host's */
	if (IS_ERR_OR_NULL(ndev) || !net_eq(dev_net(ndev), s->net))
		return false;
	/* any net device fits if the PNETID table names the network */
	return !s->ndev || ndev == s->ndev;
}

/* Checks the port's GIDs until no better GID can follow. RCU. */
static void pick_gids(struct smc_port *port, struct search *s,
		      struct smc_gid_pick *pick)
{
	u32 n = port->ibdev->port_data[port->num].immutable.gid_tbl_len;
	bool has_v1 = rdma_protocol_roce_eth_encap(port->ibdev, port->num);
	const struct ib_gid_attr *attr;
	u32 i;

	smc_gid_pick_init(pick, s->src.raw, !s->ndev);
	for (i = 0; i < min_t(u32, n, U8_MAX + 1); i++) {
		attr = rdma_get_gid_attr(port->ibdev, port->num, i);
		if (IS_ERR(attr))
			continue;
		if (on_path(s, attr))
			smc_gid_pick_look(pick, i, attr->gid.raw,
					  attr->gid_type == IB_GID_TYPE_ROCE);
		rdma_put_gid_attr(attr);
		if (smc_gid_pick_best(pick, has_v1))
			break;
	}
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

/* Is the connection's own address a GID of the port? */
static bool match_address(struct smc_port *port, void *arg)
{
	struct smc_gid_pick pick;

	if (!port_usable(port, arg))
		return false;
	pick_gids(port, arg, &pick);
	return smc_gid_pick_exact(&pick) && take_gids(port, arg, &pick);
}

/* The connection's address may belong to another net device. */
static bool match_any(struct smc_port *port, void *arg)
{
	struct smc_gid_pick pick;

	if (!port_usable(port, arg))
		return false;
	pick_gids(port, arg, &pick);
	return take_gids(port, arg, &pick);
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
		s->choice->port = smc_dev_first_port(match_any, s);
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

static u8 class_of_socket(const struct sock *sk)
{
	u8 tos = READ_ONCE(inet_sk(sk)->tos);

#if IS_ENABLED(CONFIG_IPV6)
	if (sk->sk_family == AF_INET6 &&
	    !ipv6_addr_v4mapped(&sk->sk_v6_rcv_saddr))
		tos = READ_ONCE(inet6_sk(sk)->tclass);
#endif
	/* the adapter marks congestion on its own */
	return tos & ~INET_ECN_MASK;
}

/*
 * Chooses the class of all packets of a link. A fabric without loss (PFC) reads
 * the class from the DSCP of packets, or from the priority of frames.
 */
static void choose_class(const struct sock *sk, struct smc_dev_choice *choice)
{
	int tclass = READ_ONCE(smc_tunables(sock_net(sk))->tclass);
	u32 prio = READ_ONCE(sk->sk_priority);

	if (tclass == SMC_TCLASS_OF_SOCKET)
		choice->tclass = class_of_socket(sk);
	else
		choice->tclass = tclass;
	if (tclass != SMC_TCLASS_OF_SOCKET || !prio)
		prio = rt_tos2priority(choice->tclass);
	/* larger numbers are for queueing disciplines */
	choice->sl = prio <= SL_MAX ? prio : 0;
}

int smc_dev_choose(struct sock *sk, struct smc_dev_choice *choice)
{
	struct search s = { .net = sock_net(sk), .choice = choice };
	struct netdev_nested_priv priv = { .data = &s };
	struct net_device *ndev;
	struct dst_entry *dst;

	memset(choice, 0, sizeof(*choice));
	choose_class(sk, choice);
	own_address(sk, &s.src);
	rcu_read_lock();
	dst = rcu_dereference(sk->sk_dst_cache);
	ndev = dst ? dst_dev_rcu(dst) : NULL;
	if (ndev && !find_network(ndev, &priv))
		netdev_walk_all_lower_dev_rcu(ndev, find_network, &priv);
	if (ndev && !try_ndev(ndev, &priv))
		netdev_walk_all_lower_dev_rcu(ndev, try_ndev, &priv);
	if (!choice->port && s.pnet.s[0]) {
		s.ndev = NULL;
		choice->port = smc_dev_first_port(match_any, &s);
	}
	rcu_read_unlock();
	return choice->port ? 0 : -ENODEV;
}

/**
 * smc_dev_choice_gid - get the entry of the GID table that was chosen
 * @choice:	choice; the caller is a user of its port, see smc_port_use()
 *
 * Context: process or softirq. Return: the entry, with a reference;
 * ERR_PTR(-EADDRNOTAVAIL) if it has gone, or has another GID since.
 */
const struct ib_gid_attr *
smc_dev_choice_gid(const struct smc_dev_choice *choice)
{
	const struct ib_gid_attr *attr;

	attr = rdma_get_gid_attr(choice->port->ibdev, choice->port->num,
				 choice->gid_idx);
	if (IS_ERR(attr))
		return ERR_PTR(-EADDRNOTAVAIL);
	if (attr->gid_type == choice->gid_type &&
	    !memcmp(attr->gid.raw, choice->gid, sizeof(choice->gid)))
		return attr;
	rdma_put_gid_attr(attr);
	return ERR_PTR(-EADDRNOTAVAIL);
}

/* Returns the net device of the GID, with a reference, or NULL. */
static struct net_device *gid_ndev(const struct smc_dev_choice *choice)
{
	const struct ib_gid_attr *attr;
	struct net_device *ndev;

	if (!smc_port_use(choice->port))
		return NULL;
	attr = smc_dev_choice_gid(choice);
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

/*
 * A route to a peer.
 * @dst: with a reference, or NULL
 * @gateway: the route leads through a gateway
 */
struct route {
	struct dst_entry *dst;
	bool gateway;
};

/*
 * These lookups set no interface, because with one the lookup treats any
 * address as on-link. Return: 0 or -EHOSTUNREACH; the caller drops the
 * reference in both cases.
 */
static int route_v4(struct net *net, const struct in6_addr *own,
		    const struct in6_addr *his, struct route *r)
{
	struct flowi4 fl4 = {
		.saddr = own->s6_addr32[3],
		.daddr = his->s6_addr32[3],
	};
	struct rtable *rt = ip_route_output_key(net, &fl4);

	if (IS_ERR(rt))
		return -EHOSTUNREACH;
	r->dst = &rt->dst;
	r->gateway = rt->rt_uses_gateway;
	return rt->rt_type == RTN_UNICAST ? 0 : -EHOSTUNREACH;
}

#if IS_ENABLED(CONFIG_IPV6)

/*
 * Is this an address of one host that a route without an interface can reach?
 */
static bool routable_v6(const struct in6_addr *addr)
{
	int type = ipv6_addr_type(addr);

	return type & IPV6_ADDR_UNICAST &&
	       !(type & (IPV6_ADDR_LINKLOCAL | IPV6_ADDR_LOOPBACK));
}

static int route_v6(struct net *net, const struct in6_addr *own,
		    const struct in6_addr *his, struct route *r)
{
	struct flowi6 fl6 = { .saddr = *own, .daddr = *his };
	const struct rt6_info *rt;

	if (!routable_v6(own) || !routable_v6(his))
		return -EHOSTUNREACH;
	/* never fails: a route that leads nowhere has an error */
	r->dst = ip6_route_output(net, NULL, &fl6);
	rt = container_of(r->dst, struct rt6_info, dst);
	r->gateway = rt->rt6i_flags & RTF_GATEWAY;
	return r->dst->error ||
	       rt->rt6i_flags & (RTF_LOCAL | RTF_ANYCAST | RTF_REJECT) ?
	       -EHOSTUNREACH : 0;
}

#else

static int route_v6(struct net *net, const struct in6_addr *own,
		    const struct in6_addr *his, struct route *r)
{
	return -EHOSTUNREACH;
}

#endif

/* @daddr: address of the peer, of the family of the route */
static int next_hop(struct dst_entry *dst, const void *daddr, u8 *mac)
{
	struct neighbour *neigh = dst_neigh_lookup(dst, daddr);
	int err = -EAGAIN;

	if (!neigh)
		return -EHOSTUNREACH;
	/*
	 * other net devices may have longer addresses than Ethernet, and @mac
	 * has no room for them
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
	bool v4 = ipv6_addr_v4mapped(own);
	struct net_device *ndev;
	struct route r = {};
	int err;

	if (v4 != ipv6_addr_v4mapped(his))
		return -EAFNOSUPPORT;
	err = v4 ? route_v4(net, own, his, &r) : route_v6(net, own, his, &r);
	ndev = gid_ndev(choice);
	memset(path, 0, sizeof(*path));
	path->gateway = r.gateway;
	/* the port must be on the network of the gateway */
	if (!ndev || (path->gateway && r.dst->dev != ndev))
		err = -EHOSTUNREACH;
	else if (!err && path->gateway)
		err = next_hop(r.dst, v4 ? &his->s6_addr32[3] : his->s6_addr32,
			       path->mac);
	dst_release(r.dst);
	dev_put(ndev);
	path->known = !err;
	return err;
}

void smc_dev_choice_use_v2(struct smc_dev_choice *choice)
{
	if (WARN_ON_ONCE(!choice->of_v2.usable))
		return;
	choice->v2 = true;
	use_gid(choice, &choice->of_v2, IB_GID_TYPE_ROCE_UDP_ENCAP);
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

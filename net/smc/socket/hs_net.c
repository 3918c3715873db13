// SPDX-License-Identifier: GPL-2.0
/*
 * Network data of the Proposal: subnets and prefixes of the interface that the
 * TCP connection uses (RFC 7609, 3.5.1.2 and A.2.2). RCU or the lock of the
 * address list protects each walk over addresses. No function takes the rtnl
 * lock.
 */
#include <linux/inetdevice.h>
#include <linux/netdevice.h>
#include <net/addrconf.h>
#include <net/dst.h>
#include <net/if_inet6.h>
#include <net/inet_sock.h>
#include <net/ipv6.h>
#include <net/tcp.h>
#include "../base/compat.h"
#include "hs.h"

bool smc_hs_net_ipsec(struct sock *tcp)
{
	bool found = false;
#ifdef CONFIG_XFRM
	struct dst_entry *dst;

	if (rcu_access_pointer(tcp->sk_policy[0]) ||
	    rcu_access_pointer(tcp->sk_policy[1]))
		return true;
	rcu_read_lock();
	dst = rcu_dereference(tcp->sk_dst_cache);
	found = dst && dst_xfrm(dst);
	rcu_read_unlock();
#endif
	return found;
}

bool smc_hs_net_signed(struct sock *tcp)
{
	bool found = false;
#ifdef CONFIG_TCP_MD5SIG
	const struct tcp_md5sig_info *md5;

	rcu_read_lock();
	md5 = rcu_dereference(tcp_sk(tcp)->md5sig_info);
	found = md5 && !hlist_empty(&md5->head);
	rcu_read_unlock();
#endif
#ifdef CONFIG_TCP_AO
	found = found || rcu_access_pointer(tcp_sk(tcp)->ao_info);
#endif
	return found;
}

static bool is_v4(const struct sock *tcp)
{
#if IS_ENABLED(CONFIG_IPV6)
	if (tcp->sk_family == AF_INET6)
		return ipv6_addr_v4mapped(&tcp->sk_v6_daddr);
#endif
	return true;
}

/* An IPv6 host may use any address of its /64 (RFC 4291), so only this prefix
 * of its address counts.
 */
void smc_hs_net_source(struct sock *tcp, u8 *source)
{
	struct in6_addr addr;

	ipv6_addr_set_v4mapped(tcp->sk_daddr, &addr);
#if IS_ENABLED(CONFIG_IPV6)
	if (tcp->sk_family == AF_INET6)
		addr = tcp->sk_v6_daddr;
	if (!is_v4(tcp))
		ipv6_addr_prefix(&addr, &tcp->sk_v6_daddr, 64);
#endif
	memcpy(source, &addr, sizeof(addr));
}

static struct net_device *route_dev(const struct sock *tcp)
{
	struct dst_entry *dst = rcu_dereference(tcp->sk_dst_cache);

	return dst ? dst_dev_rcu(dst) : NULL;
}

/* Finds the entry of our address @addr on @dev, under RCU. */
static const struct in_ifaddr *find_v4(struct net_device *dev, __be32 addr)
{
	struct in_device *in = dev ? __in_dev_get_rcu(dev) : NULL;
	const struct in_ifaddr *ifa;

	if (!in)
		return NULL;
	in_dev_for_each_ifa_rcu(ifa, in)
		if (ifa->ifa_local == addr)
			return ifa;
	return NULL;
}

/*
 * Finds the subnet of the source address. In most cases the outgoing interface
 * has the address. If the route leads over loopback to this host, or if the
 * application has bound the socket to an address, another interface may have
 * the address.
 */
static void describe_v4(struct sock *tcp, struct smc_clc_proposal *p)
{
	__be32 addr = inet_sk(tcp)->inet_rcv_saddr;
	const struct in_ifaddr *ifa;
	struct net_device *dev;

	rcu_read_lock();
	ifa = find_v4(route_dev(tcp), addr);
	if (!ifa) {
		for_each_netdev_rcu(sock_net(tcp), dev) {
			ifa = find_v4(dev, addr);
			if (ifa)
				break;
		}
	}
	/*
	 * never send an empty mask, which could match an empty mask of the
	 * server
	 */
	p->ipv4_len = ifa ? ifa->ifa_prefixlen : 32;
	p->ipv4_net = ntohl(ifa ? ifa->ifa_address & ifa->ifa_mask : addr);
	rcu_read_unlock();
}

static bool common_v4(struct sock *tcp, const struct smc_clc_proposal *p)
{
	const struct in_ifaddr *ifa;
	struct net_device *dev;
	struct in_device *in;
	bool found = false;

	rcu_read_lock();
	dev = route_dev(tcp);
	in = dev ? __in_dev_get_rcu(dev) : NULL;
	if (in) {
		in_dev_for_each_ifa_rcu(ifa, in) {
			found = ifa->ifa_prefixlen == p->ipv4_len &&
				inet_ifa_match(htonl(p->ipv4_net), ifa);
			if (found)
				break;
		}
	}
	rcu_read_unlock();
	return found;
}

#if IS_ENABLED(CONFIG_IPV6)

/*
 * Does the address describe the LAN? A link-local address or a loopback address
 * does not.
 */
static bool usable_v6(const struct inet6_ifaddr *ifa)
{
	return !(ipv6_addr_type(&ifa->addr) & (IPV6_ADDR_LINKLOCAL |
					       IPV6_ADDR_LOOPBACK)) &&
	       ifa->prefix_len;
}

static bool prefix_listed(const struct smc_clc_proposal *p,
			  const struct in6_addr *net, u8 len)
{
	struct in6_addr prefix;
	int i;

	for (i = 0; i < p->n6; i++) {
		memcpy(&prefix, p->p6[i].addr, sizeof(prefix));
		if (p->p6[i].len == len && ipv6_prefix_equal(&prefix, net, len))
			return true;
	}
	return false;
}

static void add_v6(struct smc_clc_proposal *p, const struct inet6_ifaddr *ifa)
{
	struct in6_addr prefix;

	ipv6_addr_prefix(&prefix, &ifa->addr, ifa->prefix_len);
	memcpy(p->p6[p->n6].addr, &prefix, sizeof(prefix));
	p->p6[p->n6].len = ifa->prefix_len;
	p->n6++;
}

static void describe_v6(struct sock *tcp, struct smc_clc_proposal *p)
{
	struct inet6_dev *in6 = NULL;
	struct inet6_ifaddr *ifa;
	struct net_device *dev;

	rcu_read_lock();
	dev = route_dev(tcp);
	if (dev)
		in6 = __in6_dev_get(dev);
	if (!in6)
		goto unlock;
	read_lock_bh(&in6->lock);
	list_for_each_entry(ifa, &in6->addr_list, if_list) {
		if (p->n6 == SMC_CLC_PREFIXES_MAX)
			break;	/* R-A.2.2-12 */
		if (usable_v6(ifa) &&
		    !prefix_listed(p, &ifa->addr, ifa->prefix_len))
			add_v6(p, ifa);
	}
	read_unlock_bh(&in6->lock);
unlock:
	rcu_read_unlock();
}

static bool common_v6(struct sock *tcp, const struct smc_clc_proposal *p)
{
	struct inet6_dev *in6 = NULL;
	struct inet6_ifaddr *ifa;
	struct net_device *dev;
	bool found = false;

	rcu_read_lock();
	dev = route_dev(tcp);
	if (dev)
		in6 = __in6_dev_get(dev);
	if (!in6)
		goto unlock;
	read_lock_bh(&in6->lock);
	list_for_each_entry(ifa, &in6->addr_list, if_list) {
		found = usable_v6(ifa) &&
			prefix_listed(p, &ifa->addr, ifa->prefix_len);
		if (found)
			break;
	}
	read_unlock_bh(&in6->lock);
unlock:
	rcu_read_unlock();
	return found;
}

#else

static void describe_v6(struct sock *tcp, struct smc_clc_proposal *p)
{
}

static bool common_v6(struct sock *tcp, const struct smc_clc_proposal *p)
{
	return false;
}

#endif

void smc_hs_net_describe(struct sock *tcp, struct smc_clc_proposal *p)
{
	p->ipv4_net = 0;
	p->ipv4_len = 0;
	p->n6 = 0;
	if (is_v4(tcp))
		describe_v4(tcp, p);
	else
		describe_v6(tcp, p);
}

bool smc_hs_net_common(struct sock *tcp, const struct smc_clc_proposal *p)
{
	return is_v4(tcp) ? common_v4(tcp, p) : common_v6(tcp, p);
}

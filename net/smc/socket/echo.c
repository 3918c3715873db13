// SPDX-License-Identifier: GPL-2.0
/*
 * Addresses of peers that echo the TCP option. See echo.h. The table is a small
 * array. Lookups are linear, and only necessary if the table is not empty.
 */
#include <linux/inet.h>
#include <linux/spinlock.h>
#include <net/inet_sock.h>
#include <net/ipv6.h>
#include <net/netns/generic.h>
#include "../base/limits.h"
#include "../base/mib.h"
#include "../base/tunables.h"
#include "echo.h"

/**
 * struct echoes - the table of one namespace
 * @lock:	protects @entry and writing of @n; no other lock is taken under
 *		it; process context
 * @n:		used entries, which may have expired; READ_ONCE by
 *		smc_echo_known() (partner smc_echo_remember())
 * @entry:	the addresses; member end is in jiffies
 */
struct echoes {
	spinlock_t lock;	/* protects @entry and writing of @n */
	unsigned int n;
	struct {
		struct in6_addr addr;
		unsigned long end;
	} entry[SMC_ECHO_MAX];
};

static unsigned int echo_net_id;

static struct echoes *echoes_of(const struct net *net)
{
	return net_generic(net, echo_net_id);
}

/* TCP refuses an address that is too short, and this function must not
 * read it.
 */
static bool addr_key(const struct sockaddr *addr, int len, struct in6_addr *key)
{
	switch (addr->sa_family) {
	case AF_INET:
		if (len < (int)sizeof(struct sockaddr_in))
			return false;
		ipv6_addr_set_v4mapped(((const struct sockaddr_in *)
					addr)->sin_addr.s_addr, key);
		return true;
	case AF_INET6:
		if (len < SIN6_LEN_RFC2133)
			return false;
		*key = ((const struct sockaddr_in6 *)addr)->sin6_addr;
		return true;
	default:
		return false;
	}
}

static unsigned int memory_secs(struct net *net)
{
	return READ_ONCE(smc_tunables(net)->echo_memory);
}

/* Returns the index of @addr, or @e->n if the table does not have it. */
static unsigned int find_echo(const struct echoes *e,
			      const struct in6_addr *addr)
{
	unsigned int i;

	lockdep_assert_held(&e->lock);
	for (i = 0; i < e->n; i++)
		if (ipv6_addr_equal(&e->entry[i].addr, addr))
			break;
	return i;
}

static void forget_echo(struct echoes *e, unsigned int i)
{
	lockdep_assert_held(&e->lock);
	e->entry[i] = e->entry[e->n - 1];
	WRITE_ONCE(e->n, e->n - 1);
}

bool smc_echo_known(struct net *net, const struct sockaddr *addr, int len)
{
	struct echoes *e = echoes_of(net);
	struct in6_addr k;
	bool known = false;
	unsigned int i;

	if (!READ_ONCE(e->n) || !memory_secs(net) || !addr_key(addr, len, &k))
		return false;
	spin_lock(&e->lock);
	i = find_echo(e, &k);
	if (i < e->n) {
		known = time_before(jiffies, e->entry[i].end);
		if (!known)
			forget_echo(e, i);
	}
	spin_unlock(&e->lock);
	if (known)
		smc_mib_inc(net, SMC_MIB_ECHO_AVOIDED);
	return known;
}

/* Returns a free entry, or the entry that expires first. */
static unsigned int make_place(struct echoes *e)
{
	unsigned int i, first = 0;

	lockdep_assert_held(&e->lock);
	if (e->n < SMC_ECHO_MAX) {
		WRITE_ONCE(e->n, e->n + 1);
		return e->n - 1;
	}
	for (i = 1; i < e->n; i++)
		if (time_before(e->entry[i].end, e->entry[first].end))
			first = i;
	return first;
}

void smc_echo_remember(struct sock *tcp, bool sure)
{
	struct net *net = sock_net(tcp);
	unsigned int secs = memory_secs(net);
	struct echoes *e = echoes_of(net);
	struct in6_addr k;
	unsigned int i;

	if (!secs)
		return;
	if (!sure)
		secs = min_t(unsigned int, secs, SMC_ECHO_UNSURE_SECS);
	ipv6_addr_set_v4mapped(inet_sk(tcp)->inet_daddr, &k);
#if IS_ENABLED(CONFIG_IPV6)
	if (tcp->sk_family == AF_INET6)
		k = tcp->sk_v6_daddr;
#endif
	spin_lock(&e->lock);
	i = find_echo(e, &k);
	if (i == e->n)
		i = make_place(e);
	e->entry[i].addr = k;
	e->entry[i].end = jiffies + secs * HZ;
	spin_unlock(&e->lock);
	smc_mib_inc(net, SMC_MIB_ECHO_SEEN);
}

bool smc_echo_next(struct net *net, unsigned int *pos,
		   struct smc_echo_info *info)
{
	struct echoes *e = echoes_of(net);
	unsigned long now = jiffies;
	bool found = false;

	spin_lock(&e->lock);
	for (; !found && memory_secs(net) && *pos < e->n; (*pos)++) {
		if (!time_before(now, e->entry[*pos].end))
			continue;
		info->addr = e->entry[*pos].addr;
		info->seconds = DIV_ROUND_UP(e->entry[*pos].end - now, HZ);
		found = true;
	}
	spin_unlock(&e->lock);
	return found;
}

void smc_echo_flush(struct net *net)
{
	struct echoes *e = echoes_of(net);

	spin_lock(&e->lock);
	WRITE_ONCE(e->n, 0);
	spin_unlock(&e->lock);
}

static int __net_init echo_net_init(struct net *net)
{
	spin_lock_init(&echoes_of(net)->lock);
	return 0;
}

static struct pernet_operations net_ops = {
	.init = echo_net_init,
	.id = &echo_net_id,
	.size = sizeof(struct echoes),
};

int smc_echo_init(void)
{
	return register_pernet_subsys(&net_ops);
}

void smc_echo_exit(void)
{
	unregister_pernet_subsys(&net_ops);
}

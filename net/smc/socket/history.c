// SPDX-License-Identifier: GPL-2.0
/* Remembers what earlier connections have shown about peers. See history.h. */
#include <linux/jiffies.h>
#include <linux/math.h>
#include <net/inet_sock.h>
#include <net/ipv6.h>
#include <net/netns/generic.h>
#include "history.h"

static unsigned int history_net_id;

/** smc_history_of - a table of a namespace. Context: any. */
struct smc_history *smc_history_of(const struct net *net,
				   enum smc_history_kind kind)
{
	struct smc_history *tables = net_generic(net, history_net_id);

	return &tables[kind];
}

/**
 * smc_history_peer - make a key with the peer's address and no port
 * @key:	output
 * @tcp:	TCP socket that is connected, or was
 *
 * Context: any.
 */
void smc_history_peer(struct smc_history_key *key, const struct sock *tcp)
{
	*key = (struct smc_history_key){};
	ipv6_addr_set_v4mapped(inet_sk(tcp)->inet_daddr, &key->addr);
#if IS_ENABLED(CONFIG_IPV6)
	if (tcp->sk_family == AF_INET6)
		key->addr = tcp->sk_v6_daddr;
#endif
}

/**
 * smc_history_addr - make a key with an address and no port
 * @key:	output
 * @addr:	address that an application has passed to connect()
 * @len:	its length; TCP refuses an address that is too short, and this
 *		function must not read it
 *
 * Context: any. If this is no address of a peer, the key matches no entry.
 */
void smc_history_addr(struct smc_history_key *key, const struct sockaddr *addr,
		      int len)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)addr;
	const struct sockaddr_in *in = (const struct sockaddr_in *)addr;

	*key = (struct smc_history_key){};
	if (addr->sa_family == AF_INET && len >= (int)sizeof(*in))
		ipv6_addr_set_v4mapped(in->sin_addr.s_addr, &key->addr);
	else if (addr->sa_family == AF_INET6 && len >= SIN6_LEN_RFC2133)
		key->addr = in6->sin6_addr;
}

/* Returns the index of @key, or @h->n if the table does not contain it. */
static unsigned int history_find(const struct smc_history *h,
				 const struct smc_history_key *key)
{
	unsigned int i;

	lockdep_assert_held(&h->lock);
	for (i = 0; i < h->n; i++)
		if (h->entry[i].key.port == key->port &&
		    h->entry[i].key.server == key->server &&
		    ipv6_addr_equal(&h->entry[i].key.addr, &key->addr))
			break;
	return i;
}

/*
 * On a 32-bit machine jiffies wrap. An entry that has expired weeks ago would
 * then look like one that expires in the future.
 */
static bool history_live(unsigned long end, unsigned long now)
{
	return time_before(now, end) && end - now <= SMC_HISTORY_SECS_MAX * HZ;
}

static void history_forget(struct smc_history *h, unsigned int i)
{
	lockdep_assert_held(&h->lock);
	h->entry[i] = h->entry[h->n - 1];
	WRITE_ONCE(h->n, h->n - 1);
}

/* @renew: seconds until an expired entry expires again; 0: forget it */
static bool history_look(struct smc_history *h,
			 const struct smc_history_key *key, unsigned int renew)
{
	bool found = false;
	unsigned int i;

	if (!READ_ONCE(h->n))
		return false;
	spin_lock(&h->lock);
	i = history_find(h, key);
	if (i < h->n) {
		found = history_live(h->entry[i].end, jiffies);
		if (!found && renew)
			h->entry[i].end = jiffies + renew * HZ;
		else if (!found)
			history_forget(h, i);
	}
	spin_unlock(&h->lock);
	return found;
}

/**
 * smc_history_has - does the table have an entry that has not expired?
 * @h:		table
 * @key:	what to look for
 *
 * Context: process.
 */
bool smc_history_has(struct smc_history *h, const struct smc_history_key *key)
{
	return history_look(h, key, 0);
}

/**
 * smc_history_hold - the same, but an entry that has expired is renewed
 * @h:		table
 * @key:	what to look for
 * @secs:	seconds until a renewed entry expires
 *
 * If an entry has expired, the first caller gets false, and later callers get
 * true. The first caller finds out whether the entry is still true, and then
 * calls smc_history_add() or smc_history_drop().
 *
 * Context: process. Return: true if the table has an entry that was valid
 * before the call.
 */
bool smc_history_hold(struct smc_history *h, const struct smc_history_key *key,
		      unsigned int secs)
{
	return history_look(h, key, secs);
}

/** smc_history_drop - forget an entry. Context: process. */
void smc_history_drop(struct smc_history *h, const struct smc_history_key *key)
{
	unsigned int i;

	if (!READ_ONCE(h->n))
		return;
	spin_lock(&h->lock);
	i = history_find(h, key);
	if (i < h->n)
		history_forget(h, i);
	spin_unlock(&h->lock);
}

/* Returns a free entry, or the entry that expires first. */
static unsigned int history_make_place(struct smc_history *h)
{
	unsigned int i, first = 0;

	lockdep_assert_held(&h->lock);
	if (h->n < SMC_HISTORY_MAX) {
		WRITE_ONCE(h->n, h->n + 1);
		return h->n - 1;
	}
	for (i = 1; i < h->n; i++)
		if (time_before(h->entry[i].end, h->entry[first].end))
			first = i;
	return first;
}

/**
 * smc_history_add - add an entry, or let it expire later
 * @h:		table
 * @key:	what the entry is about
 * @secs:	seconds until it expires
 *
 * Context: process. Return: is it new?
 */
bool smc_history_add(struct smc_history *h, const struct smc_history_key *key,
		     unsigned int secs)
{
	unsigned int i;
	bool fresh;

	spin_lock(&h->lock);
	i = history_find(h, key);
	fresh = i == h->n;
	if (fresh)
		i = history_make_place(h);
	h->entry[i].key = *key;
	h->entry[i].end = jiffies + secs * HZ;
	spin_unlock(&h->lock);
	return fresh;
}

/**
 * smc_history_next - get the next entry that has not expired
 * @h:		table
 * @pos:	in: position, 0 for the first entry; out: position of the next
 *		entry
 * @key:	filled in
 * @secs:	filled in: seconds until the entry expires
 *
 * Context: process. Return: false at the end.
 */
bool smc_history_next(struct smc_history *h, unsigned int *pos,
		      struct smc_history_key *key, unsigned int *secs)
{
	unsigned long now = jiffies;
	bool found = false;

	spin_lock(&h->lock);
	for (; !found && *pos < h->n; (*pos)++) {
		if (!history_live(h->entry[*pos].end, now))
			continue;
		*key = h->entry[*pos].key;
		*secs = DIV_ROUND_UP(h->entry[*pos].end - now, HZ);
		found = true;
	}
	spin_unlock(&h->lock);
	return found;
}

/** smc_history_flush - forget all entries. Context: process. */
void smc_history_flush(struct smc_history *h)
{
	spin_lock(&h->lock);
	WRITE_ONCE(h->n, 0);
	spin_unlock(&h->lock);
}

static int __net_init history_net_init(struct net *net)
{
	unsigned int kind;

	for (kind = 0; kind < SMC_HISTORY_NR; kind++)
		spin_lock_init(&smc_history_of(net, kind)->lock);
	return 0;
}

static struct pernet_operations net_ops = {
	.init = history_net_init,
	.id = &history_net_id,
	.size = SMC_HISTORY_NR * sizeof(struct smc_history),
};

/** smc_history_init - create the tables, before sockets and views use them */
int smc_history_init(void)
{
	return register_pernet_subsys(&net_ops);
}

/** smc_history_exit - delete the tables */
void smc_history_exit(void)
{
	unregister_pernet_subsys(&net_ops);
}

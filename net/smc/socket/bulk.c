// SPDX-License-Identifier: GPL-2.0
/*
 * Peers and ports whose connections move bulk data. See bulk.h.
 *
 * The table of a namespace has a fixed number of entries. The hash of a peer
 * and port chooses the entry. Each entry is one number, so that handshakes and
 * readers share no lock. Peers with the same entry replace each other. A wrong
 * or lost entry costs memory or speed, and nothing else.
 */
#include <linux/once.h>
#include <linux/random.h>
#include <linux/siphash.h>
#include <linux/timekeeping.h>
#include <net/inet_sock.h>
#include <net/ipv6.h>
#include <net/netns/generic.h>
#include "../base/limits.h"
#include "../base/tunables.h"
#include "../conn/conn.h"
#include "../conn/rx.h"
#include "bulk.h"
#include "sock.h"

/**
 * struct bulk_table - the table of one namespace
 * @entry:	upper half: seconds since boot when the peer was seen; lower
 *		half: hash of the peer; 0: unused
 */
struct bulk_table {
	atomic64_t entry[SMC_BULK_PEERS];
};

/**
 * struct bulk_key - what the hash is made of
 * @peer:	address of the peer; an IPv4 address is mapped to IPv6
 * @port:	port of the server
 * @server:	is this host the server?
 */
struct bulk_key {
	struct in6_addr peer;
	__be16 port;
	u16 server;
} __aligned(SIPHASH_ALIGNMENT);

static unsigned int bulk_net_id;
static siphash_key_t bulk_secret;

static u64 bulk_hash(const struct smc_sock *smc)
{
	const struct sock *tcp = smc->clcsock->sk;
	const struct inet_sock *inet = inet_sk(tcp);
	bool server = test_bit(SMC_SF_CHILD, &smc->flags);
	struct bulk_key key = {
		.port = server ? inet->inet_sport : inet->inet_dport,
		.server = server,
	};

	ipv6_addr_set_v4mapped(inet->inet_daddr, &key.peer);
#if IS_ENABLED(CONFIG_IPV6)
	if (tcp->sk_family == AF_INET6)
		key.peer = tcp->sk_v6_daddr;
#endif
	net_get_random_once(&bulk_secret, sizeof(bulk_secret));
	return siphash(&key, sizeof(key), &bulk_secret);
}

/* Returns the entry of a hash. The lower half of the hash chooses it. */
static atomic64_t *bulk_entry(const struct net *net, u64 hash)
{
	struct bulk_table *table = net_generic(net, bulk_net_id);

	return &table->entry[hash % SMC_BULK_PEERS];
}

/* An entry stores the upper half of the hash. */
static u64 bulk_value(u64 hash, u32 now)
{
	return (u64)now << 32 | hash >> 32;
}

static bool bulk_known(const struct smc_sock *smc)
{
	u64 hash = bulk_hash(smc);
	u64 entry = atomic64_read(bulk_entry(sock_net(&smc->sk), hash));
	u32 age = (u32)ktime_get_seconds() - (u32)(entry >> 32);

	return entry && (u32)entry == hash >> 32 && age < SMC_BULK_SECS;
}

u32 smc_bulk_elem_size(const struct smc_sock *smc)
{
	const struct smc_tunables *t = smc_tunables(sock_net(&smc->sk));
	u32 most = smc_sock_rmb(smc);
	u32 start = READ_ONCE(t->rmem_start);

	if (start >= most || smc->sk.sk_userlocks & SOCK_RCVBUF_LOCK ||
	    bulk_known(smc))
		return most;
	return start;
}

void smc_bulk_note(struct smc_sock *smc)
{
	u64 hash;

	sock_owned_by_me(&smc->sk);
	if (likely(!smc_rx_is_bulk(smc->conn)))
		return;
	hash = bulk_hash(smc);
	atomic64_set(bulk_entry(sock_net(&smc->sk), hash),
		     bulk_value(hash, ktime_get_seconds()));
}

static struct pernet_operations bulk_net_ops = {
	.id = &bulk_net_id,
	.size = sizeof(struct bulk_table),
};

int smc_bulk_init(void)
{
	return register_pernet_subsys(&bulk_net_ops);
}

void smc_bulk_exit(void)
{
	unregister_pernet_subsys(&bulk_net_ops);
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What earlier connections have shown about peers: a small table of addresses
 * that forgets each entry after some time. Lookups are linear, and only
 * necessary if the table is not empty.
 */
#ifndef _SMC_SOCKET_HISTORY_H
#define _SMC_SOCKET_HISTORY_H

#include <linux/in6.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct net;
struct sock;
struct sockaddr;

/*
 * Limit of entries. At the limit a new entry replaces the entry that expires
 * first.
 */
#define SMC_HISTORY_MAX	256
/* Entries live no longer. */
#define SMC_HISTORY_SECS_MAX	(24 * 60 * 60)

/**
 * struct smc_history_key - what an entry is about
 * @addr:	peer; an IPv4 address is mapped to IPv6
 * @port:	port of the server, or 0
 * @server:	this host is the server; false if @port is 0
 */
struct smc_history_key {
	struct in6_addr addr;
	__be16 port;
	bool server;
};

enum smc_history_kind {
	SMC_HISTORY_ECHO,	/* see echo.h */
	SMC_HISTORY_BULK,	/* see bulk.h */
	SMC_HISTORY_DEAD_PATH,	/* see dead_path.h */
	SMC_HISTORY_NR,
};

/**
 * struct smc_history - table of one namespace
 * @lock:	protects @entry and writing of @n; no other lock is taken under
 *		it; process context
 * @n:		used entries, which may have expired; READ_ONCE by
 *		smc_history_has() and others (partner smc_history_add())
 * @entry:	the entries; member end is in jiffies
 */
struct smc_history {
	spinlock_t lock;	/* protects @entry and writing of @n */
	unsigned int n;
	struct {
		struct smc_history_key key;
		unsigned long end;
	} entry[SMC_HISTORY_MAX];
};

struct smc_history *smc_history_of(const struct net *net,
				   enum smc_history_kind kind);
void smc_history_peer(struct smc_history_key *key, const struct sock *tcp);
void smc_history_addr(struct smc_history_key *key, const struct sockaddr *addr,
		      int len);
bool smc_history_has(struct smc_history *h, const struct smc_history_key *key);
bool smc_history_add(struct smc_history *h, const struct smc_history_key *key,
		     unsigned int secs);
bool smc_history_hold(struct smc_history *h, const struct smc_history_key *key,
		      unsigned int secs);
void smc_history_drop(struct smc_history *h, const struct smc_history_key *key);
bool smc_history_next(struct smc_history *h, unsigned int *pos,
		      struct smc_history_key *key, unsigned int *secs);
void smc_history_flush(struct smc_history *h);
int smc_history_init(void);
void smc_history_exit(void);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Statistics of a network namespace that existing tools show: calls, buffers,
 * handshakes, and the reasons for staying on TCP. mib.h has the counters that
 * only this module has.
 */
#ifndef _SMC_BASE_STATS_H
#define _SMC_BASE_STATS_H

#include <linux/spinlock.h>
#include <linux/types.h>

struct net;

enum smc_stat_dir {
	SMC_STAT_TX,
	SMC_STAT_RX,
	SMC_STAT_DIRS
};

enum smc_stat {
	SMC_STAT_CLNT_V1_SUCC,	/* in the order of the netlink attributes */
	SMC_STAT_CLNT_V2_SUCC,
	SMC_STAT_SRV_V1_SUCC,
	SMC_STAT_SRV_V2_SUCC,
	SMC_STAT_SENDPAGE,
	SMC_STAT_SPLICE,
	SMC_STAT_CORK,
	SMC_STAT_NODELAY,
	SMC_STAT_URGENT,
	SMC_STAT_RX_BYTES,
	SMC_STAT_TX_BYTES,
	SMC_STAT_RX_CALLS,
	SMC_STAT_TX_CALLS,
	SMC_STAT_NR
};

/* Events of buffers. TX is the send queue, RX the receive element. */
enum smc_stat_buf {
	/* the peer's element is smaller than the data of a send call */
	SMC_STAT_BUF_SMALL_PEER,
	/* our element is smaller than the buffer of a receive call */
	SMC_STAT_BUF_SMALL,
	SMC_STAT_BUF_FULL_PEER,
	SMC_STAT_BUF_FULL,
	SMC_STAT_BUF_REUSE,	/* a connection got an existing buffer */
	SMC_STAT_BUF_ALLOC,	/* a buffer was allocated for a connection */
	SMC_STAT_BUF_DOWNGRADE,	/* the buffer is smaller than requested */
	SMC_STAT_BUF_NR
};

/* Bucket n counts sizes up to 8 KiB << n. The last bucket has no
 * upper bound.
 */
#define SMC_STAT_SIZES	9

/**
 * struct smc_stats - counters of one CPU, or the sum over all CPUs
 * @count:	by enum smc_stat
 * @size:	number of buffers, by size
 * @pload:	number of calls by length: the requested length of a send call,
 *	the returned length of a receive call
 * @buf:	by enum smc_stat_buf
 * @queued:	bytes that are in send queues now. A byte may enter a queue on
 *	one CPU and leave it on another, so only the sum over all CPUs has a
 *	meaning.
 */
struct smc_stats {
	u64 count[SMC_STAT_NR];
	u64 size[SMC_STAT_DIRS][SMC_STAT_SIZES];
	u64 pload[SMC_STAT_DIRS][SMC_STAT_SIZES];
	u64 buf[SMC_STAT_DIRS][SMC_STAT_BUF_NR];
	u64 queued;
};

/* The limit is larger than the number of diagnosis codes. */
#define SMC_FALLBACK_REASONS	48

/**
 * struct smc_fallbacks - how often connections stayed on TCP, and why
 * @lock:	protects the other members; no other lock is taken under it
 * @total:	number of connections of clients (0) and of servers (1)
 * @reason:	one entry per diagnosis code that has occurred, of clients (0)
 *	and of servers (1)
 */
struct smc_fallbacks {
	spinlock_t lock;	/* a leaf, protects the other members */
	u64 total[2];
	struct smc_fallback_line {
		u32 code;
		u64 n;
	} reason[2][SMC_FALLBACK_REASONS];
};

/** smc_stat_inc - add 1 to a counter, in any context */
void smc_stat_inc(struct net *net, enum smc_stat stat);
/** smc_stat_call - count a call of @len bytes that moved @done bytes */
void smc_stat_call(struct net *net, enum smc_stat_dir dir, size_t len,
		   size_t done);
/** smc_stat_size - count a connection that got a buffer of @bytes */
void smc_stat_size(struct net *net, enum smc_stat_dir dir, size_t bytes);
void smc_stat_buf(struct net *net, enum smc_stat_dir dir,
		  enum smc_stat_buf what);
/** smc_stat_queued - bytes came to send queues, or left; in any context */
void smc_stat_queued(struct net *net, s64 change);
/** smc_stats_read - sum of the statistics over all CPUs */
void smc_stats_read(struct net *net, struct smc_stats *sum);

/** smc_stats_fallback - count a connection that stays on TCP; not in irq */
void smc_stats_fallback(struct net *net, bool serv, u32 code);
/** smc_stats_fallbacks_read - copy the reasons to @out, without its lock */
void smc_stats_fallbacks_read(struct net *net, struct smc_fallbacks *out);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Statistics that existing tools show, per network namespace: calls, buffers,
 * handshakes, and why connections stayed on TCP. Numbers of our own are in
 * mib.h.
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
	SMC_STAT_CLNT_V1_SUCC,	/* the order of the netlink attributes */
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

/* What happens with buffers; TX is the send queue, RX the receive element. */
enum smc_stat_buf {
	SMC_STAT_BUF_SMALL_PEER, /* the peer's is smaller than the call */
	SMC_STAT_BUF_SMALL,	/* the own one is */
	SMC_STAT_BUF_FULL_PEER,
	SMC_STAT_BUF_FULL,
	SMC_STAT_BUF_REUSE,	/* a connection got one that was there */
	SMC_STAT_BUF_ALLOC,	/* one had to be made for it */
	SMC_STAT_BUF_DOWNGRADE,	/* it is smaller than wished for */
	SMC_STAT_BUF_NR
};

/* Up to 8 KiB << n; the last one has no end. */
#define SMC_STAT_SIZES	9

/**
 * struct smc_stats - counters of one CPU, or their sum
 * @count:	by enum smc_stat
 * @size:	buffers by size
 * @pload:	calls by length: asked for to send, got when receiving
 * @buf:	by enum smc_stat_buf
 */
struct smc_stats {
	u64 count[SMC_STAT_NR];
	u64 size[SMC_STAT_DIRS][SMC_STAT_SIZES];
	u64 pload[SMC_STAT_DIRS][SMC_STAT_SIZES];
	u64 buf[SMC_STAT_DIRS][SMC_STAT_BUF_NR];
};

/* More than there are diagnosis codes. */
#define SMC_FALLBACK_REASONS	48

/**
 * struct smc_fallbacks - why connections stayed on TCP
 * @lock:	protects the rest; a leaf
 * @total:	by role, 1: server
 * @reason:	a line for each diagnosis code that came up, by role
 */
struct smc_fallbacks {
	spinlock_t lock;	/* see above */
	u64 total[2];
	struct smc_fallback_line {
		u32 code;
		u16 n;		/* stays at its largest value */
	} reason[2][SMC_FALLBACK_REASONS];
};

/** smc_stat_inc - count one. These four: any context. */
void smc_stat_inc(struct net *net, enum smc_stat stat);
/** smc_stat_call - a call that moved @done bytes and belongs to size @len */
void smc_stat_call(struct net *net, enum smc_stat_dir dir, size_t len,
		   size_t done);
/** smc_stat_size - a connection got a buffer of @bytes */
void smc_stat_size(struct net *net, enum smc_stat_dir dir, size_t bytes);
void smc_stat_buf(struct net *net, enum smc_stat_dir dir,
		  enum smc_stat_buf what);
/** smc_stats_read - sum over CPUs */
void smc_stats_read(struct net *net, struct smc_stats *sum);

/** smc_stats_fallback - a connection stays on TCP. Any context but irq. */
void smc_stats_fallback(struct net *net, bool serv, u32 code);
/** smc_stats_fallbacks_read - @out: a copy; its lock is of no use */
void smc_stats_fallbacks_read(struct net *net, struct smc_fallbacks *out);

#endif

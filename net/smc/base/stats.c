// SPDX-License-Identifier: GPL-2.0
/*
 * Statistics. Each CPU adds to its own copy. Readers sum the copies and may see
 * slightly old values.
 */
#include <linux/bitops.h>
#include <linux/compiler.h>
#include "pernet.h"
#include "stats.h"

#define SIZE_SHIFT	13	/* the first bucket ends at 8 KiB */

static unsigned int size_bucket(size_t len)
{
	unsigned int i;

	if (!len)
		return 0;
	i = fls64((len - 1) >> SIZE_SHIFT);
	return min_t(unsigned int, i, SMC_STAT_SIZES - 1);
}

void smc_stat_inc(struct net *net, enum smc_stat stat)
{
	this_cpu_inc(smc_pernet(net)->stats->count[stat]);
}

void smc_stat_call(struct net *net, enum smc_stat_dir dir, size_t len,
		   size_t done)
{
	struct smc_stats __percpu *s = smc_pernet(net)->stats;
	bool tx = dir == SMC_STAT_TX;

	this_cpu_inc(s->pload[dir][size_bucket(len)]);
	this_cpu_inc(s->count[tx ? SMC_STAT_TX_CALLS : SMC_STAT_RX_CALLS]);
	this_cpu_add(s->count[tx ? SMC_STAT_TX_BYTES : SMC_STAT_RX_BYTES],
		     done);
}

void smc_stat_size(struct net *net, enum smc_stat_dir dir, size_t bytes)
{
	this_cpu_inc(smc_pernet(net)->stats->size[dir][size_bucket(bytes)]);
}

void smc_stat_buf(struct net *net, enum smc_stat_dir dir,
		  enum smc_stat_buf what)
{
	this_cpu_inc(smc_pernet(net)->stats->buf[dir][what]);
}

void smc_stat_queued(struct net *net, s64 change)
{
	this_cpu_add(smc_pernet(net)->stats->queued, change);
}

void smc_stats_read(struct net *net, struct smc_stats *sum)
{
	const size_t n = sizeof(*sum) / sizeof(u64);
	u64 *to = (u64 *)sum;
	const u64 *from;
	size_t i;
	int cpu;

	memset(sum, 0, sizeof(*sum));
	for_each_possible_cpu(cpu) {
		from = (const u64 *)per_cpu_ptr(smc_pernet(net)->stats, cpu);
		for (i = 0; i < n; i++)
			to[i] += READ_ONCE(from[i]);
	}
}

static void count_line(struct smc_fallback_line *line, u32 code)
{
	unsigned int i;

	for (i = 0; i < SMC_FALLBACK_REASONS; i++, line++) {
		if (line->n && line->code != code)
			continue;
		line->code = code;
		line->n++;
		return;
	}
}

void smc_stats_fallback(struct net *net, bool serv, u32 code)
{
	struct smc_fallbacks *f = &smc_pernet(net)->fallbacks;

	spin_lock_bh(&f->lock);
	f->total[serv]++;
	count_line(f->reason[serv], code);
	spin_unlock_bh(&f->lock);
}

void smc_stats_fallbacks_read(struct net *net, struct smc_fallbacks *out)
{
	struct smc_fallbacks *f = &smc_pernet(net)->fallbacks;

	spin_lock_bh(&f->lock);
	memcpy(out->total, f->total, sizeof(out->total));
	memcpy(out->reason, f->reason, sizeof(out->reason));
	spin_unlock_bh(&f->lock);
}

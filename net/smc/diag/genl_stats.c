// SPDX-License-Identifier: GPL-2.0
/* Views of the statistics and of the reasons for staying on TCP. */
#include <linux/slab.h>
#include "../base/compat.h"
#include "../base/mib.h"
#include "../base/stats.h"
#include "../group/info.h"
#include "genl.h"
#include "genl_msg.h"

/**
 * struct tech - statistics of SMC-R or SMC-D
 * @s:		counters of the namespace
 * @rx_usage:	bytes of receive elements, used and free
 * @tx_usage:	bytes in send queues
 */
struct tech {
	struct smc_stats s;
	u64 rx_usage;
	u64 tx_usage;
};

static int put_u64(struct sk_buff *skb, int attr, u64 value)
{
	/* the padding attribute of all these nests is 0 */
	return nla_put_u64_64bit(skb, attr, value, 0);
}

/* Puts a nest of @n numbers, with types from 1 on. */
static int put_row(struct sk_buff *skb, int attr, const u64 *value,
		   unsigned int n)
{
	struct nlattr *nest = nla_nest_start(skb, attr);
	unsigned int i;

	if (!nest)
		return -EMSGSIZE;
	for (i = 0; i < n; i++)
		if (put_u64(skb, i + 1, value[i]))
			return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int put_rows(struct sk_buff *skb, const struct smc_stats *s)
{
	return put_row(skb, SMC_A_TECH_TX_RMB_SIZE, s->size[SMC_STAT_TX],
		       SMC_STAT_SIZES) ?:
	       put_row(skb, SMC_A_TECH_RX_RMB_SIZE, s->size[SMC_STAT_RX],
		       SMC_STAT_SIZES) ?:
	       put_row(skb, SMC_A_TECH_TXPLOAD_SIZE, s->pload[SMC_STAT_TX],
		       SMC_STAT_SIZES) ?:
	       put_row(skb, SMC_A_TECH_RXPLOAD_SIZE, s->pload[SMC_STAT_RX],
		       SMC_STAT_SIZES) ?:
	       put_row(skb, SMC_A_TECH_TX_RMB_STATS, s->buf[SMC_STAT_TX],
		       SMC_STAT_BUF_NR) ?:
	       put_row(skb, SMC_A_TECH_RX_RMB_STATS, s->buf[SMC_STAT_RX],
		       SMC_STAT_BUF_NR);
}

static int put_tech(struct sk_buff *skb, int attr, const struct tech *tech)
{
	struct nlattr *nest = nla_nest_start(skb, attr);
	unsigned int i;

	if (!nest || put_rows(skb, &tech->s))
		return -EMSGSIZE;
	for (i = 0; i < SMC_STAT_NR; i++)
		if (put_u64(skb, SMC_A_TECH_CLNT_V1_SUCC + i,
			    tech->s.count[i]))
			return -EMSGSIZE;
	if (smc_compat_put_uint(skb, SMC_A_TECH_RX_RMB_USAGE,
				tech->rx_usage) ||
	    smc_compat_put_uint(skb, SMC_A_TECH_TX_RMB_USAGE, tech->tx_usage))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int put_stats(struct sk_buff *skb, struct net *net,
		     const struct tech *smcd, const struct tech *smcr)
{
	struct nlattr *nest = nla_nest_start(skb, SMC_A_STATS);

	if (!nest ||
	    put_tech(skb, SMC_A_STATS_SMCD_TECH, smcd) ||
	    put_tech(skb, SMC_A_STATS_SMCR_TECH, smcr) ||
	    put_u64(skb, SMC_A_STATS_CLNT_HS_ERR_CNT,
		    smc_mib_read(net, SMC_MIB_CLNT_FAIL)) ||
	    put_u64(skb, SMC_A_STATS_SRV_HS_ERR_CNT,
		    smc_mib_read(net, SMC_MIB_SRV_FAIL)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/*
 * the array has two zeroed entries; the first stays zero, because there is no
 * SMC-D
 */
static int stats_message(struct sk_buff *skb, struct netlink_callback *cb,
			 struct tech *tech)
{
	struct net *net = sock_net(skb->sk);
	void *msg;

	smc_stats_read(net, &tech[1].s);
	tech[1].rx_usage = smc_info_rmb_bytes(net);
	/* bytes that move between CPUs while the sum is computed are missed, or
	 * counted twice
	 */
	tech[1].tx_usage = max_t(s64, tech[1].s.queued, 0);
	msg = smc_genl_msg_put(skb, cb, SMC_CMD_STATS);
	if (!msg)
		return -EMSGSIZE;
	if (put_stats(skb, net, &tech[0], &tech[1])) {
		genlmsg_cancel(skb, msg);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, msg);
	return 0;
}

int smc_genl_stats(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct smc_genl_msg_pos *pos = smc_genl_msg_pos(cb);
	struct tech *tech;
	int err;

	if (pos->done)
		return 0;
	tech = kcalloc(2, sizeof(*tech), GFP_KERNEL);
	if (!tech)
		return -ENOMEM;
	err = stats_message(skb, cb, tech);
	pos->done = !err;
	kfree(tech);
	return err ?: skb->len;
}

static int put_fallback(struct sk_buff *skb, const struct smc_fallbacks *f,
			bool serv, const struct smc_fallback_line *line,
			bool totals)
{
	struct nlattr *nest = nla_nest_start(skb, SMC_A_FBACK_STATS);

	if (!nest || nla_put_u8(skb, SMC_A_FBACK_TYPE, serv))
		return -EMSGSIZE;
	if (totals && (put_u64(skb, SMC_A_FBACK_SRV_CNT, f->total[1]) ||
		       put_u64(skb, SMC_A_FBACK_CLNT_CNT, f->total[0])))
		return -EMSGSIZE;
	if (nla_put_u32(skb, SMC_A_FBACK_RSN_CODE, line->code) ||
	    nla_put_u16(skb, SMC_A_FBACK_RSN_CNT, min_t(u64, line->n, U16_MAX)) ||
	    put_u64(skb, SMC_A_FBACK_RSN_CNT_ALL, line->n))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/* Lines have numbers from 0 on. The lines of the server come first. */
static int fallback_message(struct sk_buff *skb, struct netlink_callback *cb,
			    const struct smc_fallbacks *f, u32 i)
{
	struct smc_genl_msg_pos *pos = smc_genl_msg_pos(cb);
	bool serv = i < SMC_FALLBACK_REASONS;
	const struct smc_fallback_line *line;
	void *msg;

	line = &f->reason[serv][i % SMC_FALLBACK_REASONS];
	if (!line->n)
		return 0;
	msg = smc_genl_msg_put(skb, cb, SMC_CMD_FBACK_STATS);
	if (!msg)
		return -EMSGSIZE;
	/* @part: the first message was sent */
	if (put_fallback(skb, f, serv, line, !pos->part)) {
		genlmsg_cancel(skb, msg);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, msg);
	pos->part = 1;
	return 0;
}

int smc_genl_fallbacks(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct smc_genl_msg_pos *pos = smc_genl_msg_pos(cb);
	struct smc_fallbacks *f;
	int err = 0;

	f = kmalloc(sizeof(*f), GFP_KERNEL);
	if (!f)
		return -ENOMEM;
	smc_stats_fallbacks_read(sock_net(skb->sk), f);
	while (pos->id < 2 * SMC_FALLBACK_REASONS) {
		err = fallback_message(skb, cb, f, pos->id);
		if (err)
			break;
		pos->id++;
	}
	kfree(f);
	return smc_genl_msg_result(skb, err);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * net.smc.*: each namespace has its own values, except the limit of memory,
 * which is global. The handlers of the core refuse a value out of bounds with
 * EINVAL and leave the old value.
 */
#include <linux/slab.h>
#include <linux/sysctl.h>
#include <net/net_namespace.h>
#include "../base/compat.h"
#include "../base/limits.h"
#include "../base/mem_limits.h"
#include "../base/pernet.h"
#include "../socket/history.h"
#include "../socket/hs_ctrl.h"
#include "sysctl.h"

static int buf_min = SMC_RMBE_MIN_BYTES;
static int buf_max = INT_MAX / 2;
/* The minimum is several times the deadline of a probe. */
static int testlink_max = 24 * 60 * 60;
static int lgr_idle_time_max = 24 * 60 * 60;
static int lgr_idle_max_max = 1 << 20;
static int hs_max = 1 << 20;
/* an address is remembered no longer */
static int memory_max = SMC_HISTORY_SECS_MAX;
static int conns_max = 1 << 24;
static int lgr_conns_min = SMC_LGR_CONNS_MIN;
static int lgr_conns_max = SMC_LGR_CONNS_MAX;
static int lgr_links_max = SMC_LINKS_LOCAL_MAX;
static int extension_max = SMC_EXTENSION_ALL;
static int tclass_max = U8_MAX;
static unsigned long mem_min;
static unsigned long mem_max = LONG_MAX >> PAGE_SHIFT;

static const char mem_share[] = "mem_share";
static const char hs_ctrl[] = "hs_ctrl";

static int set_hs_ctrl(SMC_COMPAT_CTL_TABLE *table, int write, void *buf,
		       size_t *len, loff_t *pos)
{
	/* one more than a name, so that a longer one is not taken for a name */
	char name[SMC_HS_CTRL_NAME_MAX + 1];
	struct net *net = table->extra1;
	struct ctl_table copy = {
		.procname = table->procname,
		.data = name,
		.maxlen = sizeof(name),
	};
	int err;

	smc_hs_ctrl_chosen(net, name);
	err = proc_dostring(&copy, write, buf, len, pos);
	return err || !write ? err : smc_hs_ctrl_choose(net, strim(name));
}

/* In this table .data is an offset. The copy of a namespace has the address. */
#define FIELD(_member) ((void *)offsetof(struct smc_tunables, _member))

static const struct ctl_table template[] = {
	{
		.procname	= "wmem",
		.data		= FIELD(wmem),
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= proc_dointvec_minmax,
		.extra1		= &buf_min,
		.extra2		= &buf_max,
	}, {
		.procname	= "rmem",
		.data		= FIELD(rmem),
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= proc_dointvec_minmax,
		.extra1		= &buf_min,
		.extra2		= &buf_max,
	}, {
		.procname	= "rmem_first",
		.data		= FIELD(rmem_first),
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= proc_dointvec_minmax,
		.extra1		= SYSCTL_ZERO,
		.extra2		= &buf_max,
	}, {
		.procname	= "autocorking_size",
		.data		= FIELD(autocorking_size),
		.maxlen		= sizeof(unsigned int),
		.mode		= 0644,
		.proc_handler	= proc_douintvec,
	}, {
		.procname	= "smcr_testlink_time",
		.data		= FIELD(testlink_time),
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= proc_dointvec_minmax,
		.extra1		= SYSCTL_ZERO,
		.extra2		= &testlink_max,
	}, {
		.procname	= "lgr_idle_time",
		.data		= FIELD(lgr_idle_time),
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= proc_dointvec_minmax,
		.extra1		= SYSCTL_ONE,
		.extra2		= &lgr_idle_time_max,
	}, {
		.procname	= "lgr_idle_max",
		.data		= FIELD(lgr_idle_max),
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= proc_dointvec_minmax,
		.extra1		= SYSCTL_ZERO,
		.extra2		= &lgr_idle_max_max,
	}, {
		.procname	= "hs_max_listener",
		.data		= FIELD(hs_max_listener),
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= proc_dointvec_minmax,
		.extra1		= SYSCTL_ZERO,
		.extra2		= &hs_max,
	}, {
		.procname	= "hs_max_net",
		.data		= FIELD(hs_max_net),
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= proc_dointvec_minmax,
		.extra1		= SYSCTL_ZERO,
		.extra2		= &hs_max,
	}, {
		.procname	= "first_max_source",
		.data		= FIELD(first_max_source),
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= proc_dointvec_minmax,
		.extra1		= SYSCTL_ONE,
		.extra2		= &hs_max,
	}, {
		.procname	= "first_max_listener",
		.data		= FIELD(first_max_listener),
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= proc_dointvec_minmax,
		.extra1		= SYSCTL_ONE,
		.extra2		= &hs_max,
	}, {
		.procname	= "first_max_net",
		.data		= FIELD(first_max_net),
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= proc_dointvec_minmax,
		.extra1		= SYSCTL_ONE,
		.extra2		= &hs_max,
	}, {
		.procname	= "echo_memory",
		.data		= FIELD(echo_memory),
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= proc_dointvec_minmax,
		.extra1		= SYSCTL_ZERO,
		.extra2		= &memory_max,
	}, {
		.procname	= "dead_path_memory",
		.data		= FIELD(dead_path_memory),
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= proc_dointvec_minmax,
		.extra1		= SYSCTL_ZERO,
		.extra2		= &memory_max,
	}, {
		.procname	= hs_ctrl,
		.mode		= 0644,
		.proc_handler	= set_hs_ctrl,
	}, {
		.procname	= "limit_smc_hs",
		.data		= FIELD(limit_smc_hs),
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= proc_dointvec_minmax,
		.extra1		= SYSCTL_ZERO,
		.extra2		= SYSCTL_ONE,
	}, {
		.procname	= mem_share,
		.data		= FIELD(mem_share),
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= proc_dointvec_minmax,
		.extra1		= SYSCTL_ONE,
		.extra2		= SYSCTL_ONE_HUNDRED,
	}, {
		.procname	= "max_conns",
		.data		= FIELD(max_conns),
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= proc_dointvec_minmax,
		.extra1		= SYSCTL_ZERO,
		.extra2		= &conns_max,
	}, {
		.procname	= "max_orphans",
		.data		= FIELD(max_orphans),
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= proc_dointvec_minmax,
		.extra1		= SYSCTL_ZERO,
		.extra2		= &conns_max,
	}, {
		.procname	= "smcr_max_conns_per_lgr",
		.data		= FIELD(lgr_conns),
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= proc_dointvec_minmax,
		.extra1		= &lgr_conns_min,
		.extra2		= &lgr_conns_max,
	}, {
		.procname	= "smcr_max_links_per_lgr",
		.data		= FIELD(lgr_links),
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= proc_dointvec_minmax,
		.extra1		= SYSCTL_ONE,
		.extra2		= &lgr_links_max,
	}, {
		.procname	= "extension",
		.data		= FIELD(extension),
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= proc_dointvec_minmax,
		.extra1		= SYSCTL_ZERO,
		.extra2		= &extension_max,
	}, {
		.procname	= "tclass",
		.data		= FIELD(tclass),
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= proc_dointvec_minmax,
		.extra1		= SYSCTL_NEG_ONE,
		.extra2		= &tclass_max,
	}, {
		.procname	= "smcr_eyecatcher",
		.data		= FIELD(eyecatcher),
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= proc_dointvec_minmax,
		.extra1		= SYSCTL_ZERO,
		.extra2		= SYSCTL_ONE,
	}, {
		.procname	= "smcr_buf_type",
		.data		= FIELD(buf_type),
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= proc_dointvec_minmax,
		.extra1		= SYSCTL_ZERO,
		.extra2		= SYSCTL_ZERO,
	},
};

/* The core's handler would store values that come before an invalid value. */
static int set_mem(SMC_COMPAT_CTL_TABLE *table, int write, void *buf,
		   size_t *len, loff_t *pos)
{
	struct ctl_table copy = *table;
	unsigned long val[3];
	int err, i;

	for (i = 0; i < ARRAY_SIZE(val); i++)
		val[i] = READ_ONCE(smc_mem_limits[i]);
	copy.data = val;
	err = proc_doulongvec_minmax(&copy, write, buf, len, pos);
	for (i = 0; write && !err && i < ARRAY_SIZE(val); i++)
		WRITE_ONCE(smc_mem_limits[i], val[i]);
	return err;
}

static const struct ctl_table shared = {
	.procname	= "mem",
	.data		= &smc_mem_limits,
	.maxlen		= sizeof(smc_mem_limits),
	.mode		= 0644,
	.proc_handler	= set_mem,
	.extra1		= &mem_min,
	.extra2		= &mem_max,
};

int smc_sysctl_net_init(struct net *net)
{
	const size_t own = ARRAY_SIZE(template);
	const size_t n = own + net_eq(net, &init_net);
	struct smc_pernet *pn = smc_pernet(net);
	struct ctl_table *table;
	size_t i;

	/* Allocates one more entry, which stays empty, because some kernels
	 * need an empty entry at the end.
	 */
	table = kcalloc(n + 1, sizeof(*table), GFP_KERNEL);
	if (!table)
		return -ENOMEM;
	memcpy(table, template, sizeof(template));
	for (i = 0; i < own; i++) {
		table[i].data = (void *)&pn->tunables +
				(unsigned long)template[i].data;
		if (table[i].procname == hs_ctrl)
			table[i].extra1 = net;
		/* this limit protects the host, and not the namespace */
		if (table[i].procname == mem_share &&
		    net->user_ns != &init_user_ns)
			table[i].mode = 0444;
	}
	if (n > own)
		table[own] = shared;
	pn->sysctl = smc_compat_register_sysctl(net, "net/smc", table, n);
	if (!pn->sysctl) {
		kfree(table);
		return -ENOMEM;
	}
	pn->sysctl_table = table;
	return 0;
}

void smc_sysctl_net_exit(struct net *net)
{
	struct smc_pernet *pn = smc_pernet(net);

	unregister_net_sysctl_table(pn->sysctl);
	kfree(pn->sysctl_table);
}

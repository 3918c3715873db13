// SPDX-License-Identifier: GPL-2.0
/* /proc/net/smc_mib: the namespace's counters, one "Name value" per line. */
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/seq_file_net.h>
#include <net/net_namespace.h>
#include "../base/mib.h"
#include "diag.h"

#define FILE_NAME "smc_mib"

static int show(struct seq_file *m, void *v)
{
	struct net *net = seq_file_single_net(m);
	int i;

	for (i = 0; i < SMC_MIB_NR; i++)
		seq_printf(m, "%s %llu\n", smc_mib_name(i),
			   smc_mib_read(net, i));
	return 0;
}

int smc_proc_net_init(struct net *net)
{
	if (!proc_create_net_single(FILE_NAME, 0444, net->proc_net, show,
				    NULL))
		return -ENOMEM;
	return 0;
}

void smc_proc_net_exit(struct net *net)
{
	remove_proc_entry(FILE_NAME, net->proc_net);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * /proc/net/smc_mib: the namespace's counters, one "Name value" per line.
 * /proc/net/smc_echo: peers that echo the TCP option, "address seconds left".
 */
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/seq_file_net.h>
#include <net/net_namespace.h>
#include <net/ipv6.h>
#include "../base/mib.h"
#include "../socket/echo.h"
#include "proc.h"

#define MIB_NAME "smc_mib"
#define ECHO_NAME "smc_echo"

static int mib_show(struct seq_file *m, void *v)
{
	struct net *net = seq_file_single_net(m);
	int i;

	for (i = 0; i < SMC_MIB_NR; i++)
		seq_printf(m, "%s %llu\n", smc_mib_name(i),
			   smc_mib_read(net, i));
	return 0;
}

static int show_echoes(struct seq_file *m, void *v)
{
	struct net *net = seq_file_single_net(m);
	struct smc_echo_info info;
	unsigned int pos = 0;

	while (smc_echo_next(net, &pos, &info)) {
		if (ipv6_addr_v4mapped(&info.addr))
			seq_printf(m, "%pI4", &info.addr.s6_addr32[3]);
		else
			seq_printf(m, "%pI6c", &info.addr);
		seq_printf(m, " %u\n", info.seconds);
	}
	return 0;
}

/* Any write deletes all entries. */
static int forget_echoes(struct file *file, char *buf, size_t size)
{
	smc_echo_flush(seq_file_single_net(file->private_data));
	return 0;
}

int smc_proc_net_init(struct net *net)
{
	if (!proc_create_net_single(MIB_NAME, 0444, net->proc_net, mib_show,
				    NULL))
		return -ENOMEM;
	/* not readable for every user, because it shows peers of other users */
	if (!proc_create_net_single_write(ECHO_NAME, 0640, net->proc_net,
					  show_echoes, forget_echoes, NULL)) {
		remove_proc_entry(MIB_NAME, net->proc_net);
		return -ENOMEM;
	}
	return 0;
}

void smc_proc_net_exit(struct net *net)
{
	remove_proc_entry(ECHO_NAME, net->proc_net);
	remove_proc_entry(MIB_NAME, net->proc_net);
}

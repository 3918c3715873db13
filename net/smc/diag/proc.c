// SPDX-License-Identifier: GPL-2.0
/*
 * /proc/net/smc_mib: the namespace's counters, one "Name value" per line.
 * /proc/net/smc_echo: peers that echo the TCP option, "address seconds left".
 * /proc/net/smc_dead_paths: peers that RDMA does not reach, in the same form.
 * /proc/net/smc_bulk: peers that get large elements, "address:port own-role
 * seconds left"; the port is that of the server.
 */
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/seq_file_net.h>
#include <net/net_namespace.h>
#include <net/ipv6.h>
#include "../base/mib.h"
#include "../base/tunables.h"
#include "../socket/history.h"
#include "proc.h"

#define MIB_NAME "smc_mib"
#define ECHO_NAME "smc_echo"
#define DEAD_PATH_NAME "smc_dead_paths"
#define BULK_NAME "smc_bulk"

static int mib_show(struct seq_file *m, void *v)
{
	struct net *net = seq_file_single_net(m);
	int i;

	for (i = 0; i < SMC_MIB_NR; i++)
		seq_printf(m, "%s %llu\n", smc_mib_name(i),
			   smc_mib_read(net, i));
	return 0;
}

static void show_addresses(struct seq_file *m, struct smc_history *h)
{
	struct smc_history_key key;
	unsigned int pos = 0, secs;

	while (smc_history_next(h, &pos, &key, &secs)) {
		if (ipv6_addr_v4mapped(&key.addr))
			seq_printf(m, "%pI4", &key.addr.s6_addr32[3]);
		else
			seq_printf(m, "%pI6c", &key.addr);
		seq_printf(m, " %u\n", secs);
	}
}

static int show_echoes(struct seq_file *m, void *v)
{
	struct net *net = seq_file_single_net(m);

	if (READ_ONCE(smc_tunables(net)->echo_memory))
		show_addresses(m, smc_history_of(net, SMC_HISTORY_ECHO));
	return 0;
}

static int show_dead_paths(struct seq_file *m, void *v)
{
	struct net *net = seq_file_single_net(m);

	if (READ_ONCE(smc_tunables(net)->dead_path_memory))
		show_addresses(m, smc_history_of(net, SMC_HISTORY_DEAD_PATH));
	return 0;
}

/* "address:port" for an IPv4 address, "[address]:port" for an IPv6 address */
static void show_with_port(struct seq_file *m,
			   const struct smc_history_key *key)
{
	struct sockaddr_in6 v6 = {
		.sin6_family = AF_INET6,
		.sin6_addr = key->addr,
		.sin6_port = key->port,
	};
	struct sockaddr_in v4 = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = key->addr.s6_addr32[3],
		.sin_port = key->port,
	};

	if (ipv6_addr_v4mapped(&key->addr))
		seq_printf(m, "%pISpc", &v4);
	else
		seq_printf(m, "%pISpc", &v6);
}

static int show_bulk(struct seq_file *m, void *v)
{
	struct net *net = seq_file_single_net(m);
	struct smc_history_key key;
	unsigned int pos = 0, secs;

	while (smc_history_next(smc_history_of(net, SMC_HISTORY_BULK), &pos, &key, &secs)) {
		show_with_port(m, &key);
		seq_printf(m, " %s %u\n", key.server ? "server" : "client",
			   secs);
	}
	return 0;
}

/* Any write to one of the files deletes all entries. */
static void forget_all(struct file *file, enum smc_history_kind kind)
{
	struct net *net = seq_file_single_net(file->private_data);

	smc_history_flush(smc_history_of(net, kind));
}

static int forget_echoes(struct file *file, char *buf, size_t size)
{
	forget_all(file, SMC_HISTORY_ECHO);
	return 0;
}

static int forget_dead_paths(struct file *file, char *buf, size_t size)
{
	forget_all(file, SMC_HISTORY_DEAD_PATH);
	return 0;
}

static int forget_bulk(struct file *file, char *buf, size_t size)
{
	forget_all(file, SMC_HISTORY_BULK);
	return 0;
}

int smc_proc_net_init(struct net *net)
{
	if (!proc_create_net_single(MIB_NAME, 0444, net->proc_net, mib_show,
				    NULL))
		return -ENOMEM;
	/* not readable for every user, because it shows peers of other users */
	if (!proc_create_net_single_write(ECHO_NAME, 0640, net->proc_net,
					  show_echoes, forget_echoes, NULL))
		goto err_mib;
	if (!proc_create_net_single_write(BULK_NAME, 0640, net->proc_net,
					  show_bulk, forget_bulk, NULL))
		goto err_echo;
	if (!proc_create_net_single_write(DEAD_PATH_NAME, 0640, net->proc_net,
					  show_dead_paths, forget_dead_paths,
					  NULL))
		goto err_bulk;
	return 0;

err_bulk:
	remove_proc_entry(BULK_NAME, net->proc_net);
err_echo:
	remove_proc_entry(ECHO_NAME, net->proc_net);
err_mib:
	remove_proc_entry(MIB_NAME, net->proc_net);
	return -ENOMEM;
}

void smc_proc_net_exit(struct net *net)
{
	remove_proc_entry(DEAD_PATH_NAME, net->proc_net);
	remove_proc_entry(BULK_NAME, net->proc_net);
	remove_proc_entry(ECHO_NAME, net->proc_net);
	remove_proc_entry(MIB_NAME, net->proc_net);
}

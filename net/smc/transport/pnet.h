/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The PNETID table, which tells which net devices and which RDMA ports are on
 * the same physical network. Entries contain device names, so a device need not
 * exist yet and may disappear. Each namespace has a table for its net devices.
 * All RDMA ports are in one table, which the initial namespace administers.
 */
#ifndef _SMC_TRANSPORT_PNET_H
#define _SMC_TRANSPORT_PNET_H

#include <linux/if.h>
#include <linux/types.h>

struct net;
struct net_device;
struct smc_port;

#define SMC_PNET_NAME_LEN	16
#define SMC_PNET_PORTS_MAX	2

/**
 * struct smc_pnet_name - name of a physical network
 * @s:	name, of capital letters and digits; empty: not known
 */
struct smc_pnet_name {
	char s[SMC_PNET_NAME_LEN + 1];
};

/**
 * struct smc_pnet_entry - one line of the table
 * @name:	physical network
 * @eth:	true: the line is for a net device
 * @dev:	name of the device; for an RDMA device also the name of its
 *		parent (PCI address)
 * @port:	RDMA port
 */
struct smc_pnet_entry {
	struct smc_pnet_name name;
	bool eth;
	char dev[64];
	u8 port;
};

/**
 * smc_pnet_parse - parse a name that a user has written
 * @name:	output: the name without blanks around it, in capital letters
 * @text:	text of the user
 *
 * Return: 0, -EINVAL.
 */
int smc_pnet_parse(struct smc_pnet_name *name, const char *text);
/**
 * smc_pnet_add - add a line for a net device, one for an RDMA port, or both
 * @net:	namespace; a line for an RDMA port needs the initial namespace
 * @eth:	entry of the net device, which the function copies; or NULL
 * @ib:		entry of the RDMA port, likewise
 * @taken:	output: the entry whose device already has a line, or NULL
 *
 * After an error the table is as before. Context: may sleep.
 * Return: 0, -EEXIST (see @taken), -ENOMEM.
 */
int smc_pnet_add(struct net *net, const struct smc_pnet_entry *eth,
		 const struct smc_pnet_entry *ib,
		 const struct smc_pnet_entry **taken);
/** smc_pnet_del - remove the lines of @name that @net administers; -ENOENT */
int smc_pnet_del(struct net *net, const struct smc_pnet_name *name);
/** smc_pnet_flush - remove all lines that @net administers */
void smc_pnet_flush(struct net *net);
/**
 * smc_pnet_next - get the next line that @net administers
 * @net:	namespace
 * @id:		in: number of the previous line, 0 for the first; out: number of
 *		the line in @entry
 * @entry:	filled in
 *
 * Return: false at the end. Context: any but irq.
 */
bool smc_pnet_next(const struct net *net, u32 *id,
		   struct smc_pnet_entry *entry);

/** smc_pnet_ndev - get the physical network of a net device, under RCU */
bool smc_pnet_ndev(const struct net_device *ndev, struct smc_pnet_name *name);
/** smc_pnet_port - get the physical network of a registered port, under RCU */
bool smc_pnet_port(const struct smc_port *port, struct smc_pnet_name *name);

int smc_pnet_init(void);
void smc_pnet_exit(void);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* Settings of the running system, in the terms of /etc/smc.conf. */
#ifndef SMCR_CONFIG_H
#define SMCR_CONFIG_H

#include <linux/smc.h>
#include <stdbool.h>

#include "conf.h"

#define SYSCTL_DIR	"/proc/sys/net/smc"
#define NO_NAME		"n/a"	/* the kernel's word for a name that is not there */

enum {
	NETS_MAX	= 256,
	DEVICE_BYTES	= 64,
	VALUE_BYTES	= 80,
};

struct eid_table {
	char name[SMC_CONF_UEIDS][SMC_MAX_EID_LEN + 1];
	unsigned int n;
};

/* A device with its PNETID: a net device, or the port of an RDMA device. */
struct net_entry {
	char name[SMC_MAX_PNETID_LEN + 1];
	char device[DEVICE_BYTES];
	bool eth;
	unsigned int port;	/* 0: net device */
};

struct net_table {
	struct net_entry entry[NETS_MAX];
	unsigned int n;
};

/* Return: 0 or a negative errno, for smc_genl_why(). */
int config_read_eids(struct eid_table *t);
int config_read_nets(struct net_table *t);
/* Reads the value of net.smc.@name, with one blank between its numbers. */
bool config_read_sysctl(const char *name, char value[VALUE_BYTES]);

/*
 * Makes the settings of a file those of this system: all of them, or none.
 * Return: 0 or -1, with the cause in @why.
 */
int config_apply(const struct smc_conf *c, struct smc_conf_error *why);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* The module's table of PNETIDs. */
#ifndef SMC_TOOLS_PNET_H
#define SMC_TOOLS_PNET_H

#include <linux/smc.h>
#include <stdbool.h>

enum {
	SMC_PNETS_MAX		= 512,
	SMC_PNET_DEVICE_BYTES	= 64,
};

/* A device with its PNETID: a net device, or the port of an RDMA device. */
struct smc_pnet_entry {
	char name[SMC_MAX_PNETID_LEN + 1];
	char device[SMC_PNET_DEVICE_BYTES];
	bool eth;
	unsigned int port;	/* 0: net device */
};

struct smc_pnet_table {
	struct smc_pnet_entry entry[SMC_PNETS_MAX];
	unsigned int n;
};

/*
 * smc_pnet_read - return 0 or a negative errno, for smc_genl_why(). -E2BIG:
 * there are more than SMC_PNETS_MAX entries, and the table has the first of
 * them
 */
int smc_pnet_read(struct smc_pnet_table *t);
/* smc_pnet_of - return the PNETID of a net device; empty: it has none */
const char *smc_pnet_of(const struct smc_pnet_table *t, const char *interface);

/**
 * smc_pnet_serves - can connections of an interface use a port?
 * @own: PNETID of the interface, or empty
 * @port: PNETID of the port, or empty
 * @same: the port is on this interface
 */
bool smc_pnet_serves(const char *own, const char *port, bool same);
/**
 * smc_pnet_used - can connections of any interface use a port?
 * @interface: of the port
 * @port: PNETID of the port, or empty
 */
bool smc_pnet_used(const struct smc_pnet_table *t, const char *interface,
		   const char *port);

#endif

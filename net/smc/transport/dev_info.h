/* SPDX-License-Identifier: GPL-2.0 */
/* Snapshots of RDMA devices, for the views. */
#ifndef _SMC_TRANSPORT_DEV_INFO_H
#define _SMC_TRANSPORT_DEV_INFO_H

#include <linux/types.h>
#include "pnet.h"

struct net;
struct smc_port;

#define SMC_DEV_INFO_PORTS	2	/* limit of the netlink interface */

/**
 * struct smc_port_info - one port
 * @num:	port number, 0: the port does not exist
 * @active:	the port is usable
 * @ifindex:	index of its net device; 0 if the caller's namespace has no net
 *	device of the port
 * @pnet:	physical network of the port
 */
struct smc_port_info {
	u8 num;
	bool active;
	int ifindex;
	struct smc_pnet_name pnet;
};

/**
 * struct smc_dev_info - one device
 * @ibname:	name
 * @pci:	true for a PCI device; otherwise the next three members are zero
 * @pci_vendor:	vendor number
 * @pci_device:	device number
 * @pci_id:	address on the bus
 * @port:	the RoCE ports; port n is entry n - 1
 */
struct smc_dev_info {
	char ibname[64];
	bool pci;
	u16 pci_vendor;
	u16 pci_device;
	char pci_id[17];
	struct smc_port_info port[SMC_DEV_INFO_PORTS];
};

/**
 * smc_dev_info_next - snapshot of the next device that a namespace may use
 * @net:	namespace
 * @id:		in: number of the previous device, 0 for the first; out: number
 *		of the device in @info
 * @info:	filled in
 *
 * Context: any but irq. Return: false at the end.
 */
bool smc_dev_info_next(const struct net *net, u32 *id,
		       struct smc_dev_info *info);

/** smc_port_info - take a snapshot of a port; zeroes if it was removed */
void smc_port_info(const struct smc_port *port, const struct net *net,
		   struct smc_port_info *info);

#endif

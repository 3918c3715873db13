/* SPDX-License-Identifier: GPL-2.0 */
/* One RDMA port, seen from above. */
#ifndef _SMC_TRANSPORT_PORT_H
#define _SMC_TRANSPORT_PORT_H

#include <linux/types.h>

struct smc_port;

/**
 * enum smc_port_ref - why a reference on a port is held
 * @SMC_PORT_REF_REGISTRY: it is on the list; the first one
 * @SMC_PORT_REF_CHOICE: by a struct smc_dev_choice, or who fills one
 * @SMC_PORT_REF_EP:	by an endpoint
 * @SMC_PORT_NR_REFS:	number of reasons
 */
enum smc_port_ref {
	SMC_PORT_REF_REGISTRY,
	SMC_PORT_REF_CHOICE,
	SMC_PORT_REF_EP,
	SMC_PORT_NR_REFS,
};

struct smc_port *smc_port_get(struct smc_port *port, enum smc_port_ref why);
void smc_port_put(struct smc_port *port, enum smc_port_ref why);
/**
 * smc_port_ibname - name of the device
 * @port:	port; the device may have gone
 * @name:	the last name that it had, IB_DEVICE_NAME_MAX bytes
 *
 * dev_name() of an RDMA device is freed when it is renamed. Context: any.
 */
void smc_port_ibname(const struct smc_port *port, char *name);
u8 smc_port_num(const struct smc_port *port);
/** smc_port_gone - true once the device or port went away */
bool smc_port_gone(const struct smc_port *port);

#endif

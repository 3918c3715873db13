/* SPDX-License-Identifier: GPL-2.0 */
/* One RDMA port: interface for the upper layers. */
#ifndef _SMC_TRANSPORT_PORT_H
#define _SMC_TRANSPORT_PORT_H

#include <linux/types.h>

struct smc_port;

/**
 * enum smc_port_ref - why a reference on a port is held
 * @SMC_PORT_REF_REGISTRY: held by the registry; the first reference
 * @SMC_PORT_REF_CHOICE: held by a struct smc_dev_choice, or while such a struct
 *	is filled in
 * @SMC_PORT_REF_EP:	held by an endpoint
 * @SMC_PORT_REF_CALL:	held by a call, see call.c
 * @SMC_PORT_NR_REFS:	number of reasons
 */
enum smc_port_ref {
	SMC_PORT_REF_REGISTRY,
	SMC_PORT_REF_CHOICE,
	SMC_PORT_REF_EP,
	SMC_PORT_REF_CALL,
	SMC_PORT_NR_REFS,
};

struct smc_port *smc_port_get(struct smc_port *port, enum smc_port_ref why);
void smc_port_put(struct smc_port *port, enum smc_port_ref why);
/**
 * smc_port_ibname - get the name of the device
 * @port:	port; the device may be gone
 * @name:	output: last name of the device, IB_DEVICE_NAME_MAX bytes
 *
 * Use this instead of dev_name(), because a rename frees that string. Context:
 * any.
 */
void smc_port_ibname(const struct smc_port *port, char *name);
u8 smc_port_num(const struct smc_port *port);
/**
 * smc_port_vectors - number of completion vectors that the links of a port use
 * @port:	port, referenced
 *
 * Context: any. Return: at least 1; changes with the number of online CPUs.
 */
u32 smc_port_vectors(const struct smc_port *port);
/** smc_port_gone - is the device or port gone? */
bool smc_port_gone(const struct smc_port *port);

#endif

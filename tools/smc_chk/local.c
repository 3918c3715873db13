// SPDX-License-Identifier: GPL-2.0
/* Can programs of this host, or of this container, use SMC at all? */
#include "smc_chk.h"

#include <errno.h>
#include <linux/smc.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "genl.h"
#include "pnet.h"
#include "sysfs.h"

enum {
	NAME_BYTES	= 80,
	LINE_BYTES	= 200,
};

/* The devices that the module shows to this network namespace. */
struct devices {
	unsigned int active;	/* ports */
	unsigned int here;	/* of these, ports with an interface here */
	unsigned int usable;	/* of these, ports on the network of an interface */
	struct smc_pnet_table nets;
	char first[LINE_BYTES];	/* a usable port */
	char other[LINE_BYTES];	/* a port on another network */
};

int chk_module(void)
{
	int fd = chk_socket(AF_INET, true);
	int err = errno;

	if (fd >= 0) {
		close(fd);
		chk_step("SMC on this host", "yes");
		return 0;
	}
	chk_step("SMC on this host", strerror(err));
	if (err == EAFNOSUPPORT)
		chk_verdict("This host does not speak SMC: the module is missing.",
			    "Load it: modprobe smc. A container uses the module of its host.");
	else if (err == EPERM || err == EACCES)
		chk_verdict("A policy of this host forbids SMC sockets to this program.",
			    "See the seccomp profile of the container, RestrictAddressFamilies= of the service, BPF programs of the cgroup, and the security module.");
	else
		chk_verdict("This host refuses SMC sockets.",
			    "See the kernel log.");
	return EXIT_FAILURE;
}

static void take_port(struct devices *found, const char *device,
		      unsigned int port, const char *interface,
		      const char *pnetid)
{
	const char *own = smc_pnet_of(&found->nets, interface);

	found->here++;
	if (smc_pnet_used(&found->nets, interface, pnetid)) {
		if (!found->usable++)
			snprintf(found->first, sizeof(found->first),
				 "%.64s port %u, %s", device, port, interface);
		return;
	}
	snprintf(found->other, sizeof(found->other),
		 "none: %.64s port %u has PNETID %s, %s has %s", device, port,
		 *pnetid ? pnetid : "-", interface, own);
}

static void take_device(uint8_t cmd, const struct smc_attrs *top, void *arg)
{
	static const unsigned int ports[] = { SMC_A_DEV_PORT, SMC_A_DEV_PORT2 };
	char interface[IF_NAMESIZE];
	struct devices *found = arg;
	struct smc_attrs d, p;
	unsigned int i;

	(void)cmd;
	if (!smc_attr_nest(top, SMC_A_DEV_SMCR, &d))
		return;
	for (i = 0; i < ARRAY_SIZE(ports); i++) {
		if (!smc_attr_nest(&d, ports[i], &p) ||
		    !smc_attr_number(&p, SMC_A_PORT_STATE))
			continue;
		found->active++;
		if (if_indextoname(smc_attr_number(&p, SMC_A_PORT_NETDEV),
				   interface))
			take_port(found, smc_attr_text(&d, SMC_A_DEV_IB_NAME),
				  i + 1, interface,
				  smc_attr_text(&p, SMC_A_PORT_PNETID));
	}
}

/* Returns the name of the mode, or NULL. */
static const char *rdma_namespaces(void)
{
	char mode[NAME_BYTES];

	smc_read_line(mode, sizeof(mode),
		      "/sys/module/ib_core/parameters/netns_mode");
	switch (*mode) {
	case 'Y':
		return "shared";
	case 'N':
		return "exclusive";
	default:
		return NULL;
	}
}

int chk_local(void)
{
	const char *mode = rdma_namespaces();
	static struct devices found;
	char version[NAME_BYTES];
	int err;

	chk_report_begin(NULL, NULL);
	if (chk_module())
		return EXIT_FAILURE;
	smc_read_line(version, sizeof(version), "/sys/module/smc/version");
	chk_step("Version of the module",
		 *version ? version : "none, it is that of the kernel");
	chk_step("RDMA network namespaces", mode ? mode : "?");
	err = smc_pnet_read(&found.nets);
	if (!err)
		err = smc_genl_dump(SMC_GENL_FAMILY_NAME, SMC_CMD_DEV_SMCR,
				    take_device, &found);
	chk_step("RDMA device", err ? smc_genl_why(err) : found.usable ?
		 found.first : found.here ? found.other : found.active ?
		 "none with an interface here" : "none that is active");
	if (err || !found.usable) {
		chk_verdict("Connections to other hosts use TCP, those within this host SMC.",
			    advice_for_devices(found.active, found.here, mode));
		return EXIT_FAILURE;
	}
	chk_verdict("Programs can use SMC-R here. To test a path: smc_chk HOST.",
		    NULL);
	return EXIT_SUCCESS;
}

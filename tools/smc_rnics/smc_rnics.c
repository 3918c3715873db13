// SPDX-License-Identifier: GPL-2.0
/*
 * smc_rnics shows every RDMA device of this host, and whether SMC can use it.
 * smc_rnics reads the devices from sysfs, so that it also shows devices that
 * SMC refuses.
 */
#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <linux/smc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../net/smc/base/version.h"
#include "genl.h"
#include "pnet.h"
#include "sysfs.h"
#include "table.h"
#include "usage.h"

#define CLASS	"/sys/class/infiniband"

enum {
	NAME_BYTES	= 64,
	WHY_BYTES	= 160,
	PORTS		= 2,
};

/* The module's data about a device. */
struct known {
	char name[NAME_BYTES];
	char pnetid[PORTS][SMC_MAX_PNETID_LEN + 1];
	bool port[PORTS];
};

struct modules_view {
	struct smc_pnet_table nets;
	struct known *device;
	unsigned int n;
	int err;
	char why[WHY_BYTES];		/* what is not known with @err, and why */
	bool json;
	bool more;			/* JSON: a port has been printed */
	struct smc_table table;
};

/* Returns a new entry, or NULL. */
static struct known *add_device(struct modules_view *v)
{
	struct known *more = reallocarray(v->device, v->n + 1, sizeof(*more));

	if (!more) {
		v->err = -ENOMEM;
		return NULL;
	}
	v->device = more;
	return &more[v->n++];
}

static void take_device(uint8_t cmd, const struct smc_attrs *top, void *arg)
{
	static const unsigned int ports[] = { SMC_A_DEV_PORT, SMC_A_DEV_PORT2 };
	struct modules_view *v = arg;
	struct smc_attrs d, p;
	struct known *k;
	unsigned int i;

	(void)cmd;
	if (!smc_attr_nest(top, SMC_A_DEV_SMCR, &d))
		return;
	k = add_device(v);
	if (!k)
		return;
	snprintf(k->name, sizeof(k->name), "%s",
		 smc_attr_text(&d, SMC_A_DEV_IB_NAME));
	for (i = 0; i < PORTS; i++) {
		k->port[i] = smc_attr_nest(&d, ports[i], &p);
		snprintf(k->pnetid[i], sizeof(k->pnetid[i]), "%s",
			 smc_attr_text(&p, SMC_A_PORT_PNETID));
	}
}

static const struct known *find(const struct modules_view *v, const char *name)
{
	unsigned int i;

	for (i = 0; i < v->n; i++) {
		if (!strcmp(v->device[i].name, name))
			return &v->device[i];
	}
	return NULL;
}

/* Asks the module for its devices, and for the PNETIDs of interfaces. */
static void ask_module(struct modules_view *v)
{
	int err = smc_genl_dump(SMC_GENL_FAMILY_NAME, SMC_CMD_DEV_SMCR,
				take_device, v);

	if (err)
		v->err = err;
	/* with a part of a table, some ports may seem to be usable */
	if (!v->err)
		v->err = smc_pnet_read(&v->nets);
	if (v->err)
		snprintf(v->why, sizeof(v->why), "? (%s)",
			 smc_genl_why(v->err));
}

static const char *verdict(const struct modules_view *v, const struct known *k,
			   unsigned int port, const char *link,
			   const char *state, const char *interface)
{
	if (v->err)
		return v->why;
	if (strcmp(link, "Ethernet"))
		return "no (not RoCE)";
	if (!k || port > PORTS || !k->port[port - 1])
		return "no (lacks what SMC needs)";
	if (strncmp(state, "4:", 2))
		return "no (port is not active)";
	if (!smc_pnet_used(&v->nets, interface, k->pnetid[port - 1]))
		return "no (other PNET-ID than its Net-Dev)";
	return "yes";
}

static const char *or_dash(const char *text)
{
	return *text ? text : "-";
}

enum {
	TEXTS = 7,
};

/* Shows a port, whose @text is in the order of the table's columns. */
static void show_port(struct modules_view *v, unsigned int port,
		      const char *const text[TEXTS])
{
	static const char *const names[TEXTS] = {
		"device", "interface", "state", "vendor_id", "device_id",
		"pnetid", "smc",
	};
	unsigned int i;

	if (!v->json) {
		for (i = 0; i < TEXTS; i++) {
			smc_table_cell(&v->table, "%s", or_dash(text[i]));
			if (!i)
				smc_table_cell(&v->table, "%u", port);
		}
		return;
	}
	printf("%s\n  {\"port\": %u, \"usable\": %s", v->more ? "," : "", port,
	       v->err ? "null" : strcmp(text[TEXTS - 1], "yes") ? "false" :
								  "true");
	for (i = 0; i < TEXTS; i++) {
		printf(", \"%s\": ", names[i]);
		smc_json_string(text[i]);
	}
	putchar('}');
	v->more = true;
}

static void print_port(struct modules_view *v, const char *name,
		       unsigned int port)
{
	const struct known *k = find(v, name);
	char link[32], state[32], ndev[32], vendor[16], device[16];
	const char *text[TEXTS], *pnetid = "";

	smc_read_line(link, sizeof(link), CLASS "/%s/ports/%u/link_layer",
		      name, port);
	smc_read_line(state, sizeof(state), CLASS "/%s/ports/%u/state", name,
		      port);
	smc_read_line(ndev, sizeof(ndev), CLASS "/%s/ports/%u/gid_attrs/ndevs/0",
		      name, port);
	smc_read_line(vendor, sizeof(vendor), CLASS "/%s/device/vendor", name);
	smc_read_line(device, sizeof(device), CLASS "/%s/device/device", name);
	if (k && port <= PORTS)
		pnetid = k->pnetid[port - 1];
	text[0] = name;
	text[1] = ndev;
	text[2] = strchr(state, ' ') ? strchr(state, ' ') + 1 : "";
	text[3] = vendor;
	text[4] = device;
	text[5] = pnetid;
	text[6] = verdict(v, k, port, link, state, ndev);
	show_port(v, port, text);
}

/* Return: true if the device has a port. */
static bool print_device(struct modules_view *v, const char *name)
{
	unsigned int port;
	char state[32];

	for (port = 1; port < 256; port++) {
		smc_read_line(state, sizeof(state), CLASS "/%s/ports/%u/state",
			      name, port);
		if (!state[0])
			break;
		print_port(v, name, port);
	}
	return port > 1;
}

static int not_hidden(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

static const char help[] =
	"usage: smc_rnics [-a] [-r] [-I] [-j] [DEVICE]\n"
	"\n"
	"Shows the RDMA devices of this host and whether SMC can use them.\n"
	"\n"
	"  -a, --all            all devices, as without this option\n"
	"  -r, --rawids         numbers of devices, as without this option\n"
	"  -I, --IB-dev         names of devices, as without this option\n"
	"  -d, --disable FID    always refused, as -e: use rdma(8) or devlink(8)\n"
	"  -e, --enable FID     always refused\n"
	"  -j, --json           as JSON\n"
	"  -v, --version        the version of this program\n"
	"  -h, --help           this\n";

/* Returns the name of the device to show, or NULL for all. */
static const char *parse_options(struct modules_view *v, int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "all",	no_argument, NULL, 'a' },
		{ "rawids",	no_argument, NULL, 'r' },
		{ "IB-dev",	no_argument, NULL, 'I' },
		{ "disable",	required_argument, NULL, 'd' },
		{ "enable",	required_argument, NULL, 'e' },
		{ "json",	no_argument, NULL, 'j' },
		{ "version",	no_argument, NULL, 'v' },
		{ "help",	no_argument, NULL, 'h' },
		{}
	};
	int c;

	while ((c = getopt_long(argc, argv, "arId:e:jvh", long_options,
				NULL)) != -1) {
		switch (c) {
		case 'a':
		case 'r':
		case 'I':
			break;
		case 'j':
			v->json = true;
			break;
		case 'd':
		case 'e':
			fputs("smc_rnics: to turn a device on or off, use rdma or devlink\n",
			      stderr);
			exit(EXIT_FAILURE);
		case 'v':
			puts("smc_rnics " SMC_VERSION);
			exit(smc_flush("smc_rnics"));
		case 'h':
			fputs(help, stdout);
			exit(smc_flush("smc_rnics"));
		default:
			smc_usage_exit("smc_rnics", help);
		}
	}
	if (optind + 1 < argc) {
		fprintf(stderr, "smc_rnics: unexpected argument '%s'\n",
			argv[optind + 1]);
		smc_usage_exit("smc_rnics", help);
	}
	return optind < argc ? argv[optind] : NULL;
}

static void add_columns(struct smc_table *t)
{
	smc_table_column(t, "IB-Dev", -16, 1);
	smc_table_column(t, "Port", 4, 1);
	smc_table_column(t, "Net-Dev", -15, 2);
	smc_table_column(t, "State", -10, 1);
	smc_table_column(t, "Vendor", -6, 1);
	smc_table_column(t, "Device", -6, 1);
	smc_table_column(t, "PNET-ID", -16, 1);
	smc_table_column(t, "SMC", -3, 1);
}

/* Return: true if something was shown, or nothing was wanted by name. */
static bool show_devices(struct modules_view *v, const char *wanted)
{
	struct dirent **names = NULL;
	bool found = !wanted;
	int i, n;

	n = scandir(CLASS, &names, not_hidden, alphasort);
	for (i = 0; i < n; i++) {
		if (!wanted || !strcmp(wanted, names[i]->d_name))
			found |= print_device(v, names[i]->d_name);
		free(names[i]);
	}
	free(names);
	return found;
}

static int fail_memory(void)
{
	fputs("smc_rnics: out of memory\n", stderr);
	return EXIT_FAILURE;
}

int main(int argc, char **argv)
{
	struct modules_view *v = calloc(1, sizeof(*v));
	const char *wanted;
	bool found;

	if (!v)
		return fail_memory();
	wanted = parse_options(v, argc, argv);
	ask_module(v);
	add_columns(&v->table);
	if (v->json)
		putchar('[');
	found = show_devices(v, wanted);
	if (v->json)
		puts(v->more ? "\n]" : "]");
	else if (smc_table_print(&v->table))
		return fail_memory();
	if (found)
		return smc_flush("smc_rnics");
	fprintf(stderr, "smc_rnics: no RDMA device %s\n", wanted);
	return EXIT_FAILURE;
}

// SPDX-License-Identifier: GPL-2.0
/* smc_pnet shows and changes the table of physical networks. */
#include <errno.h>
#include <getopt.h>
#include <linux/smc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../net/smc/base/version.h"
#include "genl.h"
#include "table.h"
#include "usage.h"

#define NONE	"n/a"	/* the kernel's word for a name that is not there */

enum {
	NO_PORT		= 255,	/* the entry names a net device */
};

enum command { SHOW, ADD, DEL, FLUSH };

struct options {
	enum command command;
	bool chosen;
	const char *interface;
	const char *device;
	unsigned long port;
	const char *name;
	bool json;
};

static const char help[] =
	"usage: smc_pnet [-s] [-j] [NAME]\n"
	"       smc_pnet -a [-I INTERFACE] [-D DEVICE [-P PORT]] NAME\n"
	"       smc_pnet -d NAME\n"
	"       smc_pnet -f\n"
	"\n"
	"NAME is a physical network: 1 to 16 letters and digits.\n"
	"\n"
	"  -s, --show           what is on it, or on all (the default)\n"
	"  -a, --add            put devices on it\n"
	"  -d, --delete         take all devices off it\n"
	"  -f, --flush          take all devices off all\n"
	"  -I, --interface I    net device\n"
	"  -D, --ibdevice D     RDMA device, or its parent's PCI address\n"
	"  -P, --ibport P       its port, 1 (the default) or 2\n"
	"  -j, --json           show as JSON\n"
	"  -v, --version        the version of this program\n"
	"  -h, --help           this\n";

__attribute__((noreturn)) static void wrong_usage(const char *words)
{
	fprintf(stderr, "smc_pnet: %s\n", words);
	smc_usage_exit("smc_pnet", help);
}

static const struct option long_options[] = {
	{ "show",	no_argument, NULL, 's' },
	{ "add",	no_argument, NULL, 'a' },
	{ "delete",	no_argument, NULL, 'd' },
	{ "flush",	no_argument, NULL, 'f' },
	{ "interface",	required_argument, NULL, 'I' },
	{ "ibdevice",	required_argument, NULL, 'D' },
	{ "ibport",	required_argument, NULL, 'P' },
	{ "json",	no_argument, NULL, 'j' },
	{ "version",	no_argument, NULL, 'v' },
	{ "help",	no_argument, NULL, 'h' },
	{}
};

static void set_command(struct options *o, enum command command)
{
	if (o->chosen)
		wrong_usage("one of --show, --add, --delete and --flush");
	o->chosen = true;
	o->command = command;
}

static void parse_option(struct options *o, int c)
{
	char *end;

	switch (c) {
	case 's':
		set_command(o, SHOW);
		break;
	case 'a':
		set_command(o, ADD);
		break;
	case 'd':
		set_command(o, DEL);
		break;
	case 'f':
		set_command(o, FLUSH);
		break;
	case 'I':
		o->interface = optarg;
		break;
	case 'D':
		o->device = optarg;
		break;
	case 'P':
		o->port = strtoul(optarg, &end, 10);
		if (end == optarg || *end || !o->port || o->port > 2)
			wrong_usage("the port of an RDMA device is 1 or 2");
		break;
	case 'j':
		o->json = true;
		break;
	case 'v':
		puts("smc_pnet " SMC_VERSION);
		exit(smc_flush("smc_pnet"));
	case 'h':
		fputs(help, stdout);
		exit(smc_flush("smc_pnet"));
	default:
		smc_usage_exit("smc_pnet", help);
	}
}

static void parse_options(struct options *o, int argc, char **argv)
{
	int c;

	while ((c = getopt_long(argc, argv, "sadfI:D:P:jvh", long_options,
				NULL)) != -1)
		parse_option(o, c);
	if (optind < argc)
		o->name = argv[optind++];
	if (optind < argc)
		wrong_usage("more than one name");
	if ((o->command == ADD || o->command == DEL) && !o->name)
		wrong_usage("the name is missing");
	if (o->command == FLUSH && o->name)
		wrong_usage("--flush takes no name");
	if (o->command == ADD && !o->interface && !o->device)
		wrong_usage("--add needs --interface or --ibdevice");
	if (o->command != ADD && (o->interface || o->device))
		wrong_usage("devices are given with --add only");
	if (o->json && o->command != SHOW)
		wrong_usage("--json goes with --show");
	if (o->port && !o->device)
		wrong_usage("--ibport needs --ibdevice");
}

static void take_entry(uint8_t cmd, const struct smc_attrs *top, void *arg)
{
	unsigned int port = smc_attr_number(top, SMC_PNETID_IBPORT);
	struct smc_table *t = arg;

	(void)cmd;
	smc_table_cell(t, "%s", smc_attr_text(top, SMC_PNETID_NAME));
	smc_table_cell(t, "%s", smc_attr_text(top, SMC_PNETID_ETHNAME));
	smc_table_cell(t, "%s", smc_attr_text(top, SMC_PNETID_IBNAME));
	if (port == NO_PORT)
		smc_table_cell(t, NONE);
	else
		smc_table_cell(t, "%u", port);
}

static int list(const struct options *o, struct smc_table *t)
{
	struct smc_param p = { .type = SMC_PNETID_NAME, .text = o->name };

	if (o->name)
		return smc_genl_ask(SMCR_GENL_FAMILY_NAME, SMC_PNETID_GET, &p,
				    1, take_entry, t);
	return smc_genl_dump(SMCR_GENL_FAMILY_NAME, SMC_PNETID_GET, take_entry,
			     t);
}

static const char *or_none(const char *text)
{
	return strcmp(text, NONE) ? text : "";
}

/* Prints an entry, whose texts are @cell. */
static void print_entry(char **cell)
{
	fputs("{\"name\": ", stdout);
	smc_json_string(cell[0]);
	fputs(", \"interface\": ", stdout);
	smc_json_string(or_none(cell[1]));
	fputs(", \"device\": ", stdout);
	smc_json_string(or_none(cell[2]));
	printf(", \"port\": %s}", strcmp(cell[3], NONE) ? cell[3] : "0");
}

static int print_json(const struct smc_table *t)
{
	size_t i;

	if (t->no_memory)
		return -ENOMEM;
	putchar('[');
	for (i = 0; i < t->cells; i += t->columns) {
		fputs(i ? ",\n  " : "\n  ", stdout);
		print_entry(t->cell + i);
	}
	puts(t->cells ? "\n]" : "]");
	return 0;
}

/*
 * Prints nothing if the kernel could not be asked. An empty table has no
 * headings.
 */
static int show(const struct options *o)
{
	struct smc_table t = {};
	bool any;
	int err;

	smc_table_column(&t, "PNET-ID", -16, 1);
	smc_table_column(&t, "Net-Dev", -15, 1);
	smc_table_column(&t, "IB-Dev", -20, 1);
	smc_table_column(&t, "IB-Port", -7, 1);
	err = list(o, &t);
	if (err)
		return err;
	any = t.cells;
	if (o->json)
		err = print_json(&t);
	else if (any)
		err = smc_table_print(&t);
	if (!err && o->name && !any) {
		fprintf(stderr, "smc_pnet: no PNETID %s\n", o->name);
		exit(smc_flush("smc_pnet") ?: EXIT_FAILURE);
	}
	return err;
}

static int order(const struct options *o, uint8_t cmd)
{
	struct smc_param p[4];
	unsigned int n = 0;

	if (o->name)
		p[n++] = (struct smc_param){
			.type = SMC_PNETID_NAME, .text = o->name };
	if (o->interface)
		p[n++] = (struct smc_param){
			.type = SMC_PNETID_ETHNAME, .text = o->interface };
	if (o->device)
		p[n++] = (struct smc_param){
			.type = SMC_PNETID_IBNAME, .text = o->device };
	if (o->port)
		p[n++] = (struct smc_param){
			.type = SMC_PNETID_IBPORT, .number = o->port };
	return smc_genl_ask(SMCR_GENL_FAMILY_NAME, cmd, p, n, NULL, NULL);
}

int main(int argc, char **argv)
{
	struct options o = {};
	int err = 0;

	parse_options(&o, argc, argv);
	switch (o.command) {
	case SHOW:
		err = show(&o);
		break;
	case ADD:
		err = order(&o, SMC_PNETID_ADD);
		break;
	case DEL:
		err = order(&o, SMC_PNETID_DEL);
		break;
	case FLUSH:
		err = order(&o, SMC_PNETID_FLUSH);
		break;
	}
	if (err)
		return smc_genl_fail("smc_pnet", err);
	return smc_flush("smc_pnet");
}

// SPDX-License-Identifier: GPL-2.0
/* smcss: lists the SMC sockets of this host, their modes, and the reasons. */
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../net/smc/base/version.h"
#include "names.h"
#include "print.h"
#include "sockdiag.h"

enum {
	EXIT_USAGE = 2,
};

struct options {
	bool all;
	bool listening;
	bool smcr_only;
	bool json;
	struct print print;
};

static const struct option long_options[] = {
	{ "all",	no_argument, NULL, 'a' },
	{ "listening",	no_argument, NULL, 'l' },
	{ "details",	no_argument, NULL, 'd' },
	{ "lgr",	no_argument, NULL, 'r' },
	{ "smcr",	no_argument, NULL, 'R' },
	{ "json",	no_argument, NULL, 'j' },
	{ "version",	no_argument, NULL, 'v' },
	{ "help",	no_argument, NULL, 'h' },
	{}
};

static void print_help(FILE *out)
{
	fputs("usage: smcss [-a|-l] [-d] [-r|-R] [-j]\n"
	      "\n"
	      "Shows the SMC sockets that have a connection.\n"
	      "\n"
	      "  -a, --all        all sockets\n"
	      "  -l, --listening  listening sockets only\n"
	      "  -d, --details    buffers and cursors as well\n"
	      "  -r, --lgr        link group and device as well\n"
	      "  -R, --smcr       the same, for SMC-R sockets only\n"
	      "  -j, --json       as JSON\n"
	      "  -v, --version    the version of this program\n"
	      "  -h, --help       this\n", out);
}

static void parse_options(struct options *o, int argc, char **argv)
{
	int c;

	while ((c = getopt_long(argc, argv, "aldrRjvh", long_options, NULL)) != -1) {
		switch (c) {
		case 'a':
			o->all = true;
			break;
		case 'l':
			o->listening = true;
			break;
		case 'd':
			o->print.details = true;
			break;
		case 'R':
			o->smcr_only = true;
			o->print.lgr = true;
			break;
		case 'r':
			o->print.lgr = true;
			break;
		case 'j':
			o->json = true;
			break;
		case 'v':
			puts("smcss " SMC_VERSION);
			exit(EXIT_SUCCESS);
		case 'h':
			print_help(stdout);
			exit(EXIT_SUCCESS);
		default:
			print_help(stderr);
			exit(EXIT_USAGE);
		}
	}
	if (optind < argc) {
		fprintf(stderr, "smcss: unexpected argument '%s'\n", argv[optind]);
		exit(EXIT_USAGE);
	}
}

static bool wanted(const struct options *o, const struct smc_socket *s)
{
	if (o->smcr_only && strcmp(smc_mode_name(s), "SMCR"))
		return false;
	if (o->all)
		return true;
	if (o->listening)
		return s->state == SMC_STATE_LISTEN;
	return smc_state_connected(s->state);
}

static void show(struct options *o, const struct smc_socket *s)
{
	if (o->json)
		print_json_row(&o->print, s);
	else
		print_table_row(&o->print, s);
}

static int fail(int err)
{
	if (err == -ENOENT)
		fputs("smcss: this kernel does not list SMC sockets (is module smc_diag loaded?)\n",
		      stderr);
	else
		fprintf(stderr, "smcss: cannot list SMC sockets: %s\n",
			err == -EINTR ? "the list changes too fast" : strerror(-err));
	return EXIT_FAILURE;
}

int main(int argc, char **argv)
{
	struct options o = { .print.out = stdout };
	struct smc_socket *list = NULL;
	unsigned int ext = 0;
	size_t i, nr = 0;
	int err;

	parse_options(&o, argc, argv);
	if (o.print.details)
		ext |= SMC_DIAG_EXT(SMC_DIAG_CONNINFO);
	if (o.print.lgr)
		ext |= SMC_DIAG_EXT(SMC_DIAG_LGRINFO);

	err = smc_sockdiag_list(ext, &list, &nr);
	if (err)
		return fail(err);
	if (o.json)
		print_json_head(&o.print);
	else
		print_table_head(&o.print);
	for (i = 0; i < nr; i++) {
		if (wanted(&o, &list[i]))
			show(&o, &list[i]);
	}
	if (o.json)
		print_json_tail(&o.print);
	free(list);
	return fclose(stdout) ? fail(-errno) : EXIT_SUCCESS;
}

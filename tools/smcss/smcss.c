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
#include "usage.h"

struct options {
	bool all;
	bool listening;
	const char *only;	/* mode, or NULL for all */
	bool json;
	struct print print;
};

static const struct option long_options[] = {
	{ "all",	no_argument, NULL, 'a' },
	{ "listening",	no_argument, NULL, 'l' },
	{ "debug",	no_argument, NULL, 'd' },
	{ "details",	no_argument, NULL, 'L' },
	{ "wide",	no_argument, NULL, 'W' },
	{ "smcd",	no_argument, NULL, 'D' },
	{ "lgr",	no_argument, NULL, 'r' },
	{ "smcr",	no_argument, NULL, 'R' },
	{ "json",	no_argument, NULL, 'j' },
	{ "version",	no_argument, NULL, 'v' },
	{ "help",	no_argument, NULL, 'h' },
	{}
};

static const char help[] =
	"usage: smcss [-a|-l] [-d|--details] [-r|-R|-D] [-j] [-W]\n"
	"\n"
	"Shows the SMC sockets that have a connection.\n"
	"\n"
	"  -a, --all        all sockets\n"
	"  -l, --listening  listening sockets only\n"
	"  -d, --debug      buffers and cursors as well, as columns\n"
	"      --details    the same as lines\n"
	"  -R, --smcr       SMC-R sockets only, with columns of their links\n"
	"  -r, --lgr        the same sockets, with lines of their links\n"
	"  -D, --smcd       SMC-D sockets only, of which there are none\n"
	"  -W, --wide       addresses in full, as without this option\n"
	"  -j, --json       as JSON\n"
	"  -v, --version    the version of this program\n"
	"  -h, --help       this\n";

static int flush_out(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return EXIT_SUCCESS;
	fprintf(stderr, "smcss: cannot write: %s\n", strerror(errno));
	return EXIT_FAILURE;
}

static void parse_options(struct options *o, int argc, char **argv)
{
	int c;

	while ((c = getopt_long(argc, argv, "aldrRDWjvh", long_options, NULL)) != -1) {
		switch (c) {
		case 'a':
			o->all = true;
			break;
		case 'l':
			o->listening = true;
			break;
		case 'd':
			o->print.conn_columns = true;
			break;
		case 'L':
			o->print.details = true;
			break;
		case 'R':
			o->only = "SMCR";
			o->print.lgr_columns = true;
			break;
		case 'D':
			o->only = "SMCD";
			break;
		case 'W':
			break;
		case 'r':
			o->print.lgr = true;
			break;
		case 'j':
			o->json = true;
			break;
		case 'v':
			puts("smcss " SMC_VERSION);
			exit(flush_out());
		case 'h':
			fputs(help, stdout);
			exit(flush_out());
		default:
			smc_usage_exit("smcss", help);
		}
	}
	if (optind < argc) {
		fprintf(stderr, "smcss: unexpected argument '%s'\n", argv[optind]);
		smc_usage_exit("smcss", help);
	}
}

static bool wanted(const struct options *o, const struct smc_socket *s)
{
	if (o->only && strcmp(smc_mode_name(s), o->only))
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
	/* the link tells the interface */
	unsigned int ext = SMC_DIAG_EXT(SMC_DIAG_LGRINFO);
	size_t i, nr = 0;
	int err;

	parse_options(&o, argc, argv);
	if (o.print.details || o.print.conn_columns)
		ext |= SMC_DIAG_EXT(SMC_DIAG_CONNINFO);

	err = smc_sockdiag_list(ext, &list, &nr);
	if (err)
		return fail(err);
	for (i = 0; i < nr; i++) {
		if (wanted(&o, &list[i]))
			print_table_fit(&o.print, &list[i]);
	}
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
	return flush_out();
}

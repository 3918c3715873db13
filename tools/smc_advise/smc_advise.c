// SPDX-License-Identifier: GPL-2.0
/* smc_advise: which services of this host would gain by SMC-R. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../net/smc/base/version.h"
#include "advise.h"
#include "genl.h"
#include "usage.h"

enum {
	DEFAULT_S	= 10,
	MOST_S		= 86400,
};

static const struct option long_options[] = {
	{ "time",	required_argument, NULL, 't' },
	{ "save",	required_argument, NULL, 's' },
	{ "read",	required_argument, NULL, 'r' },
	{ "json",	no_argument, NULL, 'j' },
	{ "version",	no_argument, NULL, 'v' },
	{ "help",	no_argument, NULL, 'h' },
	{}
};

static const char help[] =
	"usage: smc_advise [-t SECONDS] [-s FILE] [-j]\n"
	"       smc_advise -r FILE [-j]\n"
	"\n"
	"Watches the TCP connections of this host and tells which services would\n"
	"gain by SMC-R. Changes nothing.\n"
	"\n"
	"  -t, --time SECONDS  how long to watch (10); Ctrl-C ends it earlier\n"
	"  -s, --save FILE     also save the report\n"
	"  -r, --read FILE     show a saved report; - is standard input\n"
	"  -j, --json          as JSON\n"
	"  -v, --version       the version of this program\n"
	"  -h, --help          this\n";

__attribute__((noreturn)) static void usage(const char *words, const char *what)
{
	if (what)
		fprintf(stderr, "smc_advise: %s '%s'\n", words, what);
	else
		fprintf(stderr, "smc_advise: %s\n", words);
	smc_usage_exit("smc_advise", help);
}

static double seconds_of(const char *word)
{
	char *end;
	double n = strtod(word, &end);

	if (strspn(word, "0123456789.") != strlen(word) || end == word || *end ||
	    !(n > 0 && n <= MOST_S))
		usage("this is no time", word);
	return n;
}

static int fail(const char *what, const char *path, int err)
{
	fprintf(stderr, "smc_advise: %s%s%s: %s\n", what, path ? " " : "",
		path ? path : "", strerror(-err));
	return EXIT_FAILURE;
}

static int collect(struct services *all, const char *from, double seconds)
{
	unsigned int line;
	int err;

	if (from) {
		err = saved_read(all, from, &line);
		if (err == -EINVAL) {
			fprintf(stderr, "smc_advise: %s, line %u is not of a saved report\n",
				from, line);
			return EXIT_FAILURE;
		}
		return err ? fail("cannot read", from, err) : EXIT_SUCCESS;
	}
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "watching for %g seconds\n", seconds);
	err = watch(all, seconds);
	if (err == -ENOENT || err == -EPROTONOSUPPORT) {
		fputs("smc_advise: this kernel does not list TCP connections (modprobe tcp_diag)\n",
		      stderr);
		return EXIT_FAILURE;
	}
	return err ? fail("cannot list TCP connections", NULL, err) : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	const char *from = NULL, *to = NULL;
	struct services all = {};
	double seconds = 0;
	bool json = false;
	int c, status;

	while ((c = getopt_long(argc, argv, "t:s:r:jvh", long_options, NULL)) != -1) {
		switch (c) {
		case 't':
			seconds = seconds_of(optarg);
			break;
		case 's':
			to = optarg;
			break;
		case 'r':
			from = optarg;
			break;
		case 'j':
			json = true;
			break;
		case 'v':
			puts("smc_advise " SMC_VERSION);
			return smc_flush("smc_advise");
		case 'h':
			fputs(help, stdout);
			return smc_flush("smc_advise");
		default:
			smc_usage_exit("smc_advise", help);
		}
	}
	if (optind < argc)
		usage("unexpected argument", argv[optind]);
	if (from && (to || seconds))
		usage("--read goes with --json only", NULL);
	status = collect(&all, from, seconds ? seconds : DEFAULT_S);
	if (!status && to) {
		c = saved_write(&all, to);
		status = c ? fail("cannot write", to, c) : EXIT_SUCCESS;
	}
	if (!status) {
		if (json)
			report_json(&all);
		else
			report_text(&all);
		status = smc_flush("smc_advise");
	}
	free(all.list);
	return status;
}

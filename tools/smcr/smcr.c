// SPDX-License-Identifier: GPL-2.0
/* smcr shows groups, links, devices, statistics and identifiers of SMC-R. */
#include "../../net/smc/base/version.h"
#include "smcr.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "genl.h"
#include "usage.h"

struct subject {
	const char *name;
	int (*run)(const struct options *o, int argc, char **argv);
};

static const struct subject subjects[] = {
	{ "info", cmd_info },
	/* an abbreviation selects the first entry that it fits */
	{ "device", cmd_device },
	{ "linkgroup", cmd_linkgroup },
	{ "link", cmd_link },
	{ "stats", cmd_stats },
	{ "top", cmd_top },
	{ "counters", cmd_counters },
	{ "config", cmd_config },
	{ "metrics", cmd_metrics },
	{ "ueid", cmd_ueid },
	{ "seid", cmd_seid },
	{ "limit", cmd_limit },
};

static const char help[] =
	"usage: smcr [-d|-dd] [-a] [-j] SUBJECT [COMMAND | help]\n"
	"\n"
	"  info                 what this host speaks, and its devices\n"
	"  device               RDMA devices\n"
	"  linkgroup            link groups; link-show: their links; del ID: end\n"
	"                       one, with its connections. To show some: ID,\n"
	"                       netdev NAME, ibdev NAME (also for device)\n"
	"  link                 links; ID, netdev, ibdev: as for linkgroup\n"
	"  stats                statistics; reset: count from now on;\n"
	"                       watch SECONDS [COUNT]: what is added in each interval\n"
	"  top [SECONDS [N]]    live, N times: connections by rate, links by load,\n"
	"                       fallbacks as they happen\n"
	"  counters             all counters that are not zero, explained\n"
	"  metrics [FILE]       all values, as Prometheus reads them\n"
	"  config               settings as in /etc/smc.conf; check, apply, save [FILE]\n"
	"  ueid                 user EIDs; add NAME, del NAME, flush\n"
	"  seid                 system EID; enable, disable\n"
	"  limit                handshake limitation; enable, disable\n"
	"\n"
	"  -d, --details        more columns; -dd: even more\n"
	"  -a, --absolute       statistics since the module was loaded\n"
	"  -j, --json           as JSON\n"
	"  -v, --version        the version of this program\n"
	"  -h, --help           this\n";

void wrong_usage(const char *word)
{
	if (word)
		fprintf(stderr, "smcr: unexpected argument '%s'\n", word);
	else
		fputs("smcr: an argument is missing\n", stderr);
	smc_usage_exit("smcr", help);
}

void only_show(int argc, char **argv)
{
	if (argc && strcmp(argv[0], "show"))
		wrong_usage(argv[0]);
	if (argc > 1)
		wrong_usage(argv[1]);
}

unsigned int positive(const char *word, long max)
{
	char *end;
	long n = strtol(word, &end, 10);

	if (end == word || *end || n < 1 || n > max)
		wrong_usage(word);
	return n;
}

int flush_out(void)
{
	return smc_flush("smcr");
}

void json_item(struct json *j)
{
	if (j->list && !j->more)
		putchar('[');
	fputs(j->more ? ",\n  " : "\n  ", stdout);
	j->more = true;
}

void json_list_end(const struct json *j, int err)
{
	if (j->more)
		puts("\n]");
	else if (!err)
		puts("[]");
}

void json_text(const char *name, const char *value)
{
	printf("\"%s\": ", name);
	smc_json_string(value);
}

void json_number(const char *name, unsigned long long value)
{
	printf("\"%s\": %llu", name, value);
}

static void parse_options(struct options *o, int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "details",	no_argument, NULL, 'd' },
		{ "ddetails",	no_argument, NULL, 'D' },
		{ "absolute",	no_argument, NULL, 'a' },
		{ "json",	no_argument, NULL, 'j' },
		{ "version",	no_argument, NULL, 'v' },
		{ "help",	no_argument, NULL, 'h' },
		{}
	};
	int c;

	while ((c = getopt_long_only(argc, argv, "dajvh",
				     long_options, NULL)) != -1) {
		switch (c) {
		case 'd':
			o->details++;
			break;
		case 'D':
			o->details = 2;
			break;
		case 'a':
			o->absolute = true;
			break;
		case 'j':
			o->json = true;
			break;
		case 'v':
			puts("smcr " SMC_VERSION);
			exit(flush_out());
		case 'h':
			fputs(help, stdout);
			exit(flush_out());
		default:
			smc_usage_exit("smcr", help);
		}
	}
}

static const struct subject *find_subject(const char *word)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(subjects); i++) {
		if (!strcmp(subjects[i].name, word))
			return &subjects[i];
	}
	for (i = 0; *word && i < ARRAY_SIZE(subjects); i++) {
		if (!strncmp(subjects[i].name, word, strlen(word)))
			return &subjects[i];
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct options o = {};
	const struct subject *s;
	int status;

	parse_options(&o, argc, argv);
	if (optind == argc)
		wrong_usage(NULL);
	s = find_subject(argv[optind++]);
	if (!s)
		wrong_usage(argv[optind - 1]);
	if (optind < argc && !strcmp(argv[optind], "help")) {
		fputs(help, stdout);
		return flush_out();
	}
	status = s->run(&o, argc - optind, argv + optind);
	return status ?: flush_out();
}

// SPDX-License-Identifier: GPL-2.0
/* sockbench: measures sockets of TCP and SMC under the same load. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "sockbench.h"

static const char usage[] =
"sockbench server [--port P] [--once] [--read SIZE] [--counters FILE]\n"
"sockbench bulk|rr|short|idle|connect|fan --host A --family tcp|smc|smc6|tcp6\n"
"	[--port P] [--secs T] [--warm T] [--conns N] [--busy N] [--req R]\n"
"	[--resp S] [--bytes N] [--write SIZE] [--sndbuf SIZE] [--rcvbuf SIZE]\n"
"	[--count N] [--inhost] [--counters FILE]\n"
"	[--source buffer|file|zerocopy]\n";

enum opt {
	OPT_PORT = 256, OPT_ONCE, OPT_READ, OPT_COUNTERS, OPT_HOST, OPT_FAMILY,
	OPT_SECS, OPT_WARM, OPT_CONNS, OPT_REQ, OPT_RESP, OPT_BYTES, OPT_WRITE,
	OPT_SNDBUF, OPT_RCVBUF, OPT_COUNT, OPT_INHOST, OPT_SOURCE, OPT_BUSY,
};

static const struct option longopts[] = {
	{ "port",	required_argument, NULL, OPT_PORT },
	{ "once",	no_argument,	   NULL, OPT_ONCE },
	{ "read",	required_argument, NULL, OPT_READ },
	{ "counters",	required_argument, NULL, OPT_COUNTERS },
	{ "host",	required_argument, NULL, OPT_HOST },
	{ "family",	required_argument, NULL, OPT_FAMILY },
	{ "secs",	required_argument, NULL, OPT_SECS },
	{ "warm",	required_argument, NULL, OPT_WARM },
	{ "conns",	required_argument, NULL, OPT_CONNS },
	{ "busy",	required_argument, NULL, OPT_BUSY },
	{ "req",	required_argument, NULL, OPT_REQ },
	{ "resp",	required_argument, NULL, OPT_RESP },
	{ "bytes",	required_argument, NULL, OPT_BYTES },
	{ "write",	required_argument, NULL, OPT_WRITE },
	{ "sndbuf",	required_argument, NULL, OPT_SNDBUF },
	{ "rcvbuf",	required_argument, NULL, OPT_RCVBUF },
	{ "count",	required_argument, NULL, OPT_COUNT },
	{ "inhost",	no_argument,	   NULL, OPT_INHOST },
	{ "source",	required_argument, NULL, OPT_SOURCE },
	{ }
};

static const char * const families[FAM_COUNT] = {
	"tcp", "smc", "smc6", "tcp6",
};

static const char * const sources[] = {
	[SOURCE_BUFFER]		= "buffer",
	[SOURCE_FILE]		= "file",
	[SOURCE_ZEROCOPY]	= "zerocopy",
};

static unsigned int choice(const char *s, const char * const *names,
			   unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (!strcmp(s, names[i]))
			return i;
	die("unknown choice: %s", s);
}

static long long in_range(const char *s, long long min, long long max)
{
	long long v = parse_size(s);

	if (v < min || v > max)
		die("%s is not within %lld..%lld", s, min, max);
	return v;
}

static double parse_secs(const char *s)
{
	char *end;
	double v = strtod(s, &end);

	if (end == s || *end || v < 0 || v > 3600)
		die("%s is no number of seconds up to 3600", s);
	return v;
}

static void set_load(struct opts *o, int opt, const char *arg)
{
	switch (opt) {
	case OPT_SECS:
		o->secs = parse_secs(arg);
		break;
	case OPT_WARM:
		o->warm = parse_secs(arg);
		break;
	case OPT_CONNS:
		o->conns = in_range(arg, 1, 60000);
		break;
	case OPT_BUSY:
		o->busy = in_range(arg, 1, 60000);
		break;
	case OPT_REQ:
		o->req = in_range(arg, sizeof(struct hello), 1 << 18);
		break;
	case OPT_RESP:
		o->resp = in_range(arg, sizeof(uint64_t), 1 << 18);
		break;
	case OPT_BYTES:
		o->bytes = in_range(arg, sizeof(struct hello), 1LL << 40);
		break;
	case OPT_WRITE:
		o->write_size = in_range(arg, 1, 64 << 20);
		break;
	case OPT_SOURCE:
		o->source = choice(arg, sources, ARRAY_SIZE(sources));
		break;
	case OPT_COUNT:
		o->count = in_range(arg, 1, 1000000);
		break;
	default:
		fputs(usage, stderr);
		exit(2);
	}
}

static void set(struct opts *o, int opt, const char *arg)
{
	switch (opt) {
	case OPT_PORT:
		o->port = in_range(arg, 1, 65000);
		break;
	case OPT_ONCE:
		o->once = true;
		break;
	case OPT_READ:
		o->read_size = in_range(arg, 1, 1 << 20);
		break;
	case OPT_COUNTERS:
		o->mib = arg;
		break;
	case OPT_HOST:
		o->host = arg;
		break;
	case OPT_FAMILY:
		o->family = choice(arg, families, ARRAY_SIZE(families));
		break;
	case OPT_SNDBUF:
		o->sndbuf = in_range(arg, 1, 1 << 30);
		break;
	case OPT_RCVBUF:
		o->rcvbuf = in_range(arg, 1, 1 << 30);
		break;
	case OPT_INHOST:
		o->inhost = true;
		break;
	default:
		set_load(o, opt, arg);
	}
}

static void run(struct opts *o, const char *what)
{
	static const struct {
		const char *name;
		enum mode mode;
		void (*run)(const struct opts *o);
	} modes[] = {
		{ "bulk",	MODE_BULK,	run_bulk },
		{ "rr",		MODE_RR,	run_rr },
		{ "short",	MODE_SHORT,	run_short },
		{ "idle",	MODE_IDLE,	run_idle },
		{ "connect",	MODE_CONNECT,	run_connect },
		{ "fan",	MODE_FAN,	run_fan },
	};
	unsigned int i;

	if (!o->host)
		die("--host is missing");
	if (!o->busy || o->busy > o->conns)
		o->busy = o->conns;
	for (i = 0; i < ARRAY_SIZE(modes); i++) {
		if (strcmp(what, modes[i].name))
			continue;
		o->mode = modes[i].mode;
		modes[i].run(o);
		return;
	}
	fputs(usage, stderr);
	exit(2);
}

int main(int argc, char **argv)
{
	struct opts o = {
		.mib = "/proc/net/smc_mib", .port = BENCH_PORT, .conns = 1,
		.req = 200, .resp = 1000, .write_size = 128 << 10,
		.read_size = 256 << 10, .secs = 4, .warm = 1, .count = 50,
	};
	int c;

	while ((c = getopt_long(argc, argv, "", longopts, NULL)) != -1)
		set(&o, c, optarg);
	if (optind + 1 != argc) {
		fputs(usage, stderr);
		return 2;
	}
	if (!strcmp(argv[optind], "server"))
		serve(&o);
	else
		run(&o, argv[optind]);
	return 0;
}

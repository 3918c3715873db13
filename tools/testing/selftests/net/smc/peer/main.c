// SPDX-License-Identifier: GPL-2.0
#include "peer.h"

#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "../ktap.h"
#include "util.h"

struct config cfg = {
	.family = FAMILY_SMC,
	.peer_family = FAMILY_NR,
	.div = 1,
	.slow = 1,
};

static struct {
	const char *port;
	bool serve;
	bool stop;
	bool background;
	bool client;
	bool list;
} job = {
	.port = "7609",
};

static const char *const family_names[FAMILY_NR] = {
	"smc", "smc6", "tcp", "tcp6", "inet-smc", "inet-smc6"
};

static const char *const mode_names[MODE_NR] = {
	"any", "smcr", "inhost", "tcp"
};

static const char help[] =
"usage: smc_peer --single | --client HOST | --server | --stop HOST  [OPTION]... CASE...\n"
"\n"
"A CASE is a name, @GROUP or 'all'; --list shows them. One line of result each.\n"
"\n"
"  --single            both ends are on this host\n"
"  --addr A            where (127.0.0.1 or ::1)\n"
"  --client HOST       the other end is a server there\n"
"  --server            serve clients; --background: return once it is reachable\n"
"  --stop HOST         end the server there\n"
"  --port P            of the server's control channel (7609)\n"
"  --family F          smc, smc6, tcp, tcp6, inet-smc or inet-smc6\n"
"  --server-family F   of the server's end, if it differs\n"
"  --div N             divide sizes and counts\n"
"  --slow N            multiply time limits\n"
"  --bytes N           size of bulk cases\n"
"  --expect-mode M     smcr, inhost or tcp: fail unless each connection is that\n"
"  --expect-reason R[/D]  diagnosis code, and what the peer's Decline must say\n"
"  --expect-server-mode, --expect-server-reason  the same at the server's end\n"
"                      (its mode is by default that of the client)\n"
"  --list              names of cases (with their group)\n"
"  --skip CASE=REASON  leave it out and say why\n";

enum {
	OPT_ADDR = 256, OPT_BACKGROUND, OPT_BYTES, OPT_CLIENT, OPT_DIV,
	OPT_FAMILY, OPT_HELP, OPT_LIST, OPT_MODE, OPT_PORT, OPT_REASON,
	OPT_SERVER, OPT_SERVER_FAMILY, OPT_SERVER_MODE, OPT_SERVER_REASON,
	OPT_SINGLE, OPT_SKIP, OPT_SLOW, OPT_STOP,
};

static const struct option options[] = {
	{ "addr", required_argument, NULL, OPT_ADDR },
	{ "background", no_argument, NULL, OPT_BACKGROUND },
	{ "bytes", required_argument, NULL, OPT_BYTES },
	{ "client", required_argument, NULL, OPT_CLIENT },
	{ "div", required_argument, NULL, OPT_DIV },
	{ "expect-mode", required_argument, NULL, OPT_MODE },
	{ "expect-reason", required_argument, NULL, OPT_REASON },
	{ "expect-server-mode", required_argument, NULL, OPT_SERVER_MODE },
	{ "expect-server-reason", required_argument, NULL, OPT_SERVER_REASON },
	{ "family", required_argument, NULL, OPT_FAMILY },
	{ "help", no_argument, NULL, OPT_HELP },
	{ "list", no_argument, NULL, OPT_LIST },
	{ "port", required_argument, NULL, OPT_PORT },
	{ "server", no_argument, NULL, OPT_SERVER },
	{ "server-family", required_argument, NULL, OPT_SERVER_FAMILY },
	{ "single", no_argument, NULL, OPT_SINGLE },
	{ "skip", required_argument, NULL, OPT_SKIP },
	{ "slow", required_argument, NULL, OPT_SLOW },
	{ "stop", required_argument, NULL, OPT_STOP },
	{}
};

/* Cases that the arguments name, but that must be skipped. */
static struct skip {
	const char *name;
	const char *reason;
	bool met;		/* the arguments name this case */
} skips[64];
static size_t nr_skips;

__attribute__((noreturn))
static void wrong(const char *what, const char *detail)
{
	fprintf(stderr, "smc_peer: %s %s\ntry smc_peer --help\n", what, detail);
	exit(2);
}

static unsigned int one_of(const char *const *names, unsigned int nr,
			   const char *name)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (!strcmp(names[i], name))
			return i;
	}
	wrong("unknown name", name);
}

static uint64_t number(const char *text, uint64_t least)
{
	uint64_t v;
	char *end;

	v = strtoull(text, &end, 0);
	if (*end || end == text || v < least)
		wrong("bad number", text);
	return v;
}

static void parse_reason(struct expect *e, const char *text)
{
	char *slash = strchr(text, '/');

	e->check_reason = true;
	if (slash)
		*slash = '\0';
	e->reason = number(text, 0);
	e->diagnosis = slash ? number(slash + 1, 0) : 0;
}

static void add_skip(char *text)
{
	char *reason = strchr(text, '=');

	if (!reason || !reason[1])
		wrong("there is no reason in --skip", text);
	if (nr_skips == ARRAY_SIZE(skips))
		wrong("too many to", "--skip");
	*reason++ = '\0';
	skips[nr_skips++] = (struct skip){ .name = text, .reason = reason };
}

static void set_host(const char *host)
{
	snprintf(cfg.host, sizeof(cfg.host), "%s", host);
}

static bool set_job(int opt)
{
	switch (opt) {
	case OPT_BACKGROUND:
		job.background = true;
		return true;
	case OPT_CLIENT:
		job.client = true;
		set_host(optarg);
		return true;
	case OPT_LIST:
		job.list = true;
		return true;
	case OPT_PORT:
		job.port = optarg;
		return true;
	case OPT_SERVER:
		job.serve = true;
		return true;
	case OPT_SINGLE:
		cfg.single = true;
		return true;
	case OPT_SKIP:
		add_skip(optarg);
		return true;
	case OPT_STOP:
		job.stop = true;
		set_host(optarg);
		return true;
	}
	return false;
}

static bool set_config(int opt)
{
	switch (opt) {
	case OPT_ADDR:
		set_host(optarg);
		return true;
	case OPT_BYTES:
		cfg.bytes = number(optarg, 1);
		return true;
	case OPT_DIV:
		cfg.div = number(optarg, 1);
		return true;
	case OPT_FAMILY:
		cfg.family = one_of(family_names, FAMILY_NR, optarg);
		return true;
	case OPT_MODE:
		cfg.own.mode = one_of(mode_names, MODE_NR, optarg);
		return true;
	case OPT_REASON:
		parse_reason(&cfg.own, optarg);
		return true;
	case OPT_SERVER_FAMILY:
		cfg.peer_family = one_of(family_names, FAMILY_NR, optarg);
		return true;
	case OPT_SERVER_MODE:
		cfg.peer.mode = one_of(mode_names, MODE_NR, optarg);
		return true;
	case OPT_SERVER_REASON:
		parse_reason(&cfg.peer, optarg);
		return true;
	case OPT_SLOW:
		cfg.slow = number(optarg, 1);
		return true;
	}
	return false;
}

static void parse_options(int argc, char **argv)
{
	int opt;

	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (opt == OPT_HELP) {
			fputs(help, stdout);
			exit(EXIT_SUCCESS);
		}
		if (!set_job(opt) && !set_config(opt))
			exit(2);
	}
	if (cfg.peer_family == FAMILY_NR)
		cfg.peer_family = cfg.family;
	if (cfg.peer.mode == MODE_ANY)
		cfg.peer.mode = cfg.own.mode;
	if (cfg.own.mode > MODE_ANY && cfg.own.mode != MODE_TCP &&
	    !family_is_smc(cfg.family))
		wrong("no such mode in family", family_names[cfg.family]);
	if (cfg.single && !cfg.host[0])
		set_host(family_is_v6(cfg.family) ? "::1" : "127.0.0.1");
}

const struct peer_case *find_case(const char *name)
{
	size_t g, i;

	for (g = 0; g < nr_case_groups; g++) {
		for (i = 0; i < case_groups[g]->nr; i++) {
			if (!strcmp(case_groups[g]->cases[i].name, name))
				return &case_groups[g]->cases[i];
		}
	}
	return NULL;
}

/* Calls @fn for the cases that the arguments name. Returns false if an argument
 * names no case.
 */
static bool each_case(char **args, void (*fn)(const struct case_group *g,
					      const struct peer_case *c))
{
	size_t g, i, nr;

	for (; *args; args++) {
		nr = 0;
		for (g = 0; g < nr_case_groups; g++) {
			const struct case_group *group = case_groups[g];
			bool whole = (!strcmp(*args, "all") && !group->by_name_only) ||
				     (**args == '@' && !strcmp(*args + 1, group->name));

			for (i = 0; i < group->nr; i++) {
				if (!whole && strcmp(group->cases[i].name, *args))
					continue;
				nr++;
				fn(group, &group->cases[i]);
			}
		}
		if (!nr) {
			fprintf(stderr, "smc_peer: no case '%s'\n", *args);
			return false;
		}
	}
	return true;
}

static void list_case(const struct case_group *g, const struct peer_case *c)
{
	printf("%s %s\n", g->name, c->name);
}

static unsigned int nr_cases;
static struct ktap ktap;

static struct skip *find_skip(const struct peer_case *c)
{
	size_t i;

	for (i = 0; i < nr_skips; i++) {
		if (!strcmp(skips[i].name, c->name))
			return &skips[i];
	}
	return NULL;
}

static void count_case(const struct case_group *g, const struct peer_case *c)
{
	struct skip *skip = find_skip(c);

	(void)g;
	nr_cases++;
	if (skip)
		skip->met = true;
}

/* An argument of --skip that matches no case is a mistake, or is obsolete. */
static void check_skips(void)
{
	size_t i;

	for (i = 0; i < nr_skips; i++) {
		if (!skips[i].met)
			wrong("nobody asks for the case of --skip", skips[i].name);
	}
}

static void run_case(const struct case_group *g, const struct peer_case *c)
{
	const struct skip *skip = find_skip(c);
	struct outcome o = {};

	(void)g;
	if (skip) {
		o.verdict = VERDICT_SKIP;
		snprintf(o.text, sizeof(o.text), "%s", skip->reason);
	} else if (c->smc_only && !family_is_smc(cfg.family)) {
		o.verdict = VERDICT_SKIP;
		snprintf(o.text, sizeof(o.text), "for SMC sockets only");
	} else if (cfg.single) {
		run_single(c, &o);
	} else {
		run_client(c, job.port, &o);
	}
	printf("# %s: %u.%02u s%s%s\n", c->name, o.ms / 1000, o.ms % 1000 / 10,
	       *o.text ? ", " : "", o.text);
	ktap_result(&ktap, o.verdict != VERDICT_FAIL, c->name,
		    o.verdict == VERDICT_SKIP ? o.text : NULL);
}

static void raise_file_limit(void)
{
	struct rlimit rl;

	getrlimit(RLIMIT_NOFILE, &rl);
	rl.rlim_cur = rl.rlim_max;
	setrlimit(RLIMIT_NOFILE, &rl);
}

int main(int argc, char **argv)
{
	static char *all[] = { "all", NULL };
	char **args;

	parse_options(argc, argv);
	args = optind < argc ? argv + optind : all;
	if (job.list)
		return each_case(args, list_case) ? EXIT_SUCCESS : 2;
	raise_file_limit();
	if (job.serve)
		return serve(job.port, job.background);
	if (job.stop)
		return stop_server(job.port);
	if (!cfg.single && !job.client)
		wrong("needs", "one of --single, --client, --server, --stop");
	if (!each_case(args, count_case))
		return 2;
	check_skips();
	if (nr_cases > 1)
		ktap_start(&ktap, NULL, nr_cases);
	each_case(args, run_case);
	return ktap_finish(&ktap);
}

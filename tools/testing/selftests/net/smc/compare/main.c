// SPDX-License-Identifier: GPL-2.0
/*
 * smc_compare: makes the same calls on TCP and on AF_SMC, and reports where
 * they differ. Prints KTAP.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../ktap.h"
#include "compare.h"
#include "search.h"
#include "table.h"

#ifndef AF_SMC
#define AF_SMC 43
#endif

#define AGENT_PORT "7707"

enum { MAX_REPORTS = 10, FLAKY_LIMIT = 3 };

struct config {
	const char *client;	/* families */
	const char *server;
	const char *host;	/* address of the server */
	const char *agent;	/* host of the agent, or NULL */
	const char *mode;
	const char *text;	/* a program to run */
	uint64_t seed;
	unsigned int count;	/* random programs */
	unsigned int part, parts;	/* of the calls in states */
	unsigned int limit_ms;
	bool table;
	bool background;
};

static struct config cfg = {
	.client = "smc",
	.server = "smc",
	.host = "127.0.0.1",
	.seed = 1,
	.parts = 1,
	.limit_ms = 3000,
};

/* Number of differences that occurred only once. */
static unsigned int flaky;

static void print_help(void)
{
	puts("usage: smc_compare [OPTION...]\n"
	     "  --client smc|tcp     family of the client in the second world\n"
	     "  --server smc|tcp     that of the server\n"
	     "  --mode MODE          mode that a connection must have\n"
	     "  --host ADDRESS       address of the server\n"
	     "  --to ADDRESS         an agent runs the server's calls there\n"
	     "  --table              programs of the table\n"
	     "  --part N/M           of the calls in all states; 0/1: all\n"
	     "  --random COUNT       random programs\n"
	     "  --seed N             of the first random program\n"
	     "  --run PROGRAM        one program, and what the sockets show\n"
	     "  --limit MS           for the worlds to show the same\n"
	     "  --differences        names those that are known\n"
	     "  --slow N             multiplies time limits\n"
	     "  --agent [--background] | --stop ADDRESS");
}

static int family_of(const char *name)
{
	return !strcmp(name, "smc") ? AF_SMC : AF_INET;
}

/* ---- one program ---- */

/*
 * A difference counts only if it occurs again, because the kernel may delay an
 * op and so change the order of events.
 */
static enum verdict judge(struct pair *pair, struct program *p,
			  struct difference *d)
{
	enum verdict verdict = compare(pair, p, d);
	struct difference once = *d;

	if (verdict != VERDICT_DIFFERENT)
		return verdict;
	verdict = compare(pair, p, d);
	if (verdict == VERDICT_DIFFERENT)
		return verdict;
	if (flaky++ < MAX_REPORTS) {
		puts("# differed once and not again:");
		difference_print(&once);
	}
	return verdict;
}

static bool run_text(struct pair *pair, const char *text, struct difference *d,
		     struct program *p)
{
	const char *wrong = program_parse(p, text);
	enum verdict verdict;

	if (wrong) {
		printf("# not a statement: %s\n", wrong);
		return false;
	}
	verdict = judge(pair, p, d);
	if (verdict == VERDICT_DIFFERENT)
		difference_print(d);
	if (verdict == VERDICT_STUCK)
		printf("# a call does not end\n");
	return verdict == VERDICT_SAME || verdict == VERDICT_KNOWN;
}

static void one_program(struct ktap *k, struct pair *pair, const char *name,
			const char *text)
{
	struct difference d;
	struct program p;

	ktap_result(k, run_text(pair, text, &d, &p), name, NULL);
}

/* ---- parts of the test ---- */

static void run_state(struct ktap *k, struct pair *pair,
		      const struct named_program *state, unsigned int number)
{
	unsigned int i, ran = 0, bad = 0;
	char text[MAX_TEXT], name[100];
	struct difference d;
	struct program p;

	for (i = 0; i < calls_in_state(); i++) {
		if ((i + number) % cfg.parts != cfg.part)
			continue;
		call_in_state(state, i, text);
		ran++;
		bad += !run_text(pair, text, &d, &p);
	}
	snprintf(name, sizeof(name), "every call: %s", state->name);
	if (bad)
		printf("# %u of %u programs differ\n", bad, ran);
	ktap_result(k, !bad, name, NULL);
}

static void run_random(struct ktap *k, struct pair *pair)
{
	unsigned int i, bad = 0, known = 0;
	char name[100];

	for (i = 0; i < cfg.count && bad < MAX_REPORTS; i++) {
		struct difference d;
		struct program p;
		enum verdict verdict;

		random_program(cfg.seed + i, &p);
		verdict = judge(pair, &p, &d);
		known += verdict == VERDICT_KNOWN;
		if (verdict == VERDICT_SAME || verdict == VERDICT_KNOWN)
			continue;
		bad++;
		printf("# seed %llu\n", (unsigned long long)cfg.seed + i);
		if (verdict == VERDICT_STUCK) {
			printf("# a call does not end\n");
			continue;
		}
		difference_print(&d);
		shrink(pair, &p, &d);
		printf("# the shortest program that differs:\n");
		difference_print(&d);
	}
	printf("# %u programs, %u of them ended at a known difference\n", i, known);
	snprintf(name, sizeof(name), "%u random programs from seed %llu",
		 cfg.count, (unsigned long long)cfg.seed);
	ktap_result(k, !bad, name, NULL);
}

/* The test is useless if the second world does not use SMC. */
static void check_mode(struct ktap *k, struct pair *pair)
{
	struct world *w = &pair->worlds[1];
	int slot = family_of(cfg.client) == AF_SMC ? SLOT_C : SLOT_S;
	struct difference d;
	char name[100], mode[16];
	struct program p;

	program_parse(&p, "socket l; bind l; listen l 8; socket c; connect c l; "
		      "accept l s; send c 1; recv s 1");
	compare_and_stay(pair, &p, &d);
	world_mode(w, slot, mode);
	snprintf(name, sizeof(name), "mode %s", cfg.mode);
	if (strcmp(mode, cfg.mode))
		printf("# the mode is %s\n", mode);
	ktap_result(k, !strcmp(mode, cfg.mode), name, NULL);
}

static int run_parts(struct pair *pair)
{
	struct ktap k = { 0 };
	unsigned int i;
	bool states_too = cfg.part < cfg.parts && cfg.table;

	ktap_start(&k, NULL, !!cfg.mode + !!cfg.text + !!cfg.count + 1 +
		   (cfg.table ? nr_programs : 0) + (states_too ? nr_states : 0));
	if (cfg.mode)
		check_mode(&k, pair);
	if (cfg.text)
		one_program(&k, pair, "the program", cfg.text);
	for (i = 0; cfg.table && i < nr_programs; i++)
		one_program(&k, pair, programs[i].name, programs[i].text);
	for (i = 0; states_too && i < nr_states; i++)
		run_state(&k, pair, &states[i], i);
	if (cfg.count)
		run_random(&k, pair);
	known_report();
	printf("# %u programs ran; %u differed once and not again\n",
	       pair->programs, flaky);
	ktap_result(&k, flaky <= FLAKY_LIMIT + pair->programs / 1000,
		    "differences come again", NULL);
	return ktap_finish(&k);
}

static int start(void)
{
	int client = family_of(cfg.client), server = family_of(cfg.server);
	static struct pair pair;
	int ctl = -1;

	if (cfg.agent) {
		ctl = agent_call(cfg.agent, AGENT_PORT);
		if (ctl < 0) {
			fprintf(stderr, "no agent on %s\n", cfg.agent);
			return EXIT_FAILURE;
		}
		cfg.host = cfg.agent;
	}
	world_start(&pair.worlds[0], 0, AF_INET, AF_INET, cfg.host, ctl);
	world_start(&pair.worlds[1], 1, client, server, cfg.host, ctl);
	pair.limit_ms = cfg.limit_ms * slow;
	pair.fallback = cfg.mode && !strcmp(cfg.mode, "TCP");
	/* an earlier run may have left sockets at its ports for a minute */
	pair.port = getpid() * 128;
	return run_parts(&pair);
}

/* Tasks of the program other than the whole test. */
enum task {
	TASK_COMPARE,
	TASK_AGENT,
	TASK_STOP,
	TASK_NAMES,
	TASK_WRONG,
};

/* Returns the variable of an option that takes a text. */
static const char **text_option(int opt)
{
	switch (opt) {
	case 'c':
		return &cfg.client;
	case 's':
		return &cfg.server;
	case 'm':
		return &cfg.mode;
	case 'h':
		return &cfg.host;
	case 't':
		return &cfg.agent;
	case 'R':
		return &cfg.text;
	default:
		return NULL;
	}
}

static bool take_number(int opt, const char *arg)
{
	switch (opt) {
	case 'p':
		return sscanf(arg, "%u/%u", &cfg.part, &cfg.parts) == 2 &&
		       cfg.parts;
	case 'r':
		cfg.count = atoi(arg);
		return true;
	case 'S':
		cfg.seed = strtoull(arg, NULL, 0);
		return true;
	case 'l':
		cfg.limit_ms = atoi(arg);
		return true;
	case 'w':
		slow = atoi(arg);
		return slow;
	default:
		return false;
	}
}

static enum task parse_options(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "client", required_argument, NULL, 'c' },
		{ "server", required_argument, NULL, 's' },
		{ "mode", required_argument, NULL, 'm' },
		{ "host", required_argument, NULL, 'h' },
		{ "to", required_argument, NULL, 't' },
		{ "table", no_argument, NULL, 'T' },
		{ "part", required_argument, NULL, 'p' },
		{ "random", required_argument, NULL, 'r' },
		{ "seed", required_argument, NULL, 'S' },
		{ "run", required_argument, NULL, 'R' },
		{ "limit", required_argument, NULL, 'l' },
		{ "slow", required_argument, NULL, 'w' },
		{ "differences", no_argument, NULL, 'd' },
		{ "agent", no_argument, NULL, 'a' },
		{ "background", no_argument, NULL, 'b' },
		{ "stop", required_argument, NULL, 'x' },
		{ NULL, 0, NULL, 0 },
	};
	enum task task = TASK_COMPARE;
	int opt;

	while ((opt = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		if (text_option(opt)) {
			*text_option(opt) = optarg;
		} else if (opt == 'T') {
			cfg.table = true;
		} else if (opt == 'b') {
			cfg.background = true;
		} else if (opt == 'a') {
			task = TASK_AGENT;
		} else if (opt == 'd') {
			task = TASK_NAMES;
		} else if (opt == 'x') {
			cfg.agent = optarg;
			task = TASK_STOP;
		} else if (!take_number(opt, optarg)) {
			return TASK_WRONG;
		}
	}
	return task;
}

int main(int argc, char **argv)
{
	enum task task = parse_options(argc, argv);

	exec_init();
	switch (task) {
	case TASK_AGENT:
		return agent_serve(AGENT_PORT, cfg.background);
	case TASK_STOP:
		return agent_stop(cfg.agent, AGENT_PORT);
	case TASK_NAMES:
		known_names();
		return EXIT_SUCCESS;
	case TASK_COMPARE:
		return start();
	default:
		print_help();
		return EXIT_FAILURE;
	}
}

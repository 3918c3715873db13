// SPDX-License-Identifier: GPL-2.0
/*
 * Statistics are a sum of counters that only grow. "reset" saves the counters
 * in a file of the user; later calls subtract the saved values.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "genl.h"
#include "names.h"
#include "replace.h"
#include "smcr.h"
#include "stats.h"

enum {
	PATH_BYTES = 256,
	REASON_BYTES = 128,
	MAX_NUMBER = 1000000,
};

/* ---- subtracting ---- */

/*
 * Returns the counters at the start of struct stats: all but those of the
 * reasons.
 */
static unsigned long long *counters(const struct stats *s)
{
	return (unsigned long long *)s;
}

/*
 * Is a counter smaller than before? Then the counters began again since, in a
 * module that was reloaded, or they are those of another namespace.
 */
static bool behind(const struct stats *now, const struct stats *then)
{
	unsigned int i;

	for (i = 0; i < STATS_COUNTERS; i++)
		if (counters(now)[i] < counters(then)[i])
			return true;
	for (i = 0; i < then->n_reasons; i++)
		if (stats_reason(now, &then->reason[i]) < then->reason[i].n)
			return true;
	return false;
}

static void subtract(struct stats *now, const struct stats *then)
{
	unsigned int i;

	if (behind(now, then))
		return;
	for (i = 0; i < STATS_COUNTERS; i++)
		counters(now)[i] -= counters(then)[i];
	for (i = 0; i < now->n_reasons; i++)
		now->reason[i].n -= stats_reason(then, &now->reason[i]);
}

/* ---- the file ---- */

/* Each network namespace has its own counters, and so its own file. */
static const char *file_name(char *path)
{
	const char *dir = getenv("XDG_RUNTIME_DIR");
	const char *begin = "smcr-stats";
	struct stat st, net = {};

	if (!dir || !*dir) {
		if (!geteuid() && !stat("/run", &st)) {
			dir = "/run";
		} else {
			dir = getenv("HOME") ?: ".";
			begin = ".smcr-stats";
		}
	}
	stat("/proc/self/ns/net", &net);
	snprintf(path, PATH_BYTES, "%s/%s.%ju", dir, begin,
		 (uintmax_t)net.st_ino);
	return path;
}

static bool load(struct stats *s)
{
	char path[PATH_BYTES];
	FILE *f = fopen(file_name(path), "re");
	bool ok;

	if (!f)
		return false;
	ok = fread(s, sizeof(*s), 1, f) == 1 && s->n_reasons <= STATS_REASONS;
	fclose(f);
	return ok;
}

static int save(const struct stats *s)
{
	char path[PATH_BYTES];
	struct smc_replace r;

	if (!smc_replace_begin(&r, file_name(path))) {
		fwrite(s, sizeof(*s), 1, r.file);
		if (!smc_replace_end(&r, 0))
			return EXIT_SUCCESS;
	}
	fprintf(stderr, "smcr: cannot write %s: %s\n", path, strerror(errno));
	return EXIT_FAILURE;
}

/* ---- showing ---- */

static void line(const char *name, unsigned long long value)
{
	printf("  %-38s %14llu\n", name, value);
}

static void table(const char *name, const unsigned long long *value)
{
	unsigned int i;

	printf("  %-6s", name);
	for (i = 0; i < STATS_SIZES; i++)
		printf(" %9llu", value[i]);
	putchar('\n');
}

static void print_side(const struct stats *s, unsigned int rx)
{
	const unsigned long long *b = s->buf[rx];
	unsigned int i;

	printf("\n%s Stats\n", rx ? "RX" : "TX");
	line(rx ? "Data received (Bytes)" : "Data sent (Bytes)",
	     rx ? STATS_COUNT(s, RX_BYTES) : STATS_COUNT(s, TX_BYTES));
	line("Total requests", rx ? STATS_COUNT(s, RX_CNT) : STATS_COUNT(s, TX_CNT));
	line("Buffer usage (Bytes)", s->usage[rx]);
	line("Buffer full", b[SMC_A_RMB_FULL_CNT - 1]);
	if (!rx)
		line("Buffer full (remote)", b[SMC_A_RMB_FULL_PEER_CNT - 1]);
	line("Buffer too small", b[SMC_A_RMB_SIZE_SM_CNT - 1]);
	if (!rx)
		line("Buffer too small (remote)",
		     b[SMC_A_RMB_SIZE_SM_PEER_CNT - 1]);
	line("Buffers reused", b[SMC_A_RMB_REUSE_CNT - 1]);
	line("Buffers allocated", b[SMC_A_RMB_ALLOC_CNT - 1]);
	line("Buffers downgraded", b[SMC_A_RMB_DGRADE_CNT - 1]);
	printf("        ");
	for (i = 0; i < STATS_SIZES; i++)
		printf(" %9s", stats_size_names[i]);
	putchar('\n');
	table("Bufs", s->size[rx]);
	table("Reqs", s->pload[rx]);
}

/*
 * The numbers are in the same column as the other numbers, and the descriptions
 * follow them.
 */
static void print_reasons(const struct stats *s)
{
	char words[REASON_BYTES];
	unsigned int i;

	for (i = 0; i < s->n_reasons; i++) {
		const struct reason *r = &s->reason[i];
		const struct smc_diag_fallback f = { .reason = r->code };

		if (!r->n)
			continue;
		smc_reason_phrase(&f, words, sizeof(words));
		printf("    %s 0x%08x %33llu  %s\n",
		       r->server ? "server" : "client", r->code, r->n, words);
	}
}

static void print_text(const struct stats *s, bool details)
{
	unsigned long long tcp = s->fallbacks[0] + s->fallbacks[1];
	unsigned long long bad = s->errors[0] + s->errors[1];

	puts("SMC-R Connections Summary");
	line("Total connections handled", stats_won(s) + tcp + bad);
	line("  SMC connections", stats_won(s));
	if (details) {
		line("    client, version 1", STATS_COUNT(s, CLNT_V1_SUCC));
		line("    client, version 2", STATS_COUNT(s, CLNT_V2_SUCC));
		line("    server, version 1", STATS_COUNT(s, SRV_V1_SUCC));
		line("    server, version 2", STATS_COUNT(s, SRV_V2_SUCC));
	}
	line("  Handshake errors", bad);
	line("  TCP fallback", tcp);
	print_reasons(s);
	print_side(s, 1);
	print_side(s, 0);
	puts("\nExtras");
	line("Special socket calls",
	     STATS_COUNT(s, SENDPAGE_CNT) + STATS_COUNT(s, SPLICE_CNT) +
	     STATS_COUNT(s, CORK_CNT) + STATS_COUNT(s, NDLY_CNT) +
	     STATS_COUNT(s, URG_DATA_CNT));
	if (!details)
		return;
	line("  cork", STATS_COUNT(s, CORK_CNT));
	line("  nodelay", STATS_COUNT(s, NDLY_CNT));
	line("  sendpage", STATS_COUNT(s, SENDPAGE_CNT));
	line("  splice", STATS_COUNT(s, SPLICE_CNT));
	line("  urgent data", STATS_COUNT(s, URG_DATA_CNT));
}

static void json_row(const char *name, const char * const *names,
		     const unsigned long long *value, unsigned int n)
{
	unsigned int i;

	printf(", \"%s\": {", name);
	for (i = 0; i < n; i++) {
		fputs(i ? ", " : "", stdout);
		json_number(names[i], value[i]);
	}
	putchar('}');
}

static void json_side(const struct stats *s, unsigned int rx)
{
	printf(", \"%s\": {", rx ? "rx" : "tx");
	json_number("bytes", rx ? STATS_COUNT(s, RX_BYTES) : STATS_COUNT(s, TX_BYTES));
	fputs(", ", stdout);
	json_number("requests", rx ? STATS_COUNT(s, RX_CNT) : STATS_COUNT(s, TX_CNT));
	fputs(", ", stdout);
	json_number("buffer_bytes", s->usage[rx]);
	json_row("buffer", stats_buf_names, s->buf[rx], STATS_BUFS);
	json_row("buffers_by_size", stats_size_names, s->size[rx], STATS_SIZES);
	json_row("requests_by_size", stats_size_names, s->pload[rx], STATS_SIZES);
	putchar('}');
}

static void json_reasons(const struct stats *s)
{
	struct json j = {};
	unsigned int i;

	fputs(", \"reasons\": [", stdout);
	for (i = 0; i < s->n_reasons; i++) {
		json_item(&j);
		printf("{\"role\": \"%s\", \"code\": \"0x%08x\", \"count\": %llu}",
		       s->reason[i].server ? "server" : "client",
		       s->reason[i].code, s->reason[i].n);
	}
	putchar(']');
}

static void print_json(const struct stats *s)
{
	static const char * const versions[] = {
		"client_v1", "client_v2", "server_v1", "server_v2",
	};

	putchar('{');
	json_number("smc", stats_won(s));
	json_row("by_version", versions, s->count, 4);
	printf(", \"handshake_errors\": {\"client\": %llu, \"server\": %llu}",
	       s->errors[0], s->errors[1]);
	printf(", \"tcp\": {\"client\": %llu, \"server\": %llu}",
	       s->fallbacks[0], s->fallbacks[1]);
	json_reasons(s);
	json_side(s, 1);
	json_side(s, 0);
	json_row("special_calls", stats_special_names,
		 &STATS_COUNT(s, SENDPAGE_CNT), STATS_SPECIAL);
	puts("}");
}

static void print(const struct options *o, const struct stats *s)
{
	if (o->json)
		print_json(s);
	else
		print_text(s, o->details);
}

/* ---- commands ---- */

/* Shows the increase in each interval; without a count it continues until it is
 * stopped.
 */
static int watch(const struct options *o, unsigned int seconds,
		 unsigned int times)
{
	struct stats old, now, diff;
	bool forever = !times;
	int err = stats_ask(&old);

	while (!err && (forever || times--)) {
		sleep(seconds);
		err = stats_ask(&now);
		if (err)
			break;
		diff = now;
		subtract(&diff, &old);
		print(o, &diff);
		if (flush_out())
			return EXIT_FAILURE;
		old = now;
	}
	return err ? smc_genl_fail("smcr", err) : EXIT_SUCCESS;
}

/* Shows the statistics, and saves them for later calls to subtract. */
static int show(const struct options *o, bool shown, bool reset)
{
	struct stats now, base, s;
	int err = stats_ask(&now);

	if (err)
		return smc_genl_fail("smcr", err);
	s = now;
	if (!o->absolute && load(&base))
		subtract(&s, &base);
	if (shown)
		print(o, &s);
	return reset ? save(&now) : EXIT_SUCCESS;
}

int cmd_stats(const struct options *o, int argc, char **argv)
{
	const char *word = argc ? argv[0] : "show";
	bool reset = false, shown = false;
	struct options out = *o;
	int i;

	if (!strcmp(word, "watch")) {
		if (argc < 2)
			wrong_usage(NULL);
		if (argc > 3)
			wrong_usage(argv[3]);
		return watch(o, positive(argv[1], MAX_NUMBER),
			     argc > 2 ? positive(argv[2], MAX_NUMBER) : 0);
	}
	for (i = 0; i < argc; i++) {
		if (!strcmp(argv[i], "reset"))
			reset = true;
		else if (!strcmp(argv[i], "json"))
			out.json = true;
		else if (!strcmp(argv[i], "absolute"))
			out.absolute = true;
		else if (strcmp(argv[i], "show"))
			wrong_usage(argv[i]);
		shown |= strcmp(argv[i], "reset");
	}
	return show(&out, !reset || shown || o->json || o->absolute, reset);
}

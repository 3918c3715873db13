// SPDX-License-Identifier: GPL-2.0
#include <netdb.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "advise.h"
#include "genl.h"

static const struct {
	const char *name;	/* in JSON */
	const char *words;
} effects[EFFECTS] = {
	[EFFECT_NONE]	 = { "none", "no RDMA device on the way" },
	[EFFECT_SHORT]	 = { "slower", "short connections: leave on TCP" },
	[EFFECT_IDLE]	 = { "little", "mostly idle: memory for little" },
	[EFFECT_LATENCY] = { "latency", "many exchanges: earlier answers" },
	[EFFECT_BULK]	 = { "throughput", "much data: throughput, CPU" },
};

/* 4 significant characters and a unit; k is 1000 */
static const char *amount(double value, char buf[16])
{
	static const char units[] = " kMGTPE";
	const char *unit = units;

	while (value >= 999.5 && unit[1]) {
		value /= 1000;
		unit++;
	}
	snprintf(buf, 16, value < 9.95 && unit != units ? "%.1f%.*s" : "%.0f%.*s",
		 value, unit != units, unit);
	return buf;
}

static const char *life(double seconds, char buf[16])
{
	if (seconds < 0.1)
		snprintf(buf, 16, "<0.5s");	/* between two looks */
	else if (seconds < 120)
		snprintf(buf, 16, "%.1fs", seconds);
	else
		snprintf(buf, 16, "%.0fmin", seconds / 60);
	return buf;
}

/* "server 80 http" */
static const char *name_of(const struct service *s, char buf[64])
{
	const struct servent *known = getservbyport(htons(s->port), "tcp");

	snprintf(buf, 64, "%s %u%s%.20s", s->server ? "server" : "client", s->port,
		 known ? " " : "", known ? known->s_name : "");
	return buf;
}

/* the service that gains most comes first, then the service with most bytes */
static int order(const void *a, const void *b)
{
	const struct service *one = *(const struct service *const *)a;
	const struct service *two = *(const struct service *const *)b;
	int by = service_effect(two) - service_effect(one);
	unsigned long long bytes1 = one->sent + one->received;
	unsigned long long bytes2 = two->sent + two->received;

	if (by)
		return by;
	if (bytes1 != bytes2)
		return bytes1 < bytes2 ? 1 : -1;
	return one->port - two->port;
}

static const struct service **sorted(const struct services *all)
{
	const struct service **list = calloc(all->nr + 1, sizeof(*list));
	size_t i;

	for (i = 0; list && i < all->nr; i++)
		list[i] = &all->list[i];
	if (list)
		qsort(list, all->nr, sizeof(*list), order);
	return list;
}

static double mean(double sum, unsigned long long n)
{
	return n ? sum / n : 0;
}

void report_text(const struct services *all)
{
	const struct service **list = sorted(all);
	char a[16], b[16], c[16], name[64];
	unsigned long long memory = 0;
	int wide = 7;
	size_t i;

	if (!list)
		return;
	for (i = 0; i < all->nr; i++) {
		int n = strlen(name_of(list[i], name));

		wide = n > wide ? n : wide;
	}
	printf("Watched for %s: %zu services; ", life(all->seconds, a), all->nr);
	printf("%llu connections use SMC already\n\n", all->smc_conns);
	printf("%-*s %6s %5s %6s %6s %9s %6s  %s\n", wide, "Service", "Conns",
	       "Peak", "Life", "Bytes", "Peers", "Memory", "Effect");
	for (i = 0; i < all->nr; i++) {
		const struct service *s = list[i];
		char peers[40];

		snprintf(peers, sizeof(peers), "%u/%u/%u", s->peers,
			 s->reached_peers, s->smc_peers);
		printf("%-*s %6llu %5llu %6s %6s %9s %6s  %s\n",
		       wide, name_of(s, name), s->conns, s->peak,
		       life(mean(s->life_s, s->conns), a),
		       amount(mean(s->sent + s->received, s->conns), b), peers,
		       amount(service_memory(all, s), c),
		       effects[service_effect(s)].words);
		if (service_effect(s) >= EFFECT_LATENCY)
			memory += service_memory(all, s);
	}
	puts("\nPeers: all / with RDMA on the way / with SMC-R now. smc_chk tests one.");
	printf("Memory is for receive elements of at most %llu bytes; %s for services that gain.\n",
	       all->rmem, amount(memory, a));
	if (!all->ends)
		puts("Without root, connections shorter than half a second are not seen.");
	free(list);
}

static void print_json(const struct services *all, const struct service *s)
{
	const struct {
		const char *name;
		unsigned long long value;
	} numbers[] = {
		{ "port", s->port },
		{ "connections", s->conns },
		{ "ended", s->ended },
		{ "open", s->open },
		{ "peak", s->peak },
		{ "sent", s->sent },
		{ "received", s->received },
		{ "exchanges", s->turns },
		{ "peers", s->peers },
		{ "peers_rdma", s->reached_peers },
		{ "peers_smc", s->smc_peers },
		{ "memory", service_memory(all, s) },
	};
	size_t i;

	printf("\n  {\"role\": \"%s\"", s->server ? "server" : "client");
	for (i = 0; i < ARRAY_SIZE(numbers); i++)
		printf(", \"%s\": %llu", numbers[i].name, numbers[i].value);
	printf(", \"life\": %.3f, \"effect\": \"%s\"}",
	       mean(s->life_s, s->conns), effects[service_effect(s)].name);
}

void report_json(const struct services *all)
{
	const struct service **list = sorted(all);
	size_t i;

	if (!list)
		return;
	printf("{\"seconds\": %.1f, \"rmem\": %llu, \"sees_short\": %s, ",
	       all->seconds, all->rmem, all->ends ? "true" : "false");
	printf("\"smc_connections\": %llu,\n \"services\": [", all->smc_conns);
	for (i = 0; i < all->nr; i++) {
		if (i)
			putchar(',');
		print_json(all, list[i]);
	}
	puts("]}");
	free(list);
}

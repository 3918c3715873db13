// SPDX-License-Identifier: GPL-2.0
/* Tests keepalive (4.5.3): on an idle connection, a host checks that the peer
 * still answers.
 */
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "groups.h"
#include "util.h"

enum {
	IDLE_S = 1,
	/* long enough for two and a half probe intervals */
	WATCH_MS = 3500,
	WANTED = 2,
	SETTLE_MS = 300,
	/* a host that does not run for this long counts as idle */
	STALL_MS = 500,
	TRIES = 5,
	/* more links than a group has */
	BUSY = 6,
};

/* Each pair of lines in the file has names in the first line and values in the
 * second.
 */
static uint64_t tcp_keepalives(void)
{
	static char names[16384], values[16384];
	FILE *f = fopen("/proc/net/netstat", "r");
	char *n, *v, *np, *vp;
	uint64_t got = 0;

	CHECK(f, "no netstat: %s", strerrorname(errno));
	while (fgets(names, sizeof(names), f) &&
	       fgets(values, sizeof(values), f)) {
		n = strtok_r(names, "\n ", &np);
		v = strtok_r(values, "\n ", &vp);
		while (n && v && strcmp(n, "TCPKeepAlive")) {
			n = strtok_r(NULL, "\n ", &np);
			v = strtok_r(NULL, "\n ", &vp);
		}
		if (n && v)
			got = strtoull(v, NULL, 10);
	}
	fclose(f);
	return got;
}

static void keep_alive(int fd)
{
	set_int(fd, IPPROTO_TCP, TCP_KEEPIDLE, IDLE_S);
	set_int(fd, IPPROTO_TCP, TCP_KEEPINTVL, IDLE_S);
	set_int(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
	RETURNS(1, get_int(fd, SOL_SOCKET, SO_KEEPALIVE));
	/* R-4.5.3-09 */
	RETURNS(IDLE_S, get_int(fd, IPPROTO_TCP, TCP_KEEPIDLE));
}

/* Sleeps for @ms; returns false if the host stood still for a part of that
 * time.
 */
static bool sleep_steady(int ms)
{
	uint64_t until = now_ms() + ms, last = now_ms(), now;
	bool steady = true;

	while (last < until) {
		sleep_ms(min_of(until - last, 50UL));
		now = now_ms();
		if (now - last >= STALL_MS)
			steady = false;
		last = now;
	}
	return steady;
}

/* Counts the probes of this idle host, in a period without a stall. */
static uint64_t watch(int ms)
{
	uint64_t before;
	bool steady;
	int tries = 0;

	do {
		before = smc_counter("LlcTestLinks");
		steady = sleep_steady(ms);
	} while (!steady && ++tries < TRIES);
	return smc_counter("LlcTestLinks") - before;
}

/* Counts probes after the last probe of the old setting. */
static uint64_t watch_later(int ms)
{
	sleep_ms(SETTLE_MS);
	return watch(ms);
}

/*
 * Waits until this idle host has sent several probes. Return: the time that
 * this took, in ms.
 */
static int await_probes(void)
{
	uint64_t before = smc_counter("LlcTestLinks"), start = now_ms(), n;
	int spent;

	do {
		sleep_ms(50);
		n = smc_counter("LlcTestLinks") - before;
		spent = now_ms() - start;
	} while (n < WANTED && spent < patience(WATCH_MS));
	CHECK(n >= WANTED, "%llu probes in %d ms", (unsigned long long)n, spent);
	return spent;
}

/* R-4.5.3-01, -03, -05, -08, -09 */
static void idle_client(void)
{
	uint64_t tcp = tcp_keepalives();
	int fd = meet();

	send_all(fd, "x", 1);
	keep_alive(fd);
	/* R-4.5.3-01, -03 */
	await_probes();
	/* R-4.5.3-08 */
	CHECK(tcp_keepalives() > tcp, "TCP sent no probe of its own");
	/* The program changes the setting while the connection exists, and
	 * switches keepalive off.
	 */
	set_int(fd, IPPROTO_TCP, TCP_KEEPIDLE, 100);
	/* R-4.5.3-01 */
	RETURNS(0, watch_later(WATCH_MS / 2));
	set_int(fd, IPPROTO_TCP, TCP_KEEPIDLE, IDLE_S);
	set_int(fd, SOL_SOCKET, SO_KEEPALIVE, 0);
	RETURNS(0, watch_later(WATCH_MS / 2));
	ctl_sync("OVER");
	close(fd);
}

static void idle_server(void)
{
	int fd = meet();
	char c;

	recv_all(fd, &c, 1);
	ctl_sync("OVER");
	expect_end(fd);
}

/* As in TCP, a program may set the options before the connection exists:
 * R-B.1-*
 */
static void early_client(void)
{
	int fd = meet_with(keep_alive);

	await_probes();
	ctl_sync("OVER");
	close(fd);
}

/* Checks that the sysctl accepts any number, even a useless one. */
static void absurd_client(void)
{
	struct setting idle;
	int fd;

	setting_keep(&idle, "/proc/sys/net/ipv4/tcp_keepalive_time");
	fd = meet();
	setting_change(&idle, "-1");
	set_int(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
	/* the shortest idle time is a second: two probes take more than one */
	CHECK(await_probes() >= 1000, "two probes within a second");
	set_int(fd, SOL_SOCKET, SO_KEEPALIVE, 0);
	setting_restore(&idle);
	ctl_sync("OVER");
	close(fd);
}

static void early_server(void)
{
	int fd = meet();

	ctl_sync("OVER");
	expect_end(fd);
}

/* Sends traffic on all connections but the idle one. Returns false if the host
 * was too slow.
 */
static bool keep_busy(const int *busy)
{
	uint64_t until = now_ms() + WATCH_MS, last = now_ms(), now;
	bool steady = true;
	char c;
	int i;

	while (now_ms() < until) {
		for (i = 0; i < BUSY; i++) {
			send_all(busy[i], "x", 1);
			recv_all(busy[i], &c, 1);
		}
		sleep_ms(50);
		now = now_ms();
		if (now - last >= STALL_MS)
			steady = false;
		last = now;
	}
	return steady;
}

/* R-4.5.3-04: traffic of other connections shows that the link works. */
static void busy_client(void)
{
	int idle = meet();
	int busy[BUSY];
	uint64_t before, n;
	int i, tries = 0;
	bool steady;

	for (i = 0; i < BUSY; i++)
		busy[i] = meet();
	keep_alive(idle);
	do {
		before = smc_counter("LlcTestLinks");
		steady = keep_busy(busy);
		n = smc_counter("LlcTestLinks") - before;
	} while (n && !steady && ++tries < TRIES);
	/* R-4.5.3-02, -04 */
	CHECK(!n, "%llu probes of busy links", (unsigned long long)n);
	for (i = 0; i < BUSY; i++)
		close(busy[i]);
	close(idle);
}

static void busy_server(void)
{
	int idle = meet();
	int busy[BUSY];
	int i, n = 1;
	char c;

	for (i = 0; i < BUSY; i++)
		busy[i] = meet();
	while (n) {
		for (i = 0; i < BUSY; i++) {
			n = OK(recv(busy[i], &c, 1, 0));
			if (n)
				send_all(busy[i], &c, 1);
		}
	}
	expect_end(idle);
	for (i = 0; i < BUSY; i++)
		close(busy[i]);
}

static const struct peer_case alive_cases[] = {
	{ "keepalive_idle", idle_client, idle_server, .smc_only = true },
	{ "keepalive_early", early_client, early_server, .smc_only = true },
	{ "keepalive_absurd", absurd_client, early_server, .smc_only = true },
	{ "keepalive_busy", busy_client, busy_server, .smc_only = true },
};

/* Requested by name only, because a socket in mode TCP has no link to ask. */
const struct case_group group_alive = {
	"alive", alive_cases, ARRAY_SIZE(alive_cases), .by_name_only = true
};

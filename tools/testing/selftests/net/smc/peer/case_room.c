// SPDX-License-Identifier: GPL-2.0
/*
 * Tests that the send queue counts the memory that it uses, not only its bytes.
 * The cases check how much data a socket can hold, and what happens when the
 * memory is used up. Both ends of the connections are in one process.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "groups.h"
#include "util.h"

enum {
	BYTES = 2000,		/* bytes of a message to the idle reader */
	/* bytes to the active reader after each message */
	BETWEEN = 32 * KIB - 300,
	/* the limit is an eighth of the memory that all messages need */
	PINNED_KIB = 8 * 1024,
	PAIRS = 12,
	SHED = 5,		/* of PAIRS */
	PIECE = 64 * KIB,
};

static char buf[PIECE];

static long free_kib(void)
{
	FILE *f = fopen("/proc/meminfo", "r");
	char line[128];
	long kib = -1;

	CHECK(f, "no /proc/meminfo");
	while (kib < 0 && fgets(line, sizeof(line), f))
		sscanf(line, "MemFree: %ld kB", &kib);
	fclose(f);
	return kib;
}

static void pair(int *a, int *b)
{
	uint16_t port;
	int lfd = new_listener(1, &port);

	*a = connect_to(port);
	*b = accept_from(lfd);
	close(lfd);
}

/* Checks that a task that has only a few bytes queued does not keep the pages
 * of all its bytes.
 */
static void few_bytes(void)
{
	struct setting rmem;
	int slow, slow_peer, quick, quick_peer, i;
	long before, after;

	setting_keep(&rmem, "/proc/sys/net/smc/rmem");
	setting_change(&rmem, "16384");
	pair(&slow, &slow_peer);
	pair(&quick, &quick_peer);
	send_all(slow, buf, 16 * KIB);
	await_bytes(slow_peer, 16 * KIB);
	before = free_kib();
	for (i = 0; i < BYTES; i++) {
		RETURNS(1, send(slow, buf, 1, MSG_DONTWAIT));
		send_all(quick, buf, BETWEEN);
		recv_all(quick_peer, buf, BETWEEN);
	}
	RETURNS(BYTES, outq(slow));
	after = free_kib();
	note("%ld KiB less are free", before - after);
	CHECK(before - after < PINNED_KIB, "%d bytes hold %ld KiB", BYTES,
	      before - after);
	for (i = 0; i < BYTES + 16 * KIB; i += sizeof(buf) / 64)
		recv_all(slow_peer, buf, min_of(sizeof(buf) / 64,
						(size_t)BYTES + 16 * KIB - i));
	close(slow);
	close(slow_peer);
	close(quick);
	close(quick_peer);
	setting_restore(&rmem);
}

/* Sends all bytes that fit; the readers do not read. */
static uint64_t fill_all(const int *fds, uint64_t *sent)
{
	uint64_t all = 0, more;
	ssize_t n;
	int i, idle = 0;

	while (idle < 3) {
		more = 0;
		for (i = 0; i < PAIRS; i++) {
			n = send(fds[i], buf, sizeof(buf), MSG_DONTWAIT);
			if (n < 0)
				CHECK(errno == EAGAIN, "send: %s", strerrorname(errno));
			else
				more += n;
			sent[i] += max_of(n, (ssize_t)0);
		}
		all += more;
		idle = more ? 0 : idle + 1;
		if (idle)
			sleep_ms(10);
	}
	return all;
}

static void drain_all(const int *fds, uint64_t *sent)
{
	uint64_t n;
	int i;

	for (i = 0; i < PAIRS; i++) {
		for (; sent[i]; sent[i] -= n) {
			n = min_of(sent[i], (uint64_t)sizeof(buf));
			recv_all(fds[i], buf, n);
		}
	}
}

/* Checks that while all memory is in use, queues are short; afterwards they are
 * as long as before.
 */
static void short_of_memory(void)
{
	uint64_t sent[PAIRS] = {}, normal, less, again;
	struct setting rmem, mem;
	int a[PAIRS], b[PAIRS];
	int i, sndbuf;

	setting_keep(&rmem, "/proc/sys/net/smc/rmem");
	setting_keep(&mem, "/proc/sys/net/smc/mem");
	setting_change(&rmem, "16384");
	for (i = 0; i < PAIRS; i++)
		pair(&a[i], &b[i]);
	sndbuf = get_int(a[0], SOL_SOCKET, SO_SNDBUF);
	normal = fill_all(a, sent);
	drain_all(b, sent);

	setting_change(&mem, "1 2 3");
	less = fill_all(a, sent);
	note("%ju KiB, %ju KiB while memory is short", normal / KIB, less / KIB);
	/* Each CPU keeps a megabyte that the accounting does not count. */
	CHECK(less < normal / 4 * 3, "%ju KiB are queued, %ju when memory is short",
	      normal / KIB, less / KIB);
	for (i = 0; i < PAIRS; i++)
		CHECK(sent[i], "a socket that may not queue one byte");
	drain_all(b, sent);
	RETURNS(sndbuf, get_int(a[0], SOL_SOCKET, SO_SNDBUF));

	setting_restore(&mem);
	again = fill_all(a, sent);
	CHECK(again > normal / 16 * 15, "%ju KiB are queued, then only %ju",
	      normal / KIB, again / KIB);
	drain_all(b, sent);
	for (i = 0; i < PAIRS; i++) {
		close(a[i]);
		close(b[i]);
	}
	setting_restore(&rmem);
}

/* Closed sockets still have bytes to send; SMC aborts the sockets that exceed
 * the limit.
 */
static void too_many_orphans(void)
{
	uint64_t sent[PAIRS] = {};
	struct setting most;
	int a[PAIRS], b[PAIRS];
	int i, aborted = 0;
	ssize_t n;

	setting_keep(&most, "/proc/sys/net/smc/max_orphans");
	setting_change(&most, "3");
	for (i = 0; i < PAIRS; i++)
		pair(&a[i], &b[i]);
	fill_all(a, sent);
	for (i = 0; i < PAIRS; i++)
		close(a[i]);
	for (i = 0; i < PAIRS; i++) {
		while ((n = recv(b[i], buf, sizeof(buf), 0)) > 0)
			sent[i] -= n;
		if (n < 0)
			CHECK(errno == ECONNRESET, "recv: %s", strerrorname(errno));
		else
			RETURNS(0, sent[i]);
		aborted += n < 0;
		close(b[i]);
	}
	RETURNS(PAIRS - 3, aborted);
	setting_restore(&most);
}

/*
 * When memory is short, each handshake without memory aborts the oldest closed
 * socket.
 */
static void shed_orphans(void)
{
	uint64_t sent[PAIRS] = {};
	int a[PAIRS], b[PAIRS];
	int i, tcp_a, tcp_b;
	struct setting mem;
	ssize_t n;

	setting_keep(&mem, "/proc/sys/net/smc/mem");
	for (i = 0; i < PAIRS; i++)
		pair(&a[i], &b[i]);
	fill_all(a, sent);
	for (i = 0; i < PAIRS; i++)
		close(a[i]);
	setting_change(&mem, "0 0 1");
	for (i = 0; i < SHED; i++) {
		pair(&tcp_a, &tcp_b);
		send_all(tcp_a, buf, 1);
		recv_all(tcp_b, buf, 1);
		close(tcp_a);
		close(tcp_b);
	}
	setting_restore(&mem);
	for (i = 0; i < PAIRS; i++) {
		while ((n = recv(b[i], buf, sizeof(buf), 0)) > 0)
			sent[i] -= n;
		if (i < SHED)
			FAILS(ECONNRESET, n);
		else
			RETURNS(0, n);
		CHECK(i < SHED || !sent[i], "%ju bytes are lost", sent[i]);
		close(b[i]);
	}
}

static const struct peer_case room_cases[] = {
	{ "room_few_bytes", few_bytes, .limit_s = 60, .smc_only = true },
	{ "room_too_many_orphans", too_many_orphans, .limit_s = 60, .smc_only = true },
	{ "room_shed_orphans", shed_orphans, .limit_s = 60, .smc_only = true },
	{ "room_short_of_memory", short_of_memory, .limit_s = 60, .smc_only = true },
};

const struct case_group group_room = {
	"room", room_cases, ARRAY_SIZE(room_cases), .by_name_only = true
};

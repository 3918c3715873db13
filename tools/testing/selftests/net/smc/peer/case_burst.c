// SPDX-License-Identifier: GPL-2.0
/*
 * Tests many connects at once, with long and short queues, and what they leave
 * behind. Both ends of the connections are in one process.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "groups.h"
#include "socket_list.h"
#include "util.h"

enum {
	WIDE = 2000,
	WIDE_LEAST = 200,
	NARROW = 12,
	FEW = 6,
	BUSY_MS = 8000,
	LEFT = 400,
	LEFT_LEAST = 60,
	/* least number of RMBs, which grow from 1 element to 32 at each end */
	BURST_RMBS = 4,
	CONNECT_MS = 60000,
	/* less than the 30 s after which any idle RMB is freed */
	GONE_MS = 20000,
	REASON_PEER_NO_SMC = 0x03010000,
	REASON_COOKIE = 0x05010001,
};

static int clients[WIDE], servers[WIDE];
static bool has_sent[WIDE];
static char buf[16 * KIB];

/* Starts all connects before any of them is accepted. */
static void start(int nr, uint16_t port)
{
	int i;

	for (i = 0; i < nr; i++) {
		clients[i] = new_socket(SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (connect_fd(clients[i], port))
			RETURNS(EINPROGRESS, errno);
	}
}

/* Sends the numbers of the clients that are connected by now. After a SYN
 * cookie only these bytes can open a connection whose ACK was lost.
 */
static void send_numbers(int nr)
{
	int i;

	for (i = 0; i < nr; i++) {
		if (has_sent[i])
			continue;
		has_sent[i] = send(clients[i], &i, sizeof(i), MSG_NOSIGNAL) > 0;
		if (!has_sent[i])
			RETURNS(EAGAIN, errno);
	}
}

static int accept_one(int lfd, int nr)
{
	uint64_t until = now_ms() + patience(CONNECT_MS);

	while (!poll_ms(lfd, POLLIN, 0)) {
		CHECK(now_ms() < until, "not all connections come");
		send_numbers(nr);
		poll_ms(lfd, POLLIN, 20);
	}
	return OK(accept4(lfd, NULL, NULL, SOCK_CLOEXEC));
}

/*
 * Opens the connections. Each client sends its number and gets it back. The
 * server accepts the first one after @busy milliseconds.
 */
static void connect_all(int nr, int backlog, unsigned int busy)
{
	uint64_t begin = now_ms();
	uint16_t port;
	int i, lfd, got;

	memset(has_sent, 0, sizeof(has_sent));
	lfd = new_listener(backlog, &port);
	start(nr, port);
	sleep_ms(busy);
	for (i = 0; i < nr; i++)
		servers[i] = accept_one(lfd, nr);
	close(lfd);
	note("%d connections in %llu ms", nr,
	     (unsigned long long)(now_ms() - begin));
	for (i = 0; i < nr; i++)
		await(clients[i], POLLOUT, CONNECT_MS);
	send_numbers(nr);
	for (i = 0; i < nr; i++) {
		recv_all(servers[i], &got, sizeof(got));
		send_all(servers[i], &got, sizeof(got));
	}
	for (i = 0; i < nr; i++) {
		set_nonblock(clients[i], false);
		recv_all(clients[i], &got, sizeof(got));
		RETURNS(i, got);
	}
}

static long long counter(const char *name)
{
	FILE *f = fopen("/proc/net/smc_mib", "r");
	long long value = -1, n;
	char word[64];

	CHECK(f, "no /proc/net/smc_mib");
	while (value < 0 && fscanf(f, "%63s %lld", word, &n) == 2)
		if (!strcmp(word, name))
			value = n;
	fclose(f);
	CHECK(value >= 0, "there is no %s", name);
	return value;
}

static int by_inode(const void *a, const void *b)
{
	const struct listed_socket *x = a, *y = b;

	return x->inode < y->inode ? -1 : x->inode > y->inode;
}

/*
 * How many of the sockets carry SMC? The others must be TCP, because the peer
 * did not offer SMC (their number is added to @plain), or because of a cookie.
 */
static int count_smc(const int *fds, int nr, int *plain)
{
	struct listed_socket *list, *s, key = {};
	struct stat st;
	int i, n = 0;
	size_t len;

	RETURNS(0, socket_list(&list, &len));
	qsort(list, len, sizeof(*list), by_inode);
	for (i = 0; i < nr; i++) {
		OK(fstat(fds[i], &st));
		key.inode = st.st_ino;
		s = bsearch(&key, list, len, sizeof(*list), by_inode);
		CHECK(s, "socket %d is not in the socket list", i);
		if (!strcmp(listed_mode(s), "in-host")) {
			n++;
			continue;
		}
		CHECK(!strcmp(listed_mode(s), "TCP"), "mode of socket %d is %s",
		      i, listed_mode(s));
		*plain += s->reason == REASON_PEER_NO_SMC;
		CHECK(s->reason == REASON_PEER_NO_SMC ||
		      s->reason == REASON_COOKIE,
		      "socket %d is TCP because of %08x/%08x", i, s->reason,
		      s->diagnosis);
	}
	free(list);
	return n;
}

static void close_all(int nr)
{
	int i;

	for (i = 0; i < nr; i++) {
		close(clients[i]);
		close(servers[i]);
	}
}

/* The queue has room for all. */
static void wide(void)
{
	int nr = scaled(WIDE, WIDE_LEAST);
	struct setting rmem;
	int plain = 0;

	setting_keep(&rmem, "/proc/sys/net/smc/rmem");
	setting_change(&rmem, "16384");
	connect_all(nr, nr, 0);
	RETURNS(nr, count_smc(clients, nr, &plain));
	RETURNS(nr, count_smc(servers, nr, &plain));
	close_all(nr);
	setting_restore(&rmem);
}

/* The queue has room for few. TCP opens some connections by a SYN cookie, which
 * cannot carry the option, and the server records this reason. A SYN that finds
 * the queue full gets no option, which is counted.
 */
static void narrow(void)
{
	long long capped = counter("HandshakesOverCap");
	int n, plain = 0, refused = 0;

	connect_all(NARROW, 1, 0);
	n = count_smc(clients, NARROW, &plain);
	RETURNS(NARROW - n, plain);
	RETURNS(n, count_smc(servers, NARROW, &refused));
	note("%d of %d use SMC, %d came while the queue was full", n, NARROW,
	     refused);
	CHECK(counter("HandshakesOverCap") - capped >= refused,
	      "%d connections are TCP for no reason", refused);
	close_all(NARROW);
}

/* Nobody accepts for longer than a handshake may take. */
static void unaccepted(void)
{
	connect_all(FEW, 1, BUSY_MS);
	close_all(FEW);
}

/* ---- what is left ---- */

static long long live_rmbs(void)
{
	return counter("RmbsAllocated") - counter("RmbsFreed");
}

/* Reads the numbers of AF_SMC in /proc/net/protocols. */
static void in_use(int *sockets, long *pages)
{
	FILE *f = fopen("/proc/net/protocols", "r");
	char line[256];
	int found = 0;

	CHECK(f, "no /proc/net/protocols");
	while (!found && fgets(line, sizeof(line), f))
		found = sscanf(line, "SMC %*d %d %ld", sockets, pages) == 2;
	fclose(f);
	CHECK(found, "AF_SMC is no protocol");
}

static void await_back(long long rmbs, int sockets, long pages)
{
	uint64_t begin = now_ms();
	long long rmbs_now;
	int sockets_now;
	long pages_now;

	for (;;) {
		rmbs_now = live_rmbs();
		in_use(&sockets_now, &pages_now);
		if (rmbs_now <= rmbs && sockets_now <= sockets &&
		    pages_now <= pages)
			break;
		CHECK(now_ms() - begin < GONE_MS,
		      "%lld RMBs, %d sockets, %ld pages are left",
		      rmbs_now - rmbs, sockets_now - sockets, pages_now - pages);
		sleep_ms(50);
	}
	note("after %llu ms all is back", (unsigned long long)(now_ms() - begin));
}

/* Checks that memory of closed connections is back soon after the last has
 * closed, also if their windows were full.
 */
static void left(void)
{
	int i, sockets, nr = scaled(LEFT, LEFT_LEAST);
	struct setting rmem;
	long long most;
	long pages;

	setting_keep(&rmem, "/proc/sys/net/smc/rmem");
	setting_change(&rmem, "16384");
	in_use(&sockets, &pages);
	connect_all(nr, nr, 0);
	most = live_rmbs();
	for (i = 0; i < nr; i += 2)
		OK(send(clients[i], buf, sizeof(buf), MSG_DONTWAIT));
	close_all(nr);
	/* bytes that move by reference need no RMB */
	if (most >= BURST_RMBS)
		most -= BURST_RMBS;
	await_back(most, sockets, pages);
	setting_restore(&rmem);
}

static const struct peer_case burst_cases[] = {
	{ "burst_wide", wide, .limit_s = 120, .smc_only = true },
	{ "burst_narrow", narrow, .limit_s = 120, .smc_only = true },
	{ "burst_unaccepted", unaccepted, .limit_s = 120, .smc_only = true },
	{ "burst_leaves_nothing", left, .limit_s = 60, .smc_only = true },
};

const struct case_group group_burst = {
	"burst", burst_cases, ARRAY_SIZE(burst_cases), .by_name_only = true
};

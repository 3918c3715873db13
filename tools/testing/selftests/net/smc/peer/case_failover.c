// SPDX-License-Identifier: GPL-2.0
/*
 * Creates load for scripts that remove adapters: many connections with checked
 * data in both directions. The applications notice only a pause (RFC 7609 4.6).
 */
#include <errno.h>
#include <time.h>
#include <linux/errqueue.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "groups.h"
#include "util.h"

/* The load runs as long as this file exists on the client's host. */
#define HOLD_FILE "/tmp/smc_peer.hold"
/* A script creates MARK_FILE on the client's host. Then the client writes the
 * longest pause since the last mark to PAUSE_FILE, and removes MARK_FILE.
 */
#define MARK_FILE "/tmp/smc_peer.mark"
#define PAUSE_FILE "/tmp/smc_peer.pause"

enum {
	CONNS = 64,
	CONNS_MIN = 8,
	CHUNK = 4 * KIB,
	/* of connections that lend their pages; more than a frame takes */
	LENT = 12 * KIB,
	/*
	 * Pause between two chunks, which gives the CPUs idle time. The pause
	 * grows while the last chunk is not delivered at its end.
	 */
	SEND_MS = 60,
	SEND_MS_MAX = 500,
	LOAD_LIMIT_S = 280,
};

struct flow {
	int fd;
	unsigned int id;
	uint64_t bytes;
	uint64_t last;		/* ms, time of the last received bytes */
	struct task tx, rx;
};

static struct flow flows[CONNS];
static int stop;
static int conns;

/* Before Linux 6.7 the kernel allows the option only for TCP. */
static bool lends(const struct flow *f)
{
	int on = 1;

	return f->id % 4 == 3 && !setsockopt(f->fd, SOL_SOCKET, SO_ZEROCOPY,
					     &on, sizeof(on));
}

/* Takes a notice. Return: for how many sends it is. */
static uint32_t take_notice(int fd)
{
	char control[200];
	struct msghdr msg = { .msg_control = control,
			      .msg_controllen = sizeof(control) };
	const struct sock_extended_err *err;

	RETURNS(0, recvmsg(fd, &msg, MSG_ERRQUEUE));
	CHECK(CMSG_FIRSTHDR(&msg), "no control message");
	err = (const void *)CMSG_DATA(CMSG_FIRSTHDR(&msg));
	RETURNS(SO_EE_ORIGIN_ZEROCOPY, err->ee_origin);
	return err->ee_data - err->ee_info + 1;
}

/*
 * Lends the pages of a chunk, and destroys it when the notice has come. A
 * change of links repeats bytes from these pages.
 */
static void lend(int fd, struct stream *s)
{
	static __thread char chunk[LENT];
	uint32_t noticed = 0, sends = 0;
	size_t done = 0;

	stream_fill(s, chunk, LENT);
	for (; done < LENT; sends++)
		done += OK(send(fd, chunk + done, LENT - done, MSG_ZEROCOPY));
	/* as long as a failover takes; the case has a limit */
	while (noticed < sends)
		if (poll_ms(fd, 0, 1000) & POLLERR)
			noticed += take_notice(fd);
	RETURNS(sends, noticed);
	memset(chunk, 0xee, LENT);
}

/*
 * Returns the next pause. A loaded host delivers chunks late. If the pause did
 * not grow, the send queues would become so long that the adapters give up.
 */
static unsigned int paced(const struct flow *f, unsigned int pause)
{
	const unsigned int least = SEND_MS * cfg.slow;
	const unsigned int most = SEND_MS_MAX * cfg.slow;

	if (outq(f->fd) >= CHUNK)
		return min_of(2 * pause, most);
	return max_of(pause / 2, least);
}

static int pour(void *arg)
{
	struct flow *f = arg;
	unsigned int pause = SEND_MS * cfg.slow;
	bool lent = lends(f);
	struct stream s;

	stream_init(&s, 2 * f->id + cfg.server);
	while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
		if (lent)
			lend(f->fd, &s);
		else
			send_stream(f->fd, &s, CHUNK, CHUNK);
		sleep_ms(pause);
		pause = paced(f, pause);
	}
	return shutdown(f->fd, SHUT_WR);
}

static int drain(void *arg)
{
	static __thread char buf[CHUNK];
	struct flow *f = arg;
	struct stream s;
	ssize_t n;

	stream_init(&s, 2 * f->id + !cfg.server);
	while ((n = OK(recv(f->fd, buf, sizeof(buf), 0)))) {
		/* R-2.2-04, R-2.3-09, R-4.6.1-01, R-4.6.2-01 */
		stream_check(&s, buf, n);
		f->bytes += n;
		__atomic_store_n(&f->last, now_ms(), __ATOMIC_RELEASE);
	}
	return 0;
}

/* Connections are not accepted in the order in which they were made. */
static void start(int i, int fd)
{
	uint8_t id = i;

	if (cfg.server)
		recv_all(fd, &id, 1);
	else
		send_all(fd, &id, 1);
	flows[i].fd = fd;
	flows[i].id = id;
	flows[i].last = now_ms();
	task_start(&flows[i].tx, pour, &flows[i]);
	task_start(&flows[i].rx, drain, &flows[i]);
}

static void finish(void)
{
	uint64_t bytes = 0;
	int i;

	for (i = 0; i < conns; i++) {
		/* The script decides when the load ends. */
		while (!__atomic_load_n(&flows[i].rx.over, __ATOMIC_ACQUIRE))
			sleep_ms(10);
		RETURNS(0, task_join(&flows[i].rx));
		/* The other end is done, so this end stops, too. */
		__atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
		RETURNS(0, task_join(&flows[i].tx));
		bytes += flows[i].bytes;
		close(flows[i].fd);
	}
	note("%llu MB received by %d connections",
	     (unsigned long long)bytes >> 20, conns);
}

static uint64_t longest(uint64_t now)
{
	uint64_t last, most = 0;
	int i;

	for (i = 0; i < conns; i++) {
		last = __atomic_load_n(&flows[i].last, __ATOMIC_ACQUIRE);
		if (now > last)
			most = max_of(most, now - last);
	}
	return most;
}

static void tell(uint64_t pause)
{
	FILE *f = fopen(PAUSE_FILE ".new", "w");

	if (!f)
		fail("no %s", PAUSE_FILE);
	fprintf(f, "%llu\n", (unsigned long long)pause);
	fclose(f);
	OK(rename(PAUSE_FILE ".new", PAUSE_FILE));
	unlink(MARK_FILE);
}

static void load_client(void)
{
	uint16_t port = ctl_wait_u64("PORT");
	uint64_t pause = 0;
	int fds[CONNS], i;

	conns = scaled(CONNS, CONNS_MIN);
	for (i = 0; i < conns; i++) {
		fds[i] = connect_to(port);
		check_mode(fds[i]);
	}
	for (i = 0; i < conns; i++)
		start(i, fds[i]);
	while (!access(HOLD_FILE, F_OK)) {
		sleep_ms(10);
		pause = max_of(pause, longest(now_ms()));
		if (!access(MARK_FILE, F_OK)) {
			tell(pause);
			pause = 0;
		}
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
	finish();
}

static void load_server(void)
{
	uint16_t port;
	int lfd = new_listener(CONNS, &port);
	int fds[CONNS], i;

	conns = scaled(CONNS, CONNS_MIN);
	ctl_send_u64("PORT", port);
	for (i = 0; i < conns; i++)
		fds[i] = accept_from(lfd);
	for (i = 0; i < conns; i++)
		start(i, fds[i]);
	close(lfd);
	finish();
}

static const struct peer_case failover_cases[] = {
	{ "under_load", load_client, load_server, .limit_s = LOAD_LIMIT_S },
};

const struct case_group group_failover = {
	"failover", failover_cases, ARRAY_SIZE(failover_cases),
	.by_name_only = true
};

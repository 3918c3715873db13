// SPDX-License-Identifier: GPL-2.0
/*
 * Tests full windows and slow readers: no data may be lost, and no sleeping
 * process may miss its wakeup.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "groups.h"
#include "util.h"

enum {
	CHUNK = 16 * KIB,
	SLOW_BYTES = 8 * MIB,
	SLOW_STEP = 64 * KIB,
	QUIET_MS = 150,
	ROUNDS = 20,
	EDGE_BYTES = 32 * MIB,
	CRUMBS = 20000,
	PEEKED = 256 * KIB,
};

static void small_buffers(int fd)
{
	set_int(fd, SOL_SOCKET, SO_SNDBUF, 16 * KIB);
	set_int(fd, SOL_SOCKET, SO_RCVBUF, 16 * KIB);
}

static void slow_reader_client(void)
{
	struct stream s;
	int fd = meet();

	stream_init(&s, 0);
	send_stream(fd, &s, scaled(SLOW_BYTES, MIB), 50000);
	RETURNS(0, shutdown(fd, SHUT_WR));
	ctl_sync("READ");
	close(fd);
}

static void slow_reader_server(void)
{
	uint64_t left = scaled(SLOW_BYTES, MIB), n;
	struct stream s;
	int fd = meet();

	stream_init(&s, 0);
	for (; left; left -= n) {
		n = min_of(left, (uint64_t)SLOW_STEP);
		recv_stream(fd, &s, n, 4999);
		sleep_ms(3);
	}
	expect_end(fd);
	ctl_sync("READ");
	close(fd);
}

/* Sends one byte at a time through the smallest window. */
static void crumbs_client(void)
{
	struct stream s;
	int fd = meet_with(small_buffers);

	stream_init(&s, 0);
	send_stream(fd, &s, scaled(CRUMBS, 2000) * 10, 70000);
	ctl_sync("READ");
	close(fd);
}

static void crumbs_server(void)
{
	int fd = meet_with(small_buffers);
	struct stream s;

	stream_init(&s, 0);
	recv_stream(fd, &s, scaled(CRUMBS, 2000), 1);
	recv_stream(fd, &s, scaled(CRUMBS, 2000), 3);
	recv_stream(fd, &s, scaled(CRUMBS, 2000) * 8, 601);
	ctl_sync("READ");
	close(fd);
}

/*
 * Checks that a nonblocking writer gets EAGAIN on a full window, and no
 * EPOLLOUT while the window is full. When there is space, it gets an edge, and
 * the next send takes some bytes.
 */
static void full_window_client(void)
{
	struct epoll_event ev = { .events = EPOLLOUT | EPOLLET };
	struct stream s, before;
	int ep = OK(epoll_create1(0));
	char buf[CHUNK];
	int fd = meet();
	ssize_t n;
	int i;

	stream_init(&s, 0);
	for (i = 0; i < 3; i++) {
		ctl_send_u64("SENT", fill_window(fd, &s));
		FAILS(EAGAIN, send(fd, "x", 1, MSG_DONTWAIT));
		OK(epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev));
		RETURNS(0, epoll_wait(ep, &ev, 1, QUIET_MS));
		ctl_send("FULL");
		RETURNS(1, epoll_wait(ep, &ev, 1, patience(5000)));
		CHECK(ev.events == EPOLLOUT, "event %#x", ev.events);
		before = s;
		stream_fill(&s, buf, sizeof(buf));
		n = send(fd, buf, sizeof(buf), MSG_DONTWAIT);
		CHECK(n > 0, "EPOLLOUT, but send says %s", strerrorname(errno));
		s.pos = before.pos + n;
		ctl_send_u64("ONE_MORE", n);
		ctl_wait("EMPTY");
		ev.events = EPOLLOUT | EPOLLET;
		OK(epoll_ctl(ep, EPOLL_CTL_DEL, fd, NULL));
	}
	close(fd);
}

static void full_window_server(void)
{
	struct stream s;
	int fd = meet();
	uint64_t n;
	int i;

	stream_init(&s, 0);
	for (i = 0; i < 3; i++) {
		n = ctl_wait_u64("SENT");
		ctl_wait("FULL");
		recv_stream(fd, &s, n, CHUNK);
		recv_stream(fd, &s, ctl_wait_u64("ONE_MORE"), CHUNK);
		FAILS(EAGAIN, recv(fd, &n, 1, MSG_DONTWAIT));
		ctl_send("EMPTY");
	}
	expect_end(fd);
}

/*
 * The writer waits for edges only; the reader empties the window at odd
 * moments. If an edge is lost, this case ends by a timeout.
 */
static void edge_writer_client(void)
{
	struct epoll_event ev = { .events = EPOLLOUT | EPOLLET };
	uint64_t left = scaled(EDGE_BYTES, MIB), edges = 0;
	int fd = meet_with(small_buffers);
	int ep = OK(epoll_create1(0));
	struct stream s, before;
	char buf[CHUNK];
	ssize_t n;

	stream_init(&s, 0);
	set_nonblock(fd, true);
	OK(epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev));
	while (left) {
		before = s;
		stream_fill(&s, buf, min_of(left, sizeof(buf)));
		n = send(fd, buf, s.pos - before.pos, 0);
		s.pos = before.pos + max_of(n, 0);
		left -= max_of(n, 0);
		if (n > 0)
			continue;
		CHECK(errno == EAGAIN, "send: %s", strerrorname(errno));
		RETURNS(1, epoll_wait(ep, &ev, 1, patience(5000)));
		edges++;
	}
	note("%llu edges", (unsigned long long)edges);
	ctl_sync("READ");
}

static void edge_writer_server(void)
{
	uint64_t left = scaled(EDGE_BYTES, MIB), n, rnd = 5;
	int fd = meet_with(small_buffers);
	struct stream s;

	stream_init(&s, 0);
	for (; left; left -= n) {
		n = min_of(left, 1 + random_below(&rnd, 60000));
		recv_stream(fd, &s, n, 1 + random_below(&rnd, 30000));
		if (random_below(&rnd, 64) == 0)
			sleep_ms(1);
	}
	ctl_sync("READ");
}

/* The reader waits for edges only; the writer pauses at odd moments. */
static void edge_reader_client(void)
{
	uint64_t left = scaled(EDGE_BYTES, MIB), n, rnd = 6;
	int fd = meet_with(small_buffers);
	struct stream s;

	stream_init(&s, 0);
	for (; left; left -= n) {
		n = min_of(left, 1 + random_below(&rnd, 30000));
		send_stream(fd, &s, n, n);
		if (random_below(&rnd, 64) == 0)
			sleep_ms(1);
	}
	ctl_sync("READ");
}

static void edge_reader_server(void)
{
	struct epoll_event ev = { .events = EPOLLIN | EPOLLET };
	uint64_t left = scaled(EDGE_BYTES, MIB), edges = 0;
	int fd = meet_with(small_buffers);
	int ep = OK(epoll_create1(0));
	char buf[CHUNK];
	struct stream s;
	ssize_t n;

	stream_init(&s, 0);
	set_nonblock(fd, true);
	OK(epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev));
	while (left) {
		n = recv(fd, buf, sizeof(buf), 0);
		if (n > 0) {
			stream_check(&s, buf, n);
			left -= n;
			continue;
		}
		CHECK(n < 0 && errno == EAGAIN, "recv: %zd %s", n,
		      strerrorname(errno));
		RETURNS(1, epoll_wait(ep, &ev, 1, patience(5000)));
		edges++;
	}
	note("%llu edges", (unsigned long long)edges);
	ctl_sync("READ");
}

static int send_all_task(void *arg)
{
	static char buf[16 * MIB];

	return send(*(int *)arg, buf, sizeof(buf), 0);
}

/* Makes one blocking send of more bytes than all buffers hold. */
static void blocked_send_client(void)
{
	struct task t;
	int fd = meet();

	task_start(&t, send_all_task, &fd);
	task_blocked(&t, QUIET_MS);
	ctl_send("BLOCKED");
	RETURNS(16 * MIB, task_join(&t));
	close(fd);
}

static void blocked_send_server(void)
{
	char buf[64 * KIB];
	uint64_t sum = 0;
	int fd = meet();
	ssize_t n;

	ctl_wait("BLOCKED");
	while ((n = recv(fd, buf, sizeof(buf), 0)) > 0)
		sum += n;
	RETURNS(16 * MIB, sum);
}

/*
 * Checks that with SO_SNDTIMEO and a full window send() returns EAGAIN, or the
 * number of bytes that fitted.
 */
static void send_timeout_client(void)
{
	struct timeval tv = { .tv_usec = 200000 };
	struct stream s;
	int fd = meet();
	uint64_t start;

	stream_init(&s, 0);
	fill_window(fd, &s);
	OK(setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof(tv)));
	start = now_ms();
	FAILS(EAGAIN, send(fd, "x", 1, 0));
	CHECK(now_ms() - start >= EARLIEST_MS, "send gave up after %llu ms",
	      (unsigned long long)(now_ms() - start));
	CHECK(now_ms() - start < (uint64_t)patience(1500), "send took %llu ms",
	      (unsigned long long)(now_ms() - start));
	ctl_sync("OVER");
}

/*
 * A reader peeks at more than half of a full buffer, and waits until the sender
 * has used all free space. The sender may not know of this free space yet
 * (R-4.5.1-07).
 */
static void peek_full_client(void)
{
	struct stream s;
	int fd = meet_with(small_buffers);

	stream_init(&s, 0);
	send_stream(fd, &s, PEEKED, PEEKED);
	ctl_sync("READ");
	close(fd);
}

static void peek_full_server(void)
{
	bool smc = cfg.own.mode > MODE_ANY && cfg.own.mode != MODE_TCP;
	static char buf[PEEKED];
	int fd = meet_with(small_buffers);
	int full = 0, before, want;
	struct stream s;

	do {
		before = full;
		sleep_ms(QUIET_MS);
		OK(ioctl(fd, FIONREAD, &full));
	} while (!full || full != before);
	CHECK(full < PEEKED, "%d bytes are no full buffer", full);
	stream_init(&s, 0);
	recv_stream(fd, &s, full / 16, full / 16);
	/* TCP waits for ever, because it does not announce so little space. */
	want = smc ? full : full - full / 16;
	/* R-4.5.1-07 */
	RETURNS(want, recv(fd, buf, want, MSG_PEEK | MSG_WAITALL));
	recv_stream(fd, &s, PEEKED - full / 16, full);
	ctl_sync("READ");
	expect_end(fd);
}

/* Fills and empties the window completely, many times. */
static void stop_and_go_client(void)
{
	int fd = meet_with(small_buffers);
	struct stream s;
	char buf[1000];
	ssize_t n;
	int i;

	stream_init(&s, 0);
	for (i = 0; i < ROUNDS; i++) {
		struct stream before = s;
		uint64_t sum = 0;

		for (;;) {
			stream_fill(&s, buf, sizeof(buf));
			n = send(fd, buf, sizeof(buf), MSG_DONTWAIT);
			s.pos = before.pos + max_of(n, 0);
			before = s;
			if (n <= 0)
				break;
			sum += n;
		}
		CHECK(errno == EAGAIN, "send: %s", strerrorname(errno));
		ctl_send_u64("SENT", sum);
		ctl_wait("READ");
		AWAIT(fd, POLLOUT);
	}
}

static void stop_and_go_server(void)
{
	int fd = meet_with(small_buffers);
	struct stream s;
	int i;

	stream_init(&s, 0);
	for (i = 0; i < ROUNDS; i++) {
		recv_stream(fd, &s, ctl_wait_u64("SENT"), 777);
		ctl_send("READ");
	}
}

static const struct peer_case flow_cases[] = {
	{ "slow_reader", slow_reader_client, slow_reader_server },
	{ "byte_by_byte", crumbs_client, crumbs_server },
	{ "full_window", full_window_client, full_window_server },
	{ "edge_writer", edge_writer_client, edge_writer_server, .limit_s = 40 },
	{ "edge_reader", edge_reader_client, edge_reader_server, .limit_s = 40 },
	{ "blocked_send", blocked_send_client, blocked_send_server },
	{ "send_timeout", send_timeout_client, wait_for_over },
	{ "peek_full", peek_full_client, peek_full_server },
	{ "stop_and_go", stop_and_go_client, stop_and_go_server },
};

CASE_GROUP(group_flow, flow);

// SPDX-License-Identifier: GPL-2.0
/* Helper cases, which scripts run while they do something else. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "groups.h"
#include "util.h"

enum {
	HOLD_MS = 20000,
	HELD = 3,
	CHUNK = 64 * KIB,
	STORM = 400,
	STORM_BYTES = 20000,
	/*
	 * The client makes attempts until this many connections have been
	 * opened. If a fifth of all allocations fail at both ends, 2 or 3 of
	 * 100 attempts succeed.
	 */
	STORM_LEAST = 10,
	STORM_TRIES = 200,	/* attempts for each connection */
};

/*
 * Keeps a listener and some connections open, so that a script can look at the
 * socket list, as long as the file exists on the client's host. The file is no
 * longer empty when the server has accepted all connections.
 */
#define HOLD_FILE "/tmp/smc_peer.hold"

static void wait_while_held(void)
{
	int fd = open(HOLD_FILE, O_WRONLY | O_APPEND);

	if (fd >= 0) {
		CHECK(write(fd, "held\n", 5) == 5, "%s: %s", HOLD_FILE,
		      strerrorname(errno));
		close(fd);
	}
	while (!access(HOLD_FILE, F_OK))
		sleep_ms(10);
}

static void hold_client(void)
{
	uint16_t port = ctl_wait_u64("PORT");
	int fds[HELD], i;

	for (i = 0; i < HELD; i++)
		fds[i] = connect_to(port);
	ctl_sync("HELD");
	wait_while_held();
	for (i = 0; i < HELD; i++)
		close(fds[i]);
}

static void hold_server(void)
{
	uint16_t port;
	int lfd = new_listener(HELD, &port);
	int fds[HELD], i;

	ctl_send_u64("PORT", port);
	for (i = 0; i < HELD; i++)
		fds[i] = accept_from(lfd);
	ctl_sync("HELD");
	for (i = 0; i < HELD; i++) {
		await(fds[i], POLLIN, HOLD_MS);
		expect_end(fds[i]);
	}
}

/* Keeps one connection whose peer does not read, so that data is queued. */
static void hold_full_client(void)
{
	struct stream s;
	int fd = meet();

	stream_init(&s, 0);
	fill_window(fd, &s);
	ctl_sync("HELD");
	wait_while_held();
	ctl_sync("READ");
	close(fd);
}

static void hold_full_server(void)
{
	struct stream s;
	int fd = meet();

	stream_init(&s, 0);
	ctl_sync("HELD");
	ctl_sync("READ");
	recv_to_end(fd, &s);
	close(fd);
}

/*
 * An outside event aborts a stream in both directions. All received data is
 * correct. Then send() and recv() return an error, not end of file.
 */
struct flow {
	int fd;
	struct stream s;
	uint64_t bytes;
};

static int pour(void *arg)
{
	struct flow *f = arg;
	uint64_t pos = 0;
	char buf[CHUNK];
	ssize_t n;

	/* Sends again the bytes that the last call did not accept. */
	do {
		f->s.pos = pos;
		stream_fill(&f->s, buf, sizeof(buf));
		n = send(f->fd, buf, sizeof(buf), MSG_NOSIGNAL);
		pos += n;
	} while (n > 0);
	return n;
}

static int drain(void *arg)
{
	struct flow *f = arg;
	char buf[CHUNK];
	ssize_t n;

	while ((n = recv(f->fd, buf, sizeof(buf), 0)) > 0) {
		stream_check(&f->s, buf, n);
		f->bytes += n;
	}
	return n;
}

static bool is_broken(int err)
{
	return err == ECONNRESET || err == ECONNABORTED || err == EPIPE ||
	       err == ETIMEDOUT || err == ENOTCONN;
}

static void until_broken(void)
{
	struct flow out = { .fd = meet() }, in = { .fd = out.fd };
	struct task tx, rx;
	int rx_ret;

	stream_init(&out.s, cfg.server);
	stream_init(&in.s, !cfg.server);
	task_start(&tx, pour, &out);
	task_start(&rx, drain, &in);
	while (!__atomic_load_n(&rx.over, __ATOMIC_ACQUIRE) &&
	       !__atomic_load_n(&tx.over, __ATOMIC_ACQUIRE))
		sleep_ms(5);
	/* The end that notices the failure first may leave the other end at
	 * most that long.
	 */
	rx_ret = task_join(&rx);
	note("%llu MB, then recv: %s", (unsigned long long)in.bytes >> 20,
	     rx_ret ? strerrorname(errno) : "end");
	/* The first call returns the error; the second call sees end
	 * of file.
	 */
	CHECK(!rx_ret || is_broken(errno), "recv: %s", strerrorname(errno));
	RETURNS(-1, task_join(&tx));
	CHECK(is_broken(errno), "send: %s", strerrorname(errno));
	CHECK(rx_ret || errno != EPIPE, "an end, and EPIPE: no error at all");
	CHECK(in.bytes, "nothing had arrived before");
	close(in.fd);
}

/* A script waits for this file, which says that the window is full. */
#define FULL_FILE "/tmp/smc_peer.full"

/* Queued data cannot be sent any more, and close() does not wait for it. */
static void linger_until_broken(void)
{
	struct linger l = { .l_onoff = 1, .l_linger = 3000 };
	struct stream s;
	int fd = meet();

	stream_init(&s, 0);
	if (cfg.server) {
		await(fd, POLLERR | POLLHUP, HOLD_MS);
		close(fd);
		return;
	}
	OK(setsockopt(fd, SOL_SOCKET, SO_LINGER, &l, sizeof(l)));
	fill_window(fd, &s);
	note("%llu kB wait", (unsigned long long)s.pos >> 10);
	close(OK(open(FULL_FILE, O_CREAT | O_WRONLY, 0600)));
	close(fd);
}

/* No data is sent at that time; both ends still see the error. */
static void idle_until_broken(void)
{
	int fd = meet();
	char c;

	send_all(fd, "x", 1);
	recv_all(fd, &c, 1);
	await(fd, POLLIN | POLLERR, HOLD_MS);
	CHECK(recv(fd, &c, 1, 0) <= 0, "it goes on");
	close(fd);
}

/*
 * Connections while allocations fail. Any call may return an error, but
 * received data is correct, and no call hangs.
 */
static bool no_memory(int err)
{
	return err == ENOMEM || err == ENOBUFS || err == EAGAIN ||
	       err == ECONNRESET || err == ECONNABORTED || err == EPIPE ||
	       err == ETIMEDOUT || err == ECONNREFUSED || err == EPROTO ||
	       err == EMFILE || err == ENFILE;
}

static void time_limits(int fd)
{
	struct timeval tv = { .tv_sec = 8 };

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof(tv));
}

static bool storm_once(uint16_t port, unsigned int id)
{
	struct flow out = { .fd = new_socket_of(cfg.family, 0) };
	char buf[STORM_BYTES];
	bool ok = false;

	if (out.fd < 0) {
		CHECK(no_memory(errno), "socket: %s", strerrorname(errno));
		return false;
	}
	time_limits(out.fd);
	stream_init(&out.s, 1);
	stream_fill(&out.s, buf, sizeof(buf));
	if (connect_fd(out.fd, port) < 0 ||
	    send(out.fd, buf, sizeof(buf), MSG_NOSIGNAL) < 0)
		CHECK(no_memory(errno) || errno == EINPROGRESS,
		      "connection %u: %s", id, strerrorname(errno));
	else
		ok = true;
	close(out.fd);
	return ok;
}

static void storm_client(void)
{
	uint16_t port = ctl_wait_u64("PORT");
	unsigned int i, nr = scaled(STORM, 20), ok = 0;

	for (i = 0; i < nr ||
	     (ok < STORM_LEAST && i < STORM_LEAST * STORM_TRIES); i++)
		ok += storm_once(port, i);
	note("%u of %u connections", ok, i);
	CHECK(ok >= STORM_LEAST, "only %u of %u connections", ok, i);
	ctl_send("STOP");
	ctl_wait("STOPPED");
}

static unsigned int storm_whole;

/*
 * Receives streams and counts the complete ones. Each stream must be a prefix
 * of the same pattern.
 */
static void storm_take(int fd)
{
	struct stream s;
	char buf[5000];
	ssize_t n;

	time_limits(fd);
	stream_init(&s, 1);
	while ((n = recv(fd, buf, sizeof(buf), 0)) > 0)
		stream_check(&s, buf, n);
	CHECK(!n || no_memory(errno), "recv: %s", strerrorname(errno));
	if (!n && s.pos == STORM_BYTES)
		__atomic_add_fetch(&storm_whole, 1, __ATOMIC_RELAXED);
	close(fd);
}

static int storm_accept(void *arg)
{
	int lfd = *(int *)arg;
	int fd;

	do {
		fd = accept(lfd, NULL, NULL);
		if (fd >= 0)
			storm_take(fd);
		else
			CHECK(no_memory(errno) || errno == EINVAL, "accept: %s",
			      strerrorname(errno));
	} while (fd >= 0 || errno != EINVAL);
	return 0;
}

/* The listener is not under test, so it may retry. */
static int stubborn_listener(uint16_t *port)
{
	struct sockaddr_storage ss;
	socklen_t len;
	int i, fd;

	for (i = 0; i < 1000; i++) {
		fd = new_socket_of(cfg.family, 0);
		if (fd < 0)
			continue;
		len = sizeof(ss);
		if (!listen(fd, 16) && !getsockname(fd, (struct sockaddr *)&ss, &len)) {
			*port = ntohs(((struct sockaddr_in *)&ss)->sin_port);
			return fd;
		}
		close(fd);
	}
	fail("no listener in 1000 tries");
}

static void storm_server(void)
{
	struct task t[4];
	uint16_t port;
	int lfd = stubborn_listener(&port);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(t); i++)
		task_start(&t[i], storm_accept, &lfd);
	ctl_send_u64("PORT", port);
	ctl_wait("STOP");
	RETURNS(0, shutdown(lfd, SHUT_RD));
	for (i = 0; i < ARRAY_SIZE(t); i++)
		RETURNS(0, task_join(&t[i]));
	note("%u whole", storm_whole);
	CHECK(storm_whole, "no stream came whole");
	ctl_send("STOPPED");
}

static const struct peer_case aid_cases[] = {
	{ "hold", hold_client, hold_server },
	{ "hold_full", hold_full_client, hold_full_server, .limit_s = 40 },
	{ "until_broken", until_broken, until_broken, .limit_s = 40 },
	{ "linger_until_broken", linger_until_broken, linger_until_broken,
	  .limit_s = 40 },
	{ "idle_until_broken", idle_until_broken, idle_until_broken, .limit_s = 40 },
	{ "storm", storm_client, storm_server, .limit_s = 400 },
};

const struct case_group group_aid = {
	"aid", aid_cases, ARRAY_SIZE(aid_cases), .by_name_only = true
};

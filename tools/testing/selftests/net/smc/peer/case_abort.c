// SPDX-License-Identifier: GPL-2.0
/* Tests aborts and the end of processes (RFC 7609 4.8.2). */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "groups.h"
#include "util.h"

enum {
	UNREAD_BYTES = 1000,
	ABORTS = 30,
};

static void linger_zero(int fd)
{
	struct linger l = { .l_onoff = 1, .l_linger = 0 };

	OK(setsockopt(fd, SOL_SOCKET, SO_LINGER, &l, sizeof(l)));
}

static void abort_fd(int fd)
{
	linger_zero(fd);
	close(fd);
}

static void send_zeros(int fd, size_t n)
{
	char buf[UNREAD_BYTES] = "";

	send_all(fd, buf, n);
}

/* R-4.8.2-04: checks that one call returns the error, that later reads see the
 * end, and that sends fail.
 */
static void expect_reset(int fd)
{
	char c;

	/* R-4.8.2-04 */
	expect_recv_error(fd, ECONNRESET);
	RETURNS(0, recv(fd, &c, 1, 0));
	FAILS(EPIPE, send(fd, "x", 1, MSG_NOSIGNAL));
	close(fd);
}

/* R-4.8.1-11: close with unread data */
static void leave_unread(void)
{
	int fd = meet();

	await_bytes(fd, UNREAD_BYTES);
	close(fd);
}

static void be_left_unread(void)
{
	int fd = meet();

	send_zeros(fd, UNREAD_BYTES);
	/* R-4.8.1-11 */
	expect_reset(fd);
}

/* Checks that partly read data counts as unread. */
static void leave_partly_read(void)
{
	int fd = meet();
	char buf[UNREAD_BYTES / 2];

	await_bytes(fd, UNREAD_BYTES);
	recv_all(fd, buf, sizeof(buf));
	close(fd);
}

/* R-4.8.2-02 */
static void linger_abort(void)
{
	int fd = meet();

	ctl_sync("READY");
	abort_fd(fd);
}

static void be_aborted(void)
{
	int fd = meet();

	ctl_sync("READY");
	/* R-4.8.2-02 */
	expect_reset(fd);
}

/* R-4.8.2-07: checks that an abort drops unread data with SMC, and that TCP
 * keeps it.
 */
static void abort_purges_client(void)
{
	int fd = meet();

	send_zeros(fd, UNREAD_BYTES);
	ctl_wait("THERE");
	abort_fd(fd);
	ctl_send("ABORTED");
}

static void abort_purges_server(void)
{
	char buf[2 * UNREAD_BYTES];
	int fd = meet();

	await_bytes(fd, UNREAD_BYTES);
	ctl_send("THERE");
	ctl_wait("ABORTED");
	CHECK(await(fd, POLLERR | POLLHUP, 5000) & POLLHUP, "no POLLHUP");
	if (!family_is_smc(cfg.family) || cfg.own.mode == MODE_TCP)
		RETURNS(UNREAD_BYTES, recv(fd, buf, sizeof(buf), 0));
	/* R-4.8.2-07 */
	expect_reset(fd);
}

static int recv_one(void *arg)
{
	char c;

	return recv(*(int *)arg, &c, 1, 0);
}

static void abort_on_word(void)
{
	int fd = meet();

	ctl_wait("BLOCKED");
	abort_fd(fd);
}

static void abort_blocked_recv(void)
{
	int fd = meet();
	struct task t;

	task_start(&t, recv_one, &fd);
	task_blocked(&t, 50);
	ctl_send("BLOCKED");
	RETURNS(-1, task_join(&t));
	CHECK(errno == ECONNRESET, "recv: %s", strerrorname(errno));
}

static void abort_blocked_send(void)
{
	struct stream s;
	int fd = meet();
	struct task t;

	stream_init(&s, 0);
	fill_window(fd, &s);
	task_start(&t, send_much, &fd);
	task_blocked(&t, 50);
	ctl_send("BLOCKED");
	RETURNS(-1, task_join(&t));
	/* R-4.8.1-21 */
	CHECK(errno == ECONNRESET || errno == EPIPE, "send: %s",
	      strerrorname(errno));
}

/* R-4.8.1-21: the peer closes with unread data while our data waits for its
 * window.
 */
static void close_on_word(void)
{
	int fd = meet();

	ctl_wait("BLOCKED");
	close(fd);
}

static void abort_polled(void)
{
	int fd = meet();
	int got;

	ctl_send("BLOCKED");
	got = await(fd, POLLIN, 5000);
	CHECK((got & (POLLIN | POLLERR | POLLHUP)) == (POLLIN | POLLERR | POLLHUP),
	      "poll says %#x after an abort", got);
	RETURNS(ECONNRESET, get_int(fd, SOL_SOCKET, SO_ERROR));
	RETURNS(0, get_int(fd, SOL_SOCKET, SO_ERROR));
	CHECK(poll_ms(fd, POLLIN, 0) & POLLHUP, "no POLLHUP once SO_ERROR was read");
	close(fd);
}

static int hold(void *arg)
{
	(void)arg;
	for (;;)
		pause();
	return 0;
}

/* Kills the process that has the connection. */
static void die(bool with_unread)
{
	int fd = meet();
	int pid = child_start(hold, &fd);

	if (with_unread)
		await_bytes(fd, UNREAD_BYTES);
	close(fd);
	kill(pid, SIGKILL);
	RETURNS(-SIGKILL, child_wait(pid));
}

static void die_clean(void)
{
	die(false);
}

static void die_unread(void)
{
	die(true);
}

static void see_end(void)
{
	int fd = meet();

	expect_end(fd);
	close(fd);
}

/* Kills the sender in the middle of a stream: a prefix of the stream arrives,
 * then an end.
 */
static int stream_for_ever(void *arg)
{
	struct stream s;
	int fd = *(int *)arg;

	stream_init(&s, 0);
	for (;;)
		send_stream(fd, &s, MIB, 10000);
	return 0;
}

static void die_streaming(void)
{
	int fd = meet();
	int pid = child_start(stream_for_ever, &fd);

	close(fd);
	ctl_wait("FLOWS");
	kill(pid, SIGKILL);
	RETURNS(-SIGKILL, child_wait(pid));
}

static void see_stream_end(void)
{
	struct stream s;
	int fd = meet();

	stream_init(&s, 0);
	recv_stream(fd, &s, scaled(4 * MIB, MIB), 16 * KIB);
	ctl_send("FLOWS");
	recv_to_end(fd, &s);
	note("%llu bytes before the end", (unsigned long long)s.pos);
	close(fd);
}

/* Checks that after many aborts a later connection works. */
static void abort_many_client(void)
{
	uint16_t port = ctl_wait_u64("PORT");
	int i, fd;

	for (i = 0; i < ABORTS; i++) {
		fd = connect_to(port);
		send_zeros(fd, 1);
		abort_fd(fd);
	}
	fd = connect_to(port);
	send_zeros(fd, UNREAD_BYTES);
	close(fd);
}

/* Connections may be accepted in any order. */
static void abort_many_server(void)
{
	uint16_t port;
	int lfd = new_listener(ABORTS + 1, &port);
	char buf[UNREAD_BYTES];
	int i, fd, whole = 0;
	size_t got;
	ssize_t n;

	ctl_send_u64("PORT", port);
	for (i = 0; i < ABORTS + 1; i++) {
		AWAIT(lfd, POLLIN);
		fd = OK(accept(lfd, NULL, NULL));
		got = 0;
		while ((n = recv(fd, buf, sizeof(buf), 0)) > 0)
			got += n;
		if (!n && got == UNREAD_BYTES)
			whole++;
		close(fd);
	}
	CHECK(whole == 1, "%d connections came to their end, not 1", whole);
}

/* Both sides abort at once, R-4.8.2-11 */
static void abort_crossing(void)
{
	int i, fd;

	for (i = 0; i < ABORTS; i++) {
		fd = meet();
		ctl_sync("GO");
		abort_fd(fd);
	}
}

static const struct peer_case abort_cases[] = {
	{ "abort_unread_by_server", be_left_unread, leave_unread },
	{ "abort_unread_by_client", leave_unread, be_left_unread },
	{ "abort_partly_read", be_left_unread, leave_partly_read },
	{ "abort_linger_by_client", linger_abort, be_aborted },
	{ "abort_linger_by_server", be_aborted, linger_abort },
	{ "abort_purges", abort_purges_client, abort_purges_server },
	{ "abort_wakes_recv", abort_blocked_recv, abort_on_word },
	{ "abort_wakes_send", abort_blocked_send, abort_on_word },
	{ "close_wakes_send", abort_blocked_send, close_on_word },
	{ "abort_wakes_poll", abort_polled, abort_on_word },
	{ "abort_crossing", abort_crossing, abort_crossing },
	{ "abort_many", abort_many_client, abort_many_server },
	{ "killed_client", die_clean, see_end },
	{ "killed_server", see_end, die_clean },
	{ "killed_client_unread", die_unread, be_left_unread },
	{ "killed_server_unread", be_left_unread, die_unread },
	{ "killed_while_streaming", die_streaming, see_stream_end },
};

CASE_GROUP(group_abort, abort);

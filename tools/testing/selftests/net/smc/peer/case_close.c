// SPDX-License-Identifier: GPL-2.0
/* Tests orderly ends by close() and shutdown() (RFC 7609 4.8.1). */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "groups.h"
#include "util.h"

enum {
	HALF_BYTES = 2 * MIB,
	PENDING_BYTES = 1 * MIB,
	CHUNK = 32 * KIB,
	QUIET_MS = 150,
	CROSSINGS = 40,
};

/* Shuts down its own direction at once, then receives the remaining data. */
static void first_to_finish(int fd)
{
	struct stream out, in;

	stream_init(&out, 0);
	stream_init(&in, 1);
	send_stream(fd, &out, CHUNK, CHUNK);
	RETURNS(0, shutdown(fd, SHUT_WR));
	FAILS(EPIPE, send(fd, "x", 1, MSG_NOSIGNAL));
	/* R-4.8.1-19 */
	recv_stream(fd, &in, HALF_BYTES, CHUNK);
	expect_end(fd);
	close(fd);
}

/* R-4.8.1-15, -19, -20, -22: one direction has ended, the other direction
 * continues.
 */
static void last_to_finish(int fd)
{
	struct stream out, in;

	stream_init(&out, 1);
	stream_init(&in, 0);
	recv_stream(fd, &in, CHUNK, CHUNK);
	/* R-4.8.1-15, -20 */
	expect_end(fd);
	/* End of file is permanent. */
	expect_end(fd);
	/* The two half-closed states last as long as the applications want
	 * (R-4.8.1-07).
	 */
	sleep_ms(QUIET_MS);
	/* R-4.8.1-07, -22 */
	send_stream(fd, &out, HALF_BYTES, CHUNK);
	RETURNS(0, shutdown(fd, SHUT_WR));
	close(fd);
}

static void half_close_by_client(void)
{
	(cfg.server ? last_to_finish : first_to_finish)(meet());
}

static void half_close_by_server(void)
{
	(cfg.server ? first_to_finish : last_to_finish)(meet());
}

/* R-4.8.1-09: D crossing D */
static void half_close_both(void)
{
	struct stream out, in;
	int fd = meet();

	stream_init(&out, cfg.server);
	stream_init(&in, !cfg.server);
	ctl_sync("GO");
	send_stream(fd, &out, CHUNK, CHUNK);
	RETURNS(0, shutdown(fd, SHUT_WR));
	recv_stream(fd, &in, CHUNK, CHUNK);
	/* R-4.8.1-09 */
	expect_end(fd);
	close(fd);
}

/* R-4.8.1-02: this side stops reading, and does not tell the peer. */
static void shut_rd_here(void)
{
	int fd = meet();
	char c;

	RETURNS(0, shutdown(fd, SHUT_RD));
	RETURNS(0, recv(fd, &c, 1, 0));
	CHECK(poll_ms(fd, POLLIN | POLLRDHUP, 0) == (POLLIN | POLLRDHUP),
	      "no POLLIN | POLLRDHUP after SHUT_RD");
	ctl_sync("SHUT");
	send_all(fd, "hello", 5);
	ctl_wait("SEEN");
	close(fd);
}

static void shut_rd_there(void)
{
	int fd = meet();
	char buf[5];

	ctl_sync("SHUT");
	recv_all(fd, buf, 5);
	/* R-4.8.1-02 */
	CHECK(!poll_ms(fd, POLLIN | POLLHUP | POLLRDHUP, QUIET_MS),
	      "SHUT_RD of the peer is seen here");
	send_all(fd, "world", 5);
	CHECK(!poll_ms(fd, POLLERR | POLLHUP, QUIET_MS),
	      "sending to a peer that reads no more fails");
	ctl_send("SEEN");
}

static int recv_one(void *arg)
{
	char c;

	return recv(*(int *)arg, &c, 1, 0);
}

static void shut_rd_wakes_client(void)
{
	int fd = meet();
	struct task t;

	task_start(&t, recv_one, &fd);
	task_blocked(&t, 50);
	RETURNS(0, shutdown(fd, SHUT_RD));
	RETURNS(0, task_join(&t));
	ctl_sync("OVER");
}

/* R-4.8.1-01: checks that shutdown() of both directions works like close() */
static void shut_rdwr_here(void)
{
	int fd = meet();
	char c;

	RETURNS(0, shutdown(fd, SHUT_RDWR));
	RETURNS(0, recv(fd, &c, 1, 0));
	/* R-4.8.1-01 */
	FAILS(EPIPE, send(fd, "x", 1, MSG_NOSIGNAL));
	ctl_sync("SHUT");
	close(fd);
}

static void shut_rdwr_there(void)
{
	int fd = meet();

	/* R-4.8.1-01 */
	expect_end(fd);
	ctl_sync("SHUT");
	close(fd);
}

/* R-4.8.1-12: close right after a send that does not fit the window. */
static void close_pending_client(void)
{
	uint64_t sent, more;
	struct stream out;
	int fd = meet();

	stream_init(&out, 0);
	/* The window and the send queue are full; all data must arrive. */
	sent = fill_window(fd, &out);
	more = now_ms();
	close(fd);
	CHECK(now_ms() - more < (uint64_t)patience(2000),
	      "close() blocked for %llu ms", (unsigned long long)(now_ms() - more));
	ctl_send_u64("SENT", sent);
	note("%llu bytes pending", (unsigned long long)sent);
}

static void close_pending_server(void)
{
	struct stream in;
	uint64_t sent;
	int fd = meet();

	stream_init(&in, 0);
	sent = ctl_wait_u64("SENT");
	/* R-4.8.1-12 */
	RETURNS(sent, recv_to_end(fd, &in));
	close(fd);
}

static void close_after_send_client(void)
{
	struct stream out;
	int i, fd;

	for (i = 0; i < 10; i++) {
		fd = meet();
		stream_init(&out, i);
		send_stream(fd, &out, scaled(PENDING_BYTES, 100000), CHUNK);
		close(fd);
	}
}

static void close_after_send_server(void)
{
	struct stream in;
	int i, fd;

	for (i = 0; i < 10; i++) {
		fd = meet();
		stream_init(&in, i);
		RETURNS(scaled(PENDING_BYTES, 100000), recv_to_end(fd, &in));
		close(fd);
	}
}

/* R-4.8.1-09: both ends send the close flag C at the same time; neither side
 * waits for the other.
 */
static void close_crossing(void)
{
	int i, fd;

	for (i = 0; i < CROSSINGS; i++) {
		fd = meet();
		ctl_sync("GO");
		close(fd);
	}
}

/* D crossing C */
static void close_crosses_shutdown(void)
{
	int i, fd;

	for (i = 0; i < CROSSINGS; i++) {
		fd = meet();
		ctl_sync("GO");
		if (cfg.server == (i & 1)) {
			RETURNS(0, shutdown(fd, SHUT_WR));
			expect_end(fd);
		}
		close(fd);
	}
}

/* R-4.8.1-24: checks that sends soon fail after the peer has closed. */
static void send_to_closed_client(void)
{
	int fd = meet();
	uint64_t until;
	ssize_t n;

	expect_end(fd);
	until = now_ms() + patience(3000);
	do {
		n = send(fd, "x", 1, MSG_NOSIGNAL);
		sleep_ms(1);
	} while (n == 1 && now_ms() < until);
	/* R-4.8.1-24 */
	CHECK(n < 0, "sending to a closed peer goes on for ever");
	CHECK(errno == EPIPE || errno == ECONNRESET, "send: %s",
	      strerrorname(errno));
	close(fd);
}

static int peer_name(int fd)
{
	struct sockaddr_storage ss;
	socklen_t len = sizeof(ss);

	return getpeername(fd, (struct sockaddr *)&ss, &len);
}

/* The connection has failed because of a send after the peer had closed. The
 * application can still read what the peer has sent.
 */
static void expect_send_failed(int fd, const char *rest)
{
	int got;

	await(fd, POLLERR, 5000);
	got = poll_ms(fd, POLLIN | POLLOUT | POLLRDHUP, 0);
	CHECK(got == (POLLIN | POLLOUT | POLLRDHUP | POLLHUP | POLLERR),
	      "poll says %#x", got);
	FAILS(ENOTCONN, peer_name(fd));
	FAILS(ENOTCONN, shutdown(fd, SHUT_WR));
	FAILS(EPIPE, send(fd, "x", 1, MSG_NOSIGNAL));
	RETURNS(0, get_int(fd, SOL_SOCKET, SO_ERROR));
	if (*rest)
		expect_text(fd, rest, 0);
	expect_end(fd);
	FAILS(EPIPE, send(fd, "x", 1, MSG_NOSIGNAL));
}

/*
 * The peer has closed. The first send succeeds, and its bytes are lost. The
 * next one fails.
 */
static void first_send_client(void)
{
	static const char much[5000];
	int fd = meet();

	await(fd, POLLRDHUP, 5000);
	OK(peer_name(fd));
	RETURNS(1, send(fd, "x", 1, MSG_NOSIGNAL));
	expect_send_failed(fd, "bye");
	close(fd);
	/* the error is visible to SO_ERROR instead */
	fd = meet();
	await(fd, POLLRDHUP, 5000);
	RETURNS(sizeof(much), send(fd, much, sizeof(much), MSG_NOSIGNAL));
	await(fd, POLLERR, 5000);
	RETURNS(EPIPE, get_int(fd, SOL_SOCKET, SO_ERROR));
	expect_text(fd, "bye", 0);
	expect_end(fd);
	FAILS(EPIPE, send(fd, "x", 1, MSG_NOSIGNAL));
	close(fd);
}

static void first_send_server(void)
{
	int i, fd;

	for (i = 0; i < 2; i++) {
		fd = meet();
		send_all(fd, "bye", 3);
		close(fd);
	}
}

/*
 * The peer has shut down both directions, by one call or two, and has not
 * closed. The first send succeeds, later ones fail.
 */
static void first_send_shut_client(void)
{
	uint64_t until;
	ssize_t n;
	int i, fd;

	for (i = 0; i < 3; i++) {
		fd = meet();
		await(fd, POLLRDHUP, 5000);
		ctl_wait("SHUT");
		RETURNS(1, send(fd, "x", 1, MSG_NOSIGNAL));
		until = now_ms() + patience(5000);
		do {
			sleep_ms(1);
			n = send(fd, "x", 1, MSG_NOSIGNAL);
		} while (n == 1 && now_ms() < until);
		CHECK(n < 0, "%d: sending goes on for ever", i);
		/*
		 * After two calls the flags D and C arrive one after the other.
		 * If a byte is sent between the two flags, it reaches a peer
		 * that no longer reads, and the peer resets the connection
		 * (R-4.8.1-11).
		 */
		CHECK(errno == EPIPE || (i == 1 && errno == ECONNRESET),
		      "%d: send: %s", i, strerrorname(errno));
		ctl_sync("OVER");
		close(fd);
	}
}

static void first_send_shut_server(void)
{
	static const int ways[][2] = {
		{ SHUT_RDWR, SHUT_RDWR },
		{ SHUT_WR, SHUT_RD },
		{ SHUT_RD, SHUT_WR },
	};
	size_t i;
	int fd;

	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		fd = meet();
		RETURNS(0, shutdown(fd, ways[i][0]));
		RETURNS(0, shutdown(fd, ways[i][1]));
		ctl_send("SHUT");
		ctl_sync("OVER");
		close(fd);
	}
}

/* Checks that a second call that shuts the other direction keeps what the
 * application has queued, and what it has not read.
 */
static void shut_unread_here(void)
{
	int fd = meet();

	await_bytes(fd, 3);
	send_all(fd, "all", 3);
	RETURNS(0, shutdown(fd, SHUT_WR));
	RETURNS(0, shutdown(fd, SHUT_RD));
	expect_text(fd, "and", 0);
	ctl_sync("OVER");
	close(fd);
}

static void shut_unread_there(void)
{
	int fd = meet();

	send_all(fd, "and", 3);
	await_bytes(fd, 3);
	expect_text(fd, "all", 0);
	expect_end(fd);
	ctl_sync("OVER");
	close(fd);
}

/* Checks that getpeername() succeeds until both directions have ended. */
static void name_until_end(void)
{
	uint64_t until;
	int fd = meet();

	OK(peer_name(fd));
	RETURNS(0, shutdown(fd, SHUT_WR));
	ctl_sync("SHUT");
	expect_end(fd);
	until = now_ms() + patience(5000);
	while (!peer_name(fd) && now_ms() < until)
		sleep_ms(1);
	FAILS(ENOTCONN, peer_name(fd));
	FAILS(ENOTCONN, shutdown(fd, SHUT_RD));
	FAILS(EISCONN, connect_fd(fd, 1));
	ctl_sync("OVER");
	close(fd);
}

static void just_close(void)
{
	close(meet());
}

/* shutdown(WR), then close(): this side never reads the peer's data,
 * R-4.8.1-18.
 */
static void shutdown_then_close(void)
{
	int i, fd;

	for (i = 0; i < 10; i++) {
		fd = meet();
		if (cfg.server) {
			expect_end(fd);
		} else {
			RETURNS(0, shutdown(fd, SHUT_WR));
			RETURNS(0, shutdown(fd, SHUT_WR));
		}
		ctl_sync("SHUT");
		close(fd);
	}
}

/* Checks that close() with SO_LINGER and a time returns when the peer has taken
 * all data.
 */
static void linger_client(void)
{
	struct linger l = { .l_onoff = 1, .l_linger = 10 };
	uint64_t start;
	struct stream out;
	int fd = meet();

	OK(setsockopt(fd, SOL_SOCKET, SO_LINGER, &l, sizeof(l)));
	stream_init(&out, 0);
	ctl_send_u64("SENT", fill_window(fd, &out));
	start = now_ms();
	close(fd);
	CHECK(now_ms() - start < (uint64_t)patience(9000), "close() lingered %llu ms",
	      (unsigned long long)(now_ms() - start));
	ctl_sync("CLOSED");
}

static void linger_server(void)
{
	struct stream in;
	int fd = meet();
	uint64_t sent;

	stream_init(&in, 0);
	sent = ctl_wait_u64("SENT");
	sleep_ms(QUIET_MS);
	RETURNS(sent, recv_to_end(fd, &in));
	close(fd);
	ctl_sync("CLOSED");
}

static const struct peer_case close_cases[] = {
	{ "half_close_by_client", half_close_by_client, half_close_by_client },
	{ "half_close_by_server", half_close_by_server, half_close_by_server },
	{ "half_close_both", half_close_both, half_close_both },
	{ "shut_rd_by_client", shut_rd_here, shut_rd_there },
	{ "shut_rd_by_server", shut_rd_there, shut_rd_here },
	{ "shut_rd_wakes_reader", shut_rd_wakes_client, wait_for_over },
	{ "shut_rdwr_by_client", shut_rdwr_here, shut_rdwr_there },
	{ "shut_rdwr_by_server", shut_rdwr_there, shut_rdwr_here },
	{ "close_pending", close_pending_client, close_pending_server },
	{ "close_after_send", close_after_send_client, close_after_send_server },
	{ "close_crossing", close_crossing, close_crossing },
	{ "close_crosses_shutdown", close_crosses_shutdown, close_crosses_shutdown },
	{ "send_to_closed", send_to_closed_client, just_close },
	{ "first_send_to_closed", first_send_client, first_send_server },
	{ "first_send_to_shut", first_send_shut_client, first_send_shut_server },
	{ "shut_both_unread", shut_unread_here, shut_unread_there },
	{ "name_until_end", name_until_end, name_until_end },
	{ "shutdown_then_close", shutdown_then_close, shutdown_then_close },
	{ "linger", linger_client, linger_server },
};

CASE_GROUP(group_close, close);

// SPDX-License-Identifier: GPL-2.0
/* Tests connect(), blocking and nonblocking, and its failures. */
#include <fcntl.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "groups.h"
#include "util.h"

enum {
	FILLERS = 4,
	TRICKLE = 20,
	CONNECT_MS = 10000,
};

/*
 * A port that never answers: a TCP listener whose short queue is full of
 * connections from this program. The listener is plain TCP, because this test
 * is about the client.
 */
static void mute_port(void)
{
	enum family own = cfg.family;
	int fds[FILLERS], i;
	uint16_t port;
	int lfd;

	cfg.family = family_is_v6(own) ? FAMILY_TCP6 : FAMILY_TCP;
	lfd = new_listener(0, &port);
	for (i = 0; i < FILLERS; i++) {
		fds[i] = new_socket(SOCK_NONBLOCK);
		if (!cfg.single)	/* the wildcard means this host */
			strcpy(cfg.host, family_is_v6(own) ? "::1" : "127.0.0.1");
		connect_fd(fds[i], port);
	}
	sleep_ms(50);
	ctl_send_u64("PORT", port);
	ctl_sync("OVER");
	for (i = 0; i < FILLERS; i++)
		close(fds[i]);
	close(lfd);
}

static void connecting_client(void)
{
	uint16_t port = ctl_wait_u64("PORT");
	int fd = new_socket(SOCK_NONBLOCK);
	struct sockaddr_storage ss;
	socklen_t len = sizeof(ss);
	char c;

	FAILS(EINPROGRESS, connect_fd(fd, port));
	FAILS(EALREADY, connect_fd(fd, port));
	CHECK(!(poll_ms(fd, POLLOUT | POLLIN, 50) & (POLLOUT | POLLIN)),
	      "ready while connecting");
	RETURNS(0, get_int(fd, SOL_SOCKET, SO_ERROR));
	FAILS(EAGAIN, send(fd, "x", 1, MSG_NOSIGNAL));
	FAILS(EAGAIN, recv(fd, &c, 1, 0));
	FAILS(ENOTCONN, getpeername(fd, (struct sockaddr *)&ss, &len));
	CHECK(local_port(fd), "no local port while connecting");
	FAILS(EALREADY, connect_fd(fd, port));
	close(fd);
	ctl_sync("OVER");
}

/* Checks that SO_SNDTIMEO bounds connect() too. */
static void connect_timeout_client(void)
{
	struct timeval tv = { .tv_usec = 200000 };
	uint16_t port = ctl_wait_u64("PORT");
	int fd = new_socket(0);
	uint64_t start = now_ms();

	OK(setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof(tv)));
	FAILS(EINPROGRESS, connect_fd(fd, port));
	CHECK(now_ms() - start >= EARLIEST_MS &&
	      now_ms() - start < (uint64_t)patience(1500),
	      "connect gave up after %llu ms",
	      (unsigned long long)(now_ms() - start));
	close(fd);
	ctl_sync("OVER");
}

/* Checks that TCP gives up by its own rules, and the application gets its
 * errno.
 */
static void connect_gives_up_client(void)
{
	uint16_t port = ctl_wait_u64("PORT");
	int fd = new_socket(0);

	set_int(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, 300);
	FAILS(ETIMEDOUT, connect_fd(fd, port));
	close(fd);
	ctl_sync("OVER");
}

static void ignore_signal(int sig)
{
	(void)sig;
}

static void connect_interrupted_client(void)
{
	struct sigaction sa = { .sa_handler = ignore_signal };
	uint16_t port = ctl_wait_u64("PORT");
	int fd = new_socket(0);

	OK(sigaction(SIGALRM, &sa, NULL));
	/* The first signal may arrive before the call. */
	ualarm(100000, 100000);
	FAILS(EINTR, connect_fd(fd, port));
	ualarm(0, 0);
	set_nonblock(fd, true);
	FAILS(EALREADY, connect_fd(fd, port));
	close(fd);
	ctl_sync("OVER");
}

static int connect_mute(void *arg)
{
	const int *to = arg;

	return connect_fd(to[0], to[1]);
}

/* Checks that shutdown() ends a connect() that is under way, and that the
 * socket can connect again.
 */
static void shutdown_connecting_client(void)
{
	uint16_t port = ctl_wait_u64("PORT");
	int fd = new_socket(SOCK_NONBLOCK);
	int to[] = { fd, port };
	struct task t;

	FAILS(EINPROGRESS, connect_fd(fd, port));
	RETURNS(0, shutdown(fd, SHUT_WR));
	RETURNS(POLLOUT | POLLHUP | POLLERR,
		poll_ms(fd, POLLIN | POLLOUT | POLLRDHUP, 50));
	RETURNS(ECONNRESET, get_int(fd, SOL_SOCKET, SO_ERROR));
	FAILS(ENOTCONN, shutdown(fd, SHUT_WR));
	FAILS(EINPROGRESS, connect_fd(fd, port));
	RETURNS(0, get_int(fd, SOL_SOCKET, SO_ERROR));
	RETURNS(0, shutdown(fd, SHUT_RDWR));
	set_nonblock(fd, false);
	task_start(&t, connect_mute, to);
	task_blocked(&t, 50);
	RETURNS(0, shutdown(fd, SHUT_RD));
	RETURNS(-1, task_join(&t));
	RETURNS(ECONNRESET, t.err);
	set_nonblock(fd, true);
	FAILS(EINPROGRESS, connect_fd(fd, port));
	close(fd);
	ctl_sync("OVER");
}

/* Closes a socket while its connect() is under way, many times. */
static void close_connecting_client(void)
{
	uint16_t port = ctl_wait_u64("PORT");
	int i, fd;

	for (i = 0; i < TRICKLE; i++) {
		fd = new_socket(SOCK_NONBLOCK);
		FAILS(EINPROGRESS, connect_fd(fd, port));
		close(fd);
	}
	ctl_sync("OVER");
}

static void await_connected(int fd)
{
	await(fd, POLLOUT, CONNECT_MS);
	RETURNS(0, get_int(fd, SOL_SOCKET, SO_ERROR));
	check_mode(fd);
}

/* Checks that after success connect() returns 0 once (the result of the first
 * call), or directly EISCONN.
 */
static void nonblocking_client(void)
{
	uint16_t port = ctl_wait_u64("PORT");
	int fd = new_socket(SOCK_NONBLOCK);
	int ret;
	char c;

	ret = connect_fd(fd, port);
	CHECK(!ret || errno == EINPROGRESS, "connect: %s", strerrorname(errno));
	await_connected(fd);
	ret = connect_fd(fd, port);
	CHECK(!ret || errno == EISCONN, "connect: %s", strerrorname(errno));
	FAILS(EISCONN, connect_fd(fd, port));
	FAILS(EAGAIN, recv(fd, &c, 1, 0));
	RETURNS(1, send(fd, "x", 1, 0));
	AWAIT(fd, POLLIN);
	RETURNS(1, recv(fd, &c, 1, 0));
	CHECK(c == 'x', "got %c", c);
	close(fd);
}

static void echo_one(void)
{
	uint16_t port;
	int lfd = new_listener(4, &port);
	int fd;
	char c;

	ctl_send_u64("PORT", port);
	fd = accept_from(lfd);
	recv_all(fd, &c, 1);
	send_all(fd, &c, 1);
	expect_end(fd);
}

/* Sends after a nonblocking connect, as soon as the socket allows it. */
static void eager_client(void)
{
	uint16_t port = ctl_wait_u64("PORT");
	int fd = new_socket(SOCK_NONBLOCK);
	ssize_t n;
	char c;

	connect_fd(fd, port);
	do {
		n = send(fd, "e", 1, MSG_NOSIGNAL);
		CHECK(n == 1 || errno == EAGAIN, "send: %s", strerrorname(errno));
	} while (n < 0 && await(fd, POLLOUT, CONNECT_MS));
	AWAIT(fd, POLLIN);
	RETURNS(1, recv(fd, &c, 1, 0));
	close(fd);
}

static int blocking_connect(void *arg)
{
	return connect_fd(*(int *)arg, ctl_wait_u64("AGAIN"));
}

static int blocking_send(void *arg)
{
	return send(*(int *)arg, "b", 1, 0);
}

/* Checks that a blocking send waits until the nonblocking connect of the same
 * socket has ended.
 */
static void send_waits_client(void)
{
	uint16_t port = ctl_wait_u64("PORT");
	int fd = new_socket(SOCK_NONBLOCK);
	struct task t;
	char c;

	connect_fd(fd, port);
	set_nonblock(fd, false);
	task_start(&t, blocking_send, &fd);
	RETURNS(1, task_join(&t));
	recv_all(fd, &c, 1);
	CHECK(c == 'b', "got %c", c);
	check_mode(fd);
	close(fd);
}

/* Finds a port where nobody listens; only the server can do that. */
static void closed_port(void)
{
	uint16_t port;

	close(new_listener(1, &port));
	ctl_send_u64("PORT", port);
	ctl_sync("OVER");
}

static void refused_client(void)
{
	uint16_t port = ctl_wait_u64("PORT");
	int fd = new_socket(0);
	int ret, got;

	FAILS(ECONNREFUSED, connect_fd(fd, port));
	RETURNS(0, get_int(fd, SOL_SOCKET, SO_ERROR));
	close(fd);
	fd = new_socket(SOCK_NONBLOCK);
	ret = connect_fd(fd, port);
	CHECK(ret < 0, "connect to a closed port: 0");
	if (errno == EINPROGRESS) {
		got = await(fd, POLLOUT, 5000);
		CHECK((got & (POLLERR | POLLHUP)) == (POLLERR | POLLHUP),
		      "poll says %#x", got);
		RETURNS(ECONNREFUSED, get_int(fd, SOL_SOCKET, SO_ERROR));
	} else {
		CHECK(errno == ECONNREFUSED, "connect: %s", strerrorname(errno));
	}
	RETURNS(0, get_int(fd, SOL_SOCKET, SO_ERROR));
	close(fd);
	ctl_sync("OVER");
}

/* Checks that one read reports why there is no connection; the next read sees
 * the end.
 */
static void refused_recv_client(void)
{
	uint16_t port = ctl_wait_u64("PORT");
	int fd = new_socket(SOCK_NONBLOCK);
	char c;

	FAILS(ENOTCONN, recv(fd, &c, 1, 0));
	FAILS(EINPROGRESS, connect_fd(fd, port));
	await(fd, POLLOUT, CONNECT_MS);
	FAILS(ECONNREFUSED, recv(fd, &c, 1, 0));
	RETURNS(0, get_int(fd, SOL_SOCKET, SO_ERROR));
	RETURNS(0, recv(fd, &c, 1, 0));
	FAILS(EPIPE, send(fd, &c, 1, MSG_NOSIGNAL));
	FAILS(ECONNABORTED, connect_fd(fd, port));
	FAILS(ENOTCONN, recv(fd, &c, 1, 0));
	close(fd);
	ctl_sync("OVER");
}

/* Returns the events of the first poll() that reports the end. */
static int poll_until_dead(void *arg)
{
	struct pollfd p = { *(int *)arg, POLLIN | POLLOUT | POLLRDHUP, 0 };
	uint64_t end = now_ms() + patience(CONNECT_MS);

	do {
		poll(&p, 1, 0);
	} while (!(p.revents & POLLRDHUP) && now_ms() < end);
	return p.revents;
}

/* Checks that every program that sees the end of a failed connect() also sees
 * its error.
 */
static void refused_polled_client(void)
{
	uint16_t port = ctl_wait_u64("PORT");
	struct task t;
	int i, fd;

	for (i = 0; i < TRICKLE; i++) {
		fd = new_socket(SOCK_NONBLOCK);
		task_start(&t, poll_until_dead, &fd);
		FAILS(EINPROGRESS, connect_fd(fd, port));
		RETURNS(POLLERR | POLLRDHUP,
			task_join(&t) & (POLLERR | POLLRDHUP));
		RETURNS(ECONNREFUSED, get_int(fd, SOL_SOCKET, SO_ERROR));
		close(fd);
	}
	ctl_sync("OVER");
}

/* Checks that after a refused connect(), the program can call connect() again
 * on this socket.
 */
static void refused_retry_server(void)
{
	uint16_t port;
	int lfd, fd;
	char c;

	lfd = new_listener(1, &port);
	close(lfd);
	ctl_send_u64("PORT", port);
	ctl_wait("REFUSED");
	lfd = new_listener(1, &port);
	ctl_send_u64("AGAIN", port);
	fd = accept_from(lfd);
	recv_all(fd, &c, 1);
}

static void refused_retry_client(void)
{
	uint16_t port = ctl_wait_u64("PORT");
	int fd = new_socket(0);

	FAILS(ECONNREFUSED, connect_fd(fd, port));
	ctl_send("REFUSED");
	RETURNS(0, blocking_connect(&fd));
	check_mode(fd);
	send_all(fd, "x", 1);
	close(fd);
}

/* Connects to TEST-NET-2 and the IPv6 documentation prefix: there is no route,
 * or no answer.
 */
static void unreachable_client(void)
{
	bool v6 = family_is_v6(cfg.family);
	enum family own = cfg.family;
	int fd, err;

	strcpy(cfg.host, v6 ? "2001:db8::1" : "198.51.100.1");
	cfg.family = v6 ? FAMILY_TCP6 : FAMILY_TCP;
	fd = new_socket(SOCK_NONBLOCK);
	err = connect_fd(fd, 9) < 0 ? errno : 0;
	close(fd);
	if (err != ENETUNREACH)
		skip_case("there is a route to %s", cfg.host);
	cfg.family = own;
	fd = new_socket(0);
	FAILS(ENETUNREACH, connect_fd(fd, 9));
	close(fd);
	fd = new_socket(SOCK_NONBLOCK);
	FAILS(ENETUNREACH, connect_fd(fd, 9));
}

/* Closes a listener with connections that it never accepted. */
static void listener_closes_server(void)
{
	uint16_t port;
	int lfd = new_listener(8, &port);

	ctl_send_u64("PORT", port);
	ctl_wait("CONNECTED");
	AWAIT(lfd, POLLIN);
	close(lfd);
	ctl_sync("OVER");
}

static void listener_closes_client(void)
{
	uint16_t port = ctl_wait_u64("PORT");
	int fds[4], i;
	char c;

	for (i = 0; i < 4; i++)
		fds[i] = connect_to(port);
	ctl_send("CONNECTED");
	for (i = 0; i < 4; i++) {
		AWAIT(fds[i], POLLIN);
		if (recv(fds[i], &c, 1, 0) > 0)
			fail("data from a listener");
		close(fds[i]);
	}
	ctl_sync("OVER");
}

/* Connections that end before accept() must not harm the listener. */
static void early_gone_client(void)
{
	uint16_t port = ctl_wait_u64("PORT");
	struct linger l = { .l_onoff = 1 };
	int i, fd;

	for (i = 0; i < 4; i++) {
		fd = connect_to(port);
		if (i & 1)
			OK(setsockopt(fd, SOL_SOCKET, SO_LINGER, &l, sizeof(l)));
		else
			send_all(fd, "g", 1);
		close(fd);
	}
	fd = connect_to(port);
	send_all(fd, "x", 1);
	ctl_sync("GONE");
	expect_end(fd);
}

/*
 * The stack decides whether accept() still returns a connection that was reset,
 * and in what order it returns the others.
 */
static void early_gone_server(void)
{
	bool last_came = false;
	int fd, clean = 0;
	uint16_t port;
	int lfd = new_listener(8, &port);
	char c = 0;

	ctl_send_u64("PORT", port);
	ctl_sync("GONE");
	while (clean < 2 || !last_came) {
		AWAIT(lfd, POLLIN);
		fd = OK(accept(lfd, NULL, NULL));
		if (recv(fd, &c, 1, 0) == 1 && c == 'x') {
			last_came = true;
		} else if (c == 'g') {
			expect_end(fd);
			clean++;
		}
		c = 0;
		close(fd);
	}
}

static int disconnect(int fd)
{
	struct sockaddr_storage ss = { .ss_family = AF_UNSPEC };

	return connect(fd, (struct sockaddr *)&ss, sizeof(ss));
}

static int recv_one(void *arg)
{
	char c;

	return recv(*(int *)arg, &c, 1, 0);
}

/* Connects a socket that was disconnected, and sends one byte. The connection
 * may use TCP.
 */
static void connect_again(int fd, uint16_t port)
{
	struct sockaddr_storage ss;
	socklen_t len = sizeof(ss);

	FAILS(ENOTCONN, getpeername(fd, (struct sockaddr *)&ss, &len));
	set_nonblock(fd, false);
	OK(connect_fd(fd, port));
	RETURNS(0, get_int(fd, SOL_SOCKET, SO_ERROR));
	send_all(fd, "x", 1);
	RETURNS(0, shutdown(fd, SHUT_WR));
	expect_end(fd);
	close(fd);
}

/* Checks that connect(AF_UNSPEC) resets a connection. Calls that wait end, and
 * the socket can connect again.
 */
static void disconnect_client(void)
{
	uint16_t port = ctl_wait_u64("PORT");
	int fd = connect_to(port);
	struct task t;
	char c;

	/* a handshake that is reset before its end gives no connection */
	ctl_wait("TAKEN");
	task_start(&t, recv_one, &fd);
	task_blocked(&t, 50);
	OK(disconnect(fd));
	RETURNS(-1, task_join(&t));
	connect_again(fd, port);

	/* the error stays until a call returns it */
	fd = connect_to(port);
	RETURNS(0, shutdown(fd, SHUT_WR));
	ctl_wait("SHUT");
	OK(disconnect(fd));
	connect_again(fd, port);
	fd = connect_to(port);
	ctl_wait("TAKEN");
	OK(disconnect(fd));
	CHECK(poll_ms(fd, POLLIN, 0) & POLLERR, "no POLLERR");
	FAILS(ECONNRESET, recv(fd, &c, 1, 0));
	FAILS(ENOTCONN, recv(fd, &c, 1, 0));
	FAILS(EPIPE, send(fd, &c, 1, MSG_NOSIGNAL));
	connect_again(fd, port);
}

/* The connection may have ended already, and then it has no mode to check. */
static int accept_any(int lfd)
{
	AWAIT(lfd, POLLIN);
	return OK(accept(lfd, NULL, NULL));
}

static void take_again(int lfd)
{
	int fd = accept_any(lfd);
	char c;

	recv_all(fd, &c, 1);
	expect_end(fd);
	close(fd);
}

static void disconnect_server(void)
{
	uint16_t port;
	int lfd = new_listener(4, &port);
	int fd;

	ctl_send_u64("PORT", port);
	fd = accept_any(lfd);
	ctl_send("TAKEN");
	expect_recv_error(fd, ECONNRESET);
	close(fd);
	take_again(lfd);
	fd = accept_any(lfd);
	expect_end(fd);
	ctl_send("SHUT");
	take_again(lfd);
	close(fd);
	fd = accept_any(lfd);
	ctl_send("TAKEN");
	expect_recv_error(fd, ECONNRESET);
	close(fd);
	take_again(lfd);
}

/* Checks that connect(AF_UNSPEC) ends a connect() that is under way. */
static void disconnect_early_client(void)
{
	uint16_t port = ctl_wait_u64("PORT");
	int i, fd;

	for (i = 0; i < TRICKLE; i++) {
		fd = new_socket(SOCK_NONBLOCK);
		FAILS(EINPROGRESS, connect_fd(fd, port));
		if (i & 1)
			sleep_ms(i / 4);
		OK(disconnect(fd));
		OK(disconnect(fd));
		if (i == TRICKLE - 1)
			connect_again(fd, port);
		close(fd);
	}
}

static void disconnect_early_server(void)
{
	uint16_t port;
	int lfd = new_listener(TRICKLE, &port);
	bool last = false;
	int fd;
	char c;

	ctl_send_u64("PORT", port);
	while (!last) {
		AWAIT(lfd, POLLIN);
		fd = OK(accept(lfd, NULL, NULL));
		last = recv(fd, &c, 1, 0) == 1;
		if (last)
			expect_end(fd);
		close(fd);
	}
}

static const struct peer_case connect_cases[] = {
	{ "connect_under_way", connecting_client, mute_port },
	{ "connect_sndtimeo", connect_timeout_client, mute_port },
	{ "connect_gives_up", connect_gives_up_client, mute_port },
	{ "connect_interrupted", connect_interrupted_client, mute_port },
	{ "shutdown_connecting", shutdown_connecting_client, mute_port },
	{ "close_connecting", close_connecting_client, mute_port },
	{ "connect_nonblocking", nonblocking_client, echo_one },
	{ "connect_then_send", eager_client, echo_one },
	{ "connect_blocks_send", send_waits_client, echo_one },
	{ "connect_refused", refused_client, closed_port },
	{ "connect_refused_recv", refused_recv_client, closed_port },
	{ "connect_refused_polled", refused_polled_client, closed_port },
	{ "connect_refused_retry", refused_retry_client, refused_retry_server },
	{ "connect_unreachable", unreachable_client },
	{ "listener_closes", listener_closes_client, listener_closes_server },
	{ "disconnect", disconnect_client, disconnect_server },
	{ "disconnect_early", disconnect_early_client, disconnect_early_server },
	{ "gone_before_accept", early_gone_client, early_gone_server },
};

CASE_GROUP(group_connect, connect);

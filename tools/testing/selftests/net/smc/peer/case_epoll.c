// SPDX-License-Identifier: GPL-2.0
/* Tests that poll, select and epoll report exactly what recv, send and accept
 * would do (R-B-06).
 */
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <unistd.h>

#include "groups.h"
#include "util.h"

enum {
	CLIENTS = 64,
	MESSAGES = 40,
	MAX_MESSAGE = 20000,
	QUIET_MS = 100,
};

/* A client socket that talks to the edge-triggered echo server. */
struct echo {
	int fd;
	size_t have;		/* bytes in buf */
	size_t sent;		/* of them */
	bool ended;
	char buf[MAX_MESSAGE];
};

/* Receives all available bytes, and sends back as many as fit. */
static void echo_once(struct echo *e)
{
	ssize_t n = 1;

	while (n > 0 && e->have < sizeof(e->buf)) {
		n = recv(e->fd, e->buf + e->have, sizeof(e->buf) - e->have, 0);
		if (n > 0)
			e->have += n;
		else if (n == 0)
			e->ended = true;
		else if (errno != EAGAIN)
			fail("recv: %s", strerrorname(errno));
	}
	n = 1;
	while (n > 0 && e->sent < e->have) {
		n = send(e->fd, e->buf + e->sent, e->have - e->sent, MSG_NOSIGNAL);
		if (n > 0)
			e->sent += n;
		else if (errno != EAGAIN)
			fail("send: %s", strerrorname(errno));
	}
	if (e->sent < e->have)
		return;
	e->sent = 0;
	e->have = 0;
}

static int accept_all(int ep, int lfd)
{
	struct epoll_event ev = { .events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET };
	struct echo *e;
	int fd, nr = 0;

	while ((fd = accept4(lfd, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
		e = calloc(1, sizeof(*e));
		e->fd = fd;
		ev.data.ptr = e;
		OK(epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev));
		nr++;
	}
	CHECK(errno == EAGAIN, "accept: %s", strerrorname(errno));
	return nr;
}

/* One thread serves the listener and all connections, edge-triggered. */
static void echo_server(void)
{
	struct epoll_event events[16], ev = { .events = EPOLLIN | EPOLLET };
	int ep = OK(epoll_create1(0));
	int accepted = 0, ended = 0;
	uint16_t port;
	int lfd = new_listener(CLIENTS, &port);
	int i, n;

	set_nonblock(lfd, true);
	OK(epoll_ctl(ep, EPOLL_CTL_ADD, lfd, &ev));
	ctl_send_u64("PORT", port);
	while (ended < CLIENTS) {
		n = OK(epoll_wait(ep, events, ARRAY_SIZE(events), patience(8000)));
		CHECK(n, "no event; %d clients accepted, %d ended", accepted, ended);
		for (i = 0; i < n; i++) {
			struct echo *e = events[i].data.ptr;

			if (!e) {
				accepted += accept_all(ep, lfd);
				continue;
			}
			echo_once(e);
			if (!e->ended)
				continue;
			close(e->fd);
			free(e);
			ended++;
		}
	}
	RETURNS(CLIENTS, accepted);
}

static void echo_clients(void)
{
	uint16_t port = ctl_wait_u64("PORT");
	struct stream out[CLIENTS], in[CLIENTS];
	uint64_t rnd = 1;
	int fds[CLIENTS];
	size_t len[CLIENTS];
	int i, round;

	for (i = 0; i < CLIENTS; i++) {
		fds[i] = connect_to(port);
		stream_init(&out[i], i);
		stream_init(&in[i], i);
	}
	for (round = 0; round < (int)scaled(MESSAGES, 10); round++) {
		for (i = 0; i < CLIENTS; i++) {
			len[i] = 1 + random_below(&rnd, MAX_MESSAGE);
			send_stream(fds[i], &out[i], len[i], len[i]);
		}
		for (i = 0; i < CLIENTS; i++)
			recv_stream(fds[i], &in[i], len[i], len[i]);
	}
	for (i = 0; i < CLIENTS; i++)
		close(fds[i]);
}

/* Checks that level-triggered epoll reports an event as long as its cause
 * lasts.
 */
static void level_client(void)
{
	int fd = meet();
	char buf[10];
	int i;

	/* R-B-06 */
	CHECK(poll_ms(fd, POLLIN | POLLOUT, 0) == POLLOUT,
	      "a fresh connection is not just writable");
	ctl_sync("SEND");
	AWAIT(fd, POLLIN);
	for (i = 0; i < 10; i++) {
		CHECK(poll_ms(fd, POLLIN, 0) == POLLIN, "POLLIN lost at byte %d", i);
		recv_all(fd, buf, 1);
	}
	CHECK(!poll_ms(fd, POLLIN, 0), "POLLIN with nothing to read");
	ctl_sync("READ");
	AWAIT(fd, POLLIN);
	/* R-B-06 */
	CHECK(poll_ms(fd, POLLIN | POLLRDHUP | POLLOUT, 0) ==
	      (POLLIN | POLLRDHUP | POLLOUT), "events at the end of the stream: %#x",
	      poll_ms(fd, POLLIN | POLLRDHUP | POLLOUT, 0));
	RETURNS(0, recv(fd, buf, 1, 0));
	CHECK(poll_ms(fd, POLLIN, 0) == POLLIN, "the end was read, and POLLIN is gone");
	RETURNS(0, shutdown(fd, SHUT_WR));
	CHECK(poll_ms(fd, POLLIN, 0) & POLLHUP, "no POLLHUP with both ways shut");
	close(fd);
}

static void level_server(void)
{
	int fd = meet();

	ctl_sync("SEND");
	send_all(fd, "0123456789", 10);
	ctl_sync("READ");
	RETURNS(0, shutdown(fd, SHUT_WR));
	expect_end(fd);
	close(fd);
}

/* Checks that the end of the peer's data gives EPOLLRDHUP, without EPOLLHUP
 * while we may still send.
 */
static void rdhup_client(void)
{
	struct epoll_event ev = { .events = EPOLLRDHUP | EPOLLET };
	int ep = OK(epoll_create1(0));
	int fd = meet();

	OK(epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev));
	ctl_sync("DATA");
	RETURNS(0, epoll_wait(ep, &ev, 1, QUIET_MS));
	ctl_sync("END");
	RETURNS(1, epoll_wait(ep, &ev, 1, patience(5000)));
	/* R-B-06 */
	CHECK(ev.events == EPOLLRDHUP, "events %#x", ev.events);
	close(fd);
	RETURNS(0, epoll_wait(ep, &ev, 1, 0));
}

static void rdhup_server(void)
{
	int fd = meet();

	ctl_sync("DATA");
	send_all(fd, "x", 1);
	ctl_sync("END");
	RETURNS(0, shutdown(fd, SHUT_WR));
	AWAIT(fd, POLLHUP | POLLERR | POLLIN);
}

/* Checks that each arrival of data gives one edge, even if the program has not
 * read earlier bytes.
 */
static void edge_client(void)
{
	struct epoll_event ev = { .events = EPOLLIN | EPOLLET };
	int ep = OK(epoll_create1(0));
	int fd = meet();
	int i;

	OK(epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev));
	for (i = 1; i <= 5; i++) {
		ctl_send("SEND");
		RETURNS(1, epoll_wait(ep, &ev, 1, patience(5000)));
		/* R-B-06 */
		CHECK(ev.events == EPOLLIN, "events %#x", ev.events);
		await_bytes(fd, i);
		RETURNS(0, epoll_wait(ep, &ev, 1, 20));
	}
	close(fd);
}

static void edge_server(void)
{
	int fd = meet();
	int i;

	for (i = 0; i < 5; i++) {
		ctl_wait("SEND");
		send_all(fd, "x", 1);
	}
}

/* The program registers the socket before it connects; events work in every
 * later mode.
 */
static void early_client(void)
{
	struct epoll_event ev = { .events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET };
	uint16_t port = ctl_wait_u64("PORT");
	int ep = OK(epoll_create1(0));
	int fd = new_socket(SOCK_NONBLOCK);
	char c;
	int err;

	OK(epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev));
	/* This case does not test events of an unconnected socket. */
	epoll_wait(ep, &ev, 1, 0);
	err = connect_fd(fd, port);
	CHECK(!err || errno == EINPROGRESS, "connect: %s", strerrorname(errno));
	do
		RETURNS(1, epoll_wait(ep, &ev, 1, patience(8000)));
	while (!(ev.events & EPOLLOUT));
	/* R-B-06 */
	RETURNS(0, get_int(fd, SOL_SOCKET, SO_ERROR));
	check_mode(fd);
	ctl_send("CONNECTED");
	do
		RETURNS(1, epoll_wait(ep, &ev, 1, patience(5000)));
	while (!(ev.events & EPOLLIN));
	RETURNS(1, recv(fd, &c, 1, 0));
	FAILS(EAGAIN, recv(fd, &c, 1, 0));
	ctl_send("END");
	do
		RETURNS(1, epoll_wait(ep, &ev, 1, patience(5000)));
	while (!(ev.events & EPOLLRDHUP));
	RETURNS(0, recv(fd, &c, 1, 0));
}

static void early_server(void)
{
	struct epoll_event ev = { .events = EPOLLIN };
	int ep = OK(epoll_create1(0));
	uint16_t port;
	int lfd = new_listener(1, &port);
	int fd;

	OK(epoll_ctl(ep, EPOLL_CTL_ADD, lfd, &ev));
	RETURNS(0, epoll_wait(ep, &ev, 1, 0));
	ctl_send_u64("PORT", port);
	RETURNS(1, epoll_wait(ep, &ev, 1, patience(8000)));
	CHECK(ev.events == EPOLLIN, "listener: events %#x", ev.events);
	fd = accept_from(lfd);
	RETURNS(0, epoll_wait(ep, &ev, 1, 0));
	ctl_wait("CONNECTED");
	send_all(fd, "x", 1);
	ctl_wait("END");
	close(fd);
}

static void select_client(void)
{
	struct timeval tv = { .tv_sec = patience(5000) / 1000 };
	fd_set in, out;
	int fd = meet();

	FD_ZERO(&in);
	FD_ZERO(&out);
	FD_SET(fd, &in);
	FD_SET(fd, &out);
	RETURNS(1, select(fd + 1, &in, &out, NULL, &tv));
	CHECK(FD_ISSET(fd, &out) && !FD_ISSET(fd, &in), "not just writable");
	ctl_send("SEND");
	FD_SET(fd, &in);
	RETURNS(1, select(fd + 1, &in, NULL, NULL, &tv));
	/* R-B-06 */
	CHECK(FD_ISSET(fd, &in), "not readable");
}

static void select_server(void)
{
	int fd = meet();

	ctl_wait("SEND");
	send_all(fd, "x", 1);
}

/* A thread sleeps in poll() when the event happens. */
static int poll_in(void *arg)
{
	return poll_ms(*(int *)arg, POLLIN, patience(5000));
}

static int poll_out(void *arg)
{
	return poll_ms(*(int *)arg, POLLOUT, patience(5000));
}

static void sleepers_client(void)
{
	struct task in, out;
	struct stream s;
	int fd = meet();

	stream_init(&s, 0);
	ctl_send_u64("SENT", fill_window(fd, &s));
	task_start(&in, poll_in, &fd);
	task_start(&out, poll_out, &fd);
	task_blocked(&in, 50);
	task_blocked(&out, 0);
	ctl_send("READ");
	RETURNS(POLLOUT, task_join(&out));
	task_blocked(&in, 0);
	ctl_send("WRITE");
	RETURNS(POLLIN, task_join(&in));
}

static void sleepers_server(void)
{
	struct stream s;
	int fd = meet();
	uint64_t n;

	stream_init(&s, 0);
	n = ctl_wait_u64("SENT");
	ctl_wait("READ");
	recv_stream(fd, &s, n, 16 * KIB);
	ctl_wait("WRITE");
	send_all(fd, "x", 1);
}

static const struct peer_case epoll_cases[] = {
	{ "epoll_edge_server", echo_clients, echo_server, .limit_s = 40 },
	{ "poll_level", level_client, level_server },
	{ "epoll_rdhup", rdhup_client, rdhup_server },
	{ "epoll_edges", edge_client, edge_server },
	{ "epoll_before_connect", early_client, early_server },
	{ "select", select_client, select_server },
	{ "poll_sleepers", sleepers_client, sleepers_server },
};

CASE_GROUP(group_epoll, epoll);

// SPDX-License-Identifier: GPL-2.0
/*
 * With fail-nth of the kernel, the allocations of a call fail one after the
 * other, each in another run of the call. The call still works or returns an
 * error. The connection works after a success and after an error. The case
 * needs a kernel with fault injection. failslab and fail_page_alloc of this
 * kernel must not ignore allocations that may sleep.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "groups.h"
#include "util.h"

enum {
	MOST = 300,		/* allocations of one call */
	PIECE = 6000,
};

static int fault_fd = -1;
static unsigned int injected;

static void arm(int nth)
{
	char text[12];
	int n = snprintf(text, sizeof(text), "%d", nth);

	if (fault_fd < 0)
		fault_fd = open("/proc/thread-self/fail-nth", O_RDWR);
	if (fault_fd < 0)
		skip_case("this kernel has no fault injection");
	RETURNS(n, pwrite(fault_fd, text, n, 0));
}

/* Has the fault happened in the call? Disarms the fault. */
static bool met(void)
{
	int saved = errno;
	char text[12] = "";
	bool was;

	OK(pread(fault_fd, text, sizeof(text) - 1, 0));
	was = text[0] == '0';
	arm(0);
	injected += was;
	errno = saved;
	return was;
}

static void check_memory_error(const char *call, long ret)
{
	CHECK(ret >= 0 || errno == ENOMEM || errno == ENOBUFS || errno == EAGAIN ||
	      errno == ENFILE || errno == EMFILE, "%s: %s", call, strerrorname(errno));
}

static void fault_socket(void)
{
	bool more = true;
	int nth, fd;

	for (nth = 1; more && nth < MOST; nth++) {
		arm(nth);
		fd = new_socket_of(cfg.family, 0);
		more = met();
		check_memory_error("socket", fd);
		if (fd >= 0)
			close(fd);
	}
	CHECK(!more, "a call with %d allocations", MOST);
	CHECK(injected, "no allocation failed");
	note("%u faults", injected);
}

static void fault_listen(void)
{
	bool more = true;
	int nth, fd, ret;

	for (nth = 1; more && nth < MOST; nth++) {
		fd = new_socket(0);
		arm(nth);
		ret = listen(fd, 5);
		more = met();
		/* TCP returns this errno if it has no memory for the choice of
		 * a port.
		 */
		if (ret < 0 && errno != EADDRINUSE)
			check_memory_error("listen", ret);
		close(fd);
	}
	CHECK(!more, "a call with %d allocations", MOST);
	CHECK(injected, "no allocation failed");
	note("%u faults", injected);
}

static bool echo_works(int fd)
{
	char c = 'e';

	send_all(fd, &c, 1);
	recv_all(fd, &c, 1);
	return c == 'e';
}

/* Checks that connect() may fail, but an established connection works. */
static void fault_connect_client(void)
{
	uint16_t port = ctl_wait_u64("PORT");
	int nth, fd, ret, worked = 0;
	bool more = true;

	for (nth = 1; more && nth < MOST; nth++) {
		fd = new_socket(0);
		arm(nth);
		ret = connect_fd(fd, port);
		more = met();
		check_memory_error("connect", ret);
		if (!ret) {
			CHECK(echo_works(fd), "not what was sent");
			worked++;
		}
		close(fd);
	}
	CHECK(!more, "a call with %d allocations", MOST);
	CHECK(injected, "no allocation failed");
	fd = connect_to(port);
	send_all(fd, "q", 1);
	note("%u faults, %d connections", injected, worked);
}

static void echo_server(void)
{
	uint16_t port;
	int lfd = new_listener(16, &port);
	char c = 0;
	int fd;

	ctl_send_u64("PORT", port);
	while (c != 'q') {
		fd = OK(accept(lfd, NULL, NULL));
		c = 0;
		if (recv(fd, &c, 1, 0) == 1)
			send(fd, &c, 1, MSG_NOSIGNAL);
		close(fd);
	}
}

/* A program may repeat an accept() that returned an error; no connection is
 * lost.
 */
static void fault_accept_server(void)
{
	uint16_t port;
	int lfd = new_listener(16, &port);
	bool more = true;
	int nth, fd;

	ctl_send_u64("PORT", port);
	for (nth = 1; more && nth < MOST; nth++) {
		ctl_send("DO CONNECT");
		AWAIT(lfd, POLLIN);
		arm(nth);
		fd = accept(lfd, NULL, NULL);
		more = met();
		check_memory_error("accept", fd);
		if (fd < 0 && poll_ms(lfd, POLLIN, 0))
			fd = OK(accept(lfd, NULL, NULL));
		if (fd >= 0)
			close(fd);
		ctl_wait("OVER");
	}
	ctl_send("DO NOTHING");
	CHECK(!more, "a call with %d allocations", MOST);
	CHECK(injected, "no allocation failed");
	note("%u faults", injected);
}

static void fault_accept_client(void)
{
	uint16_t port = ctl_wait_u64("PORT");
	char c;
	int fd;

	while (!strcmp(ctl_wait("DO"), "CONNECT")) {
		fd = connect_to(port);
		/* The server serves the client, or the client sees an end or a
		 * reset.
		 */
		AWAIT(fd, POLLIN);
		recv(fd, &c, 1, 0);
		close(fd);
		ctl_send("OVER");
	}
}

/* Checks that if a send fails in the middle, exactly the bytes that it has
 * reported arrive.
 */
static void fault_send_client(void)
{
	struct stream s, before;
	bool more = true;
	char buf[PIECE];
	int fd = meet();
	ssize_t n;
	int nth;

	stream_init(&s, 0);
	for (nth = 1; more && nth < MOST; nth++) {
		before = s;
		stream_fill(&s, buf, sizeof(buf));
		arm(nth);
		n = send(fd, buf, sizeof(buf), 0);
		more = met();
		check_memory_error("send", n);
		s.pos = before.pos + max_of(n, 0);
	}
	CHECK(!more, "a call with %d allocations", MOST);
	send_stream(fd, &s, PIECE, PIECE);
	RETURNS(0, shutdown(fd, SHUT_WR));
	ctl_send_u64("SENT", s.pos);
	expect_end(fd);
	note("%u faults", injected);
}

static void fault_recv_client(void)
{
	struct stream s;
	int fd = meet();

	stream_init(&s, 0);
	send_stream(fd, &s, MOST * 2000, PIECE);
	close(fd);
}

static void fault_recv_server(void)
{
	bool more = true;
	struct stream s;
	char buf[2000];
	int fd = meet();
	ssize_t n;
	int nth;

	stream_init(&s, 0);
	for (nth = 1; more && nth < MOST; nth++) {
		arm(nth);
		n = recv(fd, buf, sizeof(buf), 0);
		more = met();
		check_memory_error("recv", n);
		if (n > 0)
			stream_check(&s, buf, n);
	}
	CHECK(!more, "a call with %d allocations", MOST);
	recv_to_end(fd, &s);
	RETURNS(MOST * 2000, s.pos);
	note("%u faults", injected);
}

static const struct peer_case fault_cases[] = {
	{ "fault_socket", fault_socket },
	{ "fault_listen", fault_listen },
	{ "fault_connect", fault_connect_client, echo_server, .limit_s = 40 },
	{ "fault_accept", fault_accept_client, fault_accept_server, .limit_s = 40 },
	{ "fault_send", fault_send_client, recv_what_was_sent },
	{ "fault_recv", fault_recv_client, fault_recv_server },
};

const struct case_group group_fault = {
	"fault", fault_cases, ARRAY_SIZE(fault_cases), .by_name_only = true
};

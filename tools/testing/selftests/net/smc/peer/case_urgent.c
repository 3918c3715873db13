// SPDX-License-Identifier: GPL-2.0
/*
 * Tests urgent data (R-4.7.5-*, R-4.7.6-*, R-B-05): with every transport the
 * application must see the behaviour of TCP.
 */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "groups.h"
#include "util.h"

#ifndef SIOCATMARK
#define SIOCATMARK 0x8905
#endif

enum {
	ROUNDS = 200,
	FLOOD = 300,
	/* larger than a small window, smaller than the range of TCP's urgent
	 * pointer
	 */
	OVER_WINDOW = 40 * KIB,
};

static volatile sig_atomic_t signals;

static void count_signal(int sig)
{
	(void)sig;
	signals++;
}

static void want_sigurg(int fd)
{
	struct sigaction sa = { .sa_handler = count_signal,
				.sa_flags = SA_RESTART };

	signals = 0;
	OK(sigaction(SIGURG, &sa, NULL));
	OK(fcntl(fd, F_SETOWN, getpid()));
}

static void await_signals(int n)
{
	uint64_t until = now_ms() + patience(5000);

	while (signals < n && now_ms() < until)
		sleep_ms(1);
	RETURNS(n, signals);
}

static int at_mark(int fd)
{
	int at = -1;

	OK(ioctl(fd, SIOCATMARK, &at));
	return at;
}

static void expect_nothing(int fd)
{
	char c;

	FAILS(EAGAIN, recv(fd, &c, 1, MSG_DONTWAIT));
}

/* Sends a text of the case; the last byte of a text "!..." is urgent. */
static void say(int fd, const char *text)
{
	if (*text == '!')
		send_oob(fd, text + 1);
	else
		send_all(fd, text, strlen(text));
}

#define SPEAKER(name, ...)						\
	static void name##_server(void)					\
	{								\
		static const char *const texts[] = { __VA_ARGS__ };	\
		int fd = meet();					\
		size_t i;						\
									\
		for (i = 0; i < ARRAY_SIZE(texts); i++) {		\
			if (!texts[i])					\
				ctl_sync("NEXT");			\
			else						\
				say(fd, texts[i]);			\
		}							\
		ctl_sync("OVER");					\
		close(fd);						\
	}

/* Out of band: recv(MSG_OOB) returns the byte once, and the stream skips it.
 * R-4.7.5-03
 */
SPEAKER(oob, "abc", "!dX", NULL, "ef")

static void oob_client(void)
{
	int fd = meet();
	char c;

	await_bytes(fd, 4);
	RETURNS(0, at_mark(fd));
	RETURNS(1, recv(fd, &c, 1, MSG_OOB | MSG_PEEK));
	/* R-4.7.5-03, R-B-05 */
	expect_oob(fd, 'X');
	RETURNS(0, poll_ms(fd, POLLPRI, 0));
	FAILS(EINVAL, recv(fd, &c, 1, MSG_OOB));
	RETURNS(4, inq(fd));
	recv_text(fd, "abcd");
	RETURNS(1, at_mark(fd));
	RETURNS(0, inq(fd));
	RETURNS(0, poll_ms(fd, POLLIN, 20));
	ctl_sync("NEXT");
	recv_text(fd, "ef");
	RETURNS(0, at_mark(fd));
	ctl_sync("OVER");
	close(fd);
}

/* In line: the mark stays at its position, and the byte is part of the data. */
SPEAKER(oobinline, "abc", "!X", NULL, "def", NULL, "!Y", "ghi")

static void oobinline_client(void)
{
	char buf[20] = "";
	int fd = meet();
	char c;

	set_int(fd, SOL_SOCKET, SO_OOBINLINE, 1);
	RETURNS(1, get_int(fd, SOL_SOCKET, SO_OOBINLINE));
	AWAIT(fd, POLLPRI);
	FAILS(EINVAL, recv(fd, &c, 1, MSG_OOB));
	RETURNS(4, inq(fd));
	recv_text(fd, "abc");
	RETURNS(1, at_mark(fd));
	ctl_sync("NEXT");
	RETURNS(4, recv(fd, buf, 4, MSG_WAITALL));
	CHECK(!strcmp(buf, "Xdef"), "got '%s'", buf);
	RETURNS(0, at_mark(fd));
	RETURNS(0, poll_ms(fd, POLLPRI, 0));
	ctl_sync("NEXT");
	AWAIT(fd, POLLPRI);
	RETURNS(1, at_mark(fd));
	RETURNS(4, recv(fd, buf, 4, MSG_WAITALL));
	CHECK(!memcmp(buf, "Yghi", 4), "got '%s'", buf);
	ctl_sync("OVER");
	close(fd);
}

/*
 * A read skips an urgent byte that the program did not read with MSG_OOB, and
 * never crosses the mark.
 */
SPEAKER(mark, "abc", "!X", "def", NULL, "!Y", NULL, "g")

static void mark_client(void)
{
	char buf[20] = "";
	int fd = meet();
	char c;

	AWAIT(fd, POLLPRI);
	RETURNS(3, recv(fd, buf, 20, MSG_WAITALL | MSG_PEEK));
	RETURNS(3, recv(fd, buf, 3, 0));
	RETURNS(1, at_mark(fd));
	RETURNS(3, recv(fd, buf, 3, MSG_WAITALL | MSG_PEEK));
	CHECK(!strcmp(buf, "def"), "got '%s'", buf);
	RETURNS(1, at_mark(fd));
	RETURNS(1, poll_ms(fd, POLLPRI, 0) == POLLPRI);
	RETURNS(3, recv(fd, buf, 3, MSG_WAITALL));
	RETURNS(0, poll_ms(fd, POLLPRI, 0));
	FAILS(EINVAL, recv(fd, &c, 1, MSG_OOB));
	ctl_sync("NEXT");
	AWAIT(fd, POLLPRI);
	/* only the skipped byte */
	FAILS(EAGAIN, recv(fd, &c, 1, MSG_DONTWAIT | MSG_PEEK));
	RETURNS(1, at_mark(fd));
	expect_nothing(fd);
	RETURNS(0, at_mark(fd));
	FAILS(EINVAL, recv(fd, &c, 1, MSG_OOB));
	ctl_sync("NEXT");
	recv_text(fd, "g");
	ctl_sync("OVER");
	close(fd);
}

/* A newer urgent byte replaces the older one, which becomes normal data. */
SPEAKER(newer, "ab", "!X", NULL, "!Y", "c", "!Z")

static void newer_client(void)
{
	int fd = meet();
	char c;

	want_sigurg(fd);
	AWAIT(fd, POLLPRI);
	RETURNS(2, inq(fd));
	ctl_sync("NEXT");
	await_bytes(fd, 5);
	expect_oob(fd, 'Z');
	FAILS(EINVAL, recv(fd, &c, 1, MSG_OOB));
	recv_text(fd, "abXYc");
	RETURNS(1, at_mark(fd));
	expect_nothing(fd);
	ctl_sync("OVER");
	close(fd);
}

/* There is one exception: if the older byte is the next byte of the stream, it
 * is lost.
 */
SPEAKER(newer_at_mark, "!X", NULL, "!Y", NULL, "!Z", NULL, "c")

static void newer_at_mark_client(void)
{
	int fd = meet();

	AWAIT(fd, POLLPRI);
	RETURNS(1, at_mark(fd));
	want_sigurg(fd);
	ctl_sync("NEXT");
	await_signals(1);
	expect_oob(fd, 'Y');
	/* The result is the same, whether or not the program has read the
	 * urgent byte.
	 */
	ctl_sync("NEXT");
	expect_oob(fd, 'Z');
	RETURNS(1, at_mark(fd));
	ctl_sync("NEXT");
	recv_text(fd, "c");
	RETURNS(0, inq(fd));
	ctl_sync("OVER");
	close(fd);
}

/*
 * The peer has announced the byte, which has not arrived because the window is
 * closed. R-4.7.6-*
 */
static void small_window(int fd)
{
	set_int(fd, SOL_SOCKET, SO_RCVBUF, 16 * KIB);
	set_int(fd, SOL_SOCKET, SO_SNDBUF, 256 * KIB);
}

static void closed_window_client(void)
{
	int fd = meet_with(small_window);
	struct stream s;
	char c;

	want_sigurg(fd);
	stream_init(&s, 0);
	sleep_ms(quiet(50));
	RETURNS(0, signals);
	ctl_sync("FULL");
	ctl_sync("URGENT");
	/* R-4.7.6-02 */
	await_signals(1);
	/* The signal tells the program to read; the byte has not
	 * arrived yet.
	 */
	RETURNS(0, poll_ms(fd, POLLPRI, 0));
	FAILS(EAGAIN, recv(fd, &c, 1, MSG_OOB));
	RETURNS(0, at_mark(fd));
	recv_stream(fd, &s, OVER_WINDOW, 3000);
	expect_oob(fd, 'U');
	RETURNS(1, at_mark(fd));
	recv_text(fd, "after");
	RETURNS(1, signals);
	ctl_sync("OVER");
	close(fd);
}

static void closed_window_server(void)
{
	int fd = meet_with(small_window);
	struct stream s;

	stream_init(&s, 0);
	send_stream(fd, &s, OVER_WINDOW, OVER_WINDOW);
	sleep_ms(quiet(100));
	ctl_sync("FULL");
	send_oob(fd, "U");
	send_all(fd, "after", 5);
	ctl_sync("URGENT");
	ctl_sync("OVER");
	close(fd);
}

/* The process that asked for SIGURG gets one signal per urgent byte. */
SPEAKER(sigurg, "ab", "!X", NULL, "!Y", NULL, "c", NULL, "!Z")

static void sigurg_client(void)
{
	int fd = meet();
	int i;

	want_sigurg(fd);
	ctl_sync("NEXT");
	await_bytes(fd, 3);
	sleep_ms(quiet(100));
	i = signals;
	/* The first signal may have arrived before the call. */
	CHECK(i == 1 || i == 2, "%d signals", i);
	ctl_sync("NEXT");
	await_bytes(fd, 3);
	sleep_ms(20);
	RETURNS(i, signals);
	ctl_sync("NEXT");
	/* R-4.7.5-03 */
	await_signals(i + 1);
	OK(fcntl(fd, F_SETOWN, 0));
	ctl_sync("OVER");
	close(fd);
}

/* The end of the stream follows an urgent byte. */
static void end_client(void)
{
	int fd = meet();

	AWAIT(fd, POLLPRI);
	RETURNS(2, inq(fd));
	recv_text(fd, "ab");
	ctl_sync("END");
	AWAIT(fd, POLLRDHUP);
	expect_oob(fd, 'X');
	expect_end(fd);
	send_all(fd, "still", 5);
	ctl_sync("OVER");
	close(fd);
}

static void end_server(void)
{
	int fd = meet();

	say(fd, "ab");
	say(fd, "!X");
	ctl_sync("END");
	OK(shutdown(fd, SHUT_WR));
	FAILS(EPIPE, send(fd, "x", 1, MSG_OOB | MSG_NOSIGNAL));
	recv_text(fd, "still");
	ctl_sync("OVER");
	close(fd);
}

/* Checks that a reset also drops the urgent byte. */
static void reset_client(void)
{
	int fd = meet();
	char c;

	AWAIT(fd, POLLPRI);
	ctl_sync("RESET");
	AWAIT(fd, POLLERR);
	FAILS(ENOTCONN, recv(fd, &c, 1, MSG_OOB));
	FAILS(ECONNRESET, recv(fd, &c, 1, 0));
	close(fd);
}

static void reset_server(void)
{
	int fd = meet();

	say(fd, "!X");
	ctl_sync("RESET");
	OK(setsockopt(fd, SOL_SOCKET, SO_LINGER, &(struct linger){ 1, 0 },
		      sizeof(struct linger)));
	close(fd);
}

/* Edge cases: lengths, flags, and sockets without an urgent byte. */
SPEAKER(edges, "!X", NULL, "abc")

static void edges_client(void)
{
	struct iovec iov = {};
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	int fd = meet();
	char buf[5];

	AWAIT(fd, POLLPRI);
	RETURNS(0, send(fd, "", 0, MSG_OOB));
	/* The buffer has no room for the byte, which is consumed
	 * nevertheless.
	 */
	RETURNS(0, recvmsg(fd, &msg, MSG_OOB | MSG_PEEK));
	RETURNS(MSG_OOB | MSG_TRUNC, msg.msg_flags);
	iov = (struct iovec){ buf, sizeof(buf) };
	RETURNS(1, recvmsg(fd, &msg, MSG_OOB | MSG_WAITALL));
	RETURNS(MSG_OOB, msg.msg_flags);
	CHECK(*buf == 'X', "got %c", *buf);
	FAILS(EINVAL, recvmsg(fd, &msg, MSG_OOB));
	ctl_sync("NEXT");
	RETURNS(3, recvmsg(fd, &msg, 0));
	RETURNS(0, msg.msg_flags);
	ctl_sync("OVER");
	close(fd);
}

/* Checks that splice() stops at the mark, with the same result as TCP. */
SPEAKER(splice_mark, "abc", "!X", "def")

static void splice_mark_client(void)
{
	int fd = meet();
	char buf[10] = "";
	int p[2];

	OK(pipe(p));
	AWAIT(fd, POLLPRI);
	await_bytes(fd, 3);
	RETURNS(3, splice(fd, NULL, p[1], NULL, 100, 0));
	RETURNS(1, at_mark(fd));
	RETURNS(0, splice(fd, NULL, p[1], NULL, 100, 0));
	RETURNS(3, recv(fd, buf, 3, MSG_WAITALL));
	CHECK(!strcmp(buf, "def"), "got '%s'", buf);
	ctl_sync("OVER");
	close(fd);
	close(p[0]);
	close(p[1]);
}

/*
 * A reader takes only the urgent bytes. Urgent bytes continue to arrive, one
 * after the other, and no data is lost.
 */
static void only_urgent_client(void)
{
	int fd = meet();
	struct stream s;
	int i;

	stream_init(&s, 0);
	for (i = 0; i < 20; i++) {
		expect_oob(fd, 'A' + i);
		ctl_sync("NEXT");
	}
	ctl_wait("SENT");
	/* Each urgent byte but the last is normal data now. */
	for (i = 0; i < 20; i++) {
		char c;

		recv_stream(fd, &s, 100, 100);
		if (i < 19) {
			RETURNS(1, recv(fd, &c, 1, 0));
			CHECK(c == 'A' + i, "got '%c' after %d", c, i);
		}
	}
	RETURNS(1, at_mark(fd));
	recv_text(fd, "end");
	ctl_sync("OVER");
	close(fd);
}

static void only_urgent_server(void)
{
	int fd = meet();
	struct stream s;
	int i;

	stream_init(&s, 0);
	for (i = 0; i < 20; i++) {
		char c = 'A' + i;

		send_stream(fd, &s, 100, 100);
		RETURNS(1, send(fd, &c, 1, MSG_OOB));
		ctl_sync("NEXT");
	}
	send_all(fd, "end", 3);
	ctl_send("SENT");
	ctl_sync("OVER");
	close(fd);
}

/*
 * Both directions carry data with urgent bytes at any place, which are read in
 * line: the stream is complete.
 */
struct both {
	int fd;
	unsigned int id;
};

static uint64_t next_len(uint64_t *rnd, int i)
{
	return 1 + random_below(rnd, i % 10 ? 3000 : 60000);
}

static int send_mixed(void *arg)
{
	static char buf[60001];
	struct both *b = arg;
	uint64_t rnd = 7 + b->id;
	struct stream s;
	size_t len, at;
	ssize_t n;
	int i;

	stream_init(&s, b->id);
	for (i = 0; i < (int)scaled(ROUNDS, 40); i++) {
		len = next_len(&rnd, i);
		stream_fill(&s, buf, len);
		for (at = 0; at < len; at += n)
			n = OK(send(b->fd, buf + at, len - at,
				    i % 3 ? MSG_OOB : 0));
	}
	OK(shutdown(b->fd, SHUT_WR));
	return 0;
}

static void mixed(unsigned int id)
{
	struct both b = { .id = id };
	uint64_t rnd = 7 + !id;
	uint64_t want = 0;
	struct stream s;
	struct task t;
	int i;

	b.fd = meet();
	set_int(b.fd, SOL_SOCKET, SO_OOBINLINE, 1);
	ctl_sync("READY");
	task_start(&t, send_mixed, &b);
	for (i = 0; i < (int)scaled(ROUNDS, 40); i++)
		want += next_len(&rnd, i);
	stream_init(&s, !id);
	RETURNS(want, recv_to_end(b.fd, &s));
	RETURNS(0, task_join(&t));
	ctl_sync("OVER");
	close(b.fd);
}

static void mixed_client(void)
{
	mixed(0);
}

static void mixed_server(void)
{
	mixed(1);
}

/* A sender sends many urgent bytes without a wait: only the last byte is urgent
 * in the end.
 */
static void flood_client(void)
{
	int fd = meet();
	char buf[FLOOD];
	uint64_t sum = 0;
	ssize_t n;

	want_sigurg(fd);
	ctl_sync("GO");
	ctl_wait("SENT");
	while (!(poll_ms(fd, POLLRDHUP, 0) & POLLRDHUP) || inq(fd)) {
		n = recv(fd, buf, sizeof(buf), MSG_DONTWAIT);
		CHECK(n >= 0 || errno == EAGAIN, "recv: %s",
		      strerrorname(errno));
		sum += max_of(n, 0);
	}
	CHECK(signals >= 1 && signals <= FLOOD, "%d signals", (int)signals);
	/* Each byte arrived as data or as urgent byte, but not as both. */
	CHECK(sum < FLOOD, "%llu bytes of data", (unsigned long long)sum);
	expect_end(fd);
	ctl_sync("OVER");
	close(fd);
}

static void flood_server(void)
{
	int fd = meet();
	int i;

	ctl_sync("GO");
	for (i = 0; i < FLOOD; i++)
		send_oob(fd, "x");
	OK(shutdown(fd, SHUT_WR));
	ctl_send("SENT");
	ctl_sync("OVER");
	close(fd);
}

/* Checks that edge-triggered epoll reports one event per urgent byte. */
SPEAKER(edge, "a", "!X", NULL, "!Y")

static void edge_client(void)
{
	struct epoll_event ev = { .events = EPOLLPRI | EPOLLET };
	int efd = OK(epoll_create1(0));
	int fd = meet();
	int i;

	OK(epoll_ctl(efd, EPOLL_CTL_ADD, fd, &ev));
	for (i = 0; i < 2; i++) {
		RETURNS(1, epoll_wait(efd, &ev, 1, patience(5000)));
		/* R-4.7.5-03, R-B-06 */
		CHECK(ev.events & EPOLLPRI, "events %#x", ev.events);
		expect_oob(fd, 'X' + i);
		if (!i)
			ctl_sync("NEXT");
	}
	ctl_sync("OVER");
	close(fd);
	close(efd);
}

static const struct peer_case urgent_cases[] = {
	{ "oob", oob_client, oob_server },
	{ "oobinline", oobinline_client, oobinline_server },
	{ "oob_mark", mark_client, mark_server },
	{ "oob_newer", newer_client, newer_server },
	{ "oob_newer_at_mark", newer_at_mark_client, newer_at_mark_server },
	{ "oob_closed_window", closed_window_client, closed_window_server },
	{ "oob_sigurg", sigurg_client, sigurg_server },
	{ "oob_end", end_client, end_server },
	{ "oob_reset", reset_client, reset_server },
	{ "oob_edges", edges_client, edges_server },
	{ "oob_splice", splice_mark_client, splice_mark_server },
	{ "oob_only", only_urgent_client, only_urgent_server },
	{ "oob_mixed", mixed_client, mixed_server, 60 },
	{ "oob_flood", flood_client, flood_server },
	{ "oob_edge", edge_client, edge_server },
};

CASE_GROUP(group_urgent, urgent);

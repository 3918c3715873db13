// SPDX-License-Identifier: GPL-2.0
/* Tests MSG_ flags, vectors, and the edges of send and recv (R-B-05). */
#include <netinet/tcp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "groups.h"
#include "util.h"

enum {
	PEEK_ROUNDS = 400,
	PIECES = 10,
	PIECE = 5000,
	PEEK_ALL = 3000,
	FULL = 200000,
	MORE = 20000,
	IOVS = 100,
};

static void small_buffers(int fd)
{
	set_int(fd, SOL_SOCKET, SO_SNDBUF, 16 * KIB);
	set_int(fd, SOL_SOCKET, SO_RCVBUF, 16 * KIB);
}

static void dontwait_client(void)
{
	int fd = meet();
	char c;

	/* R-B-05 */
	FAILS(EAGAIN, recv(fd, &c, 1, MSG_DONTWAIT));
	FAILS(EAGAIN, recv(fd, &c, 1, MSG_DONTWAIT | MSG_PEEK));
	FAILS(EAGAIN, recv(fd, &c, 1, MSG_DONTWAIT | MSG_WAITALL));
	ctl_sync("EMPTY");
	await_bytes(fd, 5);
	expect_text(fd, "hello", MSG_DONTWAIT | MSG_WAITALL);
	FAILS(EAGAIN, recv(fd, &c, 1, MSG_DONTWAIT));
	ctl_sync("END");
	expect_end(fd);
	RETURNS(0, recv(fd, &c, 1, MSG_DONTWAIT));
}

static void dontwait_server(void)
{
	int fd = meet();

	ctl_sync("EMPTY");
	send_all(fd, "hello", 5);
	ctl_sync("END");
	close(fd);
}

/* Checks that MSG_PEEK does not consume data, at any offset of the ring. */
static void peek_client(void)
{
	static char buf[12000], again[12000];
	int fd = meet_with(small_buffers);
	uint64_t rnd = 3;
	struct stream s, at;
	size_t len;
	ssize_t n;
	int i;

	stream_init(&s, 0);
	for (i = 0; i < PEEK_ROUNDS; i++) {
		len = 1 + random_below(&rnd, sizeof(buf));
		n = OK(recv(fd, buf, len, MSG_PEEK));
		at = s;
		stream_check(&at, buf, n);
		RETURNS(n, recv(fd, again, n, MSG_PEEK));
		/* R-B-05 */
		CHECK(!memcmp(buf, again, n), "the second look differs");
		RETURNS(n, recv(fd, again, n, 0));
		stream_check(&s, again, n);
	}
	ctl_sync("OVER");
}

static int stream_away(void *arg)
{
	int fd = *(int *)arg;
	struct stream s;
	char buf[3000];

	stream_init(&s, 0);
	do
		stream_fill(&s, buf, sizeof(buf));
	while (send(fd, buf, sizeof(buf), MSG_NOSIGNAL) == sizeof(buf));
	return 0;
}

static void peek_server(void)
{
	int fd = meet_with(small_buffers);
	struct task t;

	task_start(&t, stream_away, &fd);
	ctl_sync("OVER");
	shutdown(fd, SHUT_RDWR);
	task_join(&t);
}

/*
 * MSG_PEEK with MSG_WAITALL on data that arrives in pieces. No other data may
 * be under way. With a small buffer TCP closes its window until the buffer is
 * empty, and MSG_PEEK does not empty the buffer.
 */
static void peek_all_client(void)
{
	static char buf[PEEK_ALL], again[PEEK_ALL];
	int fd = meet_with(small_buffers);
	struct stream s, at;
	int i;

	stream_init(&s, 0);
	for (i = 0; i < PIECES; i++) {
		RETURNS(PEEK_ALL,
			recv(fd, buf, PEEK_ALL, MSG_PEEK | MSG_WAITALL));
		at = s;
		stream_check(&at, buf, PEEK_ALL);
		RETURNS(PEEK_ALL, recv(fd, again, PEEK_ALL, MSG_WAITALL));
		stream_check(&s, again, PEEK_ALL);
		ctl_sync("NEXT");
	}
	/* At the end of the stream the call returns fewer bytes. */
	RETURNS(PEEK_ALL / 2, recv(fd, buf, PEEK_ALL, MSG_PEEK | MSG_WAITALL));
	stream_check(&s, buf, PEEK_ALL / 2);
}

static void peek_all_server(void)
{
	int fd = meet_with(small_buffers);
	struct stream s;
	int i;

	stream_init(&s, 0);
	for (i = 0; i < PIECES; i++) {
		send_stream(fd, &s, PEEK_ALL / 2, PEEK_ALL / 2);
		sleep_ms(3);
		send_stream(fd, &s, PEEK_ALL / 2, PEEK_ALL / 2);
		ctl_sync("NEXT");
	}
	send_stream(fd, &s, PEEK_ALL / 2, PEEK_ALL / 2);
	close(fd);
}

/* Checks that with SO_PEEK_OFF each MSG_PEEK continues behind the last one. */
static void peek_from_start(int fd)
{
	int tcp = OK(new_socket_of(FAMILY_TCP, 0));

	if (setsockopt(tcp, SOL_SOCKET, SO_PEEK_OFF, &(int){ 0 }, sizeof(int)))
		skip_case("SO_PEEK_OFF of TCP: %s", strerrorname(errno));
	close(tcp);
	set_int(fd, SOL_SOCKET, SO_PEEK_OFF, 0);
}

static void expect_bytes(int fd, const char *text, int flags)
{
	char buf[100];

	RETURNS(strlen(text), recv(fd, buf, strlen(text), flags));
	CHECK(!memcmp(buf, text, strlen(text)), "got '%.*s', not '%s'",
	      (int)strlen(text), buf, text);
}

static void peek_off_client(void)
{
	int fd = meet_with(peek_from_start);
	char c;

	await_bytes(fd, 6);
	expect_bytes(fd, "ab", MSG_PEEK);
	/* SO_PEEK_OFF does not apply to the error queue */
	FAILS(EAGAIN, recv(fd, &c, 1, MSG_ERRQUEUE));
	expect_bytes(fd, "cd", MSG_PEEK);
	RETURNS(4, get_int(fd, SOL_SOCKET, SO_PEEK_OFF));
	expect_bytes(fd, "abc", 0);
	RETURNS(1, get_int(fd, SOL_SOCKET, SO_PEEK_OFF));
	expect_text(fd, "ef", MSG_PEEK);
	FAILS(EAGAIN, recv(fd, &c, 1, MSG_PEEK | MSG_DONTWAIT));
	ctl_sync("MORE");
	expect_text(fd, "g", MSG_PEEK | MSG_WAITALL);
	set_int(fd, SOL_SOCKET, SO_PEEK_OFF, 2);
	expect_bytes(fd, "f", MSG_PEEK);
	set_int(fd, SOL_SOCKET, SO_PEEK_OFF, -1);
	expect_text(fd, "defg", MSG_PEEK);
	expect_text(fd, "defg", MSG_PEEK);
	expect_text(fd, "defg", 0);
	expect_end(fd);
}

static void peek_off_server(void)
{
	int fd = meet();

	send_all(fd, "abcdef", 6);
	ctl_sync("MORE");
	send_all(fd, "g", 1);
	close(fd);
}

/*
 * MSG_PEEK with MSG_WAITALL asks for more bytes than the receive buffer can
 * hold. The call returns as many as the buffer holds. TCP would wait for ever.
 */
static void peek_full_client(void)
{
	static char buf[FULL];
	int fd = meet_with(small_buffers);
	struct stream s, at;
	ssize_t n;

	if (!family_is_smc(cfg.family) || cfg.own.mode == MODE_TCP)
		skip_case("TCP waits for ever");
	stream_init(&s, 0);
	n = OK(recv(fd, buf, FULL, MSG_PEEK | MSG_WAITALL));
	CHECK(n > 8 * KIB && n < FULL, "%zd bytes", n);
	at = s;
	stream_check(&at, buf, n);
	recv_stream(fd, &s, FULL, FULL);
	expect_end(fd);
}

static void peek_full_server(void)
{
	int fd = meet_with(small_buffers);
	struct stream s;

	stream_init(&s, 0);
	send_stream(fd, &s, FULL, FULL);
	close(fd);
}

/* A program that looks for the end of a long head peeks until it has all of
 * it. The bytes are more than a window at first.
 */
static void peek_more_client(void)
{
	uint64_t until = now_ms() + patience(5000);
	static char buf[MORE];
	struct stream s, at;
	int fd = meet();
	ssize_t n;

	stream_init(&s, 0);
	while ((n = OK(recv(fd, buf, MORE, MSG_PEEK))) < MORE) {
		CHECK(now_ms() < until, "%zd bytes", n);
		sleep_ms(1);
	}
	at = s;
	stream_check(&at, buf, n);
	recv_stream(fd, &s, MORE, MORE);
	expect_end(fd);
}

static void peek_more_server(void)
{
	int fd = meet();
	struct stream s;

	stream_init(&s, 0);
	send_stream(fd, &s, MORE, MORE);
	close(fd);
}

/* MSG_WAITALL on data that arrives in pieces; the call returns less only at end
 * of file.
 */
static void waitall_client(void)
{
	static char buf[PIECES * PIECE + 1];
	int fd = meet_with(small_buffers);
	struct stream s;

	stream_init(&s, 0);
	/* R-B-05 */
	RETURNS(PIECES * PIECE, recv(fd, buf, PIECES * PIECE, MSG_WAITALL));
	stream_check(&s, buf, PIECES * PIECE);
	ctl_sync("HALF");
	RETURNS(PIECES * PIECE, recv(fd, buf, sizeof(buf), MSG_WAITALL));
	stream_check(&s, buf, PIECES * PIECE);
}

static void waitall_server(void)
{
	int fd = meet_with(small_buffers);
	struct stream s;
	int i;

	stream_init(&s, 0);
	for (i = 0; i < 2 * PIECES; i++) {
		if (i == PIECES)
			ctl_sync("HALF");
		send_stream(fd, &s, PIECE, PIECE);
		sleep_ms(3);
	}
	close(fd);
}

static volatile sig_atomic_t signals;

static void count_signal(int sig)
{
	(void)sig;
	signals++;
}

static void sigpipe_client(void)
{
	struct sigaction sa = { .sa_handler = count_signal };
	int fd = meet();

	OK(sigaction(SIGPIPE, &sa, NULL));
	RETURNS(0, shutdown(fd, SHUT_WR));
	FAILS(EPIPE, send(fd, "x", 1, MSG_NOSIGNAL));
	RETURNS(0, signals);
	FAILS(EPIPE, send(fd, "x", 1, 0));
	RETURNS(1, signals);
	FAILS(EPIPE, write(fd, "x", 1));
	RETURNS(2, signals);
	close(fd);
}

static void see_end(void)
{
	expect_end(meet());
}

/* Checks that MSG_TRUNC drops the bytes instead of copying them. */
static void trunc_client(void)
{
	int fd = meet();
	struct stream s;
	char buf[1000];

	stream_init(&s, 0);
	await_bytes(fd, 6000);
	RETURNS(1000, recv(fd, buf, 1000, 0));
	stream_check(&s, buf, 1000);
	/* R-B-05 */
	RETURNS(3000, recv(fd, NULL, 3000, MSG_TRUNC));
	s.pos += 3000;
	RETURNS(1000, recv(fd, buf, 1000, 0));
	stream_check(&s, buf, 1000);
	RETURNS(1000, recv(fd, NULL, 9999, MSG_TRUNC));
	RETURNS(0, inq(fd));
	close(fd);
}

static void trunc_server(void)
{
	int fd = meet();
	struct stream s;

	stream_init(&s, 0);
	send_stream(fd, &s, 6000, 6000);
	expect_end(fd);
}

/* Vectors contain empty elements, and one element that is larger than all
 * buffers.
 */
static void make_iov(struct iovec *iov, char *buf, size_t *total)
{
	int i;

	*total = 0;
	for (i = 0; i < IOVS; i++) {
		iov[i].iov_base = buf + *total;
		iov[i].iov_len = i % 5 ? i * i : 0;
		*total += iov[i].iov_len;
	}
}

static void iov_client(void)
{
	static char buf[IOVS * IOVS * IOVS];
	struct iovec iov[IOVS];
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = IOVS };
	struct stream s;
	int fd = meet();
	size_t total;

	make_iov(iov, buf, &total);
	stream_init(&s, 0);
	stream_fill(&s, buf, total);
	RETURNS(total, writev(fd, iov, IOVS));
	stream_fill(&s, buf, total);
	RETURNS(total, sendmsg(fd, &msg, 0));
	RETURNS(0, writev(fd, iov, 1));
	close(fd);
}

static void iov_server(void)
{
	static char buf[IOVS * IOVS * IOVS];
	struct msghdr msg = { .msg_namelen = 99 };
	struct sockaddr_storage ss;
	struct iovec iov[IOVS];
	struct stream s;
	int fd = meet();
	size_t total;
	ssize_t n;

	make_iov(iov, buf, &total);
	stream_init(&s, 0);
	msg.msg_iov = iov;
	msg.msg_iovlen = IOVS;
	RETURNS(total, recvmsg(fd, &msg, MSG_WAITALL));
	stream_check(&s, buf, total);
	AWAIT(fd, POLLIN);
	n = OK(readv(fd, iov, IOVS));
	stream_check(&s, buf, n);
	msg.msg_name = &ss;
	msg.msg_namelen = sizeof(ss);
	msg.msg_control = &ss;
	msg.msg_controllen = sizeof(ss);
	n = OK(recvmsg(fd, &msg, 0));
	RETURNS(0, msg.msg_namelen);
	RETURNS(0, msg.msg_controllen);
	stream_check(&s, buf, n);
	recv_to_end(fd, &s);
	RETURNS(2 * total, s.pos);
}

static void mmsg_client(void)
{
	struct iovec iov[3] = { { "one", 3 }, { "two", 3 }, { "three", 5 } };
	struct mmsghdr msgs[3] = {};
	int i, fd = meet();

	for (i = 0; i < 3; i++) {
		msgs[i].msg_hdr.msg_iov = &iov[i];
		msgs[i].msg_hdr.msg_iovlen = 1;
	}
	RETURNS(3, sendmmsg(fd, msgs, 3, 0));
	RETURNS(5, msgs[2].msg_len);
	expect_end(fd);
}

static void mmsg_server(void)
{
	struct iovec iov[2];
	struct mmsghdr msgs[2] = {};
	char buf[2][6] = {};
	int i, fd = meet();

	for (i = 0; i < 2; i++) {
		iov[i] = (struct iovec){ buf[i], i ? 5 : 6 };
		msgs[i].msg_hdr.msg_iov = &iov[i];
		msgs[i].msg_hdr.msg_iovlen = 1;
	}
	await_bytes(fd, 11);
	RETURNS(2, recvmmsg(fd, msgs, 2, 0, NULL));
	CHECK(!memcmp(buf[0], "onetwo", 6) && !memcmp(buf[1], "three", 5),
	      "got '%.6s' and '%.5s'", buf[0], buf[1]);
	close(fd);
}

static void empty_client(void)
{
	int fd = meet();
	char c;

	RETURNS(0, send(fd, "", 0, 0));
	RETURNS(0, send(fd, NULL, 0, MSG_DONTWAIT));
	ctl_sync("SENT");
	await_bytes(fd, 1);
	RETURNS(0, recv(fd, &c, 0, 0));
	RETURNS(1, recv(fd, &c, 1, 0));
	close(fd);
}

static void empty_server(void)
{
	int fd = meet();

	ctl_sync("SENT");
	CHECK(!poll_ms(fd, POLLIN, 50), "an empty send is seen here");
	send_all(fd, "x", 1);
	expect_end(fd);
}

/* The vector points to memory that does not exist, at its beginning or in its
 * middle.
 */
static char *guarded_pages(void)
{
	char *p = mmap(NULL, 2 * 4096, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(p != MAP_FAILED, "no memory");
	OK(mprotect(p + 4096, 4096, PROT_NONE));
	return p;
}

/*
 * Checks that after a send() with a page fault, exactly the reported number of
 * bytes arrives, or none if the call failed.
 */
static void fault_send(int fd, struct iovec *iov, int nr, struct stream *s)
{
	ssize_t n = writev(fd, iov, nr);

	CHECK(n >= 0 || errno == EFAULT, "writev: %s", strerrorname(errno));
	CHECK(n <= 4096, "%zd bytes sent, 4096 were there", n);
	if (n > 0)
		s->pos += n;
}

static void fault_send_client(void)
{
	char *bad = guarded_pages() + 4096;
	struct stream s, at;
	int fd = meet();
	int i;

	stream_init(&s, 0);
	FAILS(EFAULT, send(fd, bad, 100, 0));
	for (i = 0; i < 20; i++) {
		struct iovec iov[2] = { { bad - 4096, 4096 }, { bad, 5000 } };
		struct iovec across = { bad - 3000, 9000 };

		at = s;
		stream_fill(&at, bad - 4096, 4096);
		fault_send(fd, iov, 2, &s);
		at = s;
		stream_fill(&at, bad - 3000, 3000);
		fault_send(fd, &across, 1, &s);
	}
	send_stream(fd, &s, 10000, 10000);
	RETURNS(0, shutdown(fd, SHUT_WR));
	ctl_send_u64("SENT", s.pos);
	expect_end(fd);
}

/* Checks that bytes that a recv() with a page fault did not return are still
 * readable.
 */
static void fault_recv_client(void)
{
	char *bad = guarded_pages() + 4096;
	struct iovec iov[2] = { { bad - 4096, 1000 }, { bad, 1000 } };
	struct stream s, at;
	int fd = meet();
	ssize_t n;

	stream_init(&s, 0);
	await_bytes(fd, 10000);
	FAILS(EFAULT, recv(fd, bad, 100, 0));
	FAILS(EFAULT, recv(fd, bad, 100, MSG_PEEK));
	RETURNS(10000, inq(fd));
	n = readv(fd, iov, 2);
	CHECK(n >= 0 || errno == EFAULT, "readv: %s", strerrorname(errno));
	CHECK(n <= 1000, "%zd bytes into 1000", n);
	if (n > 0)
		stream_check(&s, bad - 4096, n);
	at = s;
	n = recv(fd, bad - 500, 2000, 0);
	CHECK(n >= 0 || errno == EFAULT, "recv: %s", strerrorname(errno));
	if (n > 0)
		stream_check(&at, bad - 500, min_of(n, 500));
	CHECK(n <= 500, "%zd bytes into 500", n);
	recv_stream(fd, &at, 10000 - at.pos, 3000);
	RETURNS(0, inq(fd));
	close(fd);
}

static void fault_recv_server(void)
{
	int fd = meet();
	struct stream s;

	stream_init(&s, 0);
	send_stream(fd, &s, 10000, 10000);
	expect_end(fd);
}

/* Checks that the kernel ignores the address for a connected socket. */
static void sendto_client(void)
{
	struct sockaddr_storage ss;
	socklen_t len = server_addr(1, &ss);
	int fd = meet();

	RETURNS(2, sendto(fd, "hi", 2, 0, (struct sockaddr *)&ss, len));
	expect_end(fd);
}

static void recvfrom_server(void)
{
	struct sockaddr_storage ss;
	socklen_t len = sizeof(ss);
	int fd = meet();
	char buf[2];

	await_bytes(fd, 2);
	RETURNS(2, recvfrom(fd, buf, 2, 0, (struct sockaddr *)&ss, &len));
	RETURNS(0, len);
	FAILS(EAGAIN, recv(fd, buf, 1, MSG_ERRQUEUE));
	FAILS(EINVAL, recv(fd, buf, 1, MSG_OOB));
	close(fd);
}

static const struct peer_case flags_cases[] = {
	{ "msg_dontwait", dontwait_client, dontwait_server },
	{ "msg_peek", peek_client, peek_server },
	{ "msg_peek_waitall", peek_all_client, peek_all_server },
	{ "so_peek_off", peek_off_client, peek_off_server },
	{ "msg_peek_full", peek_full_client, peek_full_server },
	{ "msg_peek_more", peek_more_client, peek_more_server },
	{ "msg_waitall", waitall_client, waitall_server },
	{ "msg_nosignal", sigpipe_client, see_end },
	{ "msg_trunc", trunc_client, trunc_server },
	{ "vectors", iov_client, iov_server },
	{ "mmsg", mmsg_client, mmsg_server },
	{ "empty_messages", empty_client, empty_server },
	{ "fault_in_send", fault_send_client, recv_what_was_sent },
	{ "fault_in_recv", fault_recv_client, fault_recv_server },
	{ "sendto_recvfrom", sendto_client, recvfrom_server },
};

CASE_GROUP(group_flags, flags);

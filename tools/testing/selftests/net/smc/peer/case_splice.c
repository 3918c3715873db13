// SPDX-License-Identifier: GPL-2.0
/* Tests sendfile() and splice(), to a socket and from a socket. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>

#include "groups.h"
#include "util.h"

enum {
	FILE_BYTES = 8 * MIB,
	SMALL_BYTES = 100000,
	CHUNK = 30000,
};

static int pattern_file(uint64_t bytes)
{
	int fd = OK(memfd_create("pattern", 0));
	static char buf[64 * KIB];
	struct stream s;
	size_t n;

	stream_init(&s, 0);
	for (; bytes; bytes -= n) {
		n = min_of(bytes, sizeof(buf));
		stream_fill(&s, buf, n);
		RETURNS(n, write(fd, buf, n));
	}
	RETURNS(0, lseek(fd, 0, SEEK_SET));
	return fd;
}

static void sendfile_client(void)
{
	uint64_t left = scaled(FILE_BYTES, MIB);
	int file = pattern_file(left);
	off_t at = 0;
	int fd = meet();
	ssize_t n;

	for (; left; left -= n) {
		n = OK(sendfile(fd, file, &at, min_of(left, 300001ULL)));
		CHECK(n, "sendfile ends early");
	}
	close(fd);
}

static void take_stream(void)
{
	struct stream s;
	int fd = meet();

	stream_init(&s, 0);
	/* R-B-05 */
	recv_stream(fd, &s, scaled(FILE_BYTES, MIB), 50000);
	expect_end(fd);
}

/* A program may overwrite the pages of a sendfile() only after the data has
 * left.
 */
static void sendfile_nonblock_client(void)
{
	uint64_t left = scaled(FILE_BYTES, MIB);
	int file = pattern_file(left);
	off_t at = 0;
	int fd = meet();
	ssize_t n;

	set_nonblock(fd, true);
	while (left) {
		n = sendfile(fd, file, &at, left);
		CHECK(n > 0 || errno == EAGAIN, "sendfile: %s", strerrorname(errno));
		if (n > 0)
			left -= n;
		else
			AWAIT(fd, POLLOUT);
	}
	close(fd);
}

static void slow_take_stream(void)
{
	uint64_t left = scaled(FILE_BYTES, MIB), n;
	struct stream s;
	int fd = meet();

	stream_init(&s, 0);
	for (; left; left -= n) {
		n = min_of(left, 256 * 1024ULL);
		recv_stream(fd, &s, n, 50000);
		sleep_ms(2);
	}
	expect_end(fd);
}

/* pipe -> socket */
static void splice_in_client(void)
{
	uint64_t left = scaled(FILE_BYTES, MIB);
	int file = pattern_file(left);
	int fd = meet(), p[2];
	ssize_t n, m;

	OK(pipe(p));
	while (left) {
		n = OK(splice(file, NULL, p[1], NULL, min_of(left, (uint64_t)CHUNK), 0));
		CHECK(n, "the file ends early");
		for (left -= n; n; n -= m) {
			m = OK(splice(p[0], NULL, fd, NULL, n, SPLICE_F_MORE));
			CHECK(m, "splice takes nothing");
		}
	}
	close(fd);
}

static void vmsplice_client(void)
{
	static char buf[CHUNK];
	struct iovec iov = { buf, sizeof(buf) };
	int fd = meet(), p[2];
	struct stream s;
	ssize_t n, m;

	OK(pipe(p));
	stream_init(&s, 0);
	stream_fill(&s, buf, sizeof(buf));
	n = OK(vmsplice(p[1], &iov, 1, 0));
	for (; n; n -= m)
		m = OK(splice(p[0], NULL, fd, NULL, n, 0));
	RETURNS(0, shutdown(fd, SHUT_WR));
	expect_end(fd);
}

static void vmsplice_server(void)
{
	struct stream s;
	int fd = meet();

	stream_init(&s, 0);
	RETURNS(CHUNK, recv_to_end(fd, &s));
	close(fd);
}

/* Moves data from the socket to a pipe, and checks each byte that leaves the
 * pipe.
 */
static void splice_out_server(void)
{
	uint64_t bytes = scaled(FILE_BYTES, MIB);
	int fd = meet(), p[2];
	struct stream s;
	char buf[CHUNK];
	ssize_t n, m;

	OK(pipe(p));
	stream_init(&s, 0);
	for (;;) {
		n = OK(splice(fd, NULL, p[1], NULL, CHUNK, SPLICE_F_MOVE));
		if (!n)
			break;
		for (; n; n -= m) {
			m = OK(read(p[0], buf, min_of(n, 7001)));
			stream_check(&s, buf, m);
		}
	}
	RETURNS(bytes, s.pos);
}

static void give_stream(void)
{
	struct stream s;
	int fd = meet();

	stream_init(&s, 0);
	send_stream(fd, &s, scaled(FILE_BYTES, MIB), 50000);
	close(fd);
}

/* Checks that data in the pipe stays valid while more arrives and after the
 * socket ends.
 */
static void splice_keep_server(void)
{
	int fd = meet(), p[2];
	struct stream s;
	char buf[CHUNK];
	ssize_t n;

	OK(pipe(p));
	stream_init(&s, 0);
	n = OK(splice(fd, NULL, p[1], NULL, 16 * KIB, 0));
	CHECK(n > 0, "splice ends early");
	/* recv() gets the rest. */
	s.pos = n;
	recv_stream(fd, &s, SMALL_BYTES - n, 5000);
	expect_end(fd);
	close(fd);
	s.pos = 0;
	RETURNS(n, read(p[0], buf, sizeof(buf)));
	stream_check(&s, buf, n);
}

static void splice_keep_client(void)
{
	struct stream s;
	int fd = meet();

	stream_init(&s, 0);
	send_stream(fd, &s, SMALL_BYTES, SMALL_BYTES);
	close(fd);
}

/* tee() shares the pages of a pipe with another pipe. Each pipe frees its
 * share, and neither share changes when the socket receives more or ends.
 */
static void splice_tee_server(void)
{
	int fd = meet(), p[2], q[2];
	char buf[16 * KIB];
	struct stream s;
	ssize_t n;

	OK(pipe(p));
	OK(pipe(q));
	stream_init(&s, 0);
	n = OK(splice(fd, NULL, p[1], NULL, sizeof(buf), 0));
	CHECK(n > 0, "splice ends early");
	RETURNS(n, tee(p[0], q[1], sizeof(buf), 0));
	RETURNS(n, read(p[0], buf, sizeof(buf)));
	stream_check(&s, buf, n);
	recv_stream(fd, &s, SMALL_BYTES - n, 5000);
	expect_end(fd);
	close(fd);
	close(p[0]);
	close(p[1]);
	stream_init(&s, 0);
	RETURNS(n, read(q[0], buf, sizeof(buf)));
	stream_check(&s, buf, n);
}

/* Nonblocking splice(), an empty socket, an ended stream, and splice() mixed
 * with recv() and MSG_PEEK.
 */
static void splice_edges_server(void)
{
	int fd = meet(), p[2];
	struct timeval soon = { .tv_usec = 50000 }, never = {};
	char buf[100];
	loff_t off = 0;

	OK(pipe(p));
	set_nonblock(fd, true);
	FAILS(EAGAIN, splice(fd, NULL, p[1], NULL, 10, SPLICE_F_NONBLOCK));
	set_nonblock(fd, false);
	OK(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof(soon)));
	FAILS(EAGAIN, splice(fd, NULL, p[1], NULL, 10, 0));
	OK(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &never, sizeof(never)));
	FAILS(EINVAL, splice(fd, &off, p[1], NULL, 10, 0));
	ctl_sync("SEND");
	await_bytes(fd, 10);
	RETURNS(3, splice(fd, NULL, p[1], NULL, 3, SPLICE_F_NONBLOCK));
	RETURNS(7, recv(fd, buf, 100, MSG_PEEK));
	CHECK(buf[0] == '3', "peek after splice sees '%c'", buf[0]);
	RETURNS(2, recv(fd, buf, 2, 0));
	CHECK(buf[0] == '3' && buf[1] == '4', "recv after splice");
	/* as in TCP, the option does not concern splice() */
	set_int(fd, SOL_SOCKET, SO_RCVLOWAT, 50);
	RETURNS(5, splice(fd, NULL, p[1], NULL, 99, 0));
	set_int(fd, SOL_SOCKET, SO_RCVLOWAT, 1);
	RETURNS(8, read(p[0], buf, 100));
	CHECK(buf[2] == '2' && buf[3] == '5', "the pipe has other data");
	ctl_sync("END");
	AWAIT(fd, POLLIN);
	RETURNS(0, splice(fd, NULL, p[1], NULL, 10, 0));
}

static void splice_edges_client(void)
{
	int fd = meet();

	ctl_sync("SEND");
	send_all(fd, "0123456789", 10);
	ctl_sync("END");
	close(fd);
}

/* splice() into a pipe that nobody reads: bytes that do not fit stay in the
 * socket.
 */
static void splice_unread_server(void)
{
	int fd = meet(), p[2];
	struct stream s;

	signal(SIGPIPE, SIG_IGN);
	OK(pipe(p));
	close(p[0]);
	ctl_sync("SENT");
	AWAIT(fd, POLLIN);
	FAILS(EPIPE, splice(fd, NULL, p[1], NULL, CHUNK, 0));
	stream_init(&s, 0);
	recv_stream(fd, &s, SMALL_BYTES, CHUNK);
	expect_end(fd);
}

static void splice_unread_client(void)
{
	struct stream s;
	int fd = meet();

	ctl_sync("SENT");
	stream_init(&s, 0);
	send_stream(fd, &s, SMALL_BYTES, SMALL_BYTES);
	close(fd);
}

/* A relay moves data from one connection to another without copies. */
static void relay_server(void)
{
	int in = meet(), out = meet(), p[2];
	ssize_t n, m;

	OK(pipe(p));
	while ((n = OK(splice(in, NULL, p[1], NULL, 64 * KIB, 0)))) {
		for (; n; n -= m)
			m = OK(splice(p[0], NULL, out, NULL, n, 0));
	}
	close(out);
	ctl_sync("OVER");
}

static int give_all(void *arg)
{
	struct stream s;

	stream_init(&s, 0);
	send_stream(*(int *)arg, &s, scaled(FILE_BYTES, MIB), 40000);
	return shutdown(*(int *)arg, SHUT_WR);
}

static void relay_client(void)
{
	int to = meet(), from = meet();
	struct stream s;
	struct task t;

	stream_init(&s, 0);
	task_start(&t, give_all, &to);
	recv_stream(from, &s, scaled(FILE_BYTES, MIB), 60000);
	expect_end(from);
	RETURNS(0, task_join(&t));
	ctl_sync("OVER");
}

static const struct peer_case splice_cases[] = {
	{ "sendfile", sendfile_client, take_stream },
	{ "sendfile_slow_reader", sendfile_nonblock_client, slow_take_stream },
	{ "splice_to_socket", splice_in_client, take_stream },
	{ "vmsplice", vmsplice_client, vmsplice_server },
	{ "splice_from_socket", give_stream, splice_out_server },
	{ "splice_keeps_data", splice_keep_client, splice_keep_server },
	{ "splice_tee", splice_keep_client, splice_tee_server },
	{ "splice_unread_pipe", splice_unread_client, splice_unread_server },
	{ "splice_edges", splice_edges_client, splice_edges_server },
	{ "splice_relay", relay_client, relay_server },
};

CASE_GROUP(group_splice, splice);

// SPDX-License-Identifier: GPL-2.0
/* Tests sockets that several threads, processes or descriptors share. */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "groups.h"
#include "util.h"

enum {
	SHARE_BYTES = 8 * MIB,
	CHUNK = 20000,
	WRITERS = 4,
	RECORDS = 3000,
	WORKERS = 4,
	CONNECTIONS = 40,
	QUEUED = 60,
	ANEW_ROUNDS = 3,
};

struct sender {
	int fd;
	unsigned int id;
	uint64_t bytes;
};

static int send_from(void *arg)
{
	struct sender *w = arg;
	struct stream s;

	stream_init(&s, w->id);
	send_stream(w->fd, &s, w->bytes, CHUNK);
	return 0;
}

/* On one socket, the child sends and the parent receives. */
static void fork_both(void)
{
	struct sender w = { .id = cfg.server, .bytes = scaled(SHARE_BYTES, MIB) };
	struct stream in;
	int pid;

	w.fd = meet();
	pid = child_start(send_from, &w);
	stream_init(&in, !cfg.server);
	/* R-1.1-08 */
	recv_stream(w.fd, &in, w.bytes, CHUNK);
	RETURNS(0, child_wait(pid));
	ctl_sync("RECEIVED");
	/* The child has exited and closed its descriptor, so this is the last
	 * descriptor.
	 */
	close(w.fd);
}

/* A child still has the connection after the parent has closed its
 * descriptor.
 */
static int answer_later(void *arg)
{
	int fd = *(int *)arg;
	char c;

	recv_all(fd, &c, 1);
	send_all(fd, &c, 1);
	return 0;
}

static void fork_keeps_client(void)
{
	int fd = meet();
	char c;

	ctl_wait("CLOSED");
	CHECK(!poll_ms(fd, POLLIN, 100), "one copy closed, and the stream ended");
	send_all(fd, "k", 1);
	recv_all(fd, &c, 1);
	/* R-1.1-08 */
	CHECK(c == 'k', "got %c", c);
	expect_end(fd);
}

static void fork_keeps_server(void)
{
	int fd = meet();
	int pid = child_start(answer_later, &fd);

	close(fd);
	ctl_send("CLOSED");
	RETURNS(0, child_wait(pid));
}

/* Several writers send records of one byte, which is the number of the writer:
 * none is lost or repeated.
 */
static int write_records(void *arg)
{
	struct sender *w = arg;
	unsigned int i;
	char c = w->id;

	for (i = 0; i < w->bytes; i++)
		RETURNS(1, send(w->fd, &c, 1, 0));
	return 0;
}

static void writers_client(void)
{
	struct sender w[WRITERS];
	struct task t[WRITERS];
	int fd = meet();
	int i;

	for (i = 0; i < WRITERS; i++) {
		w[i] = (struct sender){ fd, i, scaled(RECORDS, 500) };
		task_start(&t[i], write_records, &w[i]);
	}
	for (i = 0; i < WRITERS; i++)
		RETURNS(0, task_join(&t[i]));
	close(fd);
}

static void writers_server(void)
{
	unsigned int count[WRITERS] = {};
	unsigned char buf[500];
	int fd = meet();
	ssize_t i, n;

	while ((n = recv(fd, buf, sizeof(buf), 0)) > 0) {
		for (i = 0; i < n; i++) {
			CHECK(buf[i] < WRITERS, "byte %u was never sent", buf[i]);
			count[buf[i]]++;
		}
	}
	RETURNS(0, n);
	for (i = 0; i < WRITERS; i++)
		RETURNS(scaled(RECORDS, 500), count[i]);
}

/* Several processes read: each byte arrives at exactly one of them. */
struct reader {
	int fd;
	uint64_t sum;
	uint64_t bytes;
};

static int read_some(void *arg)
{
	struct reader *r = arg;
	unsigned char buf[777];
	ssize_t i, n;

	while ((n = recv(r->fd, buf, sizeof(buf), 0)) > 0) {
		for (i = 0; i < n; i++)
			r->sum += buf[i];
		r->bytes += n;
	}
	return n;
}

static void readers_server(void)
{
	uint64_t sum = 0, bytes = 0;
	struct reader r[WORKERS] = {};
	struct task t[WORKERS];
	int fd = meet();
	int i;

	for (i = 0; i < WORKERS; i++) {
		r[i].fd = fd;
		task_start(&t[i], read_some, &r[i]);
	}
	for (i = 0; i < WORKERS; i++) {
		RETURNS(0, task_join(&t[i]));
		sum += r[i].sum;
		bytes += r[i].bytes;
	}
	RETURNS(scaled(SHARE_BYTES, MIB), bytes);
	RETURNS(ctl_wait_u64("SUM"), sum);
}

static void readers_client(void)
{
	uint64_t left = scaled(SHARE_BYTES, MIB), sum = 0;
	unsigned char buf[3001];
	struct stream s;
	int fd = meet();
	size_t i, n;

	stream_init(&s, 9);
	for (; left; left -= n) {
		n = min_of(left, sizeof(buf));
		stream_fill(&s, buf, n);
		send_all(fd, buf, n);
		for (i = 0; i < n; i++)
			sum += buf[i];
	}
	close(fd);
	ctl_send_u64("SUM", sum);
}

/* close() of a descriptor while another thread sleeps in a call on it. */
static int recv_one(void *arg)
{
	char c;

	return recv(*(int *)arg, &c, 1, 0);
}

static void close_in_recv_client(void)
{
	int fd = meet(), copy = fd;
	struct task t;

	task_start(&t, recv_one, &copy);
	task_blocked(&t, 50);
	close(fd);
	/* The sleeping call keeps the socket alive and gets new data. */
	task_blocked(&t, 50);
	ctl_send("CLOSED");
	RETURNS(1, task_join(&t));
	ctl_wait("END");
}

static void close_in_recv_server(void)
{
	int fd = meet();

	ctl_wait("CLOSED");
	send_all(fd, "x", 1);
	expect_end(fd);
	ctl_send("END");
}

/* Checks that shutdown() wakes threads that sleep in send() and recv(). */
static void shutdown_wakes_client(void)
{
	struct task rx, tx;
	struct stream s;
	int fd = meet();

	stream_init(&s, 0);
	fill_window(fd, &s);
	task_start(&rx, recv_one, &fd);
	task_start(&tx, send_much, &fd);
	task_blocked(&rx, 50);
	task_blocked(&tx, 0);
	RETURNS(0, shutdown(fd, SHUT_RDWR));
	RETURNS(0, task_join(&rx));
	RETURNS(-1, task_join(&tx));
	CHECK(errno == EPIPE, "send: %s", strerrorname(errno));
	ctl_sync("OVER");
}

/* Checks that shutdown() of a listener wakes threads that sleep in accept(). */
static void shutdown_listener(void)
{
	uint16_t port;
	int lfd = new_listener(4, &port);
	struct task t[2];
	int i;

	for (i = 0; i < 2; i++)
		task_start(&t[i], accept_task, &lfd);
	task_blocked(&t[0], 50);
	task_blocked(&t[1], 0);
	RETURNS(0, shutdown(lfd, SHUT_RD));
	for (i = 0; i < 2; i++) {
		RETURNS(-1, task_join(&t[i]));
		CHECK(errno == EINVAL, "accept: %s", strerrorname(errno));
	}
	FAILS(EINVAL, accept(lfd, NULL, NULL));
}

/*
 * A thread shuts down a listener with many connections in its queue. As soon as
 * the listener has ended, another thread lets the socket listen again.
 */
static int shut_down(void *arg)
{
	return shutdown(*(int *)arg, SHUT_RD);
}

static int listen_anew(void *arg)
{
	struct sockaddr none = { .sa_family = AF_UNSPEC };
	int lfd = *(int *)arg;
	uint64_t end = now_ms() + patience(10000);
	int err = -1;

	while (!poll_ms(lfd, POLLHUP, 0) && now_ms() < end)
		sched_yield();
	while (err && now_ms() < end) {
		connect(lfd, &none, sizeof(none));
		err = listen(lfd, QUEUED);
	}
	return err;
}

static void listen_anew_server(void)
{
	uint16_t port;
	int lfd = new_listener(QUEUED, &port);
	struct task end, begin;
	int round;

	for (round = 0; round < ANEW_ROUNDS; round++) {
		ctl_send_u64("PORT", port);
		ctl_wait("QUEUED");
		task_start(&begin, listen_anew, &lfd);
		task_start(&end, shut_down, &lfd);
		RETURNS(0, task_join(&end));
		RETURNS(0, task_join(&begin));
		/* the kernel chooses a port for each listen() */
		port = local_port(lfd);
		ctl_send_u64("ANEW", port);
		close(accept_from(lfd));
		ctl_sync("SERVED");
	}
	close(lfd);
}

static void listen_anew_client(void)
{
	int fd[QUEUED], last;
	uint16_t port;
	int round, i;

	for (round = 0; round < ANEW_ROUNDS; round++) {
		port = ctl_wait_u64("PORT");
		for (i = 0; i < QUEUED; i++)
			fd[i] = connect_to(port);
		ctl_send("QUEUED");
		last = connect_to(ctl_wait_u64("ANEW"));
		ctl_sync("SERVED");
		close(last);
		for (i = 0; i < QUEUED; i++)
			close(fd[i]);
	}
}

/* Several processes accept from one listener. */
static int accept_and_echo(void *arg)
{
	int lfd = *(int *)arg;
	int fd, n = 0;
	char c;

	for (;;) {
		fd = OK(accept(lfd, NULL, NULL));
		recv_all(fd, &c, 1);
		send_all(fd, &c, 1);
		expect_end(fd);
		close(fd);
		n++;
		if (c == 'q')
			return n;
	}
}

static void prefork_server(void)
{
	int pids[WORKERS], i, sum = 0;
	uint16_t port;
	int lfd = new_listener(16, &port);

	for (i = 0; i < WORKERS; i++)
		pids[i] = child_start(accept_and_echo, &lfd);
	ctl_send_u64("PORT", port);
	for (i = 0; i < WORKERS; i++)
		sum += OK(child_wait(pids[i]));
	RETURNS(CONNECTIONS + WORKERS, sum);
}

static void prefork_client(void)
{
	uint16_t port = ctl_wait_u64("PORT");
	int i, fd;
	char c;

	for (i = 0; i < CONNECTIONS + WORKERS; i++) {
		fd = new_socket(0);
		OK(connect_fd(fd, port));
		send_all(fd, i < CONNECTIONS ? "x" : "q", 1);
		recv_all(fd, &c, 1);
		close(fd);
	}
}

/* Checks that the connection ends when the last descriptor is closed, not
 * before.
 */
static void dup_client(void)
{
	int fd = meet();
	int copy = OK(dup(fd));
	int again = OK(fcntl(fd, F_DUPFD_CLOEXEC, 100));

	close(fd);
	send_all(copy, "1", 1);
	close(copy);
	CHECK(fcntl(again, F_GETFD) & FD_CLOEXEC, "no FD_CLOEXEC");
	send_all(again, "2", 1);
	ctl_sync("SENT");
	close(again);
	ctl_wait("END");
}

static void dup_server(void)
{
	int fd = meet();
	char buf[2];

	recv_all(fd, buf, 2);
	CHECK(!poll_ms(fd, POLLIN, 50), "ended before its last descriptor");
	ctl_sync("SENT");
	expect_end(fd);
	ctl_send("END");
}

/* Checks that after exec(), a program does not have descriptors that are
 * close-on-exec.
 */
static void cloexec_client(void)
{
	int fd = meet();
	int pid = OK(fork());

	if (pid == 0) {
		execlp("sleep", "sleep", "1000", NULL);
		_exit(1);
	}
	close(fd);
	ctl_wait("END");
	kill(pid, SIGKILL);
	RETURNS(-SIGKILL, child_wait(pid));
}

static void cloexec_server(void)
{
	expect_end(meet());
	ctl_send("END");
}

static void flags_server(void)
{
	uint16_t port;
	int lfd = new_listener(4, &port);
	int i, fd;

	CHECK(fcntl(lfd, F_GETFD) & FD_CLOEXEC, "SOCK_CLOEXEC was not heard");
	ctl_send_u64("PORT", port);
	for (i = 0; i < 4; i++) {
		AWAIT(lfd, POLLIN);
		fd = OK(accept4(lfd, NULL, NULL, (i & 1 ? SOCK_CLOEXEC : 0) |
				(i & 2 ? SOCK_NONBLOCK : 0)));
		CHECK(!(fcntl(fd, F_GETFD) & FD_CLOEXEC) == !(i & 1),
		      "accept4: close-on-exec %d", i);
		CHECK(!(fcntl(fd, F_GETFL) & O_NONBLOCK) == !(i & 2),
		      "accept4: nonblocking %d", i);
		close(fd);
	}
}

static void flags_client(void)
{
	uint16_t port = ctl_wait_u64("PORT");
	int i;

	for (i = 0; i < 4; i++)
		expect_end(connect_to(port));
	CHECK(fcntl(new_socket(SOCK_NONBLOCK), F_GETFL) & O_NONBLOCK,
	      "SOCK_NONBLOCK was not heard");
	CHECK(!(fcntl(new_socket(0), F_GETFL) & O_NONBLOCK), "nonblocking unasked");
}

/* A process passes the socket to another process over a Unix socket. */
static void pass_fd(int unix_fd, int fd)
{
	char control[CMSG_SPACE(sizeof(int))] = "";
	struct iovec iov = { "x", 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1,
			      .msg_control = control,
			      .msg_controllen = sizeof(control) };
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);

	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(cmsg), &fd, sizeof(int));
	RETURNS(1, sendmsg(unix_fd, &msg, 0));
}

static int take_fd(void *arg)
{
	char control[CMSG_SPACE(sizeof(int))], c;
	struct iovec iov = { &c, 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1,
			      .msg_control = control,
			      .msg_controllen = sizeof(control) };
	int fd;

	RETURNS(1, recvmsg(*(int *)arg, &msg, 0));
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(int));
	return answer_later(&fd);
}

static void pass_server(void)
{
	int sv[2], pid, fd;

	OK(socketpair(AF_UNIX, SOCK_STREAM, 0, sv));
	pid = child_start(take_fd, &sv[1]);
	fd = meet();
	pass_fd(sv[0], fd);
	close(fd);
	ctl_send("CLOSED");
	RETURNS(0, child_wait(pid));
}

static const struct peer_case share_cases[] = {
	{ "fork_sends_parent_receives", fork_both, fork_both },
	{ "fork_keeps_connection", fork_keeps_client, fork_keeps_server },
	{ "threads_send", writers_client, writers_server },
	{ "threads_receive", readers_client, readers_server },
	{ "close_while_receiving", close_in_recv_client, close_in_recv_server },
	{ "shutdown_wakes_threads", shutdown_wakes_client, wait_for_over },
	{ "shutdown_wakes_accept", shutdown_listener },
	{ "listens_anew_during_shutdown", listen_anew_client,
	  listen_anew_server },
	{ "prefork", prefork_client, prefork_server },
	{ "dup", dup_client, dup_server },
	{ "close_on_exec", cloexec_client, cloexec_server },
	{ "accept4_flags", flags_client, flags_server },
	{ "scm_rights", fork_keeps_client, pass_server },
};

CASE_GROUP(group_share, share);

// SPDX-License-Identifier: GPL-2.0
/* Tests socket options, ioctls and names (R-B-02, R-B-03, R-B.1-*). */
#include <netinet/ip.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/net_tstamp.h>
#include <linux/sockios.h>

#include "groups.h"
#include "util.h"

#ifndef TCP_INQ
#define TCP_INQ 36
#endif

enum {
	QUIET_MS = 100,
	NOTSENT = 8192,
	USER_TIMEOUT_MS = 400,
	/* also limits the handshake, during which the host may stand still */
	EARLY_TIMEOUT_MS = 1500,
	MOST_PACKETS = 128 * KIB,
	CHUNK = 16 * KIB,
};

static void names_client(void)
{
	uint16_t port = ctl_wait_u64("PORT");
	int fd = connect_to(port);
	struct sockaddr_storage peer, want;
	socklen_t len = sizeof(peer), want_len = server_addr(port, &want);

	OK(getpeername(fd, (struct sockaddr *)&peer, &len));
	RETURNS(want_len, len);
	/* R-B-02, -03 */
	CHECK(!memcmp(&peer, &want, len), "getpeername: not where we connected to");
	ctl_send_u64("MYPORT", local_port(fd));
	ctl_sync("OVER");
	close(fd);
}

static void names_server(void)
{
	struct sockaddr_storage from, peer, own;
	socklen_t from_len = sizeof(from), len = sizeof(peer);
	uint16_t port;
	int lfd = new_listener(1, &port);
	int fd;

	ctl_send_u64("PORT", port);
	AWAIT(lfd, POLLIN);
	fd = OK(accept(lfd, (struct sockaddr *)&from, &from_len));
	OK(getpeername(fd, (struct sockaddr *)&peer, &len));
	RETURNS(from_len, len);
	/* R-B-03 */
	CHECK(!memcmp(&peer, &from, len), "accept and getpeername disagree");
	RETURNS(ctl_wait_u64("MYPORT"), ntohs(((struct sockaddr_in *)&peer)->sin_port));
	len = sizeof(own);
	OK(getsockname(fd, (struct sockaddr *)&own, &len));
	/* R-B-02 */
	RETURNS(family_domain(cfg.family), own.ss_family);
	/* R-B-03 */
	RETURNS(port, ntohs(((struct sockaddr_in *)&own)->sin_port));
	RETURNS(from_len, len);
	/* With a short buffer, the call returns the bytes that fit, and the
	 * full length.
	 */
	len = 4;
	RETURNS(0, getsockname(fd, (struct sockaddr *)&own, &len));
	RETURNS(from_len, len);
	ctl_sync("OVER");
}

static void bound_client(void)
{
	uint16_t port = ctl_wait_u64("PORT");
	int fd = new_socket(0);
	uint16_t own;

	bind_any(fd, 0);
	own = local_port(fd);
	CHECK(own, "bind gave no port");
	OK(connect_fd(fd, port));
	check_mode(fd);
	RETURNS(own, local_port(fd));
	ctl_send_u64("MYPORT", own);
	ctl_sync("OVER");
}

static void queues_client(void)
{
	struct stream s;
	uint64_t until, n;
	int fd = meet();

	stream_init(&s, 0);
	RETURNS(0, outq(fd));
	n = fill_window(fd, &s);
	CHECK(outq(fd) > 0, "SIOCOUTQ is 0 with a full window");
	CHECK((uint64_t)outq(fd) <= n, "SIOCOUTQ is %d of %llu bytes", outq(fd),
	      (unsigned long long)n);
	ctl_send_u64("SENT", n);
	until = now_ms() + patience(5000);
	while (outq(fd) && now_ms() < until)
		sleep_ms(1);
	RETURNS(0, outq(fd));
	RETURNS(0, inq(fd));
	ctl_sync("READ");
	close(fd);
}

static void queues_server(void)
{
	struct stream s;
	int fd = meet();
	uint64_t n;
	int had;

	stream_init(&s, 0);
	n = ctl_wait_u64("SENT");
	had = inq(fd);
	CHECK(had > 0 && (uint64_t)had <= n, "SIOCINQ is %d", had);
	/* SIOCINQ decreases at most by the number of bytes that were read. */
	recv_stream(fd, &s, 1000, 1000);
	CHECK(inq(fd) >= had - 1000, "SIOCINQ fell from %d to %d for 1000 bytes",
	      had, inq(fd));
	recv_stream(fd, &s, n - 1000, CHUNK);
	RETURNS(0, inq(fd));
	ctl_sync("READ");
}

static void facts_client(void)
{
	int fd = meet();

	RETURNS(SOCK_STREAM, get_int(fd, SOL_SOCKET, SO_TYPE));
	RETURNS(0, get_int(fd, SOL_SOCKET, SO_ACCEPTCONN));
	RETURNS(0, get_int(fd, SOL_SOCKET, SO_ERROR));
	ctl_sync("OVER");
}

static void facts_server(void)
{
	uint16_t port;
	int lfd = new_listener(1, &port);

	RETURNS(1, get_int(lfd, SOL_SOCKET, SO_ACCEPTCONN));
	RETURNS(SOCK_STREAM, get_int(lfd, SOL_SOCKET, SO_TYPE));
	close(lfd);
	facts_client();
}

/*
 * R-B.1-02: buffers have at least the requested size, and data passes buffers
 * of each size.
 */
static int wanted_buffer;

static void set_both_buffers(int fd, int size)
{
	set_int(fd, SOL_SOCKET, SO_SNDBUF, size);
	set_int(fd, SOL_SOCKET, SO_RCVBUF, size);
}

static void set_buffers(int fd)
{
	int size;

	set_both_buffers(fd, wanted_buffer);
	size = get_int(fd, SOL_SOCKET, SO_SNDBUF);
	CHECK(size >= wanted_buffer, "SO_SNDBUF %d is %d", wanted_buffer, size);
	size = get_int(fd, SOL_SOCKET, SO_RCVBUF);
	CHECK(size >= wanted_buffer, "SO_RCVBUF %d is %d", wanted_buffer, size);
}

static void buffers(void)
{
	static const int sizes[] = { 1, 5000, 16384, 16385, 65536, 100000, 200000 };
	struct stream out, in;
	size_t i;
	int fd;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		wanted_buffer = sizes[i];
		fd = meet_with(set_buffers);
		/* R-B.1-02 */
		CHECK(get_int(fd, SOL_SOCKET, SO_RCVBUF) >= wanted_buffer,
		      "SO_RCVBUF of the connection is %d",
		      get_int(fd, SOL_SOCKET, SO_RCVBUF));
		stream_init(&out, cfg.server);
		stream_init(&in, !cfg.server);
		if (cfg.server)
			recv_stream(fd, &in, 300000, 10007);
		send_stream(fd, &out, 300000, 10007);
		if (!cfg.server)
			recv_stream(fd, &in, 300000, 10007);
		close(fd);
	}
}

/* R-B.1-02: a large buffer takes the data of the peer although nobody reads. */
static void big_buffer(int fd)
{
	set_both_buffers(fd, 200000);
}

static void small_buffer(int fd)
{
	set_both_buffers(fd, 16384);
}

static void window_client(void)
{
	uint64_t big, small;
	struct stream s;
	int fd;

	stream_init(&s, 0);
	fd = meet_with(big_buffer);
	big = fill_window(fd, &s);
	close(fd);
	fd = meet_with(small_buffer);
	small = fill_window(fd, &s);
	/* R-B.1-02 */
	CHECK(big >= 2 * small, "%llu bytes fit large buffers, %llu small ones",
	      (unsigned long long)big, (unsigned long long)small);
	note("%llu and %llu bytes", (unsigned long long)big,
	     (unsigned long long)small);
	ctl_sync("OVER");
}

static void window_server(void)
{
	int big = meet_with(big_buffer);
	int small = meet_with(small_buffer);

	ctl_sync("OVER");
	close(big);
	close(small);
}

/* Checks that accepted connections inherit the options of the listener. */
static void inherit_server(void)
{
	struct linger l = { .l_onoff = 1, .l_linger = 7 }, got = {};
	struct timeval tv = { .tv_sec = 9 }, got_tv = {};
	socklen_t len = sizeof(got);
	uint16_t port;
	int lfd = new_listener(1, &port);
	int fd;

	OK(setsockopt(lfd, SOL_SOCKET, SO_LINGER, &l, sizeof(l)));
	OK(setsockopt(lfd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv)));
	set_int(lfd, SOL_SOCKET, SO_KEEPALIVE, 1);
	set_int(lfd, SOL_SOCKET, SO_MAX_PACING_RATE, 1 << 30);
	set_int(lfd, SOL_SOCKET, SO_PRIORITY, 3);
	set_int(lfd, IPPROTO_TCP, TCP_NODELAY, 1);
	set_int(lfd, IPPROTO_TCP, TCP_KEEPIDLE, 77);
	ctl_send_u64("PORT", port);
	fd = accept_from(lfd);
	OK(getsockopt(fd, SOL_SOCKET, SO_LINGER, &got, &len));
	CHECK(got.l_onoff && got.l_linger == 7, "SO_LINGER %d %d", got.l_onoff,
	      got.l_linger);
	len = sizeof(got_tv);
	OK(getsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &got_tv, &len));
	RETURNS(9, got_tv.tv_sec);
	RETURNS(1, get_int(fd, SOL_SOCKET, SO_KEEPALIVE));
	RETURNS(1 << 30, get_int(fd, SOL_SOCKET, SO_MAX_PACING_RATE));
	/* TCP does not inherit the priority */
	RETURNS(0, get_int(fd, SOL_SOCKET, SO_PRIORITY));
	/* R-B.1-01, -03 */
	RETURNS(1, get_int(fd, IPPROTO_TCP, TCP_NODELAY));
	RETURNS(77, get_int(fd, IPPROTO_TCP, TCP_KEEPIDLE));
	ctl_sync("OVER");
}

static void ask_for_times(int fd)
{
	set_int(fd, SOL_SOCKET, SO_TIMESTAMPING, SOF_TIMESTAMPING_SOFTWARE |
		SOF_TIMESTAMPING_TX_SCHED | SOF_TIMESTAMPING_TX_ACK);
}

/* Checks that the program gets no times of the handshake's messages, because
 * the program itself has sent nothing.
 */
static void no_times(void)
{
	int fd = meet_with(ask_for_times);
	char c;

	ctl_sync("THERE");
	/* TCP may delay the last acknowledgment */
	sleep_ms(quiet(100));
	RETURNS(0, poll_ms(fd, 0, 0));
	FAILS(EAGAIN, recv(fd, &c, 1, MSG_ERRQUEUE));
	ctl_sync("OVER");
	close(fd);
}

/* Checks that the option, whose bytes would be those of TCP, is refused. */
static void map_received(void)
{
	struct tcp_zerocopy_receive z = {};
	socklen_t len = sizeof(z);
	int fd = meet();

	if (family_is_smc(cfg.family) && cfg.own.mode != MODE_TCP)
		FAILS(EOPNOTSUPP, getsockopt(fd, IPPROTO_TCP,
					     TCP_ZEROCOPY_RECEIVE, &z, &len));
	ctl_sync("OVER");
}

/* Connects, and closes the connection after the word OVER. */
static void visit_client(void)
{
	int fd = connect_to(ctl_wait_u64("PORT"));

	ctl_sync("OVER");
	close(fd);
}

static void defer_accept(int fd, int seconds)
{
	set_int(fd, IPPROTO_TCP, TCP_DEFER_ACCEPT, seconds);
}

/* Checks that with TCP_DEFER_ACCEPT, accept() waits for the first byte of a
 * connection, or for its end.
 */
static void defer_server(void)
{
	uint16_t port;
	int lfd = new_listener(4, &port);
	int fd;
	char c;

	defer_accept(lfd, 60);
	ctl_send_u64("PORT", port);
	ctl_wait("CONNECTED");
	CHECK(!poll_ms(lfd, POLLIN, QUIET_MS), "ready without data");
	set_nonblock(lfd, true);
	FAILS(EAGAIN, accept(lfd, NULL, NULL));
	set_nonblock(lfd, false);
	ctl_send("SEND");
	fd = accept_from(lfd);
	RETURNS(1, recv(fd, &c, 1, MSG_DONTWAIT));
	CHECK(c == 'd', "got %c", c);
	close(fd);
	/* the next connection sends nothing */
	fd = accept_from(lfd);
	expect_end(fd);
	close(fd);
	/* closing the listener resets a connection that still waits */
	ctl_wait("CONNECTED");
	close(lfd);
	ctl_send("CLOSED");
	ctl_sync("OVER");
}

static void defer_client(void)
{
	uint16_t port = ctl_wait_u64("PORT");
	int fd = connect_to(port);
	char c;

	ctl_send("CONNECTED");
	ctl_wait("SEND");
	send_all(fd, "d", 1);
	expect_end(fd);
	close(fd);
	close(connect_to(port));
	fd = connect_to(port);
	ctl_send("CONNECTED");
	ctl_wait("CLOSED");
	/* TCP notices the end when it sends */
	send(fd, "x", 1, MSG_NOSIGNAL);
	AWAIT(fd, POLLIN);
	CHECK(recv(fd, &c, 1, 0) <= 0, "data from a listener");
	ctl_sync("OVER");
}

/*
 * Checks that the first bytes of two connections wake two threads in accept(),
 * also if both arrive at once.
 */
static void defer_wakes_server(void)
{
	uint16_t port;
	int lfd = new_listener(4, &port);
	struct task t[2];
	int i, fd;

	defer_accept(lfd, 60);
	ctl_send_u64("PORT", port);
	ctl_wait("CONNECTED");
	for (i = 0; i < 2; i++)
		task_start(&t[i], accept_task, &lfd);
	for (i = 0; i < 2; i++)
		task_blocked(&t[i], 50);
	ctl_send("SEND");
	for (i = 0; i < 2; i++) {
		fd = OK(task_join(&t[i]));
		close(fd);
	}
	ctl_sync("OVER");
}

static void defer_wakes_client(void)
{
	uint16_t port = ctl_wait_u64("PORT");
	int fd[2] = { connect_to(port), connect_to(port) };
	int i;

	ctl_send("CONNECTED");
	ctl_wait("SEND");
	for (i = 0; i < 2; i++)
		RETURNS(1, send(fd[i], "d", 1, 0));
	ctl_sync("OVER");
}

/* Checks that after the time of TCP_DEFER_ACCEPT, accept() does not wait for
 * data.
 */
static void defer_over_server(void)
{
	uint16_t port;
	int lfd = new_listener(4, &port);
	int fd;

	defer_accept(lfd, 1);
	ctl_send_u64("PORT", port);
	await(lfd, POLLIN, 20000);
	fd = accept_from(lfd);
	CHECK(!inq(fd), "there is data");
	ctl_sync("OVER");
	close(fd);
}

/* The client sends one byte, and the server closes the connection. */
static void give_byte(int fd)
{
	send_all(fd, "x", 1);
	expect_end(fd);
}

static void take_byte(int fd)
{
	expect_text(fd, "x", 0);
	close(fd);
}

/* Checks that fast open does not cause a fallback if the program does not use
 * it, or turns it off.
 */
static void fastopen_off(int fd)
{
	static const char key[16] = "sixteen bytes...";

	set_int(fd, IPPROTO_TCP, TCP_FASTOPEN, 0);
	set_int(fd, IPPROTO_TCP, TCP_FASTOPEN_CONNECT, 0);
	set_int(fd, IPPROTO_TCP, TCP_FASTOPEN_NO_COOKIE, 1);
	OK(setsockopt(fd, IPPROTO_TCP, TCP_FASTOPEN_KEY, key, sizeof(key)));
}

static void fastopen_off_client(void)
{
	give_byte(meet_with(fastopen_off));
}

static void fastopen_off_server(void)
{
	take_byte(meet_with(fastopen_off));
}

/* Checks that a listener may have the fast open option of TCP. Clients without
 * fast open then use SMC.
 */
static void fastopen_late_server(void)
{
	uint16_t port;
	int lfd = new_listener(1, &port);

	set_int(lfd, IPPROTO_TCP, TCP_FASTOPEN, 5);
	FAILS(EINVAL, setsockopt(lfd, IPPROTO_TCP, TCP_FASTOPEN_CONNECT,
				 &(int){ 1 }, sizeof(int)));
	ctl_send_u64("PORT", port);
	take_byte(accept_from(lfd));
}

static void fastopen_late_client(void)
{
	give_byte(connect_to(ctl_wait_u64("PORT")));
}

/* Checks that no ULP is visible that the program has not set. */
static void expect_no_ulp(int fd)
{
	char name[16] = "unchanged";
	socklen_t len = sizeof(name);

	OK(getsockopt(fd, IPPROTO_TCP, TCP_ULP, name, &len));
	CHECK(!len, "getsockopt(TCP_ULP) has %u bytes: '%.16s'", len, name);
	CHECK(!strcmp(name, "unchanged"), "getsockopt(TCP_ULP) wrote '%.16s'", name);
	FAILS(EFAULT, getsockopt(fd, IPPROTO_TCP, TCP_ULP, name, (void *)8));
}

static void ulp_client(void)
{
	uint16_t port = ctl_wait_u64("PORT");
	int fd = new_socket(0);

	expect_no_ulp(fd);
	OK(connect_fd(fd, port));
	check_mode(fd);
	expect_no_ulp(fd);
	give_byte(fd);
}

static void ulp_server(void)
{
	uint16_t port;
	int lfd = new_listener(1, &port);
	int fd;

	expect_no_ulp(lfd);
	ctl_send_u64("PORT", port);
	fd = accept_from(lfd);
	expect_no_ulp(fd);
	take_byte(fd);
}

/* Reads @len bytes and returns how many bytes are left, by TCP_INQ. */
static int inq_after(int fd, size_t len)
{
	char buf[100], control[CMSG_SPACE(sizeof(int))];
	struct iovec iov = { buf, len };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *c;
	int left;

	OK(recvmsg(fd, &msg, 0));
	c = CMSG_FIRSTHDR(&msg);
	CHECK(c && c->cmsg_level == IPPROTO_TCP && c->cmsg_type == TCP_INQ,
	      "no message with TCP_INQ");
	memcpy(&left, CMSG_DATA(c), sizeof(left));
	return left;
}

/* TCP_INQ, and SO_INCOMING_CPU of the data that has arrived. */
static void inq_client(void)
{
	int fd = meet();
	int cpu;

	set_int(fd, IPPROTO_TCP, TCP_INQ, 1);
	RETURNS(1, get_int(fd, IPPROTO_TCP, TCP_INQ));
	FAILS(EINVAL, setsockopt(fd, IPPROTO_TCP, TCP_INQ, &(int){ 2 },
				 sizeof(int)));
	await_bytes(fd, 10);
	RETURNS(7, inq_after(fd, 3));
	RETURNS(0, inq_after(fd, 7));
	cpu = get_int(fd, SOL_SOCKET, SO_INCOMING_CPU);
	CHECK(cpu >= 0 && cpu < sysconf(_SC_NPROCESSORS_CONF), "CPU %d", cpu);
	ctl_sync("END");
	await(fd, POLLRDHUP, 5000);
	RETURNS(1, inq_after(fd, 3));
	set_int(fd, IPPROTO_TCP, TCP_INQ, 0);
	expect_end(fd);
}

static void inq_server(void)
{
	int fd = meet();

	send_all(fd, "0123456789", 10);
	ctl_sync("END");
	close(fd);
}

/*
 * Checks TCP_NOTSENT_LOWAT: a sender must wait while this number of bytes is
 * unsent. TCP counts whole packets.
 */
static void notsent_client(void)
{
	ssize_t n, most = NOTSENT + MOST_PACKETS;
	static char buf[1000];
	int fd = meet();

	set_int(fd, SOL_SOCKET, SO_SNDBUF, 200000);
	set_int(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, NOTSENT);
	RETURNS(NOTSENT, get_int(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT));
	/* the peer does not read; bytes that are under way may still leave */
	do {
		n = send(fd, buf, sizeof(buf), MSG_DONTWAIT);
	} while (n > 0 || poll_ms(fd, POLLOUT, QUIET_MS));
	CHECK(errno == EAGAIN, "send: %s", strerrorname(errno));
	n = unsent(fd);
	if (family_is_smc(cfg.family) && cfg.own.mode != MODE_TCP)
		most = NOTSENT;
	CHECK(n <= most, "%zd bytes are unsent", n);
	note("%zd bytes unsent", n);
	ctl_send("READ");
	AWAIT(fd, POLLOUT);
	set_int(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, 0);
	close(fd);
}

static void notsent_server(void)
{
	struct timeval tv = { .tv_sec = patience(5000) / 1000 };
	char buf[10000];
	int fd = meet();
	ssize_t n;

	ctl_wait("READ");
	OK(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv)));
	do {
		n = OK(recv(fd, buf, sizeof(buf), 0));
	} while (n);
	close(fd);
}

/*
 * TCP_USER_TIMEOUT: the connection ends when the peer has taken no byte for
 * this time. An idle connection does not end.
 */
static void user_timeout(int fd)
{
	set_int(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, USER_TIMEOUT_MS);
}

static void early_timeout(int fd)
{
	set_int(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, EARLY_TIMEOUT_MS);
}

static void expect_timeout(int fd)
{
	static char buf[10000];
	ssize_t n;

	do {
		n = send(fd, buf, sizeof(buf), MSG_DONTWAIT | MSG_NOSIGNAL);
	} while (n > 0 || (n < 0 && errno == EAGAIN &&
			   poll_ms(fd, POLLOUT, QUIET_MS) == POLLOUT));
	/* the limit includes the time in which the probes of TCP back off */
	await(fd, POLLERR, 20000);
	if (n > 0 || errno == EAGAIN)
		RETURNS(ETIMEDOUT, get_int(fd, SOL_SOCKET, SO_ERROR));
	else
		CHECK(errno == ETIMEDOUT, "send: %s", strerrorname(errno));
	RETURNS(0, get_int(fd, SOL_SOCKET, SO_ERROR));
	FAILS(EPIPE, send(fd, "x", 1, MSG_NOSIGNAL));
	close(fd);
}

static void user_timeout_client(void)
{
	int fd = meet_with(early_timeout);

	RETURNS(EARLY_TIMEOUT_MS, get_int(fd, IPPROTO_TCP, TCP_USER_TIMEOUT));
	expect_timeout(fd);
	fd = meet();
	user_timeout(fd);
	sleep_ms(2 * USER_TIMEOUT_MS);
	RETURNS(0, get_int(fd, SOL_SOCKET, SO_ERROR));
	expect_timeout(fd);
	ctl_sync("OVER");
}

static void user_timeout_server(void)
{
	int early = meet();
	int late = meet();

	ctl_sync("OVER");
	close(early);
	close(late);
}

static void linger_zero(int fd)
{
	static const struct linger reset = { .l_onoff = 1 };

	OK(setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset)));
}

/* Checks that the first call after connect() turns SO_LINGER off, so close()
 * sends no reset.
 */
static void unlinger_client(void)
{
	static const struct linger none;
	int fd = meet_with(linger_zero);

	OK(setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof(none)));
	send_all(fd, "x", 1);
	close(fd);
}

static void unlinger_server(void)
{
	int fd = meet_with(NULL);

	expect_text(fd, "x", 0);
	expect_end(fd);
}

static const struct peer_case opts_cases[] = {
	{ "names", names_client, names_server },
	{ "bound_client", bound_client, names_server },
	{ "so_linger_taken_back", unlinger_client, unlinger_server },
	{ "siocinq_siocoutq", queues_client, queues_server },
	{ "so_type_error", facts_client, facts_server },
	{ "so_sndbuf_rcvbuf", buffers, buffers },
	{ "window_follows_rcvbuf", window_client, window_server },
	{ "options_inherited", visit_client, inherit_server },
	{ "no_times_of_the_handshake", no_times, no_times },
	{ "fastopen_off", fastopen_off_client, fastopen_off_server },
	{ "fastopen_late", fastopen_late_client, fastopen_late_server },
	{ "tcp_notsent_lowat", notsent_client, notsent_server },
	{ "tcp_user_timeout", user_timeout_client, user_timeout_server, 60 },
	{ "tcp_inq_incoming_cpu", inq_client, inq_server },
	{ "tcp_ulp_hidden", ulp_client, ulp_server },
	{ "tcp_zerocopy_receive", map_received, map_received },
	{ "tcp_defer_accept", defer_client, defer_server },
	{ "tcp_defer_accept_wakes_each", defer_wakes_client,
	  defer_wakes_server },
	{ "tcp_defer_accept_over", visit_client, defer_over_server },
};

CASE_GROUP(group_opts, opts);

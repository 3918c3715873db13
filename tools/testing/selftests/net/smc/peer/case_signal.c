// SPDX-License-Identifier: GPL-2.0
/* Tests signals that interrupt calls, and signals that report events. */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "groups.h"
#include "util.h"

static volatile sig_atomic_t caught;
static volatile sig_atomic_t caught_fd;
static volatile sig_atomic_t caught_band;

static void catch_signal(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	caught++;
	caught_fd = info->si_fd;
	caught_band |= info->si_band;
}

static void catch_on(int sig, int flags)
{
	struct sigaction sa = { .sa_sigaction = catch_signal,
				.sa_flags = flags | SA_SIGINFO };

	OK(sigaction(sig, &sa, NULL));
}

/*
 * Raises SIGALRM after 100 ms and again until was_caught(), because the first
 * signal may come before the call that it must interrupt.
 */
static void alarm_soon(int flags)
{
	catch_on(SIGALRM, flags);
	caught = 0;
	ualarm(100000, 100000);
}

static void was_caught(void)
{
	ualarm(0, 0);
	CHECK(caught, "no signal was caught");
}

/* The event may be visible before the signal arrives. */
static void await_signal(const char *what)
{
	uint64_t until = now_ms() + patience(2000);

	while (!caught && now_ms() < until)
		sleep_ms(1);
	CHECK(caught, "no signal for %s", what);
}

static void eintr_recv_client(void)
{
	int fd = meet();
	char buf[10];

	alarm_soon(0);
	FAILS(EINTR, recv(fd, buf, 1, 0));
	was_caught();
	/* The call restarts and receives later data. */
	alarm_soon(SA_RESTART);
	ctl_send("LATER");
	RETURNS(1, recv(fd, buf, 10, 0));
	was_caught();
	/* With MSG_WAITALL, a signal makes the call return the available bytes,
	 * not EINTR.
	 */
	ctl_send("NOW");
	await_bytes(fd, 3);
	alarm_soon(0);
	RETURNS(3, recv(fd, buf, 10, MSG_WAITALL));
	was_caught();
	/* The kernel does not restart a call with a time limit. */
	OK(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){ 5, 0 },
		      sizeof(struct timeval)));
	alarm_soon(SA_RESTART);
	FAILS(EINTR, recv(fd, buf, 1, 0));
	was_caught();
	close(fd);
}

static void eintr_recv_server(void)
{
	int fd = meet();

	ctl_wait("LATER");
	sleep_ms(250);
	send_all(fd, "x", 1);
	ctl_wait("NOW");
	send_all(fd, "xyz", 3);
	expect_end(fd);
}

static void eintr_send_client(void)
{
	static char buf[32 * MIB];
	struct stream s;
	int fd = meet();
	ssize_t n;

	stream_init(&s, 0);
	/* A part of the data fitted: the call returns the number of these
	 * bytes.
	 */
	alarm_soon(0);
	n = send(fd, buf, sizeof(buf), 0);
	was_caught();
	CHECK(n > 0 && n < (ssize_t)sizeof(buf), "send: %zd %s", n,
	      strerrorname(errno));
	n += fill_window(fd, &s);
	alarm_soon(0);
	FAILS(EINTR, send(fd, "x", 1, 0));
	was_caught();
	ctl_send_u64("SENT", n);
	ctl_sync("READ");
	close(fd);
}

static void eintr_send_server(void)
{
	char buf[64 * KIB];
	uint64_t left;
	int fd = meet();
	ssize_t n;

	for (left = ctl_wait_u64("SENT"); left; left -= n) {
		n = OK(recv(fd, buf, min_of(left, sizeof(buf)), 0));
		CHECK(n, "%llu bytes missing", (unsigned long long)left);
	}
	RETURNS(0, poll_ms(fd, POLLIN, 50));
	ctl_sync("READ");
}

static void eintr_accept(void)
{
	uint16_t port;
	int lfd = new_listener(1, &port);

	alarm_soon(0);
	FAILS(EINTR, accept(lfd, NULL, NULL));
	was_caught();
}

/* Checks that SIGIO reports arriving data, space to send, and the end. */
static void sigio_client(void)
{
	int fd = meet();
	char c;

	catch_on(SIGRTMIN, SA_RESTART);
	OK(fcntl(fd, F_SETOWN, getpid()));
	RETURNS(getpid(), fcntl(fd, F_GETOWN));
	OK(fcntl(fd, F_SETSIG, SIGRTMIN));
	OK(fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_ASYNC));
	caught = 0;
	caught_band = 0;
	ctl_send("SEND");
	await_bytes(fd, 1);
	await_signal("data");
	RETURNS(fd, caught_fd);
	CHECK(caught_band & POLL_IN, "band %#x", (int)caught_band);
	RETURNS(1, recv(fd, &c, 1, 0));
	caught = 0;
	ctl_send("END");
	AWAIT(fd, POLLIN);
	await_signal("the end");
	OK(fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_ASYNC));
	close(fd);
}

static void sigio_server(void)
{
	int fd = meet();

	ctl_wait("SEND");
	send_all(fd, "x", 1);
	ctl_wait("END");
	close(fd);
}

static void sigio_space_client(void)
{
	struct stream s;
	int fd = meet();

	catch_on(SIGIO, SA_RESTART);
	OK(fcntl(fd, F_SETOWN, getpid()));
	OK(fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_ASYNC));
	stream_init(&s, 0);
	ctl_send_u64("SENT", fill_window(fd, &s));
	caught = 0;
	ctl_send("READ");
	AWAIT(fd, POLLOUT);
	await_signal("room to send");
	ctl_sync("OVER");
}

static void sigio_space_server(void)
{
	struct stream s;
	int fd = meet();
	uint64_t n;

	stream_init(&s, 0);
	n = ctl_wait_u64("SENT");
	ctl_wait("READ");
	recv_stream(fd, &s, n, 16 * KIB);
	ctl_sync("OVER");
}

/* Checks that a listener signals new connections. */
static void sigio_accept_server(void)
{
	uint16_t port;
	int lfd = new_listener(1, &port);

	catch_on(SIGIO, SA_RESTART);
	OK(fcntl(lfd, F_SETOWN, getpid()));
	OK(fcntl(lfd, F_SETFL, fcntl(lfd, F_GETFL) | O_ASYNC));
	caught = 0;
	ctl_send_u64("PORT", port);
	AWAIT(lfd, POLLIN);
	await_signal("a connection");
	close(accept_from(lfd));
}

/* Checks that O_ASYNC that was set before the connection works in every later
 * mode.
 */
static void sigio_connect_client(void)
{
	uint16_t port = ctl_wait_u64("PORT");
	int fd = new_socket(SOCK_NONBLOCK);

	catch_on(SIGIO, SA_RESTART);
	OK(fcntl(fd, F_SETOWN, getpid()));
	OK(fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_ASYNC));
	caught = 0;
	connect_fd(fd, port);
	await(fd, POLLOUT, 8000);
	RETURNS(0, get_int(fd, SOL_SOCKET, SO_ERROR));
	AWAIT(fd, POLLIN);
	await_signal("a connection and its end");
}

/* Checks that a killed process ends at once, even if it sleeps in a call. */
static int recv_forever(void *arg)
{
	char c;

	return recv(*(int *)arg, &c, 1, 0);
}

static int send_forever(void *arg)
{
	static char buf[64 * KIB];

	for (;;)
		OK(send(*(int *)arg, buf, sizeof(buf), 0));
	return 0;
}

static void kill_sleeper(int (*fn)(void *arg), int fd)
{
	int pid = child_start(fn, &fd);
	uint64_t start;

	sleep_ms(quiet(100));
	start = now_ms();
	kill(pid, SIGKILL);
	RETURNS(-SIGKILL, child_wait(pid));
	CHECK(now_ms() - start < (uint64_t)patience(1000),
	      "a killed process took %llu ms to go",
	      (unsigned long long)(now_ms() - start));
}

static void kill_sleepers_client(void)
{
	int fd = meet();

	kill_sleeper(recv_forever, fd);
	kill_sleeper(send_forever, fd);
	ctl_sync("OVER");
}

static const struct peer_case signal_cases[] = {
	{ "eintr_recv", eintr_recv_client, eintr_recv_server },
	{ "eintr_send", eintr_send_client, eintr_send_server },
	{ "eintr_accept", eintr_accept },
	{ "sigio", sigio_client, sigio_server },
	{ "sigio_space", sigio_space_client, sigio_space_server },
	{ "sigio_accept", sigio_connect_client, sigio_accept_server },
	{ "kill_sleepers", kill_sleepers_client, wait_for_over },
};

CASE_GROUP(group_signal, signal);

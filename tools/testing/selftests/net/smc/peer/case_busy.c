// SPDX-License-Identifier: GPL-2.0
/*
 * Busy polling: a task that waits for bytes polls, instead of sleeping. The
 * cases count how often it sleeps, and measure no time.
 */
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#include "groups.h"
#include "util.h"

#ifndef SO_BUSY_POLL
#define SO_BUSY_POLL 46
#endif
#ifndef SO_INCOMING_NAPI_ID
#define SO_INCOMING_NAPI_ID 56
#endif

enum {
	ROUNDS = 40,
	/* longer than any answer takes */
	LONG_US = 2000000,
	LONG_MS = 20000,
};

static long sleeps(void)
{
	struct rusage ru;

	OK(getrusage(RUSAGE_THREAD, &ru));
	return ru.ru_nvcsw;
}

static void wait_in_recv(int fd)
{
	char c;

	RETURNS(1, recv(fd, &c, 1, MSG_PEEK));
}

static void wait_in_poll(int fd)
{
	AWAIT(fd, POLLIN);
}

static int epoll_of_one;

static void wait_in_epoll(int fd)
{
	struct epoll_event ev;

	(void)fd;
	RETURNS(1, epoll_wait(epoll_of_one, &ev, 1, patience(5000)));
}

/* Returns how often the caller has slept. */
static long ping(int fd, void (*wait)(int fd))
{
	long before = sleeps();
	char c = 'p';
	int i;

	for (i = 0; i < ROUNDS; i++) {
		RETURNS(1, send(fd, &c, 1, 0));
		wait(fd);
		RETURNS(1, recv(fd, &c, 1, 0));
	}
	return sleeps() - before;
}

/*
 * @must: the wait polls until the bytes are there. poll() of Linux stops
 * polling when another task wants the processor.
 */
static void compare_waits(int fd, void (*wait)(int fd), bool must)
{
	bool can = get_int(fd, SOL_SOCKET, SO_INCOMING_NAPI_ID);
	long idle, busy;

	CHECK(can || cfg.own.mode != MODE_SMCR, "nothing to poll");
	set_int(fd, SOL_SOCKET, SO_BUSY_POLL, 0);
	idle = ping(fd, wait);
	set_int(fd, SOL_SOCKET, SO_BUSY_POLL, LONG_US);
	busy = ping(fd, wait);
	note("sleeps %ld times in %d rounds, and %ld times without", busy,
	     ROUNDS, idle);
	if (can && must)
		CHECK(busy <= ROUNDS / 4, "sleeps %ld times in %d rounds", busy,
		      ROUNDS);
}

static void busy_read_client(void)
{
	int fd = meet();

	compare_waits(fd, wait_in_recv, true);
	close(fd);
}

static void busy_nonblock_client(void)
{
	int fd = meet();
	char c;

	set_int(fd, SOL_SOCKET, SO_BUSY_POLL, LONG_US);
	FAILS(EAGAIN, recv(fd, &c, 1, MSG_DONTWAIT));
	ping(fd, wait_in_poll);
	FAILS(EAGAIN, recv(fd, &c, 1, MSG_DONTWAIT));
	close(fd);
}

static void busy_poll_client(void)
{
	struct setting s;
	int fd;

	setting_keep(&s, "/proc/sys/net/core/busy_poll");
	setting_change(&s, "2000000");
	fd = meet();
	compare_waits(fd, wait_in_poll, false);
	close(fd);
	setting_restore(&s);
}

static void busy_epoll_client(void)
{
	struct epoll_event ev = { .events = EPOLLIN };
	struct setting s;
	bool can;
	long busy;
	int fd;

	setting_keep(&s, "/proc/sys/net/core/busy_poll");
	setting_change(&s, "2000000");
	fd = meet();
	can = get_int(fd, SOL_SOCKET, SO_INCOMING_NAPI_ID);
	epoll_of_one = OK(epoll_create1(0));
	OK(epoll_ctl(epoll_of_one, EPOLL_CTL_ADD, fd, &ev));
	busy = ping(fd, wait_in_epoll);
	note("sleeps %ld times in %d rounds", busy, ROUNDS);
	if (can)
		CHECK(busy <= ROUNDS / 4, "sleeps %ld times in %d rounds", busy,
		      ROUNDS);
	close(fd);
	close(epoll_of_one);
	setting_restore(&s);
}

static void busy_server(void)
{
	int fd = meet();
	char c;

	while (OK(recv(fd, &c, 1, 0)))
		RETURNS(1, send(fd, &c, 1, 0));
	close(fd);
}

static int recv_one(void *arg)
{
	char c;

	return recv(*(int *)arg, &c, 1, 0);
}

/*
 * Checks that a task that polls ends with its socket, and lets others send. The
 * short sleep lets it begin to poll; without it the case checks less.
 */
static void busy_ends_client(void)
{
	int fd = meet(), i;
	struct task t;
	char c;

	set_int(fd, SOL_SOCKET, SO_BUSY_POLL, LONG_MS * 1000);
	for (i = 0; i < 3; i++) {
		task_start(&t, recv_one, &fd);
		sleep_ms(20);
		RETURNS(1, send(fd, "x", 1, 0));
		RETURNS(1, task_join(&t));
	}
	task_start(&t, recv_one, &fd);
	sleep_ms(20);
	RETURNS(0, shutdown(fd, SHUT_RD));
	RETURNS(0, task_join(&t));
	close(fd);
	/* the end of the peer */
	fd = meet();
	set_int(fd, SOL_SOCKET, SO_BUSY_POLL, LONG_MS * 1000);
	task_start(&t, recv_one, &fd);
	sleep_ms(20);
	RETURNS(1, send(fd, "x", 1, 0));
	RETURNS(1, task_join(&t));
	ctl_sync("ENDS");
	RETURNS(0, recv(fd, &c, 1, 0));
	close(fd);
}

static void busy_ends_server(void)
{
	int fd;

	busy_server();
	fd = meet();
	expect_text(fd, "x", 0);
	RETURNS(1, send(fd, "x", 1, 0));
	ctl_sync("ENDS");
	close(fd);
}

static const struct peer_case busy_cases[] = {
	{ "busy_read", busy_read_client, busy_server },
	{ "busy_read_nonblocking", busy_nonblock_client, busy_server },
	{ "busy_poll", busy_poll_client, busy_server },
	{ "busy_epoll", busy_epoll_client, busy_server },
	/* a reader of TCP polls to the end of the time */
	{ "busy_ends", busy_ends_client, busy_ends_server, .smc_only = true },
};

CASE_GROUP(group_busy, busy);

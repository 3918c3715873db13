// SPDX-License-Identifier: GPL-2.0
/*
 * Tests SO_RCVTIMEO and SO_RCVLOWAT, which decide when a sleeping reader wakes
 * up.
 */
#include <netinet/tcp.h>
#include <sys/time.h>
#include <unistd.h>

#include "groups.h"
#include "util.h"

enum {
	LOWAT = 3000,
	/* Two parts are as large as the first window of frames. */
	PART = 4096,
	PARTS = 32,
	FIRST = 12,
	LARGE_LOWAT = 65536,
	QUIET_MS = 100,
};

static int timed_recv(int fd, int flags, int ms)
{
	struct timeval tv = { .tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000 };
	char buf[100];

	OK(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv)));
	return recv(fd, buf, sizeof(buf), flags);
}

static void rcvtimeo_client(void)
{
	uint64_t start, took;
	int fd = meet();

	start = now_ms();
	FAILS(EAGAIN, timed_recv(fd, 0, 200));
	took = now_ms() - start;
	CHECK(took >= EARLIEST_MS, "recv() returned too early, after %llu ms",
	      (unsigned long long)took);
	CHECK(took < (uint64_t)patience(1500),
	      "recv() returned too late, after %llu ms",
	      (unsigned long long)took);
	ctl_sync("SEND");
	await_bytes(fd, 5);
	/* After the timeout, recv() with MSG_WAITALL returns the available
	 * bytes.
	 */
	RETURNS(5, timed_recv(fd, MSG_WAITALL, 300));
	FAILS(EAGAIN, timed_recv(fd, 0, 50));
	close(fd);
}

static void rcvtimeo_server(void)
{
	int fd = meet();

	ctl_sync("SEND");
	send_all(fd, "hello", 5);
	expect_end(fd);
}

/* A reader must sleep until at least SO_RCVLOWAT bytes have arrived. */
static void lowat_client(void)
{
	char buf[2 * LOWAT];
	int fd = meet();

	set_int(fd, SOL_SOCKET, SO_RCVLOWAT, LOWAT);
	RETURNS(LOWAT, get_int(fd, SOL_SOCKET, SO_RCVLOWAT));
	ctl_send("SEND");
	await_bytes(fd, LOWAT - 1);
	CHECK(!poll_ms(fd, POLLIN, QUIET_MS), "POLLIN below SO_RCVLOWAT");
	ctl_send("SEND");
	AWAIT(fd, POLLIN);
	RETURNS(LOWAT, recv(fd, buf, sizeof(buf), 0));
	/* A blocking recv() waits for SO_RCVLOWAT bytes, or for end of file. */
	ctl_send("SEND");
	ctl_send("SEND");
	RETURNS(LOWAT, recv(fd, buf, LOWAT, 0));
	ctl_send("SEND");
	RETURNS(1, recv(fd, buf, sizeof(buf), 0));
	expect_end(fd);
}

static void lowat_server(void)
{
	static const int amounts[] = { LOWAT - 1, 1, LOWAT - 1, 1, 1 };
	char buf[LOWAT] = "";
	int fd = meet();
	size_t i;

	for (i = 0; i < ARRAY_SIZE(amounts); i++) {
		ctl_wait("SEND");
		/* This time is long enough to catch a reader that wakes up too
		 * early.
		 */
		sleep_ms(30);
		send_all(fd, buf, amounts[i]);
	}
	close(fd);
}

static int poll_in(void *arg)
{
	return poll_ms(*(int *)arg, POLLIN, patience(5000));
}

/* Checks that a reader that waits for SO_RCVLOWAT bytes wakes up when another
 * thread lowers SO_RCVLOWAT.
 */
static void less_client(void)
{
	char buf[LOWAT];
	int fd = meet();
	struct task t;

	set_int(fd, SOL_SOCKET, SO_RCVLOWAT, LOWAT);
	ctl_send("SEND");
	await_bytes(fd, LOWAT - 1);
	task_start(&t, poll_in, &fd);
	task_blocked(&t, QUIET_MS);
	set_int(fd, SOL_SOCKET, SO_RCVLOWAT, 1);
	RETURNS(POLLIN, task_join(&t) & POLLIN);
	RETURNS(LOWAT - 1, recv(fd, buf, sizeof(buf), 0));
	close(fd);
}

static void less_server(void)
{
	char buf[LOWAT] = "";
	int fd = meet();

	ctl_wait("SEND");
	send_all(fd, buf, LOWAT - 1);
	expect_end(fd);
}

/*
 * Checks that a reader can wait for more bytes than the window allows, although
 * the sender has filled the window before it got the bytes behind it.
 */
static void large_client(void)
{
	static char buf[PART * PARTS];
	int fd = meet();

	ctl_wait("FULL");
	/* the sender queues the rest, and frames have no room for it */
	sleep_ms(QUIET_MS);
	recv_all(fd, buf, FIRST);
	set_int(fd, SOL_SOCKET, SO_RCVLOWAT, LARGE_LOWAT);
	AWAIT(fd, POLLIN);
	set_int(fd, SOL_SOCKET, SO_RCVLOWAT, 1);
	recv_all(fd, buf, sizeof(buf) - FIRST);
	expect_end(fd);
}

static void large_server(void)
{
	static char buf[PART];
	int i, fd = meet();
	uint64_t until = now_ms() + patience(5000);

	set_int(fd, IPPROTO_TCP, TCP_NODELAY, 1);
	for (i = 0; i < 2; i++)
		send_all(fd, buf, sizeof(buf));
	while (unsent(fd)) {
		CHECK(now_ms() < until, "the first window has no room");
		sleep_ms(1);
	}
	ctl_send("FULL");
	for (; i < PARTS; i++)
		send_all(fd, buf, sizeof(buf));
	close(fd);
}

static const struct peer_case wait_cases[] = {
	{ "so_rcvtimeo", rcvtimeo_client, rcvtimeo_server },
	{ "so_rcvlowat", lowat_client, lowat_server },
	{ "so_rcvlowat_less", less_client, less_server },
	{ "so_rcvlowat_large", large_client, large_server },
};

CASE_GROUP(group_wait, wait);

// SPDX-License-Identifier: GPL-2.0
/* Tests that MSG_MORE and TCP_CORK hold data back (R-B-05). */
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "groups.h"
#include "util.h"

enum {
	HELD_ROUNDS = 20,
	/* This size is more than the window; the last part is less than one
	 * burst.
	 */
	CORK_BULK = 300000,
	/* two parts reach the limit of TCP_NOTSENT_LOWAT */
	LOWAT = 4096,
	PART = 2048,
	PARTS = 300,
	/* room for few pages */
	SNDBUF = 8192,
	PIECE = 10,
	PIECES = 1000,
};

/*
 * One round sends "abcdef" in two parts and holds the first back. The peer gets
 * nothing until the second part releases both. If the host does not run for
 * longer than the hold time, the timer sends the first part alone; such a round
 * does not count.
 *
 * Return: true if the round took less than the hold time.
 */
static bool held_round(void (*hold)(int fd), void (*release)(int fd))
{
	int fd = meet();
	uint64_t start, there, whole;
	bool quick;

	start = now_ms();
	hold(fd);
	ctl_send("LOOK");
	there = ctl_wait_u64("THERE");
	quick = now_ms() - start < EARLIEST_MS;
	CHECK(!quick || !there, "%llu bytes came that are held back",
	      (unsigned long long)there);
	release(fd);
	whole = ctl_wait_u64("GOT");
	quick = now_ms() - start < EARLIEST_MS;
	CHECK(!quick || whole == 6, "%llu bytes came, not all 6 at once",
	      (unsigned long long)whole);
	close(fd);
	return quick;
}

/*
 * The case passes if one round is fast. A round is never fast if the timer
 * sends the data.
 */
static void held_rounds(void (*hold)(int fd), void (*release)(int fd))
{
	unsigned int i, quick = 0;

	for (i = 0; i < HELD_ROUNDS; i++)
		quick += held_round(hold, release);
	note("%u of %u rounds in less than %u ms", quick, HELD_ROUNDS,
	     EARLIEST_MS);
	CHECK(quick, "nothing let the data go before its time");
}

static void see_held_rounds(void)
{
	char buf[7] = "";
	ssize_t n;
	int i, fd;

	for (i = 0; i < HELD_ROUNDS; i++) {
		fd = meet();
		ctl_wait("LOOK");
		ctl_send_u64("THERE", inq(fd));
		AWAIT(fd, POLLIN);
		n = OK(recv(fd, buf, 6, 0));
		recv_all(fd, buf + n, 6 - n);
		CHECK(!strcmp(buf, "abcdef"), "got '%s'", buf);
		ctl_send_u64("GOT", n);
		expect_end(fd);
		close(fd);
	}
}

/* Only the timer sends this data; a slow host only adds time. */
static void held_alone(int fd, const char *text, int flags)
{
	uint64_t start = now_ms();

	RETURNS(strlen(text), send(fd, text, strlen(text), flags));
	while (unsent(fd)) {
		CHECK(now_ms() - start < (uint64_t)patience(5000),
		      "held back for ever");
		sleep_ms(1);
	}
	CHECK(now_ms() - start >= EARLIEST_MS, "held back for %llu ms only",
	      (unsigned long long)(now_ms() - start));
}

static void hold_more(int fd)
{
	RETURNS(3, send(fd, "abc", 3, MSG_MORE));
}

static void release_more(int fd)
{
	RETURNS(3, send(fd, "def", 3, 0));
}

/* Checks that data sent with MSG_MORE leaves together with the next data, or
 * soon by itself.
 */
static void more_client(void)
{
	int fd;

	held_rounds(hold_more, release_more);
	fd = meet();
	held_alone(fd, "ghi", MSG_MORE);
	ctl_wait("GOT");
	RETURNS(3, send(fd, "jkl", 3, MSG_MORE));
	RETURNS(0, shutdown(fd, SHUT_WR));
	expect_end(fd);
}

static void more_server(void)
{
	int fd;

	see_held_rounds();
	fd = meet();
	AWAIT(fd, POLLIN);
	expect_text(fd, "ghi", 0);
	ctl_send("GOT");
	AWAIT(fd, POLLIN);
	expect_text(fd, "jkl", 0);
	expect_end(fd);
	close(fd);
}

static void hold_cork(int fd)
{
	set_int(fd, IPPROTO_TCP, TCP_CORK, 1);
	RETURNS(1, get_int(fd, IPPROTO_TCP, TCP_CORK));
	send_all(fd, "abc", 3);
	send_all(fd, "def", 3);
}

static void release_cork(int fd)
{
	set_int(fd, IPPROTO_TCP, TCP_CORK, 0);
	RETURNS(0, get_int(fd, IPPROTO_TCP, TCP_CORK));
}

/*
 * TCP_NODELAY sends the bytes that TCP_CORK holds back. TCP_CORK remains set
 * (tcp(7)).
 */
static void release_nodelay(int fd)
{
	set_int(fd, IPPROTO_TCP, TCP_NODELAY, 1);
	RETURNS(1, get_int(fd, IPPROTO_TCP, TCP_CORK));
}

/*
 * Checks that TCP_CORK holds a partial segment back for a while. Then the timer
 * sends it.
 */
static void cork_client(void)
{
	int fd;

	held_rounds(hold_cork, release_cork);
	held_rounds(hold_cork, release_nodelay);
	fd = meet();
	set_int(fd, IPPROTO_TCP, TCP_CORK, 1);
	held_alone(fd, "ghi", 0);
	ctl_wait("GOT");
	set_int(fd, IPPROTO_TCP, TCP_NODELAY, 1);
	RETURNS(1, get_int(fd, IPPROTO_TCP, TCP_NODELAY));
	set_int(fd, IPPROTO_TCP, TCP_CORK, 0);
	send_all(fd, "jkl", 3);
	ctl_wait("GOT");
	set_int(fd, IPPROTO_TCP, TCP_NODELAY, 0);
	RETURNS(0, get_int(fd, IPPROTO_TCP, TCP_NODELAY));
}

static void cork_server(void)
{
	int fd;

	see_held_rounds();
	see_held_rounds();
	fd = meet();
	AWAIT(fd, POLLIN);
	expect_text(fd, "ghi", 0);
	ctl_send("GOT");
	AWAIT(fd, POLLIN);
	expect_text(fd, "jkl", 0);
	ctl_send("GOT");
}

/*
 * Sends many bytes with TCP_CORK. Checks that SMC also sends the bytes that did
 * not fit the window or the last full burst, after the peer has read
 * (R-4.5.2-02).
 */
static void cork_bulk_client(void)
{
	struct stream s;
	int fd = meet();

	stream_init(&s, 0);
	set_int(fd, IPPROTO_TCP, TCP_CORK, 1);
	send_stream(fd, &s, CORK_BULK, CORK_BULK);
	ctl_wait("GOT");
}

static void cork_bulk_server(void)
{
	struct stream s;
	int fd = meet();

	stream_init(&s, 0);
	/* R-4.5.2-02 */
	recv_stream(fd, &s, CORK_BULK, 65536);
	ctl_send("GOT");
}

/*
 * Connects with TCP_CORK and an option that keeps the queue below a burst. If
 * the parts waited for the timer of 200 ms, the case would exceed its limit.
 * TCP does wait.
 */
static int meet_corked(int level, int option, int value)
{
	int fd;

	if (cfg.own.mode == MODE_TCP)
		skip_case("TCP waits for its timer");
	fd = meet();
	set_int(fd, IPPROTO_TCP, TCP_CORK, 1);
	set_int(fd, level, option, value);
	return fd;
}

/* TCP_NOTSENT_LOWAT is less than a burst, and send() waits for room. */
static void hold_lowat_client(void)
{
	static const char part[PART];
	int fd = meet_corked(IPPROTO_TCP, TCP_NOTSENT_LOWAT, LOWAT);
	unsigned int i;

	for (i = 0; i < PARTS * cfg.slow; i++)
		send_all(fd, part, sizeof(part));
	ctl_wait("GOT");
}

/* TCP_NOTSENT_LOWAT is less than a burst, and poll() waits for room. */
static void hold_poll_client(void)
{
	size_t left = (size_t)PART * PARTS * cfg.slow;
	int fd = meet_corked(IPPROTO_TCP, TCP_NOTSENT_LOWAT, LOWAT);
	static const char part[PART];
	ssize_t n;

	while (left) {
		AWAIT(fd, POLLOUT);
		n = send(fd, part, min_of(left, sizeof(part)), MSG_DONTWAIT);
		if (n < 0 && errno == EAGAIN)
			continue;
		left -= OK(n);
	}
	ctl_wait("GOT");
}

/*
 * Each segment takes a whole page for few bytes. So the queue reaches its limit
 * of memory before it has a burst.
 */
static void hold_pages_client(void)
{
	int fd = meet_corked(SOL_SOCKET, SO_SNDBUF, SNDBUF);
	int file = OK(memfd_create("page", MFD_CLOEXEC));
	unsigned int i;
	off_t start;

	RETURNS(0, ftruncate(file, PIECE));
	for (i = 0; i < PIECES * cfg.slow; i++) {
		start = 0;
		RETURNS(PIECE, sendfile(fd, file, &start, PIECE));
	}
	ctl_wait("GOT");
}

static void recv_many(size_t left)
{
	static char buf[PART];
	int fd = meet();

	for (; left; left -= min_of(left, sizeof(buf)))
		recv_all(fd, buf, min_of(left, sizeof(buf)));
	ctl_send("GOT");
}

static void hold_parts_server(void)
{
	recv_many((size_t)PART * PARTS * cfg.slow);
}

static void hold_pages_server(void)
{
	recv_many((size_t)PIECE * PIECES * cfg.slow);
}

static const struct peer_case hold_cases[] = {
	{ "msg_more", more_client, more_server },
	{ "cork_nodelay", cork_client, cork_server, .limit_s = 40 },
	{ "cork_bulk", cork_bulk_client, cork_bulk_server },
	{ "hold_lowat", hold_lowat_client, hold_parts_server, .smc_only = true },
	{ "hold_poll", hold_poll_client, hold_parts_server, .smc_only = true },
	{ "hold_pages", hold_pages_client, hold_pages_server, .smc_only = true },
};

CASE_GROUP(group_hold, hold);

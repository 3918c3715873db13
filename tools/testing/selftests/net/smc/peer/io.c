// SPDX-License-Identifier: GPL-2.0
/* Sends and receives whole amounts of data, and checks each byte. */
#include "util.h"

#include <linux/sockios.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
	/* Data that has not moved for this long is stuck. */
	STALL_MS = 15000,
	/* A window that has not opened for this long is full. */
	FULL_MS = 200,
	FILL_CHUNK = 16 * KIB,
};

static void stall_limit(int fd, int name)
{
	struct timeval tv = { .tv_sec = patience(STALL_MS) / 1000 };

	OK(setsockopt(fd, SOL_SOCKET, name, &tv, sizeof(tv)));
}

static ssize_t send_some(int fd, const void *buf, size_t len)
{
	ssize_t n;

	n = send(fd, buf, len, MSG_NOSIGNAL);
	if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
		await(fd, POLLOUT, STALL_MS);
		n = send(fd, buf, len, MSG_NOSIGNAL);
	}
	return n;
}

static void send_or_fail(int fd, const char *buf, size_t len, uint64_t done)
{
	size_t sent;
	ssize_t n;

	for (sent = 0; sent < len; sent += n) {
		n = send_some(fd, buf + sent, len - sent);
		if (n <= 0)
			fail("send at byte %llu: %s",
			     (unsigned long long)done + sent,
			     n ? strerrorname(errno) : "nothing taken");
	}
}

void send_all(int fd, const void *buf, size_t len)
{
	send_or_fail(fd, buf, len, 0);
}

void send_stream(int fd, struct stream *s, uint64_t bytes, size_t chunk)
{
	char *buf = malloc(chunk);
	uint64_t before, left;
	size_t n;

	stall_limit(fd, SO_SNDTIMEO);
	for (left = bytes; left; left -= n) {
		n = min_of(left, chunk);
		before = s->pos;
		stream_fill(s, buf, n);
		send_or_fail(fd, buf, n, before);
	}
	free(buf);
}

static size_t recv_some(int fd, void *buf, size_t len, uint64_t done)
{
	ssize_t n = recv(fd, buf, len, 0);

	if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
		await(fd, POLLIN, STALL_MS);
		n = recv(fd, buf, len, 0);
	}
	if (n < 0)
		fail("recv at byte %llu: %s", (unsigned long long)done,
		     strerrorname(errno));
	return n;
}

void recv_all(int fd, void *buf, size_t len)
{
	size_t got, n;

	for (got = 0; got < len; got += n) {
		n = recv_some(fd, (char *)buf + got, len - got, got);
		if (!n)
			fail("stream ends after %zu of %zu bytes", got, len);
	}
}

void recv_stream(int fd, struct stream *s, uint64_t bytes, size_t chunk)
{
	char *buf = malloc(chunk);
	uint64_t left;
	size_t n;

	stall_limit(fd, SO_RCVTIMEO);
	for (left = bytes; left; left -= n) {
		n = recv_some(fd, buf, min_of(left, chunk), s->pos);
		if (!n)
			fail("stream ends at byte %llu, %llu missing",
			     (unsigned long long)s->pos,
			     (unsigned long long)left);
		stream_check(s, buf, n);
	}
	free(buf);
}

uint64_t recv_to_end(int fd, struct stream *s)
{
	uint64_t start = s->pos;
	char buf[16 * KIB];
	size_t n;

	stall_limit(fd, SO_RCVTIMEO);
	while ((n = recv_some(fd, buf, sizeof(buf), s->pos)))
		stream_check(s, buf, n);
	return s->pos - start;
}

void expect_end(int fd)
{
	char c;

	await(fd, POLLIN, 5000);
	RETURNS(0, recv(fd, &c, 1, 0));
}

void expect_text(int fd, const char *text, int flags)
{
	char buf[100] = "";

	RETURNS(strlen(text), recv(fd, buf, sizeof(buf), flags));
	CHECK(!strcmp(buf, text), "got '%s', not '%s'", buf, text);
}

void expect_recv_error(int fd, int err)
{
	char c;

	await(fd, POLLIN | POLLERR | POLLHUP, 5000);
	FAILS(err, recv(fd, &c, 1, 0));
}

/*
 * The window counts as full only if it stays full. A window may open a little
 * while data moves to the peer's buffer, and a writer may find space before
 * poll() reports it. While data is under way, a window may open late and poll()
 * may report it late. This takes long if the peer's host does not run.
 */
uint64_t fill_window(int fd, struct stream *s)
{
	uint64_t until = now_ms() + patience(5000);
	struct stream before;
	char buf[FILL_CHUNK];
	bool waited = false;
	uint64_t sum = 0;
	ssize_t n;

	for (;;) {
		before = *s;
		stream_fill(s, buf, sizeof(buf));
		n = send(fd, buf, sizeof(buf), MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n < 0 && errno != EAGAIN)
			fail("send: %s", strerrorname(errno));
		s->pos = before.pos + max_of(n, 0);
		sum += max_of(n, 0);
		if (n < 0 && waited &&
		    (outq(fd) == unsent(fd) || now_ms() > until))
			return sum;
		waited = n < 0 && !poll_ms(fd, POLLOUT, quiet(FULL_MS));
	}
}

void send_oob(int fd, const char *text)
{
	RETURNS(strlen(text), send(fd, text, strlen(text), MSG_OOB));
}

void expect_oob(int fd, char want)
{
	char c = 0;

	AWAIT(fd, POLLPRI);
	RETURNS(1, recv(fd, &c, 1, MSG_OOB));
	CHECK(c == want, "urgent byte '%c', not '%c'", c, want);
}

/* One recv() must return exactly this text. */
void recv_text(int fd, const char *text)
{
	char buf[100] = "";
	ssize_t n;

	AWAIT(fd, POLLIN);
	n = OK(recv(fd, buf, sizeof(buf) - 1, 0));
	CHECK(!strcmp(buf, text), "got %zd bytes '%s', not '%s'", n, buf, text);
}

/* Returns the number of bytes that TCP or SMC has not sent yet. */
int unsent(int fd)
{
	int n = -1;

	OK(ioctl(fd, SIOCOUTQNSD, &n));
	return n;
}

int send_much(void *arg)
{
	static char buf[64 * KIB];
	ssize_t n;

	do
		n = send(*(int *)arg, buf, sizeof(buf), MSG_NOSIGNAL);
	while (n > 0);
	return n;
}

void recv_what_was_sent(void)
{
	struct stream s;
	int fd = meet();

	stream_init(&s, 0);
	recv_to_end(fd, &s);
	RETURNS(ctl_wait_u64("SENT"), s.pos);
	close(fd);
}

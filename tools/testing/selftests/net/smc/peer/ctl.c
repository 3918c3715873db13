// SPDX-License-Identifier: GPL-2.0
/* The control channel: lines of text on a stream between the two ends. */
#include "peer.h"

#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	LINE_BYTES = 512,
};

static int ctl_fd = -1;
static char pending[LINE_BYTES];
static size_t pending_len;
static char line[LINE_BYTES];

void ctl_set(int fd)
{
	ctl_fd = fd;
	pending_len = 0;
}

/* because of MSG_NOSIGNAL, only the next wait reports that the peer is gone */
void ctl_send(const char *fmt, ...)
{
	char text[LINE_BYTES];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text) - 1, fmt, ap);
	va_end(ap);
	if (n > (int)sizeof(text) - 2)
		n = sizeof(text) - 2;
	text[n] = '\n';
	send(ctl_fd, text, n + 1, MSG_NOSIGNAL);
}

/* Moves one line to @line. Returns false if the channel has ended or the time
 * is over.
 */
static bool read_line(int timeout_ms)
{
	struct pollfd pfd = { .fd = ctl_fd, .events = POLLIN };
	char *end;
	ssize_t n;

	for (;;) {
		end = memchr(pending, '\n', pending_len);
		if (end)
			break;
		if (pending_len == sizeof(pending))
			return false;
		n = poll(&pfd, 1, timeout_ms);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		n = read(ctl_fd, pending + pending_len,
			 sizeof(pending) - pending_len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		pending_len += n;
	}
	n = end - pending;
	memcpy(line, pending, n);
	line[n] = '\0';
	pending_len -= n + 1;
	memmove(pending, end + 1, pending_len);
	return true;
}

const char *ctl_wait(const char *word)
{
	size_t n = strlen(word);

	for (;;) {
		if (!read_line(-1))
			fail("the other end is gone, wanted '%s' from it", word);
		if (!strncmp(line, "FAIL ", 5))
			fail("the other end failed");
		if (!strncmp(line, "SKIP ", 5))
			skip_case("%s", line + 5);
		if (!strncmp(line, word, n) && (!line[n] || line[n] == ' '))
			return line + n + (line[n] == ' ');
		fail("wanted '%s' from the other end, got '%s'", word, line);
	}
}

void ctl_sync(const char *word)
{
	ctl_send("%s", word);
	ctl_wait(word);
}

void ctl_send_u64(const char *word, uint64_t value)
{
	ctl_send("%s %llu", word, (unsigned long long)value);
}

uint64_t ctl_wait_u64(const char *word)
{
	return strtoull(ctl_wait(word), NULL, 0);
}

const char *ctl_peer_verdict(int ms)
{
	/* ctl_wait() may already have read this line. */
	if (!strncmp(line, "FAIL ", 5))
		return line;
	while (ctl_fd >= 0 && read_line(ms)) {
		if (!strncmp(line, "FAIL ", 5) || !strncmp(line, "SKIP ", 5))
			return line;
	}
	return NULL;
}

// SPDX-License-Identifier: GPL-2.0
/* Functions for time, errors and latency samples, and the client's end of the
 * control channel.
 */
#include <errno.h>
#include <netdb.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

static const char *watched;

/**
 * die() - print the error and exit without a result
 * @fmt: as for printf, no newline
 */
void die(const char *fmt, ...)
{
	va_list ap;

	fputs("bench: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + ts.tv_nsec;
}

void *zalloc(size_t n)
{
	void *p = calloc(1, n);

	if (!p)
		die("out of memory (%zu bytes)", n);
	return p;
}

static void expire(int sig)
{
	static const char msg[] = "bench: watchdog expired in ";

	(void)sig;
	if (write(2, msg, sizeof(msg) - 1) < 0 ||
	    write(2, watched, strlen(watched)) < 0 || write(2, "\n", 1) < 0)
		_exit(3);
	_exit(2);
}

/**
 * set_watchdog() - end the program if a phase hangs
 * @seconds: from now
 * @what: name of the phase for the error message; must stay valid
 */
void set_watchdog(unsigned int seconds, const char *what)
{
	watched = what;
	signal(SIGALRM, expire);
	alarm(seconds);
}

/**
 * parse_size() - parse a number with an optional k, m or g (powers of 1024)
 * @s: the text
 *
 * Return: the number; if @s is not a number, the program ends.
 */
long long parse_size(const char *s)
{
	static const char units[] = "kmg";
	const char *u;
	char *end;
	long long v;

	errno = 0;
	v = strtoll(s, &end, 0);
	if (errno || end == s || v < 0)
		die("not a number: %s", s);
	if (!*end)
		return v;
	u = strchr(units, *end | 0x20);
	if (!u || end[1] || v >> 30)
		die("not a number: %s", s);
	return v << (10 * (u - units + 1));
}

void samples_add(struct samples *s, uint64_t ns)
{
	if (s->n == s->room) {
		s->room = s->room ? s->room * 2 : 65536;
		s->ns = realloc(s->ns, s->room * sizeof(*s->ns));
		if (!s->ns)
			die("out of memory for samples");
	}
	s->ns[s->n++] = ns > UINT32_MAX ? UINT32_MAX : ns;
}

static int order(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/**
 * samples_us() - return a quantile of the samples; sorts the samples
 * @s: the samples
 * @quantile: 0.5 for the median
 *
 * Return: microseconds, 0 without samples.
 */
double samples_us(struct samples *s, double quantile)
{
	size_t i;

	if (!s->n)
		return 0;
	qsort(s->ns, s->n, sizeof(*s->ns), order);
	i = quantile * s->n;
	return s->ns[i < s->n ? i : s->n - 1] / 1000.0;
}

/**
 * connect_tcp() - connect to a server, which may not be ready yet
 * @host: numeric address
 * @port: TCP port
 * @tries_10ms: number of attempts; 10 ms lie between two attempts
 *
 * Return: a connected blocking socket; a failure ends the program.
 */
int connect_tcp(const char *host, int port, unsigned int tries_10ms)
{
	struct addrinfo hint = { .ai_socktype = SOCK_STREAM,
				 .ai_flags = AI_NUMERICHOST };
	struct addrinfo *ai;
	char serv[16];
	int fd;

	snprintf(serv, sizeof(serv), "%d", port);
	if (getaddrinfo(host, serv, &hint, &ai))
		die("not an address: %s", host);
	for (;; usleep(10000)) {
		fd = socket(ai->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (fd < 0)
			die("socket: %s", strerror(errno));
		if (!connect(fd, ai->ai_addr, ai->ai_addrlen))
			break;
		if (!tries_10ms--)
			die("connect %s port %d: %s", host, port,
			    strerror(errno));
		close(fd);
	}
	freeaddrinfo(ai);
	return fd;
}

/**
 * ctl_ask() - send one line to the server and read its reply line
 * @c: the channel; the reply is left in @c->line without its newline
 * @fmt: the request without newline
 *
 * A reply that starts with "error" ends the program with its text.
 */
void ctl_ask(struct ctl *c, const char *fmt, ...)
{
	char req[256];
	size_t got = 0;
	va_list ap;
	ssize_t n;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(req, sizeof(req) - 1, fmt, ap);
	va_end(ap);
	if (len < 0 || (size_t)len >= sizeof(req) - 1)
		die("control request too long");
	req[len++] = '\n';
	if (send(c->fd, req, len, MSG_NOSIGNAL) != len)
		die("control channel: %s", strerror(errno));
	do {
		n = recv(c->fd, c->line + got, sizeof(c->line) - 1 - got, 0);
		if (n <= 0)
			die("control channel closed by the server");
		got += n;
	} while (c->line[got - 1] != '\n' && got < sizeof(c->line) - 1);
	c->line[got - 1] = 0;
	if (!strncmp(c->line, "error", 5))
		die("server: %s", c->line);
}

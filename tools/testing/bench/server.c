// SPDX-License-Identifier: GPL-2.0
/*
 * sockbench's server: one process, one thread, level-triggered epoll. The
 * server listens on the control port and on one port per family, answers
 * requests, and counts bulk bytes. On the control channel it reports counts and
 * modes of its side.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "sockbench.h"

#define EVENTS		64
#define RX_SIZE		(1024 * 1024)

enum sconn_type { S_LISTEN, S_CTL_LISTEN, S_CTL, S_DATA };

struct sconn {
	int fd;
	enum sconn_type type;
	enum family family;
	bool want_out;
	struct hello hello;	/* filled as the first bytes arrive */
	uint64_t got;		/* bytes of the current request or phase */
	uint64_t answer;	/* first bytes of the response */
	uint32_t out_len;	/* response being sent */
	uint32_t out_pos;
};

static struct {
	const struct opts *o;
	int ep;
	unsigned long long errors;
	struct counts before;
	struct counts now;
	char rx[RX_SIZE];
	char tx[RX_SIZE];
	char line[16384];
} srv;

static void watch(struct sconn *s, int op, uint32_t events)
{
	struct epoll_event ev = { .events = events, .data.ptr = s };

	if (epoll_ctl(srv.ep, op, s->fd, &ev))
		die("epoll_ctl: %s", strerror(errno));
}

static void drop(struct sconn *s, const char *why)
{
	if (why) {
		srv.errors++;
		fprintf(stderr, "bench server: connection dropped: %s\n", why);
	}
	close(s->fd);
	free(s);
}

static struct sconn *track(int fd, enum sconn_type type, enum family f)
{
	struct sconn *s = zalloc(sizeof(*s));

	s->fd = fd;
	s->type = type;
	s->family = f;
	watch(s, EPOLL_CTL_ADD, EPOLLIN);
	return s;
}

static void listen_on(enum family f, int port, enum sconn_type type)
{
	struct sockaddr_storage ss;
	socklen_t len = family_addr(f, NULL, port, &ss);
	int one = 1, fd;

	fd = family_socket(srv.o, f);
	if (fd < 0 && family_is_smc(f))
		/* the kernel has no SMC, so the program uses TCP only */
		return;
	if (fd < 0)
		die("socket: %s", strerror(-fd));
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, (struct sockaddr *)&ss, len) || listen(fd, 4096))
		die("listen on port %d: %s", port, strerror(errno));
	track(fd, type, f);
}

static void take(struct sconn *l)
{
	int fd;

	/* The control connection is blocking, because its lines are short. */
	fd = accept4(l->fd, NULL, NULL,
		     SOCK_CLOEXEC | (l->type == S_LISTEN ? SOCK_NONBLOCK : 0));
	if (fd < 0) {
		if (errno != EAGAIN && errno != ECONNABORTED)
			die("accept: %s", strerror(errno));
		return;
	}
	track(fd, l->type == S_LISTEN ? S_DATA : S_CTL, l->family);
}

static void flush(struct sconn *s)
{
	size_t left = s->out_len - s->out_pos;
	bool more;
	ssize_t n;

	if (!s->out_pos)
		memcpy(srv.tx, &s->answer, sizeof(s->answer));
	n = send(s->fd, srv.tx + s->out_pos, left, MSG_NOSIGNAL);
	if (n < 0 && errno != EAGAIN) {
		drop(s, strerror(errno));
		return;
	}
	if (n > 0)
		s->out_pos += n;
	more = s->out_pos < s->out_len;
	if (more == s->want_out)
		return;
	s->want_out = more;
	watch(s, EPOLL_CTL_MOD, s->want_out ? EPOLLOUT : EPOLLIN);
}

static void respond(struct sconn *s, uint64_t answer, uint32_t len)
{
	s->answer = answer;
	s->out_len = len;
	s->out_pos = 0;
	s->got = 0;
	flush(s);
}

/* Collects the hello, or a later request's seq, from the bytes that have
 * arrived.
 */
static const char *absorb(struct sconn *s, size_t n, size_t want)
{
	if (s->got < want) {
		size_t part = want - s->got;

		if (part > n)
			part = n;
		memcpy((char *)&s->hello + s->got, srv.rx, part);
	}
	if (s->got + n < want)
		return NULL;
	if (s->hello.magic != HELLO_MAGIC)
		return "no hello";
	if (s->hello.resp < sizeof(uint64_t) || s->hello.resp > RX_SIZE)
		return "response size out of range";
	return NULL;
}

/*
 * The stream contains its own offset once in every STAMP_EVERY bytes, or the
 * offset in the source whose bytes it repeats.
 */
static const char *check_stamps(struct sconn *s, size_t n)
{
	uint64_t pos = (s->got + STAMP_EVERY - 1) / STAMP_EVERY * STAMP_EVERY;
	uint64_t v;

	if (!pos)
		pos = STAMP_EVERY;
	for (; pos + sizeof(v) <= s->got + n; pos += STAMP_EVERY) {
		memcpy(&v, srv.rx + (pos - s->got), sizeof(v));
		if (v != (s->hello.req ? pos % s->hello.req : pos))
			return "bulk bytes are not in order";
	}
	return NULL;
}

static void receive(struct sconn *s)
{
	bool first = s->hello.magic != HELLO_MAGIC ||
		     s->hello.kind == KIND_BULK;
	size_t want = first ? sizeof(s->hello) : sizeof(s->hello.seq);
	const char *wrong;
	uint64_t goal;
	ssize_t n;

	n = recv(s->fd, srv.rx, srv.o->read_size, 0);
	if (n <= 0) {
		if (n < 0 && errno == EAGAIN)
			return;
		drop(s, n < 0 ? strerror(errno) :
		     s->got ? "end of stream inside a request" : NULL);
		return;
	}
	wrong = absorb(s, n, want);
	if (!wrong && s->hello.kind == KIND_BULK)
		wrong = check_stamps(s, n);
	if (wrong) {
		drop(s, wrong);
		return;
	}
	s->got += n;
	if (s->got < want)
		return;
	goal = s->hello.kind == KIND_BULK ? s->hello.total : s->hello.req;
	if (s->got > goal)
		drop(s, "more bytes than announced");
	else if (s->got == goal)
		respond(s, s->hello.kind == KIND_BULK ? goal : s->hello.seq,
			s->hello.resp);
}

static size_t answer_modes(int port)
{
	struct diag_tally t;
	int rc = diag_count(port, DIAG_LOCAL_PORT, &t);

	if (rc)
		return snprintf(srv.line, sizeof(srv.line),
				"error sock_diag: %s", strerror(-rc));
	return snprintf(srv.line, sizeof(srv.line), "%u %u %u %u", t.rdma,
			t.inhost, t.tcp, t.other);
}

static size_t answer_counts(enum counts_what what)
{
	counts_take(&srv.now, what, srv.o->mib);
	counts_subtract(&srv.now, &srv.before);
	if (srv.errors)
		return snprintf(srv.line, sizeof(srv.line),
				"error %llu connections failed", srv.errors);
	return counts_format(&srv.now, "", srv.line, sizeof(srv.line));
}

static void control(struct sconn *s)
{
	char req[256];
	size_t len;
	ssize_t n;
	int port;

	n = recv(s->fd, req, sizeof(req) - 1, 0);
	if (n <= 0) {
		if (srv.o->once)
			exit(0);
		drop(s, NULL);
		return;
	}
	req[n] = 0;
	if (!strncmp(req, "begin", 5) || !strncmp(req, "membegin", 8)) {
		counts_take(&srv.before, req[0] == 'm' ? COUNTS_MEMORY :
			    COUNTS_RUN, srv.o->mib);
		len = snprintf(srv.line, sizeof(srv.line), "ok");
	} else if (!strncmp(req, "end", 3)) {
		len = answer_counts(COUNTS_RUN);
	} else if (!strncmp(req, "memend", 6)) {
		len = answer_counts(COUNTS_MEMORY);
	} else if (sscanf(req, "modes %d", &port) == 1) {
		len = answer_modes(port);
	} else {
		len = snprintf(srv.line, sizeof(srv.line), "error unknown");
	}
	srv.line[len++] = '\n';
	if (send(s->fd, srv.line, len, MSG_NOSIGNAL) != (ssize_t)len)
		drop(s, NULL);
}

static void handle(struct sconn *s, uint32_t events)
{
	switch (s->type) {
	case S_LISTEN:
	case S_CTL_LISTEN:
		take(s);
		break;
	case S_CTL:
		control(s);
		break;
	case S_DATA:
		if (events & EPOLLOUT && s->want_out)
			flush(s);
		else
			receive(s);
		break;
	}
}

/**
 * serve() - run the server; does not return; with --once the program ends when
 *	     the control connection ends
 * @o: options
 */
void serve(const struct opts *o)
{
	struct epoll_event ev[EVENTS];
	int i, n;

	srv.o = o;
	srv.ep = epoll_create1(EPOLL_CLOEXEC);
	if (srv.ep < 0)
		die("epoll_create1: %s", strerror(errno));
	for (i = 0; i < FAM_COUNT; i++)
		listen_on(i, family_port(o->port, i), S_LISTEN);
	/* This comes last, so that everything is ready when a client
	 * connects.
	 */
	listen_on(FAM_TCP6, o->port, S_CTL_LISTEN);
	for (;;) {
		n = epoll_wait(srv.ep, ev, EVENTS, -1);
		for (i = 0; i < n; i++)
			handle(ev[i].data.ptr, ev[i].events);
		if (n < 0 && errno != EINTR)
			die("epoll_wait: %s", strerror(errno));
	}
}

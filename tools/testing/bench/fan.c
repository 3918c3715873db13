// SPDX-License-Identifier: GPL-2.0
/*
 * Many senders of short messages, one reader. Each connection carries a bulk
 * phase (bulk.c), but the client sends it in short messages, one message of
 * each connection in turn. It does not wait for an answer between them.
 */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "sockbench.h"

#define EVENTS		64
#define WARM_MESSAGES	1000

struct sender {
	int fd;
	uint64_t pos;		/* stream offset of the next byte */
	uint64_t answer;
	size_t got;		/* bytes of @answer */
};

struct fan {
	const struct opts *o;
	int ep;
	struct sender *senders;
	unsigned int left;	/* senders without an answer */
	uint64_t total;		/* bytes of each stream */
	char *message;
	struct measure m;
};

static void watch(struct fan *f, struct sender *s, int op, uint32_t events)
{
	struct epoll_event ev = { .events = events, .data.ptr = s };

	if (epoll_ctl(f->ep, op, s->fd, &ev))
		die("epoll_ctl: %s", strerror(errno));
}

static void begin(struct fan *f, struct sender *s)
{
	struct hello h = { .magic = HELLO_MAGIC, .kind = KIND_BULK,
			   .resp = sizeof(uint64_t), .total = f->total };

	if (send(s->fd, &h, sizeof(h), MSG_NOSIGNAL) != sizeof(h))
		die("send hello: %s", strerror(errno));
	s->pos = sizeof(h);
	s->got = 0;
	watch(f, s, EPOLL_CTL_MOD, EPOLLOUT);
}

static void send_message(struct fan *f, struct sender *s)
{
	size_t len = f->o->req;
	ssize_t n;

	if (len > f->total - s->pos)
		len = f->total - s->pos;
	stream_stamp(f->message, len, s->pos);
	n = send(s->fd, f->message, len, MSG_NOSIGNAL);
	if (n < 0 && errno != EAGAIN)
		die("send: %s", strerror(errno));
	if (n > 0)
		s->pos += n;
	if (s->pos == f->total)
		watch(f, s, EPOLL_CTL_MOD, EPOLLIN);
}

static void read_answer(struct fan *f, struct sender *s)
{
	ssize_t n = recv(s->fd, (char *)&s->answer + s->got,
			 sizeof(s->answer) - s->got, 0);

	if (n < 0 && errno == EAGAIN)
		return;
	if (n <= 0)
		die("the server ended a stream early");
	s->got += n;
	if (s->got < sizeof(s->answer))
		return;
	if (s->answer != f->total)
		die("server got %llu of %llu bytes",
		    (unsigned long long)s->answer,
		    (unsigned long long)f->total);
	f->left--;
	watch(f, s, EPOLL_CTL_MOD, 0);
}

/* Sends @messages over each connection, until the server has all of them. */
static void phase(struct fan *f, uint64_t messages)
{
	struct epoll_event ev[EVENTS];
	unsigned int i;
	int n;

	f->total = sizeof(struct hello) + messages * f->o->req;
	f->left = f->o->conns;
	for (i = 0; i < f->o->conns; i++)
		begin(f, &f->senders[i]);
	while (f->left) {
		n = epoll_wait(f->ep, ev, EVENTS, -1);
		if (n < 0 && errno != EINTR)
			die("epoll_wait: %s", strerror(errno));
		for (i = 0; n > 0 && i < (unsigned int)n; i++) {
			struct sender *s = ev[i].data.ptr;

			if (s->pos < f->total)
				send_message(f, s);
			else
				read_answer(f, s);
		}
	}
}

/**
 * run_fan() - measure many senders of short messages
 * @o: options; @o->conns connections, messages of @o->req bytes
 */
void run_fan(const struct opts *o)
{
	static struct fan f;
	uint64_t t0, messages;
	unsigned int i;

	f.o = o;
	f.message = zalloc(o->req);
	f.senders = zalloc(o->conns * sizeof(*f.senders));
	f.ep = epoll_create1(EPOLL_CLOEXEC);
	if (f.ep < 0)
		die("epoll_create1: %s", strerror(errno));
	measure_open(&f.m, o);
	set_watchdog(30 + 10 * (o->secs + o->warm), "fan");
	for (i = 0; i < o->conns; i++) {
		f.senders[i].fd = stream_open(o);
		watch(&f, &f.senders[i], EPOLL_CTL_ADD, 0);
	}
	/* the rate of this phase determines the size of the measured one */
	t0 = now_ns();
	phase(&f, WARM_MESSAGES);
	messages = WARM_MESSAGES * (o->secs * 1e9 / (now_ns() - t0));
	measure_modes(&f.m, o->conns);
	measure_begin(&f.m);
	phase(&f, messages);
	measure_end(&f.m);
	measure_modes(&f.m, o->conns);
	printf("bench=fan conns=%u req=%u rate=%.3f unit=1/s", o->conns, o->req,
	       messages * o->conns / f.m.secs);
	measure_print(&f.m, messages * o->conns);
	for (i = 0; i < o->conns; i++)
		close(f.senders[i].fd);
}

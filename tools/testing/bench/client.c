// SPDX-License-Identifier: GPL-2.0
/*
 * The client of sockbench for all items except bulk. The client is an epoll
 * loop in one thread, which connects, sends requests and reads responses. At
 * the end of each exchange, the current mode decides what to do next.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "sockbench.h"

#define EVENTS		256
#define RX_SIZE		(256 << 10)
/* number of checks of the mode in a measurement */
#define SAMPLES		8
#define PARALLEL_OPEN	32

enum cstate { C_CLOSED, C_CONNECTING, C_SENDING, C_RECEIVING, C_IDLE };

struct cconn {
	int fd;
	enum cstate state;
	bool want_out;
	bool greeted;		/* the hello has been sent */
	uint32_t pos;		/* position in the request or response */
	uint64_t seq;
	/* start of the exchange; it includes the connect */
	uint64_t t0;
};

struct client {
	const struct opts *o;
	int ep;
	struct cconn *conns;
	unsigned int busy;	/* exchanges under way */
	bool stop;		/* start nothing new */
	uint64_t now;		/* time, read once per batch of events */
	uint64_t look;		/* short: time of the next mode check */
	uint64_t ops;
	struct samples lat;
	struct sockaddr_storage addr;
	socklen_t addrlen;
	void (*done)(struct client *cl, struct cconn *c);
	/* idle: first connection that has not been started */
	unsigned int next;
	char *tx;
	char rx[RX_SIZE];
	struct measure m;
};

static void watch(struct client *cl, struct cconn *c, int op, uint32_t events)
{
	struct epoll_event ev = { .events = events, .data.ptr = c };

	if (epoll_ctl(cl->ep, op, c->fd, &ev))
		die("epoll_ctl: %s", strerror(errno));
	c->want_out = events & EPOLLOUT;
}

static void push(struct client *cl, struct cconn *c)
{
	struct hello h = { .seq = c->seq, .magic = HELLO_MAGIC,
			   .kind = KIND_RR, .req = cl->o->req,
			   .resp = cl->o->resp };
	ssize_t n;

	/* The connections share the buffer: only its head differs
	 * between them.
	 */
	memcpy(cl->tx, &h, c->greeted ? sizeof(h.seq) : sizeof(h));
	n = send(c->fd, cl->tx + c->pos, cl->o->req - c->pos, MSG_NOSIGNAL);
	if (n < 0 && errno != EAGAIN)
		die("send: %s", strerror(errno));
	if (n > 0)
		c->pos += n;
	if (c->pos < cl->o->req) {
		if (!c->want_out)
			watch(cl, c, EPOLL_CTL_MOD, EPOLLOUT);
		return;
	}
	c->greeted = true;
	c->state = C_RECEIVING;
	c->pos = 0;
	if (c->want_out)
		watch(cl, c, EPOLL_CTL_MOD, EPOLLIN);
}

static void start_exchange(struct client *cl, struct cconn *c)
{
	c->state = C_SENDING;
	c->pos = 0;
	c->seq++;
	push(cl, c);
}

static void start_request(struct client *cl, struct cconn *c)
{
	cl->busy++;
	c->t0 = cl->now;
	start_exchange(cl, c);
}

static void start_connect(struct client *cl, struct cconn *c)
{
	cl->busy++;
	c->t0 = cl->now;
	c->greeted = false;
	c->fd = family_socket(cl->o, cl->o->family);
	if (c->fd < 0)
		die("socket: %s", strerror(-c->fd));
	if (connect(c->fd, (struct sockaddr *)&cl->addr, cl->addrlen) &&
	    errno != EINPROGRESS)
		die("connect: %s", strerror(errno));
	c->state = C_CONNECTING;
	watch(cl, c, EPOLL_CTL_ADD, EPOLLOUT);
}

static void end_connection(struct client *cl, struct cconn *c)
{
	(void)cl;
	close(c->fd);
	c->fd = -1;
	c->state = C_CLOSED;
}

static void connected(struct client *cl, struct cconn *c)
{
	socklen_t len = sizeof(int);
	int err = 0;

	getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &err, &len);
	if (err)
		die("connect: %s", strerror(err));
	start_exchange(cl, c);
}

static void pull(struct client *cl, struct cconn *c)
{
	uint64_t seq;
	ssize_t n;

	n = recv(c->fd, cl->rx, sizeof(cl->rx), 0);
	if (n < 0 && errno == EAGAIN)
		return;
	if (n < 0)
		die("recv: %s", strerror(errno));
	if (!n)
		die("the server closed a connection");
	if (!c->pos && n >= (ssize_t)sizeof(seq)) {
		memcpy(&seq, cl->rx, sizeof(seq));
		if (seq != c->seq)
			die("response %llu to request %llu",
			    (unsigned long long)seq,
			    (unsigned long long)c->seq);
	}
	c->pos += n;
	if (c->pos > cl->o->resp)
		die("%u bytes more than the response",
		    c->pos - cl->o->resp);
	if (c->pos < cl->o->resp)
		return;
	c->state = C_IDLE;
	cl->busy--;
	cl->ops++;
	samples_add(&cl->lat, cl->now - c->t0);
	cl->done(cl, c);
}

static void handle(struct client *cl, struct cconn *c)
{
	switch (c->state) {
	case C_CONNECTING:
		connected(cl, c);
		break;
	case C_SENDING:
		push(cl, c);
		break;
	case C_RECEIVING:
		pull(cl, c);
		break;
	case C_IDLE:
		die("an idle connection became readable");
	case C_CLOSED:
		break;
	}
}

/* Handles events until the deadline. Without a deadline, handles events until
 * no connection is busy.
 */
static void loop(struct client *cl, uint64_t until)
{
	struct epoll_event ev[EVENTS];
	int i, n;

	while (until ? cl->now < until : cl->busy > 0) {
		n = epoll_wait(cl->ep, ev, EVENTS, 1000);
		if (n < 0 && errno != EINTR)
			die("epoll_wait: %s", strerror(errno));
		cl->now = now_ns();
		for (i = 0; i < n; i++)
			handle(cl, ev[i].data.ptr);
	}
}

static void run_for(struct client *cl, double secs)
{
	cl->stop = false;
	cl->now = now_ns();
	loop(cl, cl->now + (uint64_t)(secs * 1e9));
	cl->stop = true;
	loop(cl, 0);
}

static struct client *set_up(const struct opts *o, const char *what)
{
	struct client *cl = zalloc(sizeof(*cl));
	unsigned int i;

	cl->o = o;
	cl->tx = zalloc(o->req);
	cl->conns = zalloc(o->conns * sizeof(*cl->conns));
	for (i = 0; i < o->conns; i++)
		cl->conns[i].fd = -1;
	cl->ep = epoll_create1(EPOLL_CLOEXEC);
	if (cl->ep < 0)
		die("epoll_create1: %s", strerror(errno));
	cl->addrlen = family_addr(o->family, o->host,
				  family_port(o->port, o->family), &cl->addr);
	measure_open(&cl->m, o);
	set_watchdog(30 + 10 * (o->secs + o->warm) + o->conns / 20, what);
	cl->now = now_ns();
	return cl;
}

/* Opens more connections, only a few at a time, because a full backlog would
 * disturb the measurement.
 */
static void open_next(struct client *cl, struct cconn *c)
{
	(void)c;
	if (cl->next < cl->o->conns)
		start_connect(cl, &cl->conns[cl->next++]);
}

static void open_all(struct client *cl)
{
	unsigned int i;

	cl->done = open_next;
	for (i = 0; i < PARALLEL_OPEN; i++)
		open_next(cl, NULL);
	loop(cl, 0);
}

static void close_all(struct client *cl)
{
	unsigned int i;

	for (i = 0; i < cl->o->conns; i++)
		end_connection(cl, &cl->conns[i]);
}

static void rr_next(struct client *cl, struct cconn *c)
{
	if (!cl->stop)
		start_request(cl, c);
}

/* The busy connections are spread over all. */
static void start_rr(struct client *cl)
{
	unsigned int i;

	cl->now = now_ns();
	for (i = 0; i < cl->o->busy; i++)
		start_request(cl, &cl->conns[(uint64_t)i * cl->o->conns /
					     cl->o->busy]);
}

static void print_rates(struct client *cl, const char *bench)
{
	printf("bench=%s conns=%u req=%u resp=%u rate=%.3f unit=1/s p50_us=%.1f p99_us=%.1f",
	       bench, cl->o->conns, cl->o->req, cl->o->resp,
	       cl->ops / cl->m.secs, samples_us(&cl->lat, 0.5),
	       samples_us(&cl->lat, 0.99));
	measure_print(&cl->m, cl->ops);
}

/**
 * run_rr() - requests and responses on connections that stay open
 * @o: options; the client has @o->conns connections, and runs closed loops on
 *	@o->busy of them at once
 */
void run_rr(const struct opts *o)
{
	struct client *cl = set_up(o, "rr");

	open_all(cl);
	cl->done = rr_next;
	start_rr(cl);
	run_for(cl, o->warm);
	measure_modes(&cl->m, o->conns);
	cl->ops = 0;
	cl->lat.n = 0;
	measure_begin(&cl->m);
	start_rr(cl);
	run_for(cl, o->secs);
	measure_end(&cl->m);
	measure_modes(&cl->m, o->conns);
	measure_floor(&cl->m, cl->ops);
	print_rates(cl, "rr");
	close_all(cl);
}

/* Checks the modes now and then, when this connection is certainly established.
 */
static void short_next(struct client *cl, struct cconn *c)
{
	if (cl->now >= cl->look) {
		measure_sample(&cl->m);
		cl->now = now_ns();
		cl->look = cl->now + (uint64_t)(cl->o->secs * 1e9 / SAMPLES);
	}
	end_connection(cl, c);
	if (!cl->stop)
		start_connect(cl, c);
}

static void start_short(struct client *cl)
{
	unsigned int i;

	cl->now = now_ns();
	for (i = 0; i < cl->o->conns; i++)
		start_connect(cl, &cl->conns[i]);
}

/**
 * run_short() - repeat: connect, one exchange, close
 * @o: options; @o->conns connections at once
 *
 * One more connection stays open all the time, because the run does not measure
 * first contacts.
 */
void run_short(const struct opts *o)
{
	struct opts keep_opts = *o;
	struct client *cl, *keep;

	keep_opts.conns = 1;
	keep = set_up(&keep_opts, "short");
	open_all(keep);
	cl = set_up(o, "short");
	cl->done = short_next;
	start_short(cl);
	run_for(cl, o->warm);
	cl->ops = 0;
	cl->lat.n = 0;
	cl->m.seen = 0;
	cl->m.others = 1;
	measure_begin(&cl->m);
	start_short(cl);
	run_for(cl, o->secs);
	measure_end(&cl->m);
	if (family_is_smc(o->family) && cl->m.seen < 3)
		die("saw a connection in SMC mode on both sides only %u times",
		    cl->m.seen);
	measure_floor(&cl->m, cl->ops);
	print_rates(cl, "short");
	close_all(keep);
}

/**
 * run_idle() - measure the kernel memory of connections after one small
 * exchange
 * @o: options; @o->conns connections. If @o->busy is less, these exchange for
 *	some time before the measurement.
 */
void run_idle(const struct opts *o)
{
	struct opts keep_opts = *o;
	struct client *cl, *keep;

	/* The first connection creates the group, its links and everything else
	 * that is created only once.
	 */
	keep_opts.conns = 1;
	keep = set_up(&keep_opts, "idle");
	open_all(keep);
	cl = set_up(o, "idle");
	measure_begin(&cl->m);
	open_all(cl);
	if (o->busy < o->conns) {
		cl->done = rr_next;
		start_rr(cl);
		run_for(cl, o->secs);
	}
	usleep(1000000 * (1 + o->warm));
	measure_modes(&cl->m, o->conns + 1);
	measure_end(&cl->m);
	printf("bench=idle conns=%u cli_bytes=%.0f srv_bytes=%.0f unit=B/conn",
	       o->conns,
	       (double)counts_get(&cl->m.cli, "mem_kernel") / o->conns,
	       (double)counts_get(&cl->m.srv, "mem_kernel") / o->conns);
	measure_print(&cl->m, o->conns);
	close_all(cl);
	close_all(keep);
}

static void connect_done(struct client *cl, struct cconn *c)
{
	measure_sample(&cl->m);
	end_connection(cl, c);
}

/**
 * run_connect() - measure a number of connects, one after the other
 * @o: options; @o->count connects, each with one exchange
 *
 * The time ends with the response, so it includes the time until the server's
 * accept().
 */
void run_connect(const struct opts *o)
{
	struct client *cl = set_up(o, "connect");
	unsigned int i;

	set_watchdog(30 + o->count * 30, "connect");
	cl->done = connect_done;
	measure_begin(&cl->m);
	for (i = 0; i < o->count; i++) {
		cl->now = now_ns();
		start_connect(cl, &cl->conns[0]);
		loop(cl, 0);
	}
	measure_end(&cl->m);
	if (family_is_smc(o->family) && cl->m.seen < o->count)
		die("only %u of %u connections were in SMC mode on both sides",
		    cl->m.seen, o->count);
	measure_floor(&cl->m, cl->ops);
	print_rates(cl, "connect");
}

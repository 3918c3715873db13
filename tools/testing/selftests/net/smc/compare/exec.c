// SPDX-License-Identifier: GPL-2.0
/*
 * Runs ops. All calls are non-blocking, except those that the program marks:
 * such a call runs in a thread of its own.
 */
#include "exec.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "../peer/thread_sleeps.h"
#include "calls.h"

#define SIG_IO		SIGRTMIN
#define SIG_WAKE	SIGUSR1

/* all worlds, and the world whose op began last */
static struct exec *execs[NR_WORLDS];
static struct exec *current;
static __thread volatile sig_atomic_t pipes;

static void note_io(int sig, siginfo_t *info, void *context)
{
	struct slot *s;
	int i;

	(void)sig;
	(void)context;
	for (i = 0; i < NR_WORLDS * NR_SLOTS; i++) {
		if (!execs[i / NR_SLOTS])
			continue;
		s = &execs[i / NR_SLOTS]->slots[i % NR_SLOTS];
		if (s->fd == info->si_fd)
			s->signals |= SIGNAL_IO;
	}
}

/*
 * The signal does not identify its socket: it belongs to the world of the op.
 */
static void note_urg(int sig)
{
	int i;

	(void)sig;
	for (i = 0; current && i < NR_SLOTS; i++)
		current->slots[i].signals |= SIGNAL_URG;
}

static void note_pipe(int sig)
{
	(void)sig;
	pipes++;
}

static void ignore(int sig)
{
	(void)sig;
}

void exec_init(void)
{
	struct sigaction sa = { .sa_handler = note_pipe };

	sigaction(SIGPIPE, &sa, NULL);
	sa.sa_handler = ignore;
	sigaction(SIG_WAKE, &sa, NULL);
	sa.sa_flags = SA_RESTART;
	sa.sa_handler = note_urg;
	sigaction(SIGURG, &sa, NULL);
	sa.sa_flags |= SA_SIGINFO;
	sa.sa_sigaction = note_io;
	sigaction(SIG_IO, &sa, NULL);
}

bool slot_of_server(int slot)
{
	return slot >= SLOT_L;
}

void exec_start(struct exec *x, int client, int server, const char *addr)
{
	int i;

	memset(x, 0, sizeof(*x));
	x->family[0] = client;
	x->family[1] = server;
	snprintf(x->addr, sizeof(x->addr), "%s", addr);
	x->epoll = epoll_create1(EPOLL_CLOEXEC);
	for (i = 0; execs[i] && execs[i] != x; i++)
		;
	execs[i] = x;
	for (i = 0; i < NR_SLOTS; i++) {
		x->slots[i].fd = -1;
		x->slots[i].exec = x;
	}
}

/* ---- one op ---- */

static void watch(struct exec *x, int i)
{
	struct epoll_event ev = {
		.events = EPOLLIN | EPOLLOUT | EPOLLPRI | EPOLLRDHUP | EPOLLET,
		.data.u32 = i,
	};

	epoll_ctl(x->epoll, EPOLL_CTL_ADD, x->slots[i].fd, &ev);
}

static void fill_slot(struct exec *x, int i, int fd)
{
	struct slot *s = &x->slots[i];

	if (s->fd >= 0)
		close(s->fd);
	s->fd = fd;
	s->sent = 0;
	s->waits = false;
	call_names(s);
	watch(x, i);
}

static int open_slot(struct exec *x, const struct op *op)
{
	int fd, one = 1;

	fd = socket(x->family[slot_of_server(op->slot)],
		    SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	fill_slot(x, op->slot, fd);
	return 0;
}

static int close_slot(struct slot *s)
{
	int fd = s->fd;

	s->fd = -1;
	return close(fd);
}

static int accept_slot(struct exec *x, const struct op *op, struct result *r)
{
	int fd;

	fd = call_accept(x->slots[op->slot].fd, r);
	if (fd < 0)
		return -1;
	if (op->blocks)
		r->moved = fd;	/* for finish_call() */
	else
		fill_slot(x, op->arg[0], fd);
	return 0;
}

static int run_op(struct exec *x, const struct op *op, struct result *r)
{
	struct slot *s = &x->slots[op->slot];

	switch (op->kind) {
	case OP_SOCKET:
		return open_slot(x, op);
	case OP_CLOSE:
		return close_slot(s);
	case OP_ACCEPT:
		return accept_slot(x, op, r);
	case OP_BIND:
		return call_bind(x, op);
	case OP_CONNECT:
		return call_connect(x, op);
	case OP_LISTEN:
		return listen(s->fd, op->arg[0]);
	case OP_SHUTDOWN:
		return shutdown(s->fd, op->arg[0]);
	case OP_GET:
		return call_get(s->fd, op, r);
	case OP_SET:
		return call_set(s->fd, op);
	case OP_IOCTL:
		return call_ioctl(s->fd, op, r);
	case OP_NAME:
		return call_name(x, op, r);
	case OP_DUP:
		return close(dup(s->fd));
	case OP_SIGNALS:
		return call_signals(s->fd, SIG_IO);
	default:
		return call_data(s, op, r);
	}
}

/*
 * Changes O_NONBLOCK. A call that sleeps has already read the flag, so the
 * change does not affect it.
 */
static void set_blocking(struct slot *s, bool waits)
{
	if (s->fd < 0 || s->waits == waits)
		return;
	fcntl(s->fd, F_SETFL,
	      (fcntl(s->fd, F_GETFL) & ~O_NONBLOCK) | (waits ? 0 : O_NONBLOCK));
	s->waits = waits;
}

static void run(struct exec *x, const struct op *op, struct result *r)
{
	memset(r, 0, sizeof(*r));
	set_blocking(&x->slots[op->slot], op->blocks);
	pipes = 0;
	errno = 0;
	r->ret = run_op(x, op, r);
	if (r->ret < 0)
		r->err = errno;
	r->sigpipe = pipes;
}

/* ---- calls that may block ---- */

/*
 * A signal to the process restarts a call that it interrupts. The descriptor
 * may be closed by then, so these signals go to the main thread only.
 */
static void leave_signals_to_main(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIG_IO);
	sigaddset(&set, SIGURG);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static void *call_main(void *arg)
{
	struct slot *s = arg;

	leave_signals_to_main();
	__atomic_store_n(&s->call.tid, gettid(), __ATOMIC_RELEASE);
	run(s->exec, &s->call.op, &s->call.result);
	__atomic_store_n(&s->call.over, true, __ATOMIC_RELEASE);
	return NULL;
}

static void start_call(struct exec *x, const struct op *op, struct result *r)
{
	struct slot *s = &x->slots[op->slot];

	memset(r, 0, sizeof(*r));
	if (s->call.used || s->fd < 0) {
		r->ret = -1;
		r->err = s->call.used ? EBUSY : EBADF;
		return;
	}
	s->call.op = *op;
	s->call.over = false;
	s->call.tid = 0;
	s->call.used = !pthread_create(&s->call.thread, NULL, call_main, s);
}

static enum blocked call_state(struct slot *s)
{
	int tid;

	if (!s->call.used)
		return BLOCKED_NONE;
	if (__atomic_load_n(&s->call.over, __ATOMIC_ACQUIRE))
		return BLOCKED_OVER;
	tid = __atomic_load_n(&s->call.tid, __ATOMIC_ACQUIRE);
	return tid && thread_sleeps(tid) ? BLOCKED_YES : BLOCKED_RUNS;
}

static void nap(void)
{
	struct timespec ts = { 0, 1000000 };

	nanosleep(&ts, NULL);
}

/* Ends the call by signals, because the first may come too early. */
static bool end_call(struct slot *s)
{
	int i;

	for (i = 0; call_state(s) != BLOCKED_OVER; i++) {
		if (i == 20000)
			return false;
		pthread_kill(s->call.thread, SIG_WAKE);
		nap();
	}
	pthread_join(s->call.thread, NULL);
	s->call.used = false;
	return true;
}

/* Takes the result of the call if the call is over; does not wait for it. */
static void finish_call(struct exec *x, const struct op *op, struct result *r)
{
	struct slot *s = &x->slots[op->slot];

	memset(r, 0, sizeof(*r));
	if (!s->call.used || call_state(s) != BLOCKED_OVER) {
		r->ret = -1;
		r->err = s->call.used ? EBUSY : ESRCH;
		return;
	}
	end_call(s);
	*r = s->call.result;
	if (s->call.op.kind == OP_ACCEPT && !r->ret)
		fill_slot(x, s->call.op.arg[0], r->moved);
	r->moved = 0;
}

/* ---- the interface ---- */

/* Stores edges and signals that have arrived since the last op. */
static void collect(struct exec *x)
{
	struct epoll_event evs[NR_SLOTS];
	int i, n;

	n = epoll_wait(x->epoll, evs, NR_SLOTS, 0);
	for (i = 0; i < n; i++)
		x->slots[evs[i].data.u32].edges |= evs[i].events;
}

void exec_begin(struct exec *x)
{
	int i;

	collect(x);
	current = x;
	for (i = 0; i < NR_SLOTS; i++) {
		x->slots[i].edges = 0;
		x->slots[i].signals = 0;
	}
}

void exec_op(struct exec *x, const struct op *op, struct result *r)
{
	if (op->kind == OP_END)
		finish_call(x, op, r);
	else if (op->blocks)
		start_call(x, op, r);
	else
		run(x, op, r);
}

static void view_slot(struct slot *s, struct slot_view *v)
{
	struct pollfd pfd = {
		.fd = s->fd,
		.events = POLLIN | POLLOUT | POLLPRI | POLLRDHUP | POLLRDNORM |
			  POLLRDBAND | POLLWRNORM | POLLWRBAND,
	};

	memset(v, 0, sizeof(*v));
	v->blocked = call_state(s);
	if (v->blocked == BLOCKED_OVER)
		v->over = s->call.result;
	if (s->fd < 0)
		return;
	v->open = 1;
	poll(&pfd, 1, 0);
	v->mask = pfd.revents;
	call_look(s, v);
	v->edges = s->edges;
	v->signals = s->signals;
	v->port = s->port;
	v->peer = s->peer;
}

void exec_view(struct exec *x, struct slot_view *views)
{
	int i;

	collect(x);
	for (i = 0; i < NR_SLOTS; i++)
		view_slot(&x->slots[i], &views[i]);
}

bool exec_reset(struct exec *x)
{
	bool ended = true;
	int i;

	current = NULL;
	for (i = 0; i < NR_SLOTS; i++) {
		struct slot *s = &x->slots[i];

		if (s->call.used) {
			ended &= end_call(s);
			if (s->call.op.kind == OP_ACCEPT && s->call.result.moved)
				close(s->call.result.moved);
		}
		if (s->fd >= 0)
			close_slot(s);
		s->edges = 0;
	}
	return ended;
}

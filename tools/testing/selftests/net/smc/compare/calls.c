// SPDX-License-Identifier: GPL-2.0
/* The calls that need more than one line. */
#include "calls.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/sockios.h>
#include <linux/tcp.h>

#define CLOSED_PORT	1
#define FAULT		((void *)8)

enum {
	BUF_BYTES = 1 << 16,
	/* a queue counts as full if no byte has fitted for this time */
	QUIET_MS = 50,
};

static uint32_t hash(uint32_t sum, const void *data, size_t len)
{
	const uint8_t *p = data;

	while (len--)
		sum = (sum ^ *p++) * 16777619;
	return sum;
}

/* ---- addresses ---- */

static struct sockaddr_in server_addr(const struct exec *x, uint16_t port)
{
	struct sockaddr_in sin = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
	};

	inet_pton(AF_INET, x->addr, &sin.sin_addr);
	return sin;
}

void call_names(struct slot *s)
{
	struct sockaddr_in sin = { 0 };
	socklen_t len = sizeof(sin);

	s->port = 0;
	s->peer = 0;
	if (!getsockname(s->fd, (struct sockaddr *)&sin, &len))
		s->port = ntohs(sin.sin_port);
	len = sizeof(sin);
	if (!getpeername(s->fd, (struct sockaddr *)&sin, &len))
		s->peer = ntohs(sin.sin_port);
}

int call_bind(struct exec *x, const struct op *op)
{
	bool server = slot_of_server(op->slot);
	struct sockaddr_in sin = {
		.sin_family = AF_INET,
		.sin_port = htons(server ? x->port : 0),
	};

	return bind(x->slots[op->slot].fd, (struct sockaddr *)&sin, sizeof(sin));
}

int call_connect(struct exec *x, const struct op *op)
{
	struct sockaddr_in sin = server_addr(x, x->port);
	struct slot *s = &x->slots[op->slot];
	struct sockaddr *to = (void *)&sin;
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	socklen_t len = sizeof(sin);
	int ret;

	switch (op->arg[0]) {
	case TARGET_CLOSED:
		sin.sin_port = htons(CLOSED_PORT);
		break;
	case TARGET_UNSPEC:
		sin = (struct sockaddr_in){ .sin_family = AF_UNSPEC };
		break;
	case TARGET_SHORT:
		len = 7;
		break;
	case TARGET_UNIX:
		to = (void *)&un;
		len = sizeof(un);
		break;
	case TARGET_FAULT:
		to = FAULT;
		break;
	default:
		break;
	}
	ret = connect(s->fd, to, len);
	if (!ret || errno == EINPROGRESS) {
		int err = errno;

		s->sent = 0;
		call_names(s);
		errno = err;
	}
	return ret;
}

static void describe(const struct exec *x, const struct sockaddr_in *sin,
		     socklen_t len, struct result *r)
{
	uint16_t port = ntohs(sin->sin_port);

	r->flags = len << 16 | sin->sin_family << 2 |
		   (x && port == x->port ? 1 : port ? 2 : 0);
	r->sum = sin->sin_addr.s_addr;
}

int call_accept(int fd, struct result *r)
{
	struct sockaddr_in sin = { 0 };
	socklen_t len = sizeof(sin);
	int new;

	new = accept4(fd, (struct sockaddr *)&sin, &len,
		      SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (new >= 0)
		describe(NULL, &sin, len, r);
	return new;
}

int call_name(struct exec *x, const struct op *op, struct result *r)
{
	int fd = x->slots[op->slot].fd;
	struct sockaddr_in sin = { 0 };
	socklen_t len = sizeof(sin);
	int ret;

	ret = op->arg[0] ? getpeername(fd, (struct sockaddr *)&sin, &len) :
			   getsockname(fd, (struct sockaddr *)&sin, &len);
	if (!ret)
		describe(x, &sin, len, r);
	return ret;
}

/* ---- options ---- */

static bool is_text(const struct option_type *o)
{
	return o->level == IPPROTO_TCP &&
	       (o->opt == TCP_CONGESTION || o->opt == TCP_ULP);
}

int call_get(int fd, const struct op *op, struct result *r)
{
	const struct option_type *o = &options[op->arg[0]];
	char buf[256] = { 0 };
	socklen_t len = o->len;
	int ret;

	ret = getsockopt(fd, o->level, o->opt, buf, &len);
	if (ret)
		return ret;
	r->flags = o->opaque ? 0 : (int)len;
	if (!o->opaque)
		r->sum = hash(0, buf, len);
	if (!o->opaque && len == sizeof(int))
		memcpy(&r->sum, buf, sizeof(int));
	return 0;
}

int call_set(int fd, const struct op *op)
{
	const struct option_type *o = &options[op->arg[0]];
	int value = op->arg[1];
	struct linger linger = { value > 0, value > 0 ? value - 1 : 0 };
	struct timeval tv = { 0, value * 10000 };
	const char *name = value > 1 ? "nonesuch" : value ? "reno" : "cubic";

	if (value == VALUE_SHORT)
		return setsockopt(fd, o->level, o->opt, &value, 1);
	if (value == VALUE_FAULT)
		return setsockopt(fd, o->level, o->opt, FAULT, o->len);
	if (is_text(o))
		return setsockopt(fd, o->level, o->opt, name, strlen(name));
	if (o->level != SOL_SOCKET)
		return setsockopt(fd, o->level, o->opt, &value, sizeof(value));
	switch (o->opt) {
	case SO_LINGER:
		return setsockopt(fd, o->level, o->opt, &linger, sizeof(linger));
	case SO_RCVTIMEO:
	case SO_SNDTIMEO:
		return setsockopt(fd, o->level, o->opt, &tv, sizeof(tv));
	default:
		return setsockopt(fd, o->level, o->opt, &value, sizeof(value));
	}
}

int call_ioctl(int fd, const struct op *op, struct result *r)
{
	int value = 0;
	int ret;

	ret = ioctl(fd, op->arg[0], &value);
	if (!ret)
		r->sum = value;
	return ret;
}

int call_signals(int fd, int sig)
{
	if (fcntl(fd, F_SETOWN, getpid()) || fcntl(fd, F_SETSIG, sig))
		return -1;
	return fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_ASYNC);
}

/* ---- data ---- */

/*
 * The value of a byte depends on its position, so that lost and repeated bytes
 * are found.
 */
static void fill_pattern(const struct slot *s, uint8_t *buf, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		buf[i] = (s->sent + i) * 2654435761u >> 23;
}

static int data_flags(const struct op *op)
{
	return (op->arg[1] & ~FLAG_FAULT) | (op->blocks ? 0 : MSG_DONTWAIT);
}

static int call_send(struct slot *s, const struct op *op)
{
	uint8_t buf[BUF_BYTES];
	void *from = buf;
	int ret;

	fill_pattern(s, buf, op->arg[0]);
	if (op->arg[1] & FLAG_FAULT)
		from = FAULT;
	ret = send(s->fd, from, op->arg[0], data_flags(op));
	if (ret > 0)
		s->sent += ret;
	return ret;
}

static int call_recv(struct slot *s, const struct op *op, struct result *r)
{
	char control[128];
	uint8_t buf[BUF_BYTES];
	struct iovec iov = { buf, op->arg[0] };
	struct sockaddr_in from;
	struct msghdr msg = {
		.msg_name = &from,
		.msg_namelen = sizeof(from),
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	int ret;

	if (op->arg[1] & FLAG_FAULT)
		iov.iov_base = FAULT;
	ret = recvmsg(s->fd, &msg, data_flags(op));
	if (ret < 0)
		return ret;
	r->flags = msg.msg_flags | (int)msg.msg_namelen << 16 |
		   (int)msg.msg_controllen << 20;
	if (!(op->arg[1] & (MSG_TRUNC | FLAG_FAULT)))
		r->sum = hash(0, buf, ret);
	if (!(op->arg[1] & (MSG_PEEK | MSG_OOB)))
		r->moved = ret;
	return ret;
}

static int call_splice_in(struct slot *s, const struct op *op)
{
	uint8_t buf[BUF_BYTES];
	int ret, err, ends[2];

	if (pipe2(ends, O_NONBLOCK))
		return -1;
	fill_pattern(s, buf, op->arg[0]);
	ret = write(ends[1], buf, op->arg[0]);
	if (ret >= 0)
		ret = splice(ends[0], NULL, s->fd, NULL, op->arg[0],
			     op->blocks ? 0 : SPLICE_F_NONBLOCK);
	err = errno;
	if (ret > 0)
		s->sent += ret;
	close(ends[0]);
	close(ends[1]);
	errno = err;
	return ret;
}

static int call_splice_out(struct slot *s, const struct op *op,
			   struct result *r)
{
	uint8_t buf[BUF_BYTES];
	int ret, err, ends[2];

	if (pipe2(ends, O_NONBLOCK))
		return -1;
	ret = splice(s->fd, NULL, ends[1], NULL, op->arg[0],
		     op->blocks ? 0 : SPLICE_F_NONBLOCK);
	err = errno;
	if (ret > 0) {
		r->sum = hash(0, buf, read(ends[0], buf, ret));
		r->moved = ret;
	}
	close(ends[0]);
	close(ends[1]);
	errno = err;
	return ret;
}

/* The end of a child process does not end the connection of its parent. */
static int call_fork(struct slot *s)
{
	int pid, status = 0;

	pid = fork();
	if (!pid) {
		uint8_t byte;

		fill_pattern(s, &byte, 1);
		_exit(send(s->fd, &byte, 1, MSG_DONTWAIT | MSG_NOSIGNAL) == 1 ?
		      0 : errno);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	errno = WEXITSTATUS(status);
	if (status)
		return -1;
	s->sent++;
	return 1;
}

static bool full(int fd)
{
	struct pollfd pfd = { .fd = fd, .events = POLLOUT };

	return poll(&pfd, 1, QUIET_MS) == 0;
}

/*
 * The number of bytes that fit differs between the worlds, so the result is 0.
 * The send buffer is small, because a third of it may be free although poll()
 * shows no room.
 */
static int call_fill(struct slot *s, struct result *r)
{
	uint8_t buf[BUF_BYTES];
	int size = 1 << 14;
	ssize_t n;

	setsockopt(s->fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	do {
		fill_pattern(s, buf, sizeof(buf));
		n = send(s->fd, buf, sizeof(buf), MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n > 0) {
			s->sent += n;
			r->moved += n;
		}
	} while (n > 0 || (n < 0 && errno == EAGAIN && !full(s->fd)));
	return errno == EAGAIN ? 0 : -1;
}

/* The caller repeats the call until all bytes have arrived. */
static int call_drain(struct slot *s, struct result *r)
{
	uint8_t buf[BUF_BYTES];
	ssize_t n;

	while ((n = recv(s->fd, buf, sizeof(buf), MSG_DONTWAIT)) > 0)
		r->moved += n;
	return n < 0 && errno != EAGAIN ? -1 : 0;
}

static int call_outq(const struct slot *s)
{
	int i, value = 1;

	for (i = 0; i < 5000; i++) {
		if (ioctl(s->fd, SIOCOUTQ, &value))
			return -1;
		if (!value)
			return 0;
		usleep(1000);
	}
	return value;
}

int call_data(struct slot *s, const struct op *op, struct result *r)
{
	switch (op->kind) {
	case OP_SEND:
		return call_send(s, op);
	case OP_RECV:
		return call_recv(s, op, r);
	case OP_SPLICE_IN:
		return call_splice_in(s, op);
	case OP_SPLICE_OUT:
		return call_splice_out(s, op, r);
	case OP_FORK:
		return call_fork(s);
	case OP_FILL:
		return call_fill(s, r);
	case OP_DRAIN:
		return call_drain(s, r);
	default:
		return call_outq(s);
	}
}

/* ---- the view ---- */

static int ask(int fd, unsigned long request)
{
	int value = 0;

	return ioctl(fd, request, &value) ? -errno : value;
}

void call_look(struct slot *s, struct slot_view *v)
{
	struct tcp_info info = { 0 };
	socklen_t len = sizeof(info);

	v->inq = ask(s->fd, SIOCINQ);
	v->mark = ask(s->fd, SIOCATMARK);
	if (!getsockopt(s->fd, IPPROTO_TCP, TCP_INFO, &info, &len))
		v->received = info.tcpi_bytes_received;
}

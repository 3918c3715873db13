// SPDX-License-Identifier: GPL-2.0
/*
 * libsmc-preload.so: TCP sockets of an unmodified program become SMC sockets,
 * as far as the rules of /etc/smc.conf allow it (rules.c).
 *
 * socket() may run before all other code, from a constructor of another
 * library, in many threads at once, or in a signal handler. So this library
 * never waits. The first caller computes each value and publishes it in an
 * atomic; concurrent callers compute the same value.
 */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <linux/smc.h>

#include "rules.h"

#ifndef AF_SMC
#define AF_SMC 43
#endif

typedef int socket_fn(int domain, int type, int protocol);
typedef int connect_fn(int fd, const struct sockaddr *addr, socklen_t len);
typedef int listen_fn(int fd, int backlog);

enum {
	/*
	 * A kernel without AF_SMC starts modprobe for each attempt. So try
	 * again only after a pause; the module may be loaded later.
	 */
	ABSENT_PAUSE_MS	= 1000,

	SIZE_UNKNOWN	= -1,
	SIZE_UNSET	= 0,
};

struct setting {
	const char *name;
	int optname;
	atomic_int size;	/* bytes, or SIZE_* */
};

static struct setting settings[] = {
	{ "SMC_SNDBUF", SO_SNDBUF, SIZE_UNKNOWN },
	{ "SMC_RCVBUF", SO_RCVBUF, SIZE_UNKNOWN },
};

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* The next functions of these names; __atomic access only */
static void *next_socket;
static void *next_connect;
static void *next_listen;
static atomic_llong absent_until;	/* CLOCK_MONOTONIC, ms; 0: not known absent */

static int raw_socket(int domain, int type, int protocol)
{
	return syscall(SYS_socket, domain, type, protocol);
}

static int raw_connect(int fd, const struct sockaddr *addr, socklen_t len)
{
	return syscall(SYS_connect, fd, addr, len);
}

static int raw_listen(int fd, int backlog)
{
	return syscall(SYS_listen, fd, backlog);
}

/*
 * The next function: of the C library or of another preloaded library.
 */
static void *resolve(void **next, const char *name, void *raw)
{
	void *fn = __atomic_load_n(next, __ATOMIC_ACQUIRE);

	if (fn)
		return fn;
	fn = dlsym(RTLD_NEXT, name);
	if (!fn)
		fn = raw;
	__atomic_store_n(next, fn, __ATOMIC_RELEASE);
	return fn;
}

static socket_fn *resolve_socket(void)
{
	return resolve(&next_socket, "socket", raw_socket);
}

static connect_fn *resolve_connect(void)
{
	return resolve(&next_connect, "connect", raw_connect);
}

static listen_fn *resolve_listen(void)
{
	return resolve(&next_listen, "listen", raw_listen);
}

/* Converts "65536", "64k" or "1M" to a number of bytes above 0 that fits an
 * int, or returns -1.
 */
static int parse_size(const char *s)
{
	unsigned long long v;
	int shift = 0;
	char *end;

	if (*s < '0' || *s > '9')
		return -1;
	errno = 0;
	v = strtoull(s, &end, 10);
	if (errno)
		return -1;
	if (*end == 'k' || *end == 'K')
		shift = 10;
	else if (*end == 'm' || *end == 'M')
		shift = 20;
	if (shift)
		end++;
	if (*end || v == 0 || v > (unsigned long long)INT_MAX >> shift)
		return -1;
	return v << shift;
}

static void complain(const char *name, const char *value)
{
	char line[160];
	int n;

	n = snprintf(line, sizeof(line),
		     "smc_run: %s=%.40s is not a buffer size (bytes, or a number with k or m); ignored\n",
		     name, value);
	if (n > 0 && write(STDERR_FILENO, line,
			   n < (int)sizeof(line) ? n : (int)sizeof(line) - 1) < 0)
		/* Standard error is closed, so nobody sees the message. */
		return;
}

static int buffer_size(struct setting *s)
{
	int size = atomic_load_explicit(&s->size, memory_order_relaxed);
	int unknown = SIZE_UNKNOWN;
	const char *value;
	bool bad;

	if (size != SIZE_UNKNOWN)
		return size;
	value = getenv(s->name);
	size = value && *value ? parse_size(value) : SIZE_UNSET;
	bad = size < 0;
	if (bad)
		size = SIZE_UNSET;
	/* The thread that stores the value is the one that prints the
	 * message.
	 */
	if (atomic_compare_exchange_strong(&s->size, &unknown, size) && bad)
		complain(s->name, value);
	return size;
}

__attribute__((constructor)) static void start(void)
{
	int saved = errno;
	size_t i;

	resolve_socket();
	resolve_connect();
	resolve_listen();
	rules_load();
	for (i = 0; i < ARRAY_SIZE(settings); i++)
		buffer_size(&settings[i]);
	errno = saved;
}

static bool wanted(int domain, int type, int protocol)
{
	return (domain == AF_INET || domain == AF_INET6) &&
	       (type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC)) == SOCK_STREAM &&
	       (protocol == 0 || protocol == IPPROTO_TCP);
}

static long long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

static bool known_absent(void)
{
	long long until = atomic_load_explicit(&absent_until,
					       memory_order_relaxed);

	return until && now_ms() < until;
}

/* Returns an SMC socket, or -1: then the caller opens the socket that the
 * program asked for.
 */
static int smc_socket(socket_fn *next, int domain, int type)
{
	size_t i;
	int fd;

	if (known_absent())
		return -1;
	fd = next(AF_SMC, type,
		  domain == AF_INET6 ? SMCPROTO_SMC6 : SMCPROTO_SMC);
	if (fd < 0) {
		if (errno == EAFNOSUPPORT)
			atomic_store_explicit(&absent_until,
					      now_ms() + ABSENT_PAUSE_MS,
					      memory_order_relaxed);
		return -1;
	}
	for (i = 0; i < ARRAY_SIZE(settings); i++) {
		int size = buffer_size(&settings[i]);

		if (size > 0)
			setsockopt(fd, SOL_SOCKET, settings[i].optname, &size,
				   sizeof(size));
	}
	return fd;
}

__attribute__((visibility("default")))
int socket(int domain, int type, int protocol)
{
	socket_fn *next;
	int saved = errno;
	int fd = -1;

	next = resolve_socket();
	if (wanted(domain, type, protocol) && !rules_never_smc())
		fd = smc_socket(next, domain, type);
	errno = saved;
	/*
	 * After a failure errno is the errno of TCP, because the program
	 * expects no other.
	 */
	return fd >= 0 ? fd : next(domain, type, protocol);
}

/*
 * The C library declares the address of connect() as a union, so the function
 * here has another name in C.
 */
__attribute__((visibility("default")))
int smc_connect(int fd, const struct sockaddr *addr, socklen_t len)
	__asm__("connect");

int smc_connect(int fd, const struct sockaddr *addr, socklen_t len)
{
	connect_fn *next = resolve_connect();
	int saved = errno;

	rules_before_connect(fd, addr, len);
	errno = saved;
	return next(fd, addr, len);
}

__attribute__((visibility("default")))
int listen(int fd, int backlog)
{
	listen_fn *next = resolve_listen();
	int saved = errno;

	rules_before_listen(fd);
	errno = saved;
	return next(fd, backlog);
}

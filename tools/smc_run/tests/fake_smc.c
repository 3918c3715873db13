// SPDX-License-Identifier: GPL-2.0
/*
 * This library simulates a kernel with AF_SMC. The loader puts it after
 * libsmc-preload.so. For AF_SMC the library creates TCP sockets and marks them
 * with SO_RCVLOWAT 43 + protocol. With FAKE_SMC_ERRNO=N the library refuses
 * AF_SMC with this errno instead. It counts the calls. It never has
 * IPPROTO_SMC.
 *
 * TCP_FASTOPEN turns SMC off in such a socket: then its mark is 99. The option
 * stays at what is set last. connect() does nothing.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <dlfcn.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

atomic_int fake_smc_asked;

int socket(int domain, int type, int protocol)
{
	const char *refuse = getenv("FAKE_SMC_ERRNO");
	int mark = 43 + protocol;
	int fd;

	if (protocol == 256) {
		errno = EPROTONOSUPPORT;
		return -1;
	}
	if (domain != 43)
		return syscall(SYS_socket, domain, type, protocol);
	atomic_fetch_add(&fake_smc_asked, 1);
	if (refuse && *refuse) {
		errno = atoi(refuse);
		return -1;
	}
	fd = syscall(SYS_socket, protocol ? AF_INET6 : AF_INET, type, 0);
	if (fd >= 0)
		setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &mark, sizeof(mark));
	/* A successful call may leave any value in errno. */
	errno = EXDEV;
	return fd;
}

enum { TURNED_OFF = 99 };

typedef int get_fn(int fd, int level, int name, void *value, socklen_t *len);
typedef int set_fn(int fd, int level, int name, const void *value,
		   socklen_t len);

static int mark_of(int fd)
{
	get_fn *next = (get_fn *)dlsym(RTLD_NEXT, "getsockopt");
	socklen_t len = sizeof(int);
	int mark = 0;

	next(fd, SOL_SOCKET, SO_RCVLOWAT, &mark, &len);
	return mark;
}

static int is_smc(int fd)
{
	int mark = mark_of(fd);

	return mark == 43 || mark == 44 || mark == TURNED_OFF;
}

int getsockopt(int fd, int level, int name, void *value, socklen_t *len)
{
	get_fn *next = (get_fn *)dlsym(RTLD_NEXT, "getsockopt");

	if (level == SOL_SOCKET && name == SO_DOMAIN && is_smc(fd)) {
		*(int *)value = 43;
		errno = EXDEV;
		return 0;
	}
	return next(fd, level, name, value, len);
}

int setsockopt(int fd, int level, int name, const void *value, socklen_t len)
{
	set_fn *next = (set_fn *)dlsym(RTLD_NEXT, "setsockopt");
	int off = TURNED_OFF;

	if (level == IPPROTO_TCP && name == TCP_FASTOPEN && is_smc(fd) &&
	    *(const int *)value) {
		if (getenv("FAKE_SMC_BUSY")) {
			errno = EINVAL;
			return -1;
		}
		next(fd, SOL_SOCKET, SO_RCVLOWAT, &off, sizeof(off));
	}
	errno = EXDEV;
	return next(fd, level, name, value, len);
}

int fake_connect(int fd, const struct sockaddr *addr, socklen_t len)
	__asm__("connect");

int fake_connect(int fd, const struct sockaddr *addr, socklen_t len)
{
	(void)fd;
	(void)addr;
	(void)len;
	return 0;
}

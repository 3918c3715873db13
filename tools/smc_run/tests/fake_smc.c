// SPDX-License-Identifier: GPL-2.0
/*
 * This library simulates a kernel with AF_SMC. The loader puts it after
 * libsmc-preload.so. For AF_SMC the library creates TCP sockets and marks them
 * with SO_RCVLOWAT 43 + protocol. With FAKE_SMC_ERRNO=N the library refuses
 * AF_SMC with this errno instead. It counts the calls.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
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

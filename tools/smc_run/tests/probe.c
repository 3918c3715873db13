// SPDX-License-Identifier: GPL-2.0
/*
 * Prints, one line each, the result of socket() for calls that a program may
 * make.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static const struct call {
	const char *name;
	int domain;
	int type;
	int protocol;
} calls[] = {
	{ "inet", AF_INET, SOCK_STREAM, 0 },
	{ "inet-tcp", AF_INET, SOCK_STREAM, IPPROTO_TCP },
	{ "inet6", AF_INET6, SOCK_STREAM, 0 },
	{ "inet6-tcp", AF_INET6, SOCK_STREAM, IPPROTO_TCP },
	{ "inet-flags", AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0 },
	{ "inet-udp", AF_INET, SOCK_DGRAM, 0 },
	{ "inet6-udp", AF_INET6, SOCK_DGRAM, IPPROTO_UDP },
	{ "inet-mptcp", AF_INET, SOCK_STREAM, 262 },
	{ "unix", AF_UNIX, SOCK_STREAM, 0 },
	{ "inet-badtype", AF_INET, 77, 0 },
	{ "inet-badproto", AF_INET, SOCK_STREAM, IPPROTO_UDP },
	{ "badfamily", 250, SOCK_STREAM, 0 },
};

static int int_opt(int fd, int name)
{
	socklen_t len = sizeof(int);
	int v = -1;

	getsockopt(fd, SOL_SOCKET, name, &v, &len);
	return v;
}

static void probe(const struct call *c)
{
	int fd, mark;

	errno = EBADMSG;
	fd = socket(c->domain, c->type, c->protocol);
	if (fd < 0) {
		printf("%s error %s\n", c->name, strerrorname_np(errno));
		return;
	}
	if (errno != EBADMSG)
		printf("%s spoils errno\n", c->name);
	mark = int_opt(fd, SO_RCVLOWAT);
	printf("%s %s%s%s\n", c->name, mark == 43 ? "smc" : mark == 44 ? "smc6" : "own",
	       fcntl(fd, F_GETFL) & O_NONBLOCK ? " nonblock" : "",
	       fcntl(fd, F_GETFD) & FD_CLOEXEC ? " cloexec" : "");
	close(fd);
}

static void buffers(int domain)
{
	int fd = socket(domain, SOCK_STREAM, 0);

	printf("sndbuf %d rcvbuf %d\n", int_opt(fd, SO_SNDBUF), int_opt(fd, SO_RCVBUF));
	close(fd);
}

/* @name is the variable of a preloaded or linked library, if there is one */
static void counter(const char *name)
{
	atomic_int *n = (atomic_int *)dlsym(RTLD_DEFAULT, name);

	printf("%s %d\n", name, n ? atomic_load(n) : -1);
}

/* @where: ADDRESS PORT */
static void call(const char *name, char **where)
{
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6,
				    .sin6_port = htons(atoi(where[1])) };
	struct sockaddr_in in = { .sin_family = AF_INET,
				  .sin_port = htons(atoi(where[1])) };
	bool v6 = strchr(where[0], ':');
	struct sockaddr *addr = v6 ? (void *)&in6 : (void *)&in;
	socklen_t len = v6 ? sizeof(in6) : sizeof(in);
	int fd = socket(addr->sa_family, SOCK_STREAM, 0), on = 1, err, mark;
	socklen_t size = sizeof(int);

	inet_pton(addr->sa_family, where[0],
		  v6 ? (void *)&in6.sin6_addr : (void *)&in.sin_addr);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	errno = EBADMSG;
	if (!strcmp(name, "connect"))
		err = connect(fd, addr, len);
	else
		err = bind(fd, addr, len) ?: listen(fd, 1);
	mark = int_opt(fd, SO_RCVLOWAT);
	getsockopt(fd, IPPROTO_TCP, TCP_FASTOPEN, &on, &size);
	printf("%s%s%s%s\n", mark == 43 ? "smc" : mark == 44 ? "smc6" :
	       mark == 99 ? "off" : "own", err ? " fails" : "",
	       on ? " fastopen" : "", errno == EXDEV ? " spoils errno" : "");
	close(fd);
}

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[2]) : 0;
	size_t i;

	if (argc < 2) {
		for (i = 0; i < ARRAY_SIZE(calls); i++)
			probe(&calls[i]);
	} else if (!strcmp(argv[1], "buffers")) {
		buffers(AF_INET);
	} else if (!strcmp(argv[1], "counters")) {
		counter("ctor_sockets");
		counter("ctor_marked");
	} else if (!strcmp(argv[1], "connect") || !strcmp(argv[1], "listen")) {
		for (i = 2; argv[i] && argv[i + 1]; i += 2)
			call(argv[1], argv + i);
	} else if (!strcmp(argv[1], "repeat")) {
		while (n--)
			close(socket(AF_INET, SOCK_STREAM, 0));
		counter("fake_smc_asked");
	}
	return 0;
}

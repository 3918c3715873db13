// SPDX-License-Identifier: GPL-2.0
/* Sockets of the family under test, and connections between the ends. */
#include "util.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifndef AF_SMC
#define AF_SMC 43
#endif

enum {
	ACCEPT_MS = 10000,
};

static bool is_inet_smc(enum family f)
{
	return f == FAMILY_INET_SMC || f == FAMILY_INET_SMC6;
}

bool family_is_smc(enum family f)
{
	return f == FAMILY_SMC || f == FAMILY_SMC6 || is_inet_smc(f);
}

bool family_is_v6(enum family f)
{
	return f == FAMILY_SMC6 || f == FAMILY_TCP6 || f == FAMILY_INET_SMC6;
}

int family_domain(enum family f)
{
	return family_is_v6(f) ? AF_INET6 : AF_INET;
}

int socket_domain(enum family f)
{
	return family_is_smc(f) && !is_inet_smc(f) ? AF_SMC : family_domain(f);
}

int socket_protocol(enum family f)
{
	if (is_inet_smc(f))
		return PROTOCOL_SMC;
	return family_is_smc(f) ? family_is_v6(f) : IPPROTO_TCP;
}

int new_socket_of(enum family f, int type_flags)
{
	return socket(socket_domain(f), SOCK_STREAM | type_flags,
		      socket_protocol(f));
}

int new_socket(int type_flags)
{
	int fd = new_socket_of(cfg.family, type_flags);

	if (fd < 0)
		fail("socket: %s", strerrorname(errno));
	return fd;
}

static bool to_sockaddr(const char *host, bool v6, struct sockaddr_storage *ss)
{
	struct sockaddr_in6 *sin6 = (struct sockaddr_in6 *)ss;
	struct sockaddr_in *sin = (struct sockaddr_in *)ss;
	char mapped[80];

	memset(ss, 0, sizeof(*ss));
	if (!v6) {
		sin->sin_family = AF_INET;
		return inet_pton(AF_INET, host, &sin->sin_addr) == 1;
	}
	sin6->sin6_family = AF_INET6;
	if (strchr(host, ':'))
		return inet_pton(AF_INET6, host, &sin6->sin6_addr) == 1;
	snprintf(mapped, sizeof(mapped), "::ffff:%s", host);
	return inet_pton(AF_INET6, mapped, &sin6->sin6_addr) == 1;
}

/* Both kinds of address have port and length at the same place. */
static socklen_t set_port(struct sockaddr_storage *ss, uint16_t port)
{
	((struct sockaddr_in *)ss)->sin_port = htons(port);
	return ss->ss_family == AF_INET6 ? sizeof(struct sockaddr_in6) :
					   sizeof(struct sockaddr_in);
}

socklen_t server_addr(uint16_t port, struct sockaddr_storage *ss)
{
	if (!to_sockaddr(cfg.host, family_is_v6(cfg.family), ss))
		fail("'%s' is no address of the family", cfg.host);
	return set_port(ss, port);
}

/* Another host does not know the name of the server's address. */
void bind_any(int fd, uint16_t port)
{
	bool v6 = family_is_v6(cfg.family);
	struct sockaddr_storage ss;
	socklen_t len;

	if (!to_sockaddr(cfg.single ? cfg.host : v6 ? "::" : "0.0.0.0", v6, &ss))
		fail("'%s' is no address of the family", cfg.host);
	len = set_port(&ss, port);
	OK(bind(fd, (struct sockaddr *)&ss, len));
}

uint16_t local_port(int fd)
{
	struct sockaddr_storage ss;
	socklen_t len = sizeof(ss);

	OK(getsockname(fd, (struct sockaddr *)&ss, &len));
	return ntohs(((struct sockaddr_in *)&ss)->sin_port);
}

static int listener_with(int backlog, uint16_t *port, void (*prepare)(int fd))
{
	int fd = new_socket(SOCK_CLOEXEC);

	if (prepare)
		prepare(fd);
	bind_any(fd, 0);
	OK(listen(fd, backlog));
	*port = local_port(fd);
	return fd;
}

int new_listener(int backlog, uint16_t *port)
{
	return listener_with(backlog, port, NULL);
}

int connect_fd(int fd, uint16_t port)
{
	struct sockaddr_storage ss;
	socklen_t len = server_addr(port, &ss);

	return connect(fd, (struct sockaddr *)&ss, len);
}

int connect_to(uint16_t port)
{
	int fd = new_socket(SOCK_CLOEXEC);

	OK(connect_fd(fd, port));
	check_mode(fd);
	return fd;
}

int accept_from(int lfd)
{
	int fd;

	await(lfd, POLLIN, ACCEPT_MS);
	fd = OK(accept4(lfd, NULL, NULL, SOCK_CLOEXEC));
	check_mode(fd);
	return fd;
}

int accept_task(void *lfd)
{
	return accept(*(int *)lfd, NULL, NULL);
}

int meet_with(void (*prepare)(int fd))
{
	uint16_t port;
	int lfd, fd;

	if (cfg.server) {
		lfd = listener_with(1, &port, prepare);
		ctl_send_u64("PORT", port);
		fd = accept_from(lfd);
		close(lfd);
		return fd;
	}
	port = ctl_wait_u64("PORT");
	fd = new_socket(SOCK_CLOEXEC);
	if (prepare)
		prepare(fd);
	OK(connect_fd(fd, port));
	check_mode(fd);
	return fd;
}

int meet(void)
{
	return meet_with(NULL);
}

void wait_for_over(void)
{
	int fd = meet();

	ctl_sync("OVER");
	close(fd);
}

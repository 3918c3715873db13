// SPDX-License-Identifier: GPL-2.0
/* The address families under test. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sockbench.h"

/**
 * family_socket() - a nonblocking stream socket of the family
 * @o: buffer sizes to set, 0 for the default
 * @f: the family
 *
 * Return: the socket or a negative errno.
 */
int family_socket(const struct opts *o, enum family f)
{
	static const int domains[FAM_COUNT] = {
		[FAM_TCP] = AF_INET,
		[FAM_TCP6] = AF_INET6,
		[FAM_SMC] = AF_SMC_NUM,
		[FAM_SMC6] = AF_SMC_NUM,
	};
	int fd;

	fd = socket(domains[f], SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC,
		    f == FAM_SMC6);
	if (fd < 0)
		return -errno;
	if (o->sndbuf)
		setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &o->sndbuf,
			   sizeof(o->sndbuf));
	if (o->rcvbuf)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &o->rcvbuf,
			   sizeof(o->rcvbuf));
	return fd;
}

/**
 * family_addr() - fill in an address
 * @f: the family
 * @host: numeric, NULL for any
 * @port: in host order
 * @ss: result
 *
 * Return: its length; if @host is not an address of @f, the program ends.
 */
socklen_t family_addr(enum family f, const char *host, int port,
		      struct sockaddr_storage *ss)
{
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)ss;
	struct sockaddr_in *in = (struct sockaddr_in *)ss;

	memset(ss, 0, sizeof(*ss));
	if (f == FAM_SMC6 || f == FAM_TCP6) {
		in6->sin6_family = AF_INET6;
		in6->sin6_port = htons(port);
		if (host && inet_pton(AF_INET6, host, &in6->sin6_addr) != 1)
			die("not an IPv6 address: %s", host);
		return sizeof(*in6);
	}
	in->sin_family = AF_INET;
	in->sin_port = htons(port);
	if (host && inet_pton(AF_INET, host, &in->sin_addr) != 1)
		die("not an IPv4 address: %s", host);
	return sizeof(*in);
}

// SPDX-License-Identifier: GPL-2.0
/* bind() and connect() take an address of unknown length. */
#include <linux/net.h>

static inline int
smc_probe_sockaddr_unsized(struct socket *sock, struct sockaddr_unsized *addr)
{
	return sock->ops->bind(sock, addr, 0) +
	       sock->ops->connect(sock, addr, 0, 0) +
	       kernel_bind(sock, addr, 0) + kernel_connect(sock, addr, 0, 0);
}

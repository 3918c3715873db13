// SPDX-License-Identifier: GPL-2.0
/* accept() of proto_ops takes its flags in a struct. */
#include <net/sock.h>

static inline int smc_probe_accept_arg(struct socket *sock,
				       struct proto_accept_arg *arg)
{
	return sock->ops->accept(sock, sock, arg) + arg->flags;
}

// SPDX-License-Identifier: GPL-2.0
/* A socket can ask to handle options of level SOL_SOCKET itself. */
#include <linux/net.h>

static inline void smc_probe_custom_sockopt(struct socket *sock)
{
	set_bit(SOCK_CUSTOM_SOCKOPT, &sock->flags);
}

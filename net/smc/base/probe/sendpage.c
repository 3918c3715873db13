// SPDX-License-Identifier: GPL-2.0
/* proto_ops has sendpage(). Other kernels have MSG_SPLICE_PAGES instead. */
#include <linux/net.h>

static inline ssize_t smc_probe_sendpage(struct socket *sock, struct page *page)
{
	return sock->ops->sendpage(sock, page, 0, 0, 0);
}

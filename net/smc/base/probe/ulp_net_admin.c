// SPDX-License-Identifier: GPL-2.0
/* get_info() of a ULP is told whether the reader has CAP_NET_ADMIN. */
#include <net/tcp.h>

static inline size_t smc_probe_ulp_net_admin(const struct tcp_ulp_ops *ops,
					     struct sock *sk,
					     struct sk_buff *skb)
{
	return ops->get_info(sk, skb, true) + ops->get_info_size(sk, true);
}

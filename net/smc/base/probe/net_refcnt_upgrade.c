// SPDX-License-Identifier: GPL-2.0
/* A kernel socket can be made to keep its namespace alive. */
#include <net/sock.h>

static inline void smc_probe_net_refcnt_upgrade(struct sock *sk)
{
	sk_net_refcnt_upgrade(sk);
}

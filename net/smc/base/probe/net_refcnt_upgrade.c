// SPDX-License-Identifier: GPL-2.0
/* sk_net_refcnt_upgrade() makes a kernel socket hold a reference to its
 * namespace.
 */
#include <net/sock.h>

static inline void smc_probe_net_refcnt_upgrade(struct sock *sk)
{
	sk_net_refcnt_upgrade(sk);
}

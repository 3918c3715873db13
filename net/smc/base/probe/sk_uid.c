// SPDX-License-Identifier: GPL-2.0
/* The owner of a socket is read with sk_uid(), not with sock_i_uid(). */
#include <net/sock.h>

static inline kuid_t smc_probe_sk_uid(struct sock *sk)
{
	return sk_uid(sk);
}

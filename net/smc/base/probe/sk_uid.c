// SPDX-License-Identifier: GPL-2.0
/* sk_uid() replaces sock_i_uid(), which reads the owner of a socket. */
#include <net/sock.h>

static inline kuid_t smc_probe_sk_uid(struct sock *sk)
{
	return sk_uid(sk);
}

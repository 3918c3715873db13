// SPDX-License-Identifier: GPL-2.0
/* ioctl() of struct proto returns its value in memory of the kernel. */
#include <net/sock.h>

static inline void smc_probe_proto_ioctl_karg(struct proto *prot,
					      int (*fn)(struct sock *sk, int cmd,
							int *karg))
{
	prot->ioctl = fn;
}

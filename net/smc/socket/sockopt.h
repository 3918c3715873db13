/* SPDX-License-Identifier: GPL-2.0 */
/* setsockopt() and getsockopt() of AF_SMC. */
#ifndef _SMC_SOCKET_SOCKOPT_H
#define _SMC_SOCKET_SOCKOPT_H

#include <linux/sockptr.h>

struct socket;

int smc_setsockopt(struct socket *sock, int level, int optname,
		   sockptr_t optval, unsigned int optlen);
int smc_getsockopt(struct socket *sock, int level, int optname,
		   char __user *optval, int __user *optlen);

#endif

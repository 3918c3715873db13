// SPDX-License-Identifier: GPL-2.0
/*
 * A program for new sockets of a cgroup: everything but SMC passes. 43 is
 * AF_SMC, and 256 is IPPROTO_SMC.
 */
#include <linux/bpf.h>

__attribute__((section("cgroup/sock_create"), used))
int no_smc(struct bpf_sock *sk)
{
	return sk->family != 43 && sk->protocol != 256;
}

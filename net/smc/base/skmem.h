/* SPDX-License-Identifier: GPL-2.0 */
/* This file charges memory to a stream socket and enforces the limits. */
#ifndef _SMC_BASE_SKMEM_H
#define _SMC_BASE_SKMEM_H

#include <net/sock.h>

/**
 * smc_skmem_schedule - allow a stream socket to charge more memory
 * @sk:		socket, lock held
 * @size:	bytes to add to sk_forward_alloc
 * @force:	charge even above the limits of the socket and of the memory
 * cgroup
 *
 * At a limit __sk_mem_schedule() shrinks sk_sndbuf permanently, unless
 * SOCK_SNDBUF_LOCK is set, and then charges the memory in spite of the limit.
 * So this function sets the flag while it runs. With @force it also sets
 * sk_sndbuf to 0 for this time.
 *
 * Context: process, may sleep. Return: false: a limit is reached; never with
 * @force.
 */
static inline bool smc_skmem_schedule(struct sock *sk, int size, bool force)
{
	int sndbuf = sk->sk_sndbuf;
	u8 locks = sk->sk_userlocks;
	bool done;

	sock_owned_by_me(sk);
	sk->sk_userlocks |= SOCK_SNDBUF_LOCK;
	if (force)
		WRITE_ONCE(sk->sk_sndbuf, 0);
	done = __sk_mem_schedule(sk, size, SK_MEM_SEND);
	if (force)
		WRITE_ONCE(sk->sk_sndbuf, sndbuf);
	sk->sk_userlocks = locks;
	return done;
}

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a child inherits from its listener. A worker accepts it, so what the
 * core takes from the current task would be the worker's.
 */
#ifndef _SMC_SOCKET_INHERIT_H
#define _SMC_SOCKET_INHERIT_H

struct sock;

/**
 * smc_inherit_identity - the child is in its listener's cgroup, with its label
 * @sk:		AF_SMC sock of the child, nobody else uses it yet
 * @from:	AF_SMC sock of the listener
 *
 * TCP's own sock was cloned and has both. Context: any but hard interrupts.
 */
void smc_inherit_identity(struct sock *sk, const struct sock *from);
/**
 * smc_inherit_memcg - the listener's memory cgroup pays for the child
 * @sk:		AF_SMC sock of the child, to which nothing is charged yet
 * @tcp:	TCP sock of the child, which may have received bytes; lock not
 *		held
 * @from:	AF_SMC sock of the listener
 *
 * Only for children that a worker accepted. Context: process, may sleep.
 */
void smc_inherit_memcg(struct sock *sk, struct sock *tcp,
		       const struct sock *from);

#endif

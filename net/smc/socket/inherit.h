/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Properties that a child inherits from its listener. A worker accepts the
 * child, so the core would take these properties from the worker, because the
 * worker is the current task.
 */
#ifndef _SMC_SOCKET_INHERIT_H
#define _SMC_SOCKET_INHERIT_H

struct sock;

/**
 * smc_inherit_identity - give the child the cgroup and the security label of
 * its listener
 * @sk:		AF_SMC sock of the child, not yet used by others
 * @from:	AF_SMC sock of the listener
 *
 * The TCP sock of the child is a clone and already has both. Context: any but
 * hard interrupts.
 */
void smc_inherit_identity(struct sock *sk, const struct sock *from);
/**
 * smc_inherit_memcg - charge the listener's memory cgroup for the child
 * @sk:		AF_SMC sock of the child, to which nothing is charged yet
 * @tcp:	TCP sock of the child, which may have received bytes; lock not
 *		held
 * @from:	AF_SMC sock of the listener
 *
 * Call this only for a child that a worker has accepted. Context: process, may
 * sleep.
 */
void smc_inherit_memcg(struct sock *sk, struct sock *tcp,
		       const struct sock *from);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sockets of AF_INET and AF_INET6 with protocol IPPROTO_SMC (256): what the
 * code of IP requires of a sock of these families.
 */
#ifndef _SMC_SOCKET_INET_H
#define _SMC_SOCKET_INET_H

#include <linux/ipv6.h>
#include <linux/net.h>
#include "sock.h"

/**
 * struct smc_inet6_sock - object of a socket of AF_INET6
 * @smc:	must be first
 * @np:		must be last: before Linux 6.6 the code of IPv6 computes its
 *		place from the size of the object
 */
struct smc_inet6_sock {
	struct smc_sock smc;
	struct ipv6_pinfo np;
};

/** smc_inet_sock - is @sk of AF_INET or AF_INET6, and not of AF_SMC? */
static inline bool smc_inet_sock(const struct sock *sk)
{
	return sk->sk_family != AF_SMC;
}

/**
 * smc_inet_born - take over a sock from inet_create() or inet6_create()
 * @sk:		new sock, which only its creator uses
 *
 * Call this before sk->sk_destruct is set. Context: process.
 */
void smc_inet_born(struct sock *sk);
/**
 * smc_inet_child - prepare a sock that this module has allocated itself
 * @sk:		child of a socket of the same family, not yet used by others
 *
 * Does nothing for a sock of AF_SMC. Context: process.
 */
void smc_inet_child(struct sock *sk);
/**
 * smc_inet_destruct - free what the code of IP has attached to a sock
 * @sk:		sock without references; all of its memory is uncharged
 *
 * Does nothing for a sock of AF_SMC. Context: process.
 */
void smc_inet_destruct(struct sock *sk);
/**
 * smc_inet_admit - run the cgroup's BPF programs for a new sock of AF_SMC
 * @sk:		sock with its hidden TCP socket; lock not held
 *
 * inet_create() and inet6_create() run these programs for socks of their
 * families. Context: process. Return: 0, or the errno of a program that refuses
 * the socket: the caller drops the sock.
 */
int smc_inet_admit(struct sock *sk);
/**
 * smc_inet_release - run the cgroup's BPF programs for a user who closes @sk
 * @sk:		sock; lock not held
 *
 * The counterpart of smc_inet_admit() and of the programs that inet_create()
 * runs.
 */
void smc_inet_release(struct sock *sk);
/**
 * smc_inet_init - let socket() create sockets of AF_INET and AF_INET6
 * @ops:	operations of sockets of AF_INET
 * @prot:	their proto, registered
 * @ops6:	operations of sockets of AF_INET6
 * @prot6:	their proto, registered
 *
 * Sockets may exist when this function returns. If another module has
 * registered the protocol permanently, the function logs this, and only AF_SMC
 * is available. If the other module can unregister the protocol, this module
 * replaces it until smc_inet_exit().
 */
void smc_inet_init(const struct proto_ops *ops, struct proto *prot,
		   const struct proto_ops *ops6, struct proto *prot6);
/** smc_inet_exit - stop creating such sockets; waits for RCU readers */
void smc_inet_exit(void);

#endif

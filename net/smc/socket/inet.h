/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sockets of AF_INET and AF_INET6 with protocol IPPROTO_SMC (256): what the code
 * of IP expects of a sock of its families.
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

/** smc_inet_sock - is @sk a socket of AF_INET or AF_INET6, and not of AF_SMC? */
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
 * smc_inet_release - tell BPF programs of the cgroup that a user closes @sk
 * @sk:		sock; lock not held
 *
 * The counterpart of the programs that inet_create() runs. Does nothing for a
 * sock of AF_SMC.
 */
void smc_inet_release(struct sock *sk);
/**
 * smc_inet_init - let socket() create sockets of AF_INET and AF_INET6
 * @ops:	operations of sockets of AF_INET
 * @prot:	their proto, registered
 * @ops6:	operations of sockets of AF_INET6
 * @prot6:	their proto, registered
 *
 * Sockets may exist when this function returns. If the protocol belongs to
 * another module for ever, only AF_SMC remains, and the log says so. A protocol
 * that its module can give back is hidden until smc_inet_exit().
 */
void smc_inet_init(const struct proto_ops *ops, struct proto *prot,
		   const struct proto_ops *ops6, struct proto *prot6);
/** smc_inet_exit - stop creating such sockets; waits for RCU readers */
void smc_inet_exit(void);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between the supported kernels, in one place. The Makefile probes
 * headers where a version number does not tell.
 */
#ifndef _SMC_BASE_COMPAT_H
#define _SMC_BASE_COMPAT_H

#include <linux/kconfig.h>
#include <linux/version.h>

#if !IS_ENABLED(CONFIG_SMC)
#error "this kernel lacks CONFIG_SMC: the TCP option hooks of SMC-R are not in it"
#endif
#if !IS_ENABLED(CONFIG_INFINIBAND)
#error "this kernel lacks CONFIG_INFINIBAND"
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#error "kernels before 6.1 are not supported"

#endif

#include <linux/timer.h>

/* 6.2: a timer that cannot be armed again */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define timer_shutdown_sync(t) del_timer_sync(t)
#endif

/* renamed in 6.16 */
#ifdef timer_container_of
#define smc_from_timer timer_container_of
#else
#define smc_from_timer from_timer
#endif

/*
 * Sockets. These are macros so that only those who use them need the headers
 * of what they name.
 */

/* A kernel socket that keeps its namespace alive. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
#define smc_compat_net_upgrade(_sk)					\
	do {								\
		struct sock *__sk = (_sk);				\
		struct net *__net = sock_net(__sk);			\
									\
		__sk->sk_net_refcnt = 1;				\
		get_net_track(__net, &__sk->ns_tracker, GFP_KERNEL);	\
		sock_inuse_add(__net, 1);				\
	} while (0)
#else
#define smc_compat_net_upgrade(_sk)	sk_net_refcnt_upgrade(_sk)
#endif

/* 6.7: a socket can ask to see SOL_SOCKET options */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 7, 0)
#define SMC_COMPAT_HAS_CUSTOM_SOCKOPT	0
#define smc_compat_custom_sockopt(_sock)	((void)(_sock))
#else
#define SMC_COMPAT_HAS_CUSTOM_SOCKOPT	1
#define smc_compat_custom_sockopt(_sock)				\
	set_bit(SOCK_CUSTOM_SOCKOPT, &(_sock)->flags)
#endif

/* 6.10: proto_ops.accept() takes its flags in a struct */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 10, 0)
#define SMC_COMPAT_ACCEPT(_name, _impl)					\
static int _name(struct socket *sock, struct socket *newsock, int flags, \
		 bool kern)						\
{									\
	return _impl(sock, newsock, flags);				\
}
#else
#define SMC_COMPAT_ACCEPT(_name, _impl)					\
static int _name(struct socket *sock, struct socket *newsock,		\
		 struct proto_accept_arg *arg)				\
{									\
	return _impl(sock, newsock, arg->flags);			\
}
#endif

/* 6.5: sendpage gave way to MSG_SPLICE_PAGES */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
#define SMC_COMPAT_SENDPAGE_OP(_fn)	.sendpage = _fn,
#define smc_compat_sendpage(_tcp, ...)					\
	READ_ONCE((_tcp)->ops)->sendpage(_tcp, __VA_ARGS__)
#define smc_compat_sendpage_copy(_sock, ...)				\
	sock_no_sendpage(_sock, __VA_ARGS__)
#else
#define SMC_COMPAT_SENDPAGE_OP(_fn)
#define smc_compat_sendpage(...)	(-EOPNOTSUPP)
#define smc_compat_sendpage_copy(...)	(-EOPNOTSUPP)
#endif

/* 6.7: integers of 4 or 8 bytes, as they need */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 7, 0)
#define smc_compat_put_uint(_skb, _attr, _value)			\
({									\
	u64 __v = (_value);						\
									\
	__v > U32_MAX ? nla_put(_skb, _attr, sizeof(__v), &__v) :	\
			nla_put_u32(_skb, _attr, __v);			\
})
#else
#define smc_compat_put_uint(_skb, _attr, _value)			\
	nla_put_uint(_skb, _attr, _value)
#endif

/* 6.6: sysctl tables come with their size; before, an empty entry ends them.
 * @n counts the entries without that one, which must be there.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 6, 0)
#define smc_compat_register_sysctl(_net, _path, _table, _n)		\
	register_net_sysctl(_net, _path, _table)
#else
#define smc_compat_register_sysctl(_net, _path, _table, _n)		\
	register_net_sysctl_sz(_net, _path, _table, _n)
#endif

/* 6.11: handlers may not change their table */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
#define SMC_COMPAT_CTL_TABLE	struct ctl_table
#else
#define SMC_COMPAT_CTL_TABLE	const struct ctl_table
#endif

#endif

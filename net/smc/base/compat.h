/* SPDX-License-Identifier: GPL-2.0 */
/*
 * This file hides the differences between the supported kernels. The build
 * compiles the files of probe/ to find out which interfaces a kernel has, and
 * defines each SMC_HAVE_* as 0 or 1. So a kernel with backports, or a later
 * kernel, needs no change here.
 */
#ifndef _SMC_BASE_COMPAT_H
#define _SMC_BASE_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/rcupdate.h>
#include <linux/timer.h>
#include "smc_probed.h"

/* 6.2: call_rcu() may be lazy, and call_rcu_hurry() is not. */
#if !SMC_HAVE_RCU_HURRY
#define call_rcu_hurry(_head, _func) call_rcu(_head, _func)
#endif

/* Before 6.2 the owner of a timer must not arm it after its deletion. */
#if !SMC_HAVE_TIMER_SHUTDOWN
#define timer_shutdown_sync(t) del_timer_sync(t)
#endif

/* renamed in 6.16 */
#if SMC_HAVE_TIMER_CONTAINER
#define smc_from_timer timer_container_of
#else
#define smc_from_timer from_timer
#endif

/* 6.13: hrtimer_setup() replaces hrtimer_init(). */
#if SMC_HAVE_HRTIMER_SETUP
#define smc_compat_hrtimer(_timer, _over)				\
	hrtimer_setup(_timer, _over, CLOCK_MONOTONIC, HRTIMER_MODE_REL)
#else
#define smc_compat_hrtimer(_timer, _over)				\
	do {								\
		struct hrtimer *__timer = (_timer);			\
									\
		hrtimer_init(__timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL); \
		__timer->function = (_over);				\
	} while (0)
#endif

/*
 * The helpers for sockets are macros, so that only files that use them need the
 * socket headers.
 */

/* sk_net_refcnt_upgrade() makes a kernel socket hold a reference to its
 * namespace.
 */
#if !SMC_HAVE_NET_REFCNT_UPGRADE
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

/* 6.7: a socket can ask to handle options of level SOL_SOCKET itself */
#if SMC_HAVE_CUSTOM_SOCKOPT
#define smc_compat_custom_sockopt(_sock)				\
	set_bit(SOCK_CUSTOM_SOCKOPT, &(_sock)->flags)
#else
#define smc_compat_custom_sockopt(_sock)	((void)(_sock))
#endif

/* 6.10: proto_ops.accept() takes its flags in a struct. */
#if SMC_HAVE_ACCEPT_ARG
#define SMC_COMPAT_ACCEPT(_name, _impl)					\
static int _name(struct socket *sock, struct socket *newsock,		\
		 struct proto_accept_arg *arg)				\
{									\
	return _impl(sock, newsock, arg->flags);			\
}
#else
#define SMC_COMPAT_ACCEPT(_name, _impl)					\
static int _name(struct socket *sock, struct socket *newsock, int flags, \
		 bool kern)						\
{									\
	return _impl(sock, newsock, flags);				\
}
#endif

/*
 * 6.18: bind() and connect() take a struct sockaddr_unsized, for addresses of
 * unknown length. Older kernels use struct sockaddr for the same purpose.
 */
#if SMC_HAVE_SOCKADDR_UNSIZED
#define smc_compat_sockaddr	sockaddr_unsized
#else
#define smc_compat_sockaddr	sockaddr
#endif

/* 6.18: sk_uid() reads the owner of a socket without a lock */
#if SMC_HAVE_SK_UID
#define smc_compat_sk_uid(_sk)	sk_uid(_sk)
#else
#define smc_compat_sk_uid(_sk)	sock_i_uid(_sk)
#endif

/* 6.18: get_info() of a ULP is told whether the reader has CAP_NET_ADMIN */
#if SMC_HAVE_ULP_NET_ADMIN
#define SMC_COMPAT_ULP_ARGS(...)	__VA_ARGS__, bool net_admin
#else
#define SMC_COMPAT_ULP_ARGS(...)	__VA_ARGS__
#endif

/* 6.18 and backports: dst_dev_rcu() reads the device of a route */
#if !SMC_HAVE_DST_DEV_RCU
#define dst_dev_rcu(_dst)	READ_ONCE((_dst)->dev)
#endif

/* 6.2: TCP_INFO has the window that the peer may use */
#if SMC_HAVE_TCP_RCV_WND
#define smc_compat_set_rcv_wnd(_info, _value)				\
	((_info)->tcpi_rcv_wnd = (_value))
#else
#define smc_compat_set_rcv_wnd(_info, _value)	((void)(_value))
#endif

/* 6.6: struct proto has the offset of struct ipv6_pinfo. Earlier kernels expect
 * it at the end of the object.
 */
#if SMC_HAVE_PINFO_OFFSET
#define SMC_COMPAT_PINFO_OFFSET(_object, _member)			\
	.ipv6_pinfo_offset = offsetof(_object, _member),
#else
#define SMC_COMPAT_PINFO_OFFSET(_object, _member)
#endif

/* 6.5: MSG_SPLICE_PAGES replaces sendpage */
#if SMC_HAVE_SENDPAGE
#define SMC_COMPAT_SENDPAGE_OP(_fn)	.sendpage = _fn,
#define smc_compat_sendpage(_tcp, ...)					\
	READ_ONCE((_tcp)->ops)->sendpage(_tcp, __VA_ARGS__)
#define smc_compat_sendpage_flags(_flags)				\
({									\
	int __flags = (_flags);						\
									\
	if (__flags & MSG_SENDPAGE_NOTLAST)				\
		__flags |= MSG_MORE;					\
	__flags | MSG_SPLICE_PAGES;					\
})
#else
#define SMC_COMPAT_SENDPAGE_OP(_fn)
#define smc_compat_sendpage(...)	(-EOPNOTSUPP)
#define smc_compat_sendpage_flags(_flags)	(_flags)
#endif

/*
 * 6.11: struct ubuf_info has its functions in a table. io_uring reports a copy
 * if there is no skb, although it reads nothing from the skb.
 */
#if SMC_HAVE_UBUF_OPS
#define smc_compat_notice(_uarg, _zerocopy)				\
do {									\
	struct ubuf_info *__uarg = (_uarg);				\
	static struct sk_buff __skb;					\
									\
	__uarg->ops->complete(&__skb, __uarg, _zerocopy);		\
} while (0)
#define smc_compat_notice_is_core(_uarg)				\
	((_uarg)->ops == &msg_zerocopy_ubuf_ops)
#else
#define smc_compat_notice(_uarg, _zerocopy)				\
do {									\
	struct ubuf_info *__uarg = (_uarg);				\
	static struct sk_buff __skb;					\
									\
	__uarg->callback(&__skb, __uarg, _zerocopy);			\
} while (0)
#define smc_compat_notice_is_core(_uarg)				\
	((_uarg)->callback == msg_zerocopy_callback)
#endif

/* 6.7: nla_put_uint() puts an integer in 4 or 8 bytes, depending on
 * its value
 */
#if !SMC_HAVE_PUT_UINT
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

/* 6.6: register_net_sysctl_sz() takes the size of the table. Earlier kernels
 * need an empty entry at the end, which @n does not count.
 */
#if !SMC_HAVE_SYSCTL_SIZE
#define smc_compat_register_sysctl(_net, _path, _table, _n)		\
	register_net_sysctl(_net, _path, _table)
#else
#define smc_compat_register_sysctl(_net, _path, _table, _n)		\
	register_net_sysctl_sz(_net, _path, _table, _n)
#endif

/*
 * 6.10: alloc_netdev_dummy() allocates a network device without an interface.
 * Later kernels cannot initialise one that the caller has allocated.
 */
#if SMC_HAVE_DUMMY_ALLOC
#define smc_compat_alloc_dummy()	alloc_netdev_dummy(0)
#define smc_compat_free_dummy(_dev)	free_netdev(_dev)
#else
#define smc_compat_alloc_dummy()					\
({									\
	struct net_device *__dev = kzalloc(sizeof(*__dev), GFP_KERNEL);	\
									\
	if (__dev)							\
		init_dummy_netdev(__dev);				\
	__dev;								\
})
#define smc_compat_free_dummy(_dev)	kfree(_dev)
#endif

/* 6.11: handlers may not change their table */
#if SMC_HAVE_SYSCTL_CONST
#define SMC_COMPAT_CTL_TABLE	const struct ctl_table
#else
#define SMC_COMPAT_CTL_TABLE	struct ctl_table
#endif

#endif

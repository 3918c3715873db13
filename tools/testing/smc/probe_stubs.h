/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Replaces every kernel header that a probe of net/smc/base/probe includes.
 * Each interface has its old form, or its new form with -DNEW_NAME.
 */
#ifndef PROBE_STUBS_H
#define PROBE_STUBS_H

/* linux/kconfig.h, linux/version.h; the options come from the command line */
#define IS_BUILTIN(_option)	((_option) + 0)
#define IS_ENABLED(_option)	(IS_BUILTIN(_option) || (_option##_MODULE + 0))
#define KERNEL_VERSION(_a, _b, _c)	(((_a) << 16) + ((_b) << 8) + (_c))

#define NULL	((void *)0)

typedef _Bool bool;
typedef unsigned long size_t;
typedef long ssize_t;
typedef long long loff_t;
typedef unsigned int u32;
typedef unsigned long long u64;

enum { false, true };

struct net;
struct net_device;
struct page;
struct sk_buff;
struct sock;
struct sockaddr;

/* linux/net.h */
struct socket;

#ifdef NEW_SOCKADDR_UNSIZED
struct sockaddr_unsized;
#define STUB_SOCKADDR	struct sockaddr_unsized
#else
#define STUB_SOCKADDR	struct sockaddr
#endif

#ifdef NEW_ACCEPT_ARG
struct proto_accept_arg {
	int flags;
};

#endif

struct proto_ops {
	int (*bind)(struct socket *sock, STUB_SOCKADDR *addr, int len);
	int (*connect)(struct socket *sock, STUB_SOCKADDR *addr, int len,
		       int flags);
#ifdef NEW_ACCEPT_ARG
	int (*accept)(struct socket *sock, struct socket *newsock,
		      struct proto_accept_arg *arg);
#else
	int (*accept)(struct socket *sock, struct socket *newsock, int flags,
		      bool kern);
#endif
#ifndef NEW_SENDPAGE
	ssize_t (*sendpage)(struct socket *sock, struct page *page, int offset,
			    size_t size, int flags);
#endif
};

struct socket {
	const struct proto_ops *ops;
	unsigned long flags;
};

int kernel_bind(struct socket *sock, STUB_SOCKADDR *addr, int len);
int kernel_connect(struct socket *sock, STUB_SOCKADDR *addr, int len,
		   int flags);
void set_bit(int nr, unsigned long *addr);

#ifdef NEW_CUSTOM_SOCKOPT
#define SOCK_CUSTOM_SOCKOPT	6
#endif

/* linux/skbuff.h */
struct ubuf_info;

#ifdef NEW_UBUF_OPS
struct ubuf_info_ops {
	void (*complete)(struct sk_buff *skb, struct ubuf_info *uarg,
			 bool success);
};

struct ubuf_info {
	const struct ubuf_info_ops *ops;
};
#else
struct ubuf_info {
	void (*callback)(struct sk_buff *skb, struct ubuf_info *uarg,
			 bool success);
};
#endif

/* linux/hrtimer.h */
enum hrtimer_restart { HRTIMER_NORESTART };
enum hrtimer_mode { HRTIMER_MODE_REL };

struct hrtimer;

#define CLOCK_MONOTONIC	1

#ifdef NEW_HRTIMER_SETUP
void hrtimer_setup(struct hrtimer *timer,
		   enum hrtimer_restart (*function)(struct hrtimer *timer),
		   int clock, enum hrtimer_mode mode);
#endif

/* linux/timer.h */
struct timer_list {
	int armed;
};

#define STUB_OWNER(_var, _timer, _member)				\
	((typeof(_var))((char *)(_timer) -				\
			__builtin_offsetof(typeof(*(_var)), _member)))

#ifdef NEW_TIMER_CONTAINER
#define timer_container_of(_var, _timer, _member)			\
	STUB_OWNER(_var, _timer, _member)
#else
#define from_timer(_var, _timer, _member)	STUB_OWNER(_var, _timer, _member)
#endif

int del_timer_sync(struct timer_list *timer);
#ifdef NEW_TIMER_SHUTDOWN
int timer_shutdown_sync(struct timer_list *timer);
#endif

/* linux/rcupdate.h */
struct rcu_head;
typedef void (*rcu_callback_t)(struct rcu_head *head);

#ifdef NEW_RCU_HURRY
void call_rcu_hurry(struct rcu_head *head, rcu_callback_t func);
#endif

/* linux/sysctl.h, net/net_namespace.h */
struct ctl_table;
struct ctl_table_header;

#ifdef NEW_SYSCTL_CONST
#define STUB_TABLE	const struct ctl_table
#else
#define STUB_TABLE	struct ctl_table
#endif

typedef int proc_handler(STUB_TABLE * table, int write, void *buf, size_t *len,
			 loff_t *pos);

#ifdef NEW_SYSCTL_SIZE
struct ctl_table_header *register_net_sysctl_sz(struct net *net,
						const char *path,
						struct ctl_table *table,
						size_t size);
#else
struct ctl_table_header *register_net_sysctl(struct net *net, const char *path,
					     struct ctl_table *table);
#endif

/* net/sock.h */
typedef struct {
	unsigned int val;
} kuid_t;

#ifdef NEW_SK_UID
kuid_t sk_uid(const struct sock *sk);
#else
kuid_t sock_i_uid(struct sock *sk);
#endif

struct proto {
	unsigned int obj_size;
#ifdef NEW_PINFO_OFFSET
	unsigned int ipv6_pinfo_offset;
#endif
#ifdef NEW_PROTO_IOCTL_KARG
	int (*ioctl)(struct sock *sk, int cmd, int *karg);
#else
	int (*ioctl)(struct sock *sk, int cmd, unsigned long arg);
#endif
};

#ifdef NEW_NET_REFCNT_UPGRADE
void sk_net_refcnt_upgrade(struct sock *sk);
#endif

/* net/dst.h */
struct dst_entry {
	struct net_device *dev;
};

#ifdef NEW_DST_DEV_RCU
struct net_device *dst_dev_rcu(const struct dst_entry *dst);
#endif

/* net/tcp.h */
struct tcp_ulp_ops {
#ifdef NEW_ULP_NET_ADMIN
	int (*get_info)(struct sock *sk, struct sk_buff *skb, bool net_admin);
	size_t (*get_info_size)(const struct sock *sk, bool net_admin);
#else
	int (*get_info)(struct sock *sk, struct sk_buff *skb);
	size_t (*get_info_size)(const struct sock *sk);
#endif
};

/* linux/tcp.h */
struct tcp_info {
	u32 tcpi_rto;
#ifdef NEW_TCP_RCV_WND
	u32 tcpi_rcv_wnd;
#endif
};

/* linux/bpf.h, linux/btf.h */
struct bpf_link;

struct bpf_struct_ops {
#ifdef NEW_MODULE_STRUCT_OPS
	int (*reg)(void *kdata, struct bpf_link *link);
	void *cfi_stubs;
#else
	int (*reg)(void *kdata);
#endif
};

#ifdef NEW_MODULE_STRUCT_OPS
int __register_bpf_struct_ops(struct bpf_struct_ops *st_ops);
#endif

/* linux/netdevice.h */
#ifdef NEW_DUMMY_ALLOC
struct net_device *alloc_netdev_dummy(int sizeof_priv);
#endif

/* net/netlink.h */
#ifdef NEW_PUT_UINT
int nla_put_uint(struct sk_buff *skb, int type, u64 value);
#endif

#endif

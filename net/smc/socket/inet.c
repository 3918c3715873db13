// SPDX-License-Identifier: GPL-2.0
/*
 * Sockets of AF_INET and AF_INET6 with protocol IPPROTO_SMC.
 *
 * The kernel casts a sock of these families to struct inet_sock, and takes a
 * struct ipv6_pinfo from a sock of AF_INET6. So each of our socks begins with a
 * struct inet_sock, and the object of AF_INET6 also has a struct ipv6_pinfo. A
 * cast to a larger struct needs the flag IS_ICSK or the number of another
 * protocol, which our socks never have:
 * Documentation/networking/smc/architecture.rst has the list.
 *
 * No packet finds our sock, because it is in no hash table of IP. The hidden
 * TCP socket has addresses, ports, routes and options.
 */
#define pr_fmt(fmt) "smc: " fmt

#include <linux/bpf-cgroup.h>
#include <linux/lockdep.h>
#include <linux/net.h>
#include <net/protocol.h>
#include <net/tcp_states.h>
#include "../../../include/uapi/linux/smc.h"
#include "inet.h"
#include "sock.h"

static_assert(offsetof(struct smc_sock, sk) == 0);
static_assert(offsetof(struct smc_sock, inet) == 0);
static_assert(offsetof(struct smc_inet6_sock, smc) == 0);
static_assert(offsetof(struct smc_inet6_sock, np) +
	      sizeof(struct ipv6_pinfo) == sizeof(struct smc_inet6_sock));

/*
 * Our lock is held while the lock of the hidden TCP socket is taken. Without
 * classes of its own for our lock, lockdep would treat both locks as locks of
 * AF_INET. The first index is 1 for a socket of the kernel, as in the core.
 */
static struct lock_class_key slock_keys[2], lock_keys[2], callback_keys[2];

static void set_lock_classes(struct sock *sk)
{
	bool kern = sk->sk_kern_sock;

	sock_lock_init_class_and_name(sk, kern ? "k-slock-INET_SMC" :
						 "slock-INET_SMC",
				      &slock_keys[kern],
				      kern ? "k-sk_lock-INET_SMC" :
					     "sk_lock-INET_SMC",
				      &lock_keys[kern]);
	lockdep_set_class_and_name(&sk->sk_callback_lock, &callback_keys[kern],
				   kern ? "k-clock-INET_SMC" :
					  "clock-INET_SMC");
}

/*
 * The values of sk_destruct that inet_create() (first entry) and inet6_create()
 * (second entry) set. A child needs the same value, and not all kernels export
 * it. The creation of the listener has stored the value, which then never
 * changes.
 */
static struct {
	void (*destruct)(struct sock *sk);
} ip_code[2];

void smc_inet_born(struct sock *sk)
{
	bool v6 = sk->sk_family == AF_INET6;

	set_lock_classes(sk);
	/* partner: smc_inet_destruct() */
	if (READ_ONCE(ip_code[v6].destruct) != sk->sk_destruct)
		WRITE_ONCE(ip_code[v6].destruct, sk->sk_destruct);
}

#if IS_ENABLED(CONFIG_IPV6)
static void set_pinfo(struct sock *sk)
{
	if (sk->sk_family == AF_INET6)
		inet_sk(sk)->pinet6 = &((struct smc_inet6_sock *)sk)->np;
}
#else
static void set_pinfo(struct sock *sk)
{
}
#endif

void smc_inet_child(struct sock *sk)
{
	if (!smc_inet_sock(sk))
		return;
	set_lock_classes(sk);
	set_pinfo(sk);
}

void smc_inet_destruct(struct sock *sk)
{
	void (*destruct)(struct sock *sk);

	if (!smc_inet_sock(sk))
		return;
	/* the code of IP warns if a stream socket is not in this state */
	sock_set_flag(sk, SOCK_DEAD);
	WRITE_ONCE(sk->sk_state, TCP_CLOSE);
	WRITE_ONCE(sk->sk_wmem_queued, 0);
	/* partner: smc_inet_born() */
	destruct = READ_ONCE(ip_code[sk->sk_family == AF_INET6].destruct);
	destruct(sk);
}

/*
 * These programs may read family, type, protocol, mark, priority and device of
 * struct bpf_sock. All of these are members of struct sock, so that a sock of
 * AF_SMC has them, too.
 */
int smc_inet_admit(struct sock *sk)
{
	return sk->sk_kern_sock ? 0 : BPF_CGROUP_RUN_PROG_INET_SOCK(sk);
}

void smc_inet_release(struct sock *sk)
{
	if (!sk->sk_kern_sock)
		BPF_CGROUP_RUN_PROG_INET_SOCK_RELEASE(sk);
}

/* ---- socket() ---- */

static struct inet_protosw inet_sw = {
	.type		= SOCK_STREAM,
	.protocol	= SMCPROTO_INET,
};

static struct inet_protosw inet6_sw = {
	.type		= SOCK_STREAM,
	.protocol	= SMCPROTO_INET,
};

/* Returns nothing: if the core refuses the entry, the entry is in no list. */
static void register_sw(struct inet_protosw *sw)
{
	INIT_LIST_HEAD(&sw->list);
	if (sw == &inet_sw)
		inet_register_protosw(sw);
#if IS_ENABLED(CONFIG_IPV6)
	else
		inet6_register_protosw(sw);
#endif
}

static bool is_registered(const struct inet_protosw *sw)
{
	return !list_empty(&sw->list);
}

static void tell_if_taken(const struct inet_protosw *sw, const char *family)
{
	if (!is_registered(sw))
		pr_warn("protocol %d of %s belongs to another module, use AF_SMC\n",
			SMCPROTO_INET, family);
}

void smc_inet_init(const struct proto_ops *ops, struct proto *prot,
		   const struct proto_ops *ops6, struct proto *prot6)
{
	inet_sw.ops = ops;
	inet_sw.prot = prot;
	register_sw(&inet_sw);
	inet6_sw.ops = ops6;
	inet6_sw.prot = prot6;
	register_sw(&inet6_sw);
	tell_if_taken(&inet_sw, "AF_INET");
	if (IS_ENABLED(CONFIG_IPV6))
		tell_if_taken(&inet6_sw, "AF_INET6");
}

void smc_inet_exit(void)
{
	if (is_registered(&inet_sw))
		inet_unregister_protosw(&inet_sw);
#if IS_ENABLED(CONFIG_IPV6)
	if (is_registered(&inet6_sw))
		inet6_unregister_protosw(&inet6_sw);
#endif
}

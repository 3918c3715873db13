// SPDX-License-Identifier: GPL-2.0
/*
 * Creates and frees sockets, and keeps the table of all sockets.
 *
 * The views find sockets in an xarray; a socket enters it as the last step of
 * its initialisation and leaves it just before its memory is freed. So views
 * may find a socket without a TCP socket.
 */
#include <linux/bpf.h>
#include <linux/in.h>
#include <linux/xarray.h>
#include <net/tcp.h>
#include "../../../include/uapi/linux/smc.h"
#include "../base/compat.h"
#include "../base/mem_limits.h"
#include "../base/tunables.h"
#include "../base/xa.h"
#include "../conn/conn.h"
#include "inet.h"
#include "inherit.h"
#include "ioctl.h"
#include "lock.h"
#include "mem.h"
#include "options.h"
#include "reader.h"
#include "sock.h"
#include "tcp_cb.h"
#include "ulp.h"
#include "work.h"

/*
 * The lock of the xarray keeps entries until the last sock_put() has erased
 * them, see smc_sock_next().
 */
static DEFINE_XARRAY_FLAGS(socks, XA_FLAGS_ALLOC1 | XA_FLAGS_LOCK_BH);
static u32 next_id;

static int publish_sock(struct smc_sock *smc)
{
	struct sock *sk = &smc->sk;
	int err;

	err = xa_alloc_cyclic_bh(&socks, &smc->id, smc, XA_LIMIT(1, INT_MAX),
				 &next_id, GFP_KERNEL);
	if (err < 0)
		return err;
	sock_prot_inuse_add(sock_net(sk), sk->sk_prot, 1);
	return 0;
}

static void hide_sock(struct sock *sk)
{
	u32 id = xchg(&smc_sk(sk)->id, 0);

	if (!id)
		return;
	xa_erase_bh(&socks, id);
	sock_prot_inuse_add(sock_net(sk), sk->sk_prot, -1);
}

static void set_keepalive_tcp(struct sock *tcp, int on)
{
	if (tcp->sk_prot->keepalive)
		tcp->sk_prot->keepalive(tcp, on);
	sock_valbool_flag(tcp, SOCK_KEEPOPEN, on);
}

/*
 * SO_KEEPALIVE. TCP also sends its own probes (R-4.5.3-08). The caller holds
 * the lock. A BPF program must not sleep. If it sets the option while a call
 * uses the TCP socket, only SMC sends probes.
 */
static void set_keepalive(struct sock *sk, int on)
{
	struct smc_sock *smc = smc_sk(sk);
	struct sock *tcp = smc->clcsock->sk;

	if (!has_current_bpf_ctx()) {
		lock_sock(tcp);
		set_keepalive_tcp(tcp, on);
		release_sock(tcp);
	} else if (spin_trylock_bh(&tcp->sk_lock.slock)) {
		if (!sock_owned_by_user(tcp))
			set_keepalive_tcp(tcp, on);
		spin_unlock_bh(&tcp->sk_lock.slock);
	}
	smc_sock_keepalive(smc, on);
}

/*
 * SO_RESERVE_MEM. Before Linux 6.7 the core applies the option to our sock. Any
 * user could reserve the account of the host, which all handshakes need. The
 * reservation ends with the system call that makes it.
 */
static void reserve_nothing(struct sock *sk)
{
	if (likely(!sk->sk_reserved_mem))
		return;
	WRITE_ONCE(sk->sk_reserved_mem, 0);
	sk_mem_reclaim(sk);
}

/* This function runs under the spinlock of @sk and returns quickly. */
static void lock_released(struct sock *sk)
{
	reserve_nothing(sk);
	if (atomic_read(&smc_sk(sk)->freed))
		smc_mem_uncharge_freed(sk);
	if (!list_empty(&smc_sk(sk)->on_unlock))
		smc_lock_released(smc_sk(sk));
}

static struct proto smc_proto = {
	.name		= "SMC",
	.owner		= THIS_MODULE,
	.keepalive	= set_keepalive,
	.obj_size	= sizeof(struct smc_sock),
	.release_cb	= lock_released,
	.unhash		= hide_sock,
};

static struct proto smc_proto6 = {
	.name		= "SMC6",
	.owner		= THIS_MODULE,
	.keepalive	= set_keepalive,
	.obj_size	= sizeof(struct smc_sock),
	.release_cb	= lock_released,
	.unhash		= hide_sock,
};

static int init_inet(struct sock *sk);

static struct proto inet_proto = {
	.name		= "INET_SMC",
	.owner		= THIS_MODULE,
	.init		= init_inet,
	.keepalive	= set_keepalive,
	.obj_size	= sizeof(struct smc_sock),
	.release_cb	= lock_released,
	.unhash		= hide_sock,
};

static struct proto inet6_proto = {
	.name		= "INET6_SMC",
	.owner		= THIS_MODULE,
	.init		= init_inet,
	.keepalive	= set_keepalive,
	.obj_size	= sizeof(struct smc_inet6_sock),
	SMC_COMPAT_PINFO_OFFSET(struct smc_inet6_sock, np)
	.release_cb	= lock_released,
	.unhash		= hide_sock,
};

struct proto *smc_sock_inet_proto(int family)
{
	return family == AF_INET6 ? &inet6_proto : &inet_proto;
}

/* socket() and close() of all namespaces wait while a view looks at so many. */
#define NEXT_LOOKS	256

static struct proto *const protos[] = {
	&smc_proto, &smc_proto6, &inet_proto, &inet6_proto,
};

/*
 * Looks at some socks from @id on. Return: true if more may follow and none was
 * found.
 */
static bool look_at_socks(const struct net *net, unsigned long *id,
			  struct sock **found)
{
	unsigned int left = NEXT_LOOKS;
	struct smc_sock *smc;
	bool more = false;

	/*
	 * Under the lock the sock is not freed, because sock_destruct() takes
	 * the lock to erase the entry.
	 */
	xa_lock_bh(&socks);
	xa_for_each_start(&socks, *id, smc, *id) {
		more = !left--;
		if (more)
			break;
		if (!net_eq(sock_net(&smc->sk), net))
			continue;
		if (!refcount_inc_not_zero(&smc->sk.sk_refcnt))
			continue;
		*found = &smc->sk;
		break;
	}
	xa_unlock_bh(&socks);
	return more;
}

struct sock *smc_sock_next(const struct net *net, unsigned long *id)
{
	struct sock *sk = NULL;

	/* the socks of other namespaces may be many */
	while (look_at_socks(net, id, &sk))
		cond_resched();
	return sk;
}

static void uncharge_sock(struct smc_sock *smc)
{
	struct sock *sk = &smc->sk;

	smc_mem_uncharge_freed(sk);
	smc_mem_uncharge_rmb(smc);
	sk_mem_reclaim_final(sk);
}

/*
 * Runs after the last reference is gone, maybe in softirq: the timer of a
 * reader may drop it. The function sleeps only for a socket that no file had;
 * otherwise close() has given up the TCP socket.
 */
static void sock_destruct(struct sock *sk)
{
	struct smc_sock *smc = smc_sk(sk);

	hide_sock(sk);
	if (smc->clcsock) {
		smc_tcp_unhook(smc);
		smc_ulp_detach(smc->clcsock->sk);
		sock_release(smc->clcsock);
	}
	if (smc->conn)
		smc_conn_put(smc->conn, SMC_CONN_REF_OWNER);
	smc->conn = NULL;
	uncharge_sock(smc);
	WARN_ON_ONCE(sk->sk_forward_alloc);
	__skb_queue_purge(&sk->sk_error_queue);
	smc_inet_destruct(sk);
}

/* Prepares a new sock. Return: 0, or an errno: the caller drops the sock. */
static int prepare_sock(struct sock *sk)
{
	const struct smc_tunables *t = smc_tunables(sock_net(sk));
	struct smc_sock *smc = smc_sk(sk);

	sk->sk_type = SOCK_STREAM;
	sk->sk_state = SMC_SK_INIT;
	sk->sk_destruct = sock_destruct;
	sk->sk_write_space = smc_sock_write_space;
	WRITE_ONCE(sk->sk_sndbuf, 2 * READ_ONCE(t->wmem));
	WRITE_ONCE(sk->sk_rcvbuf, 2 * READ_ONCE(t->rmem));
	smc->option.limit_hs = READ_ONCE(t->limit_smc_hs);
	INIT_LIST_HEAD(&smc->acceptq);
	atomic_set(&smc->freed, 0);
	smc_lock_prepare(smc);
	smc_work_prepare(smc);
	smc_reader_prepare(smc);
	return publish_sock(smc);
}

void smc_sock_born(struct socket *sock)
{
	smc_compat_custom_sockopt(sock);
	/*
	 * the flag allows io_uring to lend its pages, to the connection and,
	 * after a fallback, to TCP
	 */
	set_bit(SOCK_SUPPORT_ZC, &sock->flags);
}

struct sock *smc_sock_alloc(struct net *net, struct socket *sock, int family,
			    int kern)
{
	bool v6 = family == AF_INET6;
	struct sock *sk;

	sk = sk_alloc(net, PF_SMC, GFP_KERNEL, v6 ? &smc_proto6 : &smc_proto,
		      kern);
	if (!sk)
		return NULL;
	sock_init_data(sock, sk);
	sk->sk_protocol = v6 ? SMCPROTO_SMC6 : SMCPROTO_SMC;
	if (!prepare_sock(sk))
		return sk;
	sock_orphan(sk);
	sock->sk = NULL;
	sock_put(sk);
	return NULL;
}

struct sock *smc_sock_alloc_child(const struct smc_sock *parent)
{
	const struct sock *from = &parent->sk;
	struct sock *sk;

	sk = sk_alloc(sock_net(from), from->sk_family, GFP_KERNEL,
		      from->sk_prot_creator, 0);
	if (!sk)
		return NULL;
	sock_init_data(NULL, sk);
	sk->sk_protocol = from->sk_protocol;
	smc_inet_child(sk);
	if (!prepare_sock(sk))
		return sk;
	sock_put(sk);
	return NULL;
}

int smc_sock_create_tcp(struct smc_sock *smc)
{
	struct sock *sk = &smc->sk;
	struct socket *tcp;
	int err;

	/*
	 * A user's socket gets a user's TCP socket, because BPF programs of the
	 * cgroup may bind it to a VRF, or refuse it.
	 */
	err = __sock_create(sock_net(sk), smc_sock_family(smc), SOCK_STREAM,
			    IPPROTO_TCP, &tcp, sk->sk_kern_sock);
	if (err)
		return err;
	/*
	 * A kernel's socks must hold the namespace like a user's socks. TCP
	 * timers may expire after the last user of the namespace is gone, and
	 * our sock may live longer than the TCP socket.
	 */
	if (sk->sk_kern_sock) {
		smc_compat_net_upgrade(tcp->sk);
		if (!sk->sk_net_refcnt)
			smc_compat_net_upgrade(sk);
	}
	/* copy options that these programs may have set, for getsockopt() */
	sk->sk_bound_dev_if = tcp->sk->sk_bound_dev_if;
	sk->sk_mark = tcp->sk->sk_mark;
	sk->sk_priority = tcp->sk->sk_priority;
	smc_options_begin(smc);
	/* after this the views may find the TCP socket */
	WRITE_ONCE(smc->clcsock, tcp);
	smc_tcp_show_owner(smc, sk->sk_socket);
	return 0;
}

/*
 * inet_create() and inet6_create() call this for a socket of their families.
 * They drop the sock if it fails, or if a BPF program refuses the socket later.
 */
static int init_inet(struct sock *sk)
{
	int err;

	smc_inet_born(sk);
	err = prepare_sock(sk);
	if (!err)
		err = smc_sock_create_tcp(smc_sk(sk));
	if (!err)
		smc_sock_born(sk->sk_socket);
	return err;
}

/*
 * What TCP chooses for a child: the mark of the SYN (tcp_fwmark_accept) or its
 * device (tcp_l3mdev_accept), unless the listener has one; and the priority.
 */
static void inherit_route(struct sock *sk, const struct sock *from,
			  const struct sock *tcp)
{
	sk->sk_mark = READ_ONCE(from->sk_mark) ?: READ_ONCE(tcp->sk_mark);
	sk->sk_bound_dev_if = READ_ONCE(from->sk_bound_dev_if) ?:
			      READ_ONCE(tcp->sk_bound_dev_if);
	sk->sk_priority = READ_ONCE(tcp->sk_priority);
}

static void inherit_polling(struct sock *sk, const struct sock *from)
{
#ifdef CONFIG_NET_RX_BUSY_POLL
	WRITE_ONCE(sk->sk_ll_usec, READ_ONCE(from->sk_ll_usec));
	WRITE_ONCE(sk->sk_prefer_busy_poll, READ_ONCE(from->sk_prefer_busy_poll));
	WRITE_ONCE(sk->sk_busy_poll_budget, READ_ONCE(from->sk_busy_poll_budget));
#endif
}

/* Copies to our sock what TCP children inherit from their listener. */
static void inherit_options(struct sock *sk, const struct sock *from)
{
	static const enum sock_flags flags[] = {
		SOCK_LINGER, SOCK_KEEPOPEN, SOCK_URGINLINE, SOCK_DBG,
		SOCK_BROADCAST, SOCK_LOCALROUTE, SOCK_RCVTSTAMP,
		SOCK_RCVTSTAMPNS, SOCK_TSTAMP_NEW, SOCK_RXQ_OVFL,
		SOCK_ZEROCOPY,
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(flags); i++)
		if (sock_flag(from, flags[i]))
			sock_set_flag(sk, flags[i]);
	sk->sk_lingertime = READ_ONCE(from->sk_lingertime);
	sk->sk_rcvlowat = READ_ONCE(from->sk_rcvlowat);
	sk->sk_peek_off = READ_ONCE(from->sk_peek_off);
	sk->sk_rcvtimeo = READ_ONCE(from->sk_rcvtimeo);
	sk->sk_sndtimeo = READ_ONCE(from->sk_sndtimeo);
	sk->sk_max_pacing_rate = READ_ONCE(from->sk_max_pacing_rate);
	sk->sk_txrehash = READ_ONCE(from->sk_txrehash);
	WRITE_ONCE(sk->sk_tsflags, READ_ONCE(from->sk_tsflags));
	WRITE_ONCE(sk->sk_bind_phc, READ_ONCE(from->sk_bind_phc));
	sk->sk_reuse = from->sk_reuse;
	sk->sk_reuseport = from->sk_reuseport;
	sk->sk_userlocks = from->sk_userlocks &
			   (SOCK_SNDBUF_LOCK | SOCK_RCVBUF_LOCK);
	WRITE_ONCE(sk->sk_sndbuf, READ_ONCE(from->sk_sndbuf));
	WRITE_ONCE(sk->sk_rcvbuf, READ_ONCE(from->sk_rcvbuf));
}

void smc_sock_adopt(struct smc_sock *child, const struct smc_sock *parent,
		    struct socket *tcp)
{
	inherit_options(&child->sk, &parent->sk);
	inherit_polling(&child->sk, &parent->sk);
	inherit_route(&child->sk, &parent->sk, tcp->sk);
	smc_inherit_identity(&child->sk, &parent->sk);
	child->asked.cork = READ_ONCE(parent->asked.cork);
	child->asked.nodelay = READ_ONCE(parent->asked.nodelay);
	child->option.limit_hs = READ_ONCE(parent->option.limit_hs);
	child->pushed = parent->pushed;
	/* TCP has these values already */
	child->pushed.priority = child->sk.sk_priority;
	child->pushed.mark = child->sk.sk_mark;
	child->pushed.bound_dev_if = child->sk.sk_bound_dev_if;
	WRITE_ONCE(child->clcsock, tcp);
	/* until accept() the CLC messages belong to the listener's owner */
	smc_tcp_lend_file(child, parent->clcsock->file);
	smc_tcp_show_owner(child, NULL);
}

int smc_sock_protos_init(void)
{
	int err;
	int i;

	smc_mem_limits_init();
	for (i = 0; i < ARRAY_SIZE(protos); i++) {
		smc_mem_account(protos[i]);
		smc_ioctl_offer(protos[i]);
		err = proto_register(protos[i], 1);
		if (err)
			goto out;
	}
	return 0;

out:
	while (i--)
		proto_unregister(protos[i]);
	return err;
}

void smc_sock_protos_exit(void)
{
	int i;

	for (i = ARRAY_SIZE(protos) - 1; i >= 0; i--)
		proto_unregister(protos[i]);
	smc_xa_exit(&socks);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Birth and death of the sock, the list of all of them, and its mode.
 *
 * The views find sockets in an xarray; a socket enters it as the last step of
 * its initialisation and leaves it when its memory is about to go. Until then
 * they may meet one without TCP socket.
 */
#include <linux/in.h>
#include <linux/xarray.h>
#include <linux/mm.h>
#include <net/tcp.h>
#include "../../../include/uapi/linux/smc.h"
#include "../base/compat.h"
#include "../base/limits.h"
#include "../base/tunables.h"
#include "../conn/alive.h"
#include "../conn/conn.h"
#include "mem.h"
#include "ops.h"

/* Protects its entries against the last sock_put(): see smc_sock_next(). */
static DEFINE_XARRAY_FLAGS(socks, XA_FLAGS_ALLOC1 | XA_FLAGS_LOCK_BH);
static u32 next_id;

static int publish(struct smc_sock *smc)
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

static void hide(struct sock *sk)
{
	u32 id = xchg(&smc_sk(sk)->id, 0);

	if (!id)
		return;
	xa_erase_bh(&socks, id);
	sock_prot_inuse_add(sock_net(sk), sk->sk_prot, -1);
}

void smc_sock_keepalive(struct smc_sock *smc, bool on)
{
	const struct tcp_sock *tp = tcp_sk(smc->clcsock->sk);
	int idle;

	if (smc->mode != SMC_MODE_SMC)
		return;
	/* the sysctl takes any number; the least that an option takes is 1 s */
	idle = max(keepalive_time_when(tp), HZ);
	smc_alive_set(smc->conn, on ? idle : 0);
}

/* SO_KEEPALIVE: TCP sends its probes as well (R-4.5.3-08). Lock held. */
static void set_keepalive(struct sock *sk, int on)
{
	struct smc_sock *smc = smc_sk(sk);
	struct sock *tcp = smc->clcsock->sk;

	lock_sock(tcp);
	if (tcp->sk_prot->keepalive)
		tcp->sk_prot->keepalive(tcp, on);
	sock_valbool_flag(tcp, SOCK_KEEPOPEN, on);
	release_sock(tcp);
	smc_sock_keepalive(smc, on);
}

static struct proto smc_proto = {
	.name		= "SMC",
	.owner		= THIS_MODULE,
	.keepalive	= set_keepalive,
	.obj_size	= sizeof(struct smc_sock),
	.release_cb	= smc_sock_release_cb,
	.unhash		= hide,
};

static struct proto smc_proto6 = {
	.name		= "SMC6",
	.owner		= THIS_MODULE,
	.keepalive	= set_keepalive,
	.obj_size	= sizeof(struct smc_sock),
	.release_cb	= smc_sock_release_cb,
	.unhash		= hide,
};

struct sock *smc_sock_next(const struct net *net, unsigned long *id)
{
	struct sock *sk = NULL;
	struct smc_sock *smc;

	/* The lock keeps the memory: destruct() needs it to erase the entry. */
	xa_lock_bh(&socks);
	xa_for_each_start(&socks, *id, smc, *id) {
		if (!net_eq(sock_net(&smc->sk), net))
			continue;
		if (!refcount_inc_not_zero(&smc->sk.sk_refcnt))
			continue;
		sk = &smc->sk;
		break;
	}
	xa_unlock_bh(&socks);
	return sk;
}

static void uncharge(struct smc_sock *smc)
{
	struct sock *sk = &smc->sk;

	smc_sock_release_cb(sk);
	smc_sock_uncharge_rmb(smc);
	sk_mem_reclaim_final(sk);
}

/* Last reference is gone; process context: nobody else holds any. */
static void destruct(struct sock *sk)
{
	struct smc_sock *smc = smc_sk(sk);

	hide(sk);
	if (smc->clcsock) {
		smc_tcp_unhook(smc);
		smc_ulp_detach(smc->clcsock->sk);
		sock_release(smc->clcsock);
	}
	if (smc->conn)
		smc_conn_put(smc->conn, SMC_CONN_REF_OWNER);
	uncharge(smc);
	WARN_ON_ONCE(sk->sk_forward_alloc);
}

struct sock *smc_sock_alloc(struct net *net, struct socket *sock, int family,
			    int kern)
{
	const struct smc_tunables *t = smc_tunables(net);
	bool v6 = family == AF_INET6;
	struct smc_sock *smc;
	struct sock *sk;

	sk = sk_alloc(net, PF_SMC, GFP_KERNEL, v6 ? &smc_proto6 : &smc_proto,
		      kern);
	if (!sk)
		return NULL;
	sock_init_data(sock, sk);
	sk->sk_type = SOCK_STREAM;
	sk->sk_protocol = v6 ? SMCPROTO_SMC6 : SMCPROTO_SMC;
	sk->sk_state = SMC_SK_INIT;
	sk->sk_destruct = destruct;
	sk->sk_write_space = smc_sock_write_space;
	WRITE_ONCE(sk->sk_sndbuf, 2 * READ_ONCE(t->wmem));
	WRITE_ONCE(sk->sk_rcvbuf, 2 * READ_ONCE(t->rmem));
	smc = smc_sk(sk);
	smc->limit_hs = READ_ONCE(t->limit_smc_hs);
	INIT_LIST_HEAD(&smc->acceptq);
	atomic_set(&smc->freed, 0);
	smc_events_prepare(smc);
	if (!publish(smc))
		return sk;
	if (sock) {
		sock_orphan(sk);
		sock->sk = NULL;
	}
	sock_put(sk);
	return NULL;
}

int smc_sock_family(const struct smc_sock *smc)
{
	return smc->sk.sk_protocol == SMCPROTO_SMC6 ? AF_INET6 : AF_INET;
}

int smc_sock_create_tcp(struct smc_sock *smc)
{
	struct net *net = sock_net(&smc->sk);
	struct socket *tcp;
	int err;

	err = sock_create_kern(net, smc_sock_family(smc), SOCK_STREAM,
			       IPPROTO_TCP, &tcp);
	if (err)
		return err;
	/* TCP timers may fire after the last user of the namespace is gone. */
	smc_compat_net_upgrade(tcp->sk);
	/* the views may look already */
	WRITE_ONCE(smc->clcsock, tcp);
	return 0;
}

/* What TCP children inherit from their listener, for our own sock. */
static void inherit(struct sock *sk, const struct sock *from)
{
	static const enum sock_flags flags[] = {
		SOCK_LINGER, SOCK_KEEPOPEN, SOCK_URGINLINE, SOCK_DBG,
		SOCK_BROADCAST, SOCK_LOCALROUTE, SOCK_RCVTSTAMP,
		SOCK_RCVTSTAMPNS, SOCK_TSTAMP_NEW, SOCK_RXQ_OVFL,
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(flags); i++)
		if (sock_flag(from, flags[i]))
			sock_set_flag(sk, flags[i]);
	sk->sk_lingertime = READ_ONCE(from->sk_lingertime);
	sk->sk_rcvlowat = READ_ONCE(from->sk_rcvlowat);
	sk->sk_rcvtimeo = READ_ONCE(from->sk_rcvtimeo);
	sk->sk_sndtimeo = READ_ONCE(from->sk_sndtimeo);
	sk->sk_priority = READ_ONCE(from->sk_priority);
	sk->sk_mark = READ_ONCE(from->sk_mark);
	sk->sk_reuse = from->sk_reuse;
	sk->sk_reuseport = from->sk_reuseport;
	sk->sk_bound_dev_if = READ_ONCE(from->sk_bound_dev_if);
	sk->sk_userlocks = from->sk_userlocks &
			   (SOCK_SNDBUF_LOCK | SOCK_RCVBUF_LOCK);
	WRITE_ONCE(sk->sk_sndbuf, READ_ONCE(from->sk_sndbuf));
	WRITE_ONCE(sk->sk_rcvbuf, READ_ONCE(from->sk_rcvbuf));
}

void smc_sock_adopt(struct smc_sock *child, const struct smc_sock *parent,
		    struct socket *tcp)
{
	inherit(&child->sk, &parent->sk);
	child->cork = READ_ONCE(parent->cork);
	child->nodelay = READ_ONCE(parent->nodelay);
	child->limit_hs = READ_ONCE(parent->limit_hs);
	WRITE_ONCE(child->clcsock, tcp);
}

u32 smc_sock_sndbuf(const struct smc_sock *smc)
{
	/* The core stores twice what was asked for. */
	return max_t(u32, READ_ONCE(smc->sk.sk_sndbuf) / 2,
		     SMC_RMBE_MIN_BYTES);
}

u32 smc_sock_rmb(const struct smc_sock *smc)
{
	return clamp_t(u32, READ_ONCE(smc->sk.sk_rcvbuf) / 2,
		       SMC_RMBE_MIN_BYTES,
		       SMC_RMBE_MIN_BYTES << SMC_RMBE_CODE_SENT_MAX);
}

void smc_sock_set_mode(struct smc_sock *smc, enum smc_sock_mode mode)
{
	static const u8 sk_states[SMC_MODE_NR] = {
		[SMC_MODE_NEW]		= SMC_SK_INIT,
		[SMC_MODE_LISTEN]	= SMC_SK_LISTEN,
		[SMC_MODE_CONNECTING]	= SMC_SK_INIT,
		[SMC_MODE_SMC]		= SMC_SK_ACTIVE,
		[SMC_MODE_TCP]		= SMC_SK_ACTIVE,
		[SMC_MODE_CLOSED]	= SMC_SK_CLOSED,
	};

	WRITE_ONCE(smc->sk.sk_state, sk_states[mode]);
	/* partner: smc_sock_mode() */
	smp_store_release(&smc->mode, mode);
	if (mode != SMC_MODE_SMC)
		return;
	/*
	 * The connection may have ended since it started.  Either changed()
	 * sees the new mode or we see the new state.
	 */
	smp_mb();
	smc_sock_sync_conn(smc);
	if (sock_flag(&smc->sk, SOCK_KEEPOPEN))
		smc_sock_keepalive(smc, true);
}

/*
 * Memory of all AF_SMC sockets: queued data and receive elements. An account
 * of its own: elements are taken whole when a connection begins, so many idle
 * connections would leave nothing of TCP's account for TCP.
 */
static atomic_long_t memory_allocated;
static DEFINE_PER_CPU(int, memory_fw_alloc);
static unsigned long memory_pressure;
long smc_memory_limits[3];

/* Up to a third of the memory, elements up to a quarter. */
static void set_memory_limits(void)
{
	unsigned long pages = totalram_pages();

	smc_memory_limits[0] = pages / 8;
	smc_memory_limits[1] = pages / 4;
	smc_memory_limits[2] = pages / 3;
}

bool smc_sock_charge(struct smc_sock *smc, u32 size)
{
	struct sock *sk = &smc->sk;
	long pages = PAGE_ALIGN(size) >> PAGE_SHIFT;

	sock_owned_by_me(sk);
	/*
	 * What is above belongs to the send queues: they have to move on. Each
	 * CPU keeps up to a megabyte of the account to itself, also of what it
	 * gave back: the sum can be below zero.
	 */
	if (max(0L, atomic_long_read(&memory_allocated)) + pages >
	    READ_ONCE(smc_memory_limits[1]))
		return false;
	if (size > sk->sk_forward_alloc &&
	    !__sk_mem_schedule(sk, size - sk->sk_forward_alloc, SK_MEM_RECV))
		return false;
	sk_mem_charge(sk, size);
	return true;
}

bool smc_sock_charge_rmb(struct smc_sock *smc, u32 size)
{
	if (!smc_sock_charge(smc, size))
		return false;
	smc->rmem = size;
	return true;
}

void smc_sock_uncharge_rmb(struct smc_sock *smc)
{
	if (smc->rmem)
		sk_mem_uncharge(&smc->sk, smc->rmem);
	smc->rmem = 0;
}

static void account_memory(struct proto *prot)
{
	prot->memory_allocated = &memory_allocated;
	prot->per_cpu_fw_alloc = &memory_fw_alloc;
	prot->sockets_allocated = tcp_prot.sockets_allocated;
	prot->memory_pressure = &memory_pressure;
	prot->sysctl_mem = smc_memory_limits;
	prot->sysctl_wmem_offset = tcp_prot.sysctl_wmem_offset;
	prot->sysctl_rmem_offset = tcp_prot.sysctl_rmem_offset;
}

int smc_protos_init(void)
{
	int err;

	set_memory_limits();
	account_memory(&smc_proto);
	account_memory(&smc_proto6);
	err = proto_register(&smc_proto, 1);
	if (err)
		return err;
	err = proto_register(&smc_proto6, 1);
	if (err)
		proto_unregister(&smc_proto);
	return err;
}

void smc_protos_exit(void)
{
	proto_unregister(&smc_proto6);
	proto_unregister(&smc_proto);
	WARN_ON(!xa_empty(&socks));
}

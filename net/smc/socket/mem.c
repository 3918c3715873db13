// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of all AF_SMC sockets: queued data and receive elements. The account
 * is separate from TCP's. A connection takes a whole element at its start, so
 * many idle connections could use up an account that TCP shares.
 */
#include <linux/mm.h>
#include <net/tcp.h>
#include "../base/mem_limits.h"
#include "../base/pernet.h"
#include "../base/skmem.h"
#include "../conn/tx.h"
#include "mem.h"
#include "sock.h"

static atomic_long_t memory_allocated;
static DEFINE_PER_CPU(int, memory_fw_alloc);
static unsigned long memory_pressure;

/*
 * Received data may use only a part of the account, because the rest is for
 * send queues, which must not stall. Each CPU holds back up to a megabyte of
 * charges, so the sum can be below zero.
 */
bool smc_mem_is_short(u32 size)
{
	long pages = PAGE_ALIGN(size) >> PAGE_SHIFT;

	return max(0L, atomic_long_read(&memory_allocated)) + pages >
	       READ_ONCE(smc_mem_limits[1]);
}

/*
 * Each element that is charged to a socket also counts for its namespace, so
 * that one namespace cannot use up the memory of the others.
 */
bool smc_mem_share_is_used(const struct net *net, u32 size)
{
	int percent = READ_ONCE(smc_pernet(net)->tunables.mem_share);

	if (percent == 100)
		return false;
	return (u64)atomic_long_read(&smc_pernet(net)->rmem) + size >
	       smc_mem_limits_rmem(percent);
}

bool smc_mem_charge(struct smc_sock *smc, u32 size)
{
	struct sock *sk = &smc->sk;

	sock_owned_by_me(sk);
	if (smc_mem_is_short(size))
		return false;
	if (size > sk->sk_forward_alloc &&
	    !__sk_mem_schedule(sk, size - sk->sk_forward_alloc, SK_MEM_RECV))
		return false;
	sk_mem_charge(sk, size);
	return true;
}

void smc_mem_force(struct sock *sk, int size)
{
	WARN_ON_ONCE(!smc_skmem_schedule(sk, size, true));
}

bool smc_mem_charge_rmb(struct smc_sock *smc, u32 size)
{
	struct net *net = sock_net(&smc->sk);

	if (smc_mem_share_is_used(net, size) || !smc_mem_charge(smc, size))
		return false;
	atomic_long_add(size, &smc_pernet(net)->rmem);
	/* partner: smc_orphan_conn_gone() */
	WRITE_ONCE(smc->charged.rmb, size);
	return true;
}

bool smc_mem_charge_window(struct smc_sock *smc, u32 size)
{
	struct net *net = sock_net(&smc->sk);

	if (smc_mem_share_is_used(net, size) || !smc_mem_charge(smc, size))
		return false;
	atomic_long_add(size, &smc_pernet(net)->rmem);
	atomic_add(size, &smc->charged.window);
	return true;
}

void smc_mem_shrunk(struct smc_sock *smc, u32 size)
{
	atomic_long_sub(size, &smc_pernet(sock_net(&smc->sk))->rmem);
	atomic_sub(size, &smc->charged.window);
}

void smc_mem_uncharge_rmb(struct smc_sock *smc)
{
	if (!smc->charged.rmb)
		return;
	atomic_long_sub((long)smc->charged.rmb +
			atomic_xchg(&smc->charged.window, 0),
			&smc_pernet(sock_net(&smc->sk))->rmem);
	sk_mem_uncharge(&smc->sk, smc->charged.rmb);
	WRITE_ONCE(smc->charged.rmb, 0);
}

void smc_mem_account(struct proto *prot)
{
	prot->memory_allocated = &memory_allocated;
	prot->per_cpu_fw_alloc = &memory_fw_alloc;
	prot->sockets_allocated = tcp_prot.sockets_allocated;
	prot->memory_pressure = &memory_pressure;
	prot->sysctl_mem = smc_mem_limits;
	prot->sysctl_wmem_offset = tcp_prot.sysctl_wmem_offset;
	prot->sysctl_rmem_offset = tcp_prot.sysctl_rmem_offset;
}

void smc_mem_uncharge_freed(struct sock *sk)
{
	int n = atomic_xchg(&smc_sk(sk)->freed, 0);

	if (!n)
		return;
	sk_mem_uncharge(sk, n);
	if (smc_sk(sk)->conn)
		WRITE_ONCE(sk->sk_wmem_queued,
			   smc_tx_memory(smc_sk(sk)->conn));
}

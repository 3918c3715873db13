// SPDX-License-Identifier: GPL-2.0
/* A child must inherit properties from its listener. A worker accepts the
 * child, so the core would take these properties from the worker, because the
 * worker is the current task.
 */
#include <linux/cgroup.h>
#include <linux/security.h>
#include <net/sock.h>
#include "../base/memcg.h"
#include "inherit.h"
#include "mem.h"

#ifdef CONFIG_SOCK_CGROUP_DATA
/* Does the same as cgroup_sk_free() and cgroup_sk_clone(), which modules cannot
 * call.
 */
static void inherit_cgroup(struct sock *sk, const struct sock *from)
{
	struct cgroup *old = sock_cgroup_ptr(&sk->sk_cgrp_data);
	struct cgroup *cgrp;

	sk->sk_cgrp_data = from->sk_cgrp_data;
	cgrp = sock_cgroup_ptr(&sk->sk_cgrp_data);
	cgroup_get(cgrp);
	cgroup_bpf_get(cgrp);
	cgroup_bpf_put(old);
	cgroup_put(old);
}
#else
static void inherit_cgroup(struct sock *sk, const struct sock *from)
{
}
#endif

void smc_inherit_identity(struct sock *sk, const struct sock *from)
{
	inherit_cgroup(sk, from);
	security_sk_clone(from, sk);
}

/*
 * TCP has charged its own memory account for the sock, but no memory cgroup.
 * This function charges both, and then returns TCP's first charge.
 */
static void charge_used(struct sock *tcp, struct mem_cgroup *memcg)
{
	int size = PAGE_ALIGN(tcp->sk_forward_alloc +
			      atomic_read(&tcp->sk_rmem_alloc));

	sock_owned_by_me(tcp);
	tcp->sk_memcg = memcg;
	if (!memcg || !size)
		return;
	smc_mem_force(tcp, size);
	tcp->sk_memcg = NULL;
	__sk_mem_reclaim(tcp, size);
	tcp->sk_memcg = memcg;
}

void smc_inherit_memcg(struct sock *sk, struct sock *tcp,
		       const struct sock *from)
{
	if (!sk->sk_memcg)
		sk->sk_memcg = smc_memcg_get(from->sk_memcg);
	lock_sock(tcp);
	if (!tcp->sk_memcg)
		charge_used(tcp, smc_memcg_get(from->sk_memcg));
	release_sock(tcp);
}

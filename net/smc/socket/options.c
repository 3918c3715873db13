// SPDX-License-Identifier: GPL-2.0
/*
 * Kernels without SOCK_CUSTOM_SOCKOPT apply SOL_SOCKET options only to our
 * sock. On these kernels TCP gets changed options before each call that it
 * serves.
 */
#include <net/sock.h>
#include "../base/compat.h"
#include "options.h"
#include "sock.h"

#define PUSHED_FLAGS	(BIT(SOCK_URGINLINE) | BIT(SOCK_KEEPOPEN) |	\
			 BIT(SOCK_DBG) | BIT(SOCK_BROADCAST) |		\
			 BIT(SOCK_LOCALROUTE) | BIT(SOCK_RCVTSTAMP) |	\
			 BIT(SOCK_RCVTSTAMPNS) | BIT(SOCK_TSTAMP_NEW))

static unsigned long pushed_flags(const struct smc_sock *smc)
{
	return smc->mode == SMC_MODE_TCP ? PUSHED_FLAGS | BIT(SOCK_LINGER) :
					   PUSHED_FLAGS;
}

static bool options_differ(const struct smc_sock *smc, const struct sock *tcp)
{
	const u8 locks = SOCK_SNDBUF_LOCK | SOCK_RCVBUF_LOCK;
	const struct sock *sk = &smc->sk;

	if ((sk->sk_flags ^ tcp->sk_flags) & pushed_flags(smc))
		return true;
	if ((sk->sk_userlocks & locks) &&
	    (sk->sk_sndbuf != tcp->sk_sndbuf ||
	     sk->sk_rcvbuf != tcp->sk_rcvbuf))
		return true;
	return sk->sk_rcvtimeo != tcp->sk_rcvtimeo ||
	       sk->sk_sndtimeo != tcp->sk_sndtimeo ||
	       sk->sk_lingertime != tcp->sk_lingertime ||
	       sk->sk_rcvlowat != tcp->sk_rcvlowat ||
	       sk->sk_priority != tcp->sk_priority ||
	       sk->sk_mark != tcp->sk_mark ||
	       sk->sk_reuse != tcp->sk_reuse ||
	       sk->sk_bound_dev_if != tcp->sk_bound_dev_if;
}

static void push_flags(struct smc_sock *smc, struct sock *tcp)
{
	bool alive = sock_flag(&smc->sk, SOCK_KEEPOPEN);
	unsigned long mask = pushed_flags(smc);

	if (alive != sock_flag(tcp, SOCK_KEEPOPEN) && tcp->sk_prot->keepalive)
		tcp->sk_prot->keepalive(tcp, alive);
	tcp->sk_flags = (tcp->sk_flags & ~mask) | (smc->sk.sk_flags & mask);
}

static void push_buffers(const struct sock *sk, struct sock *tcp)
{
	if (sk->sk_userlocks & SOCK_SNDBUF_LOCK) {
		tcp->sk_userlocks |= SOCK_SNDBUF_LOCK;
		WRITE_ONCE(tcp->sk_sndbuf, sk->sk_sndbuf);
	}
	if (sk->sk_userlocks & SOCK_RCVBUF_LOCK) {
		tcp->sk_userlocks |= SOCK_RCVBUF_LOCK;
		WRITE_ONCE(tcp->sk_rcvbuf, sk->sk_rcvbuf);
	}
}

static void push_values(struct smc_sock *smc, struct sock *tcp)
{
	const struct sock *sk = &smc->sk;

	tcp->sk_rcvtimeo = sk->sk_rcvtimeo;
	tcp->sk_sndtimeo = sk->sk_sndtimeo;
	tcp->sk_lingertime = sk->sk_lingertime;
	tcp->sk_priority = sk->sk_priority;
	tcp->sk_reuse = sk->sk_reuse;
	if (tcp->sk_mark != sk->sk_mark) {
		tcp->sk_mark = sk->sk_mark;
		sk_dst_reset(tcp);
	}
	if (smc->mode == SMC_MODE_TCP && sk->sk_rcvlowat != tcp->sk_rcvlowat &&
	    smc_sock_tcp(smc)->set_rcvlowat)
		smc_sock_tcp(smc)->set_rcvlowat(tcp, sk->sk_rcvlowat);
	if (sk->sk_bound_dev_if != tcp->sk_bound_dev_if)
		sock_bindtoindex(tcp, sk->sk_bound_dev_if, false);
}

void smc_options_push(struct smc_sock *smc)
{
	struct sock *tcp = smc->clcsock->sk;

	if (SMC_HAVE_CUSTOM_SOCKOPT || !options_differ(smc, tcp))
		return;
	lock_sock(tcp);
	push_flags(smc, tcp);
	push_buffers(&smc->sk, tcp);
	push_values(smc, tcp);
	release_sock(tcp);
}

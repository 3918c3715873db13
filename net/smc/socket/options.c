// SPDX-License-Identifier: GPL-2.0
/*
 * Kernels without SOCK_CUSTOM_SOCKOPT apply SOL_SOCKET options only to our
 * sock. On these kernels this file passes the options that the application has
 * changed to TCP, before each call that TCP serves. Values that TCP has chosen
 * itself stay unchanged.
 */
#include <linux/net_tstamp.h>
#include <net/sock.h>
#include "../base/compat.h"
#include "options.h"
#include "sock.h"

#define PUSHED_FLAGS	(BIT(SOCK_URGINLINE) | BIT(SOCK_KEEPOPEN) |	\
			 BIT(SOCK_DBG) | BIT(SOCK_BROADCAST) |		\
			 BIT(SOCK_LOCALROUTE) | BIT(SOCK_RCVTSTAMP) |	\
			 BIT(SOCK_RCVTSTAMPNS) | BIT(SOCK_TSTAMP_NEW))

/* Reads the options that the application has set. */
static void read_options(const struct smc_sock *smc, struct smc_options *now)
{
	const struct sock *sk = &smc->sk;
	u8 locks = sk->sk_userlocks;

	/* for memcmp(), which also compares padding */
	memset(now, 0, sizeof(*now));
	now->flags = READ_ONCE(sk->sk_flags) & PUSHED_FLAGS;
	now->rcvtimeo = READ_ONCE(sk->sk_rcvtimeo);
	now->sndtimeo = READ_ONCE(sk->sk_sndtimeo);
	if (locks & SOCK_SNDBUF_LOCK)
		now->sndbuf = READ_ONCE(sk->sk_sndbuf);
	if (locks & SOCK_RCVBUF_LOCK)
		now->rcvbuf = READ_ONCE(sk->sk_rcvbuf);
	now->priority = READ_ONCE(sk->sk_priority);
	now->mark = READ_ONCE(sk->sk_mark);
	now->bound_dev_if = READ_ONCE(sk->sk_bound_dev_if);
	now->tsflags = READ_ONCE(sk->sk_tsflags);
	now->bind_phc = READ_ONCE(sk->sk_bind_phc);
#ifdef CONFIG_NET_RX_BUSY_POLL
	now->busy_poll = READ_ONCE(sk->sk_ll_usec);
#endif
	now->reuse = sk->sk_reuse;
	now->reuseport = sk->sk_reuseport;
	/* other options would harm the handshake: see fallback.c */
	now->lingertime = smc->pushed.lingertime;
	now->rcvlowat = smc->pushed.rcvlowat;
	now->flags |= smc->pushed.flags & BIT(SOCK_LINGER);
	if (smc->mode != SMC_MODE_TCP)
		return;
	now->lingertime = READ_ONCE(sk->sk_lingertime);
	now->rcvlowat = READ_ONCE(sk->sk_rcvlowat);
	now->flags &= ~BIT(SOCK_LINGER);
	now->flags |= READ_ONCE(sk->sk_flags) & BIT(SOCK_LINGER);
}

static void push_flags(struct sock *tcp, unsigned long now,
		       unsigned long changed)
{
	bool alive = now & BIT(SOCK_KEEPOPEN);

	if ((changed & BIT(SOCK_KEEPOPEN)) && tcp->sk_prot->keepalive)
		tcp->sk_prot->keepalive(tcp, alive);
	tcp->sk_flags = (tcp->sk_flags & ~changed) | (now & changed);
}

static void push_buffers(struct sock *tcp, const struct smc_options *now,
			 const struct smc_options *had)
{
	if (now->sndbuf != had->sndbuf) {
		tcp->sk_userlocks |= SOCK_SNDBUF_LOCK;
		WRITE_ONCE(tcp->sk_sndbuf, now->sndbuf);
	}
	if (now->rcvbuf != had->rcvbuf) {
		tcp->sk_userlocks |= SOCK_RCVBUF_LOCK;
		WRITE_ONCE(tcp->sk_rcvbuf, now->rcvbuf);
	}
}

static void push_values(struct smc_sock *smc, const struct smc_options *now,
			const struct smc_options *had)
{
	struct sock *tcp = smc->clcsock->sk;

	if (now->rcvtimeo != had->rcvtimeo)
		tcp->sk_rcvtimeo = now->rcvtimeo;
	if (now->sndtimeo != had->sndtimeo)
		tcp->sk_sndtimeo = now->sndtimeo;
	if (now->lingertime != had->lingertime)
		tcp->sk_lingertime = now->lingertime;
	if (now->priority != had->priority)
		tcp->sk_priority = now->priority;
#ifdef CONFIG_NET_RX_BUSY_POLL
	if (now->busy_poll != had->busy_poll)
		WRITE_ONCE(tcp->sk_ll_usec, now->busy_poll);
#endif
	if (now->reuse != had->reuse)
		tcp->sk_reuse = now->reuse;
	if (now->reuseport != had->reuseport)
		tcp->sk_reuseport = now->reuseport;
	if (now->mark != had->mark) {
		tcp->sk_mark = now->mark;
		sk_dst_reset(tcp);
	}
	if (now->rcvlowat != had->rcvlowat && smc_sock_tcp(smc)->set_rcvlowat)
		smc_sock_tcp(smc)->set_rcvlowat(tcp, now->rcvlowat);
	if (now->bound_dev_if != had->bound_dev_if)
		sock_bindtoindex(tcp, now->bound_dev_if, false);
}

/* TCP refuses some flags of sending before it is connected. */
static void push_timestamping(struct smc_sock *smc,
			      const struct smc_options *now)
{
	bool new = now->flags & BIT(SOCK_TSTAMP_NEW);
	struct so_timestamping value = {
		.flags = now->tsflags,
		.bind_phc = now->bind_phc,
	};

	sock_setsockopt(smc->clcsock, SOL_SOCKET,
			new ? SO_TIMESTAMPING_NEW : SO_TIMESTAMPING_OLD,
			KERNEL_SOCKPTR(&value), sizeof(value));
}

void smc_options_begin(struct smc_sock *smc)
{
	smc->pushed.rcvlowat = smc->sk.sk_rcvlowat;
	smc->pushed.lingertime = smc->sk.sk_lingertime;
	read_options(smc, &smc->pushed);
}

void smc_options_push(struct smc_sock *smc)
{
	struct sock *tcp = smc->clcsock->sk;
	struct smc_options now;
	bool stamps;

	if (SMC_HAVE_CUSTOM_SOCKOPT)
		return;
	read_options(smc, &now);
	if (!memcmp(&now, &smc->pushed, sizeof(now)))
		return;
	/* the TCP lock also protects smc->pushed */
	lock_sock(tcp);
	read_options(smc, &now);
	push_flags(tcp, now.flags, now.flags ^ smc->pushed.flags);
	push_buffers(tcp, &now, &smc->pushed);
	push_values(smc, &now, &smc->pushed);
	stamps = now.tsflags != smc->pushed.tsflags ||
		 now.bind_phc != smc->pushed.bind_phc;
	smc->pushed = now;
	release_sock(tcp);
	if (stamps)
		push_timestamping(smc, &now);
}

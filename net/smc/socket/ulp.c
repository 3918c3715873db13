// SPDX-License-Identifier: GPL-2.0
/*
 * TCP ULP "smc".
 *
 * It marks the hidden TCP sockets, arms option 254 on them and reports what
 * they are. It is attached here, by writing the socket's pointers under its
 * lock, and never through setsockopt(TCP_ULP): that way ->init() can refuse
 * every caller of tcp_set_ulp() without having to tell us from a user.
 *
 * With a ULP on it, a socket cannot be put into a BPF sockmap, so nobody else
 * takes its sk_user_data and callbacks while they are ours.
 */
#include <linux/inet_diag.h>
#include <linux/module.h>
#include <linux/static_key.h>
#include <net/inet_connection_sock.h>
#include <net/netlink.h>
#include <net/tcp.h>
#include "../base/compat.h"
#include "smc_sock.h"
#include "tcp_cb.h"
#include "ulp.h"

static int refuse(struct sock *sk)
{
	return -EOPNOTSUPP;
}

/*
 * The child of a listener begins as a copy of it: it must have the callbacks of
 * a TCP socket from the first moment, and a module reference of its own since
 * its end drops one. Softirq; the child is locked and not yet visible.
 */
static void clone(const struct request_sock *req, struct sock *child,
		  const gfp_t priority)
{
	__module_get(THIS_MODULE);	/* the listener holds one */
	tcp_sk(child)->smc_hs_congested = NULL;
	smc_tcp_reset_callbacks(child);
}

static int get_info(struct sock *sk, struct sk_buff *skb)
{
	struct smc_sock *smc;
	u32 mode, reason;

	read_lock_bh(&sk->sk_callback_lock);
	smc = smc_tcp_owner(sk);
	mode = smc ? READ_ONCE(smc->mode) : SMC_MODE_NEW;
	reason = smc ? READ_ONCE(smc->reason) : 0;
	read_unlock_bh(&sk->sk_callback_lock);
	return nla_put_u32(skb, SMC_ULP_INFO_MODE, mode) ?:
	       nla_put_u32(skb, SMC_ULP_INFO_REASON, reason);
}

static size_t get_info_size(const struct sock *sk)
{
	return 2 * nla_total_size(sizeof(u32));
}

static struct tcp_ulp_ops ulp_ops __read_mostly = {
	.name = "smc",
	.owner = THIS_MODULE,
	.init = refuse,
	.clone = clone,
	.get_info = get_info,
	.get_info_size = get_info_size,
};

int smc_ulp_attach(struct sock *tcp, bool offer)
{
	struct inet_connection_sock *icsk = inet_csk(tcp);
	int err = 0;

	lock_sock(tcp);
	if (!icsk->icsk_ulp_ops) {
		__module_get(THIS_MODULE);
		icsk->icsk_ulp_ops = &ulp_ops;
	} else if (icsk->icsk_ulp_ops != &ulp_ops) {
		err = -EEXIST;
	}
	if (!err)
		tcp_sk(tcp)->syn_smc = offer;
	release_sock(tcp);
	return err;
}

void smc_ulp_detach(struct sock *tcp)
{
	struct inet_connection_sock *icsk = inet_csk(tcp);

	lock_sock(tcp);
	if (icsk->icsk_ulp_ops == &ulp_ops) {
		icsk->icsk_ulp_ops = NULL;
		/* in case it connects later, as plain TCP */
		tcp_sk(tcp)->syn_smc = 0;
		module_put(THIS_MODULE);
	}
	release_sock(tcp);
}

bool smc_ulp_peer_smc(const struct sock *tcp)
{
	/* cleared by TCP when SYN or SYN-ACK came without (R-3.1-02) */
	return READ_ONCE(tcp_sk(tcp)->syn_smc);
}

void smc_ulp_set_cap(struct sock *tcp, bool (*over_cap)(const struct sock *tcp))
{
	/* never set back: TCP reads it twice for one SYN */
	WRITE_ONCE(tcp_sk(tcp)->smc_hs_congested, over_cap);
}

int smc_ulp_init(void)
{
	int err;

	err = smc_tcp_cb_init();
	if (err)
		return err;
	err = tcp_register_ulp(&ulp_ops);
	if (err)
		return err;
	static_branch_inc(&tcp_have_smc);
	return 0;
}

void smc_ulp_exit(void)
{
	static_branch_dec(&tcp_have_smc);
	/* waits for RCU: no TCP callback of ours runs any more */
	tcp_unregister_ulp(&ulp_ops);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * TCP ULP "smc".
 *
 * The ULP marks the hidden TCP sockets, enables option 254 on them and reports
 * their state. This file attaches the ULP by writing the socket's pointers
 * under its lock, never through setsockopt(TCP_ULP). So ->init() refuses every
 * caller of tcp_set_ulp(), which can only be a user.
 *
 * The ULP stays attached to a socket that has fallen back, so that ss shows the
 * reason. If the user sets another ULP on such a socket, the new ULP replaces
 * it.
 *
 * A socket with a ULP cannot enter a BPF sockmap. So no other code changes its
 * sk_user_data and callbacks while this module uses them.
 */
#include <linux/inet_diag.h>
#include <linux/module.h>
#include <linux/static_key.h>
#include <net/inet_connection_sock.h>
#include <net/netlink.h>
#include <net/tcp.h>
#include "../base/compat.h"
#include "../wire/decline.h"
#include "mode.h"
#include "tcp_cb.h"
#include "ulp.h"

/* Number of connections that smc_ulp_smc_waits() looks at. */
#define ACCEPT_SCAN	256

static int ulp_refuse(struct sock *sk)
{
	return -EOPNOTSUPP;
}

static u32 shown_by(const struct tcp_ulp_ops *ops);
static const struct tcp_ulp_ops *ops_for(u32 what);

/*
 * The child of a listener starts as a copy of the listener. So the child needs
 * the default callbacks at once. The child also needs a module reference of its
 * own, because its end drops one. Context: softirq; the child is locked and not
 * yet visible.
 */
static void ulp_clone(const struct request_sock *req, struct sock *child,
		      const gfp_t priority)
{
	__module_get(THIS_MODULE);	/* cannot fail: the listener holds a reference */
	tcp_sk(child)->smc_hs_congested = NULL;
	smc_tcp_reset_callbacks(child);
	/* only a request that was restored from a SYN cookie has no listener */
	if (!req->rsk_listener)
		inet_csk(child)->icsk_ulp_ops = ops_for(SMC_DECL_COOKIE);
}

static int get_info(SMC_COMPAT_ULP_ARGS(struct sock *sk, struct sk_buff *skb))
{
	u32 what = shown_by(READ_ONCE(inet_csk(sk)->icsk_ulp_ops));
	static const u8 modes[SMC_ULP_STATES] = {
		[0]			= SMC_MODE_NEW,
		[SMC_ULP_CONNECT]	= SMC_MODE_CONNECTING,
		[SMC_ULP_RDMA]		= SMC_MODE_SMC,
		[SMC_ULP_IN_HOST]	= SMC_MODE_SMC,
	};
	bool tcp = what >= SMC_ULP_STATES;

	return nla_put_u32(skb, SMC_ULP_INFO_MODE,
			   tcp ? SMC_MODE_TCP : modes[what]) ?:
	       nla_put_u32(skb, SMC_ULP_INFO_REASON,
			   what > SMC_ULP_STATES ? what : 0);
}

static size_t get_info_size(SMC_COMPAT_ULP_ARGS(const struct sock *sk))
{
	return 2 * nla_total_size(sizeof(u32));
}

#define OPS(_name)							\
	{								\
		.name = _name,						\
		.owner = THIS_MODULE,					\
		.init = ulp_refuse,					\
		.clone = ulp_clone,					\
		.get_info = get_info,					\
		.get_info_size = get_info_size,				\
	}

static struct tcp_ulp_ops ulp_ops __read_mostly = OPS("smc");
/* plain TCP, for a reason without a short name */
static const struct tcp_ulp_ops ulp_tcp_ops = OPS("smc:tcp");

/*
 * For an unknown ULP, ss shows only the name. So each state and each reason has
 * its own ops, which differ only in the name. Only the ops named "smc" are
 * registered.
 */
static const struct shown {
	struct tcp_ulp_ops ops;
	u32 what;
} shown[] = {
#define STATE(_what, _word) { .ops = OPS(_word), .what = _what },
#define SHOW(_what, _word) STATE(_what, _word)
#include "ulp_names.h"
#undef SHOW
#undef STATE
};

static u32 shown_by(const struct tcp_ulp_ops *ops)
{
	if (ops == &ulp_tcp_ops)
		return SMC_ULP_STATES;
	if (ops < &shown[0].ops || ops > &shown[ARRAY_SIZE(shown) - 1].ops)
		return 0;
	return container_of(ops, struct shown, ops)->what;
}

static const struct tcp_ulp_ops *ops_for(u32 what)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(shown); i++)
		if (shown[i].what == what)
			return &shown[i].ops;
	return &ulp_tcp_ops;
}

static bool ulp_is_ours(const struct tcp_ulp_ops *ops)
{
	return ops && ops->owner == THIS_MODULE;
}

/*
 * Changes the ULP ops under the lock of the socket. Views read the pointer
 * without the lock (partner: get_info()).
 */
static int put_on(struct inet_connection_sock *icsk,
		  const struct tcp_ulp_ops *ops)
{
	if (!icsk->icsk_ulp_ops)
		__module_get(THIS_MODULE);
	else if (!ulp_is_ours(icsk->icsk_ulp_ops))
		return -EEXIST;
	WRITE_ONCE(icsk->icsk_ulp_ops, ops);
	return 0;
}

int smc_ulp_attach(struct sock *tcp, bool offer)
{
	int err;

	lock_sock(tcp);
	err = put_on(inet_csk(tcp), &ulp_ops);
	if (!err)
		tcp_sk(tcp)->syn_smc = offer;
	release_sock(tcp);
	return err;
}

void smc_ulp_show(struct sock *tcp, u32 what)
{
	const struct tcp_ulp_ops *ops = ops_for(what);

	lock_sock(tcp);
	/* if the socket connects later, it is a plain TCP socket */
	if (!put_on(inet_csk(tcp), ops) && what >= SMC_ULP_STATES)
		tcp_sk(tcp)->syn_smc = 0;
	release_sock(tcp);
}

void smc_ulp_detach(struct sock *tcp)
{
	struct inet_connection_sock *icsk = inet_csk(tcp);

	lock_sock(tcp);
	if (ulp_is_ours(icsk->icsk_ulp_ops)) {
		WRITE_ONCE(icsk->icsk_ulp_ops, NULL);
		/* if the socket connects later, it is a plain TCP socket */
		tcp_sk(tcp)->syn_smc = 0;
		module_put(THIS_MODULE);
	}
	release_sock(tcp);
}

bool smc_ulp_attached(const struct sock *tcp)
{
	/* partner: put_on() */
	return ulp_is_ours(READ_ONCE(inet_csk(tcp)->icsk_ulp_ops));
}

bool smc_ulp_peer_smc(const struct sock *tcp)
{
	/* TCP clears the bit if the SYN or the SYN-ACK had no option
	 * (R-3.1-02)
	 */
	return READ_ONCE(tcp_sk(tcp)->syn_smc);
}

bool smc_ulp_smc_waits(struct sock *tcp)
{
	struct request_sock_queue *q = &inet_csk(tcp)->icsk_accept_queue;
	const struct request_sock *req;
	bool waits = false;
	int n = 0;

	spin_lock_bh(&q->rskq_lock);
	for (req = q->rskq_accept_head; req && n < ACCEPT_SCAN && !waits;
	     req = req->dl_next, n++)
		waits = smc_ulp_peer_smc(req->sk);
	spin_unlock_bh(&q->rskq_lock);
	return waits;
}

bool smc_ulp_by_cookie(const struct sock *tcp)
{
	return shown_by(READ_ONCE(inet_csk(tcp)->icsk_ulp_ops)) ==
	       SMC_DECL_COOKIE;
}

void smc_ulp_set_cap(struct sock *tcp, bool (*over_cap)(const struct sock *tcp))
{
	/* never set to NULL again, because TCP reads the pointer twice for one
	 * SYN
	 */
	WRITE_ONCE(tcp_sk(tcp)->smc_hs_congested, over_cap);
}

int smc_ulp_init(void)
{
	int err;

	err = tcp_register_ulp(&ulp_ops);
	if (err)
		return err;
	static_branch_inc(&tcp_have_smc);
	return 0;
}

void smc_ulp_exit(void)
{
	static_branch_dec(&tcp_have_smc);
	/* waits for RCU, so no TCP callback of this module runs any more */
	tcp_unregister_ulp(&ulp_ops);
}

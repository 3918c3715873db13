// SPDX-License-Identifier: GPL-2.0
/*
 * MSG_ZEROCOPY in mode SMC.
 *
 * The connection copies the bytes, as TCP does on the loopback device. So the
 * notice that the pages are free again comes with the call that sends, and has
 * the code SO_EE_CODE_ZEROCOPY_COPIED. The core numbers, merges and limits the
 * notices.
 */
#include <linux/err.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/skbuff.h>
#include <net/sock.h>
#include "sock.h"
#include "zerocopy.h"

struct ubuf_info *smc_zerocopy_begin(struct sock *sk, struct msghdr *msg)
{
	struct ubuf_info *uarg;

	if (!(msg->msg_flags & MSG_ZEROCOPY) || !msg_data_left(msg) ||
	    !sock_flag(sk, SOCK_ZEROCOPY))
		return NULL;
	/* io_uring provides its own notice */
	if (msg->msg_ubuf)
		return NULL;
	uarg = msg_zerocopy_realloc(sk, msg_data_left(msg), NULL);
	return uarg ?: ERR_PTR(-ENOBUFS);
}

void smc_zerocopy_end(struct ubuf_info *uarg, bool sent)
{
	if (!uarg)
		return;
	if (!sent) {
		net_zcopy_put_abort(uarg, true);
		return;
	}
	uarg_to_msgzc(uarg)->zerocopy = 0;
	net_zcopy_put(uarg);
}

bool smc_zerocopy_noted(const struct sock *sk)
{
	return !skb_queue_empty_lockless(&sk->sk_error_queue);
}

int smc_zerocopy_recv(struct sock *sk, struct msghdr *msg, size_t len)
{
	bool v6 = smc_sock_family(smc_sk(sk)) == AF_INET6;

	return sock_recv_errqueue(sk, msg, len, v6 ? SOL_IPV6 : SOL_IP,
				  v6 ? IPV6_RECVERR : IP_RECVERR);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * MSG_ZEROCOPY in mode SMC.
 *
 * The connection refers to the pages of the application until their bytes are
 * known to be delivered, see conn/txq.c. The last segment that refers to a
 * notice puts it into the error queue. A notice holds a reference to the sock.
 * The core numbers, merges and limits the notices. io_uring provides notices of
 * its own.
 */
#include <linux/err.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/skbuff.h>
#include <net/sock.h>
#include "../base/compat.h"
#include "../conn/tx.h"
#include "sock.h"
#include "zerocopy.h"

struct ubuf_info *smc_zerocopy_reserve(struct sock *sk, struct msghdr *msg)
{
	struct ubuf_info *uarg, *tail;

	if (!msg_data_left(msg) || !sock_flag(sk, SOCK_ZEROCOPY))
		return NULL;
	/* io_uring provides its own notice */
	if (msg->msg_ubuf)
		return NULL;
	/*
	 * One notice is for many sends, as in TCP. A notice of its own for each
	 * small send would fill the memory for options of the socket.
	 */
	tail = smc_tx_last_notice(smc_sk(sk)->conn);
	uarg = msg_zerocopy_realloc(sk, msg_data_left(msg), tail);
	net_zcopy_put(tail);
	if (!uarg)
		return ERR_PTR(-ENOBUFS);
	msg->msg_ubuf = uarg;
	return uarg;
}

void smc_zerocopy_finish(struct ubuf_info *uarg, struct msghdr *msg, bool sent)
{
	msg->msg_ubuf = NULL;
	if (!sent)
		net_zcopy_put_abort(uarg, true);
	else
		/* smc_tx_queue() removes the flag if it copies */
		smc_compat_notice(uarg, msg->msg_flags & MSG_ZEROCOPY);
}

int smc_zerocopy_recv(struct sock *sk, struct msghdr *msg, size_t len)
{
	bool v6 = smc_sock_family(smc_sk(sk)) == AF_INET6;

	return sock_recv_errqueue(sk, msg, len, v6 ? SOL_IPV6 : SOL_IP,
				  v6 ? IPV6_RECVERR : IP_RECVERR);
}

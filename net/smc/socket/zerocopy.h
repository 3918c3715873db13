/* SPDX-License-Identifier: GPL-2.0 */
/* MSG_ZEROCOPY in mode SMC: notices on the error queue. */
#ifndef _SMC_SOCKET_ZEROCOPY_H
#define _SMC_SOCKET_ZEROCOPY_H

#include <linux/socket.h>
#include <linux/types.h>
#include <net/sock.h>

/**
 * smc_zerocopy_recv - recvmsg(MSG_ERRQUEUE)
 * @sk:		socket with a notice
 * @msg:	message of the application
 * @len:	its length in bytes
 *
 * Context: process. Return: 0, or -EAGAIN if another reader was faster.
 */
int smc_zerocopy_recv(struct sock *sk, struct msghdr *msg, size_t len);
/** smc_zerocopy_reserve - smc_zerocopy_begin() of a send with MSG_ZEROCOPY */
struct ubuf_info *smc_zerocopy_reserve(struct sock *sk, struct msghdr *msg);
/** smc_zerocopy_finish - smc_zerocopy_end() of a send with a notice */
void smc_zerocopy_finish(struct ubuf_info *uarg, struct msghdr *msg, bool sent);

/**
 * smc_zerocopy_begin - reserve the notice of a send
 * @sk:		socket in mode SMC, lock held
 * @msg:	message of the application
 *
 * If the connection may take the pages of the application, @msg->msg_ubuf is
 * the notice.
 *
 * Context: process, may sleep. Return: the notice for smc_zerocopy_end(), NULL
 * if the application does not ask for one, or ERR_PTR(-ENOBUFS) as in TCP: too
 * many notices wait to be read, or too many bytes are locked.
 */
static inline struct ubuf_info *smc_zerocopy_begin(struct sock *sk,
						   struct msghdr *msg)
{
	return unlikely(msg->msg_flags & MSG_ZEROCOPY) ?
	       smc_zerocopy_reserve(sk, msg) : NULL;
}

/**
 * smc_zerocopy_end - the notice follows when the connection does not need the
 * pages any more
 * @uarg:	from smc_zerocopy_begin(), may be NULL; not valid afterwards
 * @msg:	the same message
 * @sent:	the send has taken bytes; otherwise there will be no notice
 *
 * If the bytes were copied, the notice comes at once.
 */
static inline void smc_zerocopy_end(struct ubuf_info *uarg, struct msghdr *msg,
				    bool sent)
{
	if (unlikely(uarg))
		smc_zerocopy_finish(uarg, msg, sent);
}

/**
 * smc_zerocopy_noted - is a notice waiting in the error queue?
 * @sk: socket
 *
 * Context: any.
 */
static inline bool smc_zerocopy_noted(const struct sock *sk)
{
	return !skb_queue_empty_lockless(&sk->sk_error_queue);
}

#endif

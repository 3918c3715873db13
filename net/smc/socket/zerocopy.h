/* SPDX-License-Identifier: GPL-2.0 */
/* MSG_ZEROCOPY in mode SMC: notices on the error queue. */
#ifndef _SMC_SOCKET_ZEROCOPY_H
#define _SMC_SOCKET_ZEROCOPY_H

#include <linux/socket.h>
#include <linux/types.h>

struct sock;
struct ubuf_info;

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
struct ubuf_info *smc_zerocopy_begin(struct sock *sk, struct msghdr *msg);
/**
 * smc_zerocopy_end - the notice follows when the connection does not need the
 * pages any more
 * @uarg:	from smc_zerocopy_begin(), may be NULL; not valid afterwards
 * @msg:	the same message
 * @sent:	the send has taken bytes; otherwise there will be no notice
 *
 * If the bytes were copied, the notice comes at once.
 */
void smc_zerocopy_end(struct ubuf_info *uarg, struct msghdr *msg, bool sent);
/**
 * smc_zerocopy_noted - is a notice waiting in the error queue?
 * @sk: socket
 *
 * Context: any.
 */
bool smc_zerocopy_noted(const struct sock *sk);
/**
 * smc_zerocopy_recv - recvmsg(MSG_ERRQUEUE)
 * @sk:		socket with a notice
 * @msg:	message of the application
 * @len:	its length in bytes
 *
 * Context: process. Return: 0, or -EAGAIN if another reader was faster.
 */
int smc_zerocopy_recv(struct sock *sk, struct msghdr *msg, size_t len);

#endif

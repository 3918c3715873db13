/* SPDX-License-Identifier: GPL-2.0 */
/* sendmsg() and recvmsg() of AF_SMC. */
#ifndef _SMC_SOCKET_IO_H
#define _SMC_SOCKET_IO_H

#include <linux/types.h>

struct bio_vec;
struct msghdr;
struct smc_sock;
struct sock;
struct socket;

int smc_sendmsg(struct socket *sock, struct msghdr *msg, size_t len);
int smc_recvmsg(struct socket *sock, struct msghdr *msg, size_t len, int flags);
/**
 * smc_io_recv_pages - receive bytes of a peer on this host with their pages
 * @sk:		socket
 * @vecs:	filled with the parts of the bytes, each in one order-0 page
 * @nr:		room of @vecs; afterwards the number of parts, if there are any
 * @len:	bytes wanted
 * @flags:	MSG_DONTWAIT
 *
 * Without MSG_DONTWAIT the function waits until bytes are readable. Context:
 * process, may sleep.
 *
 * Return: bytes in @vecs, for which the caller has references to the pages; 0:
 * end of the stream, or the urgent byte is next; -ENODATA: the next bytes are not
 * in pages, or the socket is not in mode SMC, so call smc_recvmsg(); any other
 * errno of recv().
 */
ssize_t smc_io_recv_pages(struct sock *sk, struct bio_vec *vecs,
			  unsigned int *nr, size_t len, int flags);
/**
 * smc_io_flush - send queued bytes, subject to TCP_NODELAY and TCP_CORK
 * @smc:	socket, lock held, mode SMC
 * @msg_flags:	MSG_MORE: hold back a partial burst
 */
void smc_io_flush(struct smc_sock *smc, int msg_flags);

#endif

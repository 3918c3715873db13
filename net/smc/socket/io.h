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
 * struct smc_io_splice - what splice() wants from a connection
 * @msg:	room for copies of the bytes; NULL: the pages that hold the
 *		bytes
 * @vecs:	without @msg: filled with the parts of the bytes, each in one
 *		order-0 page, to which the caller then has references
 * @nr:		without @msg: room of @vecs; afterwards the number of parts, if
 *		there are any
 * @len:	bytes wanted
 * @more:	this splice() has taken bytes before, so do not wait, and leave
 *		the end of the stream and errors to the next call
 */
struct smc_io_splice {
	struct msghdr *msg;
	struct bio_vec *vecs;
	unsigned int nr;
	size_t len;
	bool more;
};

/**
 * smc_io_splice - receive readable bytes, or wait for the first one
 * @sk:		socket
 * @in:		where the bytes go; without ->msg only bytes of a peer on this
 *		host
 * @flags:	MSG_DONTWAIT
 *
 * Context: process, may sleep.
 *
 * Return: number of bytes; 0: end of the stream, or the urgent byte is next;
 * -ENODATA: the next bytes are not in pages, or the socket is not in mode SMC;
 * any other errno of recv(), -EAGAIN also if @in->more and nothing is readable.
 */
ssize_t smc_io_splice(struct sock *sk, struct smc_io_splice *in, int flags);
/**
 * smc_io_flush - send queued bytes, subject to TCP_NODELAY
 * @smc:	socket, lock held, mode SMC
 * @hold:	hold back a partial burst
 */
void smc_io_flush(struct smc_sock *smc, bool hold);

#endif

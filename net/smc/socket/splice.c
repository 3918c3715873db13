// SPDX-License-Identifier: GPL-2.0
/*
 * splice() and sendfile(). In mode SMC writing lends the pages to the
 * connection. Reading moves the pages of a peer on this host into the pipe, and
 * copies the bytes of other peers; mode TCP passes the call to TCP.
 */
#include <linux/bvec.h>
#include <linux/fs.h>
#include <linux/pipe_fs_i.h>
#include <linux/splice.h>
#include <linux/uio.h>
#include "../base/compat.h"
#include "../base/stats.h"
#include "../conn/conn.h"
#include "../conn/rx.h"
#include "fallback.h"
#include "io.h"
#include "late.h"
#include "sock.h"
#include "splice.h"

/* Limit of pages per call. */
#define SPLICE_PAGES	16

static void release_page(struct splice_pipe_desc *spd, unsigned int i)
{
	put_page(spd->pages[i]);
}

/*
 * Adds the pages of @vecs to the pipe. From then on the pipe owns the
 * references to the pages.
 */
static ssize_t into_pipe(struct pipe_inode_info *pipe,
			 const struct bio_vec *vecs, unsigned int nr)
{
	struct partial_page partial[SPLICE_PAGES] = {};
	struct page *pages[SPLICE_PAGES];
	struct splice_pipe_desc spd = {
		.pages = pages,
		.partial = partial,
		.nr_pages = nr,
		.nr_pages_max = SPLICE_PAGES,
		.ops = &nosteal_pipe_buf_ops,
		.spd_release = release_page,
	};
	unsigned int i;

	for (i = 0; i < nr; i++) {
		pages[i] = vecs[i].bv_page;
		partial[i].offset = vecs[i].bv_offset;
		partial[i].len = vecs[i].bv_len;
	}
	return splice_to_pipe(pipe, &spd);
}

/* Number of pages that fit into the pipe, at most SPLICE_PAGES. */
static unsigned int splice_room(const struct pipe_inode_info *pipe)
{
	unsigned int room = pipe->max_usage -
			    pipe_occupancy(pipe->head, pipe->tail);

	return min_t(unsigned int, room, SPLICE_PAGES);
}

/* Returns the number of bytes to try: the readable bytes, or any number if the
 * call must wait.
 */
static size_t splice_len(struct socket *sock, struct pipe_inode_info *pipe,
			 size_t len)
{
	size_t room = splice_room(pipe) * PAGE_SIZE;
	struct smc_sock *smc = smc_sk(sock->sk);
	size_t there = 0;

	if (smc_sock_mode(smc) == SMC_MODE_SMC)
		there = smc_rx_avail(smc->conn);
	return min3(len, room, max_t(size_t, there, PAGE_SIZE));
}

static unsigned int alloc_pages_for(struct bio_vec *vecs, size_t len)
{
	unsigned int n;

	for (n = 0; n * PAGE_SIZE < len; n++) {
		vecs[n] = (struct bio_vec){
			.bv_page = alloc_page(GFP_USER),
			.bv_len = PAGE_SIZE,
		};
		if (!vecs[n].bv_page)
			break;
	}
	return n;
}

/*
 * Frees the pages behind the first @len bytes, and shortens the last page that
 * remains. Return: number of pages that remain.
 */
static unsigned int trim_pages(struct bio_vec *vecs, unsigned int nr, size_t len)
{
	unsigned int used = DIV_ROUND_UP(len, PAGE_SIZE);

	while (nr > used)
		put_page(vecs[--nr].bv_page);
	if (nr)
		vecs[nr - 1].bv_len = len - (nr - 1) * PAGE_SIZE;
	return nr;
}

/*
 * Copies the bytes once, into new pages, because the peer soon overwrites the
 * pages of the element. @flags: MSG_DONTWAIT or 0. @more: as in struct
 * smc_io_splice. A socket that is not in mode SMC waits as in recvmsg().
 */
static ssize_t splice_copy(struct socket *sock, struct pipe_inode_info *pipe,
			   size_t len, int flags, bool more)
{
	struct bio_vec vecs[SPLICE_PAGES];
	struct msghdr msg = {};
	struct smc_io_splice in = { .msg = &msg, .more = more };
	unsigned int nr;
	ssize_t ret;

	len = splice_len(sock, pipe, len);
	if (!len)
		return -EAGAIN;
	nr = alloc_pages_for(vecs, len);
	if (!nr)
		return -ENOMEM;
	in.len = min_t(size_t, len, nr * PAGE_SIZE);
	iov_iter_bvec(&msg.msg_iter, ITER_DEST, vecs, nr, in.len);
	ret = smc_io_splice(sock->sk, &in, flags);
	if (ret == -ENODATA && !more)
		ret = smc_recvmsg(sock, &msg, in.len, flags);
	nr = trim_pages(vecs, nr, max_t(ssize_t, ret, 0));
	return nr ? into_pipe(pipe, vecs, nr) : ret;
}

/*
 * Moves the pages of bytes of a peer on this host into the pipe. Nobody writes
 * to these bytes any more. Return: as smc_io_splice().
 */
static ssize_t splice_move(struct socket *sock, struct pipe_inode_info *pipe,
			   size_t len, int flags, bool more)
{
	struct bio_vec vecs[SPLICE_PAGES];
	struct smc_io_splice in = {
		.vecs = vecs,
		.nr = splice_room(pipe),
		.len = len,
		.more = more,
	};
	ssize_t ret;

	if (!in.nr)
		return -EAGAIN;
	ret = smc_io_splice(sock->sk, &in, flags);
	return ret > 0 ? into_pipe(pipe, vecs, in.nr) : ret;
}

/* Return: number of bytes that lie together, as pages or outside of pages, or
 * an errno.
 */
static ssize_t splice_some(struct socket *sock, struct pipe_inode_info *pipe,
			   size_t len, int flags, bool more)
{
	ssize_t ret = -ENODATA;

	if (smc_rx_has_pages(smc_sk(sock->sk)->conn))
		ret = splice_move(sock, pipe, len, flags, more);
	if (ret != -ENODATA)
		return ret;
	return splice_copy(sock, pipe, len, flags, more);
}

/*
 * As in TCP, the call waits for the first byte only. Then it takes all readable
 * bytes. Once it has bytes, it leaves an error of the socket in place, because
 * it returns a number of bytes and the next call must report the error.
 */
static ssize_t splice_smc(struct socket *sock, struct pipe_inode_info *pipe,
			  size_t len, int flags)
{
	struct smc_conn *conn = smc_sk(sock->sk)->conn;
	size_t done = 0;
	ssize_t n;

	do {
		n = splice_some(sock, pipe, len - done, flags, done > 0);
		if (n <= 0)
			break;
		done += n;
	} while (done < len && splice_room(pipe) && smc_rx_avail(conn));
	return done ?: n;
}

static ssize_t splice_tcp(struct smc_sock *smc, loff_t *ppos,
			  struct pipe_inode_info *pipe, size_t len,
			  unsigned int flags)
{
	ssize_t ret;

	smc_fallback_begin(smc);
	smc_late_check(smc);
	ret = smc_sock_tcp(smc)->splice_read(smc->clcsock, ppos, pipe, len,
					     flags);
	return smc_fallback_end(smc, ret);
}

ssize_t smc_splice_read(struct socket *sock, loff_t *ppos,
			struct pipe_inode_info *pipe, size_t len,
			unsigned int flags)
{
	int wait = sock->file->f_flags & O_NONBLOCK ? MSG_DONTWAIT : 0;
	struct smc_sock *smc = smc_sk(sock->sk);

	if (smc_sock_mode(smc) == SMC_MODE_TCP)
		return splice_tcp(smc, ppos, pipe, len, flags);
	if (*ppos)
		return -ESPIPE;
	smc_stat_inc(sock_net(sock->sk), SMC_STAT_SPLICE);
	if (!len)
		return 0;
	return smc_sock_mode(smc) == SMC_MODE_SMC ?
	       splice_smc(sock, pipe, len, wait) :
	       splice_copy(sock, pipe, len, wait, false);
}

void smc_splice_eof(struct socket *sock)
{
	struct sock *sk = sock->sk;
	struct smc_sock *smc = smc_sk(sk);

	lock_sock(sk);
	if (smc->mode == SMC_MODE_SMC)
		smc_io_flush(smc, smc->asked.cork);
	release_sock(sk);
	if (smc_sock_mode(smc) == SMC_MODE_TCP &&
	    smc_sock_tcp(smc)->splice_eof)
		smc_sock_tcp(smc)->splice_eof(smc->clcsock);
}

static ssize_t sendpage_tcp(struct smc_sock *smc, struct page *page, int offset,
			    size_t size, int flags)
{
	ssize_t ret;

	smc_fallback_begin(smc);
	ret = smc_compat_sendpage(smc->clcsock, page, offset, size, flags);
	return smc_fallback_end(smc, ret);
}

ssize_t smc_sendpage(struct socket *sock, struct page *page, int offset,
		     size_t size, int flags)
{
	struct msghdr msg = { .msg_flags = smc_compat_sendpage_flags(flags) };
	struct smc_sock *smc = smc_sk(sock->sk);
	struct bio_vec vec = {
		.bv_page = page,
		.bv_offset = offset,
		.bv_len = size,
	};

	if (smc_sock_mode(smc) == SMC_MODE_TCP)
		return sendpage_tcp(smc, page, offset, size, flags);
	smc_stat_inc(sock_net(sock->sk), SMC_STAT_SENDPAGE);
	iov_iter_bvec(&msg.msg_iter, ITER_SOURCE, &vec, 1, size);
	return smc_sendmsg(sock, &msg, size);
}

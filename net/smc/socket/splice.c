// SPDX-License-Identifier: GPL-2.0
/*
 * splice() and sendfile(). In mode SMC reading copies, and writing lends the
 * pages to the connection; mode TCP passes the call to TCP.
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
#include "../conn/urgent.h"
#include "io.h"
#include "options.h"
#include "sock.h"
#include "splice.h"

/* Limit of pages per call. */
#define SPLICE_PAGES	16

static void release_page(struct splice_pipe_desc *spd, unsigned int i)
{
	__free_page(spd->pages[i]);
}

/* Returns the number of bytes to try: the readable bytes, or any number if the
 * call must wait.
 */
static size_t splice_len(struct socket *sock, struct pipe_inode_info *pipe,
			 size_t len)
{
	unsigned int room = pipe->max_usage -
			    pipe_occupancy(pipe->head, pipe->tail);
	struct smc_sock *smc = smc_sk(sock->sk);
	size_t there = 0;

	if (smc_sock_mode(smc) == SMC_MODE_SMC)
		there = smc_rx_avail(smc->conn);
	room = min_t(unsigned int, room, SPLICE_PAGES);
	return min3(len, room * PAGE_SIZE, max_t(size_t, there, PAGE_SIZE));
}

static unsigned int alloc_pages_for(struct page **pages, struct bio_vec *vecs,
				    size_t len)
{
	unsigned int n;

	for (n = 0; n * PAGE_SIZE < len; n++) {
		pages[n] = alloc_page(GFP_USER);
		if (!pages[n])
			break;
		vecs[n] = (struct bio_vec){
			.bv_page = pages[n],
			.bv_len = PAGE_SIZE,
		};
	}
	return n;
}

/* Puts @len bytes of the pages into the pipe and frees unused pages. */
static ssize_t fill_pipe(struct pipe_inode_info *pipe,
			 struct splice_pipe_desc *spd, ssize_t len)
{
	unsigned int used = len > 0 ? DIV_ROUND_UP(len, PAGE_SIZE) : 0;
	unsigned int i;

	while (spd->nr_pages > (int)used)
		release_page(spd, --spd->nr_pages);
	for (i = 0; i < used; i++) {
		spd->partial[i].offset = 0;
		spd->partial[i].len = min_t(size_t, len - i * PAGE_SIZE,
					    PAGE_SIZE);
	}
	return used ? splice_to_pipe(pipe, spd) : len;
}

/*
 * Copies the bytes once, into new pages, because the peer soon overwrites the
 * pages of the element.
 */
static ssize_t splice_copy(struct socket *sock, struct pipe_inode_info *pipe,
			   size_t len)
{
	int flags = sock->file->f_flags & O_NONBLOCK ? MSG_DONTWAIT : 0;
	struct partial_page partial[SPLICE_PAGES] = {};
	struct bio_vec vecs[SPLICE_PAGES];
	struct page *pages[SPLICE_PAGES];
	struct splice_pipe_desc spd = {
		.pages = pages,
		.partial = partial,
		.nr_pages_max = SPLICE_PAGES,
		.ops = &nosteal_pipe_buf_ops,
		.spd_release = release_page,
	};
	struct msghdr msg = {};
	ssize_t ret;

	len = splice_len(sock, pipe, len);
	if (!len)
		return -EAGAIN;
	spd.nr_pages = alloc_pages_for(pages, vecs, len);
	if (!spd.nr_pages)
		return -ENOMEM;
	len = min_t(size_t, len, spd.nr_pages * PAGE_SIZE);
	iov_iter_bvec(&msg.msg_iter, ITER_DEST, vecs, spd.nr_pages, len);
	ret = smc_recvmsg(sock, &msg, len, flags);
	return fill_pipe(pipe, &spd, ret);
}

ssize_t smc_splice_read(struct socket *sock, loff_t *ppos,
			struct pipe_inode_info *pipe, size_t len,
			unsigned int flags)
{
	struct smc_sock *smc = smc_sk(sock->sk);

	if (smc_sock_mode(smc) == SMC_MODE_TCP) {
		smc_options_push(smc);
		return smc_sock_tcp(smc)->splice_read(smc->clcsock, ppos, pipe,
						      len, flags);
	}
	if (*ppos)
		return -ESPIPE;
	smc_stat_inc(sock_net(sock->sk), SMC_STAT_SPLICE);
	/* as in TCP, splice() stops at the urgent byte */
	if (smc_sock_mode(smc) == SMC_MODE_SMC && smc_urgent_at_mark(smc->conn, 0))
		return sock->file->f_flags & O_NONBLOCK ? -EAGAIN : 0;
	return len ? splice_copy(sock, pipe, len) : 0;
}

void smc_splice_eof(struct socket *sock)
{
	struct sock *sk = sock->sk;
	struct smc_sock *smc = smc_sk(sk);

	lock_sock(sk);
	if (smc->mode == SMC_MODE_SMC)
		smc_io_flush(smc, 0);
	release_sock(sk);
	if (smc_sock_mode(smc) == SMC_MODE_TCP &&
	    smc_sock_tcp(smc)->splice_eof)
		smc_sock_tcp(smc)->splice_eof(smc->clcsock);
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
		return smc_compat_sendpage(smc->clcsock, page, offset, size,
					   flags);
	smc_stat_inc(sock_net(sock->sk), SMC_STAT_SENDPAGE);
	iov_iter_bvec(&msg.msg_iter, ITER_SOURCE, &vec, 1, size);
	return smc_sendmsg(sock, &msg, size);
}

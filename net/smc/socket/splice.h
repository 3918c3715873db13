/* SPDX-License-Identifier: GPL-2.0 */
/* splice() and sendfile() of AF_SMC. */
#ifndef _SMC_SOCKET_SPLICE_H
#define _SMC_SOCKET_SPLICE_H

#include <linux/types.h>

struct page;
struct pipe_inode_info;
struct socket;

ssize_t smc_splice_read(struct socket *sock, loff_t *ppos,
			struct pipe_inode_info *pipe, size_t len,
			unsigned int flags);
void smc_splice_eof(struct socket *sock);
ssize_t smc_sendpage(struct socket *sock, struct page *page, int offset,
		     size_t size, int flags);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* poll(), select() and epoll of AF_SMC. */
#ifndef _SMC_SOCKET_POLL_H
#define _SMC_SOCKET_POLL_H

#include <linux/poll.h>

struct socket;

__poll_t smc_poll(struct file *file, struct socket *sock, poll_table *wait);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* The urgent byte at the receiver. See urgent.c. */
#ifndef _SMC_CONN_URGENT_H
#define _SMC_CONN_URGENT_H

#include <linux/types.h>

struct msghdr;
struct smc_conn;

/* ---- for the owner ---- */

ssize_t smc_urgent_recv(struct smc_conn *conn, struct msghdr *msg, size_t len,
			int flags);
bool smc_urgent_at_mark(struct smc_conn *conn, u32 offset);
u32 smc_urgent_inq(struct smc_conn *conn);

/* ---- for other files of conn/ ---- */

bool smc_urgent_in_line(const struct smc_conn *conn);
bool smc_urgent_heard(struct smc_conn *conn, u8 flags, u64 prod);

#endif

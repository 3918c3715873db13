/* SPDX-License-Identifier: GPL-2.0 */
/* Sending, for the owner of a connection. See tx.c. */
#ifndef _SMC_CONN_TX_H
#define _SMC_CONN_TX_H

#include <linux/types.h>

struct msghdr;
struct smc_conn;

/* ---- for the owner ---- */

ssize_t smc_tx_queue(struct smc_conn *conn, struct msghdr *msg, size_t len);
struct ubuf_info *smc_tx_last_notice(struct smc_conn *conn);
void smc_tx_push(struct smc_conn *conn, bool nodelay, bool more);
u32 smc_tx_unsent(const struct smc_conn *conn);
u32 smc_tx_queued(const struct smc_conn *conn);
u32 smc_tx_memory(const struct smc_conn *conn);
bool smc_tx_writable(const struct smc_conn *conn);
void smc_tx_set_lowat(struct smc_conn *conn, u32 lowat);
void smc_tx_set_limit(struct smc_conn *conn, u32 sndbuf);

/* ---- for other files of conn/ ---- */

void smc_tx_prepare(struct smc_conn *conn, u32 sndbuf);
void smc_tx_uncork(struct smc_conn *conn);

#endif

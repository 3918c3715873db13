/* SPDX-License-Identifier: GPL-2.0 */
/* Receiving, for the owner of a connection. See rx.c. */
#ifndef _SMC_CONN_RX_H
#define _SMC_CONN_RX_H

#include <linux/types.h>

struct bio_vec;
struct msghdr;
struct smc_conn;

/* What a reader can get, see smc_rx_ready(). */
enum smc_rx_ready {
	SMC_RX_READY_BYTES	= 1,
	SMC_RX_READY_URGENT	= 2,	/* recv(MSG_OOB) */
};

u32 smc_rx_avail(const struct smc_conn *conn);
bool smc_rx_full(const struct smc_conn *conn);
u8 smc_rx_ready(const struct smc_conn *conn, u32 want);
u32 smc_rx_fills(const struct smc_conn *conn);
bool smc_rx_eof(const struct smc_conn *conn);
bool smc_rx_all_read(const struct smc_conn *conn);
ssize_t smc_rx_read(struct smc_conn *conn, struct msghdr *msg, size_t len,
		    u32 offset, int flags, bool *more);
bool smc_rx_has_pages(const struct smc_conn *conn);
u32 smc_rx_pages(struct smc_conn *conn, struct bio_vec *vecs, unsigned int *nr,
		 size_t len);
int smc_rx_feed(struct smc_conn *conn, struct msghdr *msg, u32 len,
		int (*use)(void *arg, u32 len), void *arg);
void smc_rx_wait(struct smc_conn *conn);
u32 smc_rx_set_limit(struct smc_conn *conn, u32 bytes);

#endif

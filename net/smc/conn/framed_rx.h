/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Dialect of frames: received records and the bytes that they carry. See
 * framed_rx.c.
 */
#ifndef _SMC_CONN_FRAMED_RX_H
#define _SMC_CONN_FRAMED_RX_H

#include <linux/types.h>
#include "dialect.h"

struct smc_conn;
struct smc_frame_record;
struct smc_lgr;
struct smc_lgr_member;
struct smc_link;

int smc_framed_rx_record(struct smc_lgr *lgr, const struct smc_link *link,
			 const struct smc_frame_record *rec);
void smc_framed_rx_take_mail(struct smc_conn *conn);
void smc_framed_rx_deliver(u32 token);
void smc_framed_rx_reader(struct smc_conn *conn, enum smc_reader done);
u32 smc_framed_rx_limit(struct smc_conn *conn, u32 bytes);
void smc_framed_rx_closed(struct smc_lgr_member *m, u32 uid);
void smc_framed_rx_prepare(struct smc_conn *conn, u32 link, u32 cap);
void smc_framed_rx_seen(struct smc_conn *conn);
bool smc_framed_rx_keeps(const struct smc_conn *conn);
void smc_framed_rx_shrink(struct smc_conn *conn);
void smc_framed_rx_free(struct smc_conn *conn);

#endif

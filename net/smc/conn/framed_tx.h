/* SPDX-License-Identifier: GPL-2.0 */
/* Dialect of frames: sending. See framed_tx.c. */
#ifndef _SMC_CONN_FRAMED_TX_H
#define _SMC_CONN_FRAMED_TX_H

#include <linux/types.h>

enum {
	/* limit in bytes of a segment whose bytes always go into frames */
	SMC_FRAMED_TX_SMALL	= 2048,
};

struct smc_conn;
struct smc_lgr_member;
struct smc_link;
struct smc_pack;
struct smc_writes;

void smc_framed_tx_kick(struct smc_conn *conn);
void smc_framed_tx_heard(struct smc_conn *conn);
bool smc_framed_tx_flying(const struct smc_conn *conn);
bool smc_framed_tx_settled(const struct smc_conn *conn);
bool smc_framed_tx_fill(struct smc_lgr_member *m, struct smc_link *link,
			struct smc_pack *pack, struct smc_writes *writes,
			u32 others);
void smc_framed_tx_done(struct smc_lgr_member *m, u32 move, u64 prod, int err);

#endif

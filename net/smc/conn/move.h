/* SPDX-License-Identifier: GPL-2.0 */
/* Sending, and the link that is sent over: tx.c, move.c. */
#ifndef _SMC_CONN_MOVE_H
#define _SMC_CONN_MOVE_H

#include <linux/types.h>

struct smc_conn;
struct smc_lgr_member;
struct smc_link;
struct work_struct;

/* move.c */
bool smc_conn_resolve(struct smc_conn *conn);
void smc_conn_settle(struct smc_conn *conn);
void smc_conn_switch(struct smc_conn *conn);
bool smc_conn_move(struct smc_lgr_member *m, struct smc_link *from,
		   struct smc_link *to);

/* tx.c */
void smc_tx_kick(struct smc_conn *conn);
void smc_tx_run(struct smc_lgr_member *m);
void smc_tx_cork_timer(struct work_struct *work);

#endif

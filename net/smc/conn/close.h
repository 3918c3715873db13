/* SPDX-License-Identifier: GPL-2.0 */
/* Driver of the close state machine, which ends a connection. See close.c. */
#ifndef _SMC_CONN_CLOSE_H
#define _SMC_CONN_CLOSE_H

#include "close_fsm.h"

struct smc_conn;
struct smc_lgr_member;

/* ---- for the owner ---- */

int smc_close_sending(struct smc_conn *conn, bool both);
void smc_close_both(struct smc_conn *conn, bool gone);
void smc_close_reset(struct smc_conn *conn, int err);

/* ---- for other files of conn/ ---- */

void smc_close_overdue(struct smc_conn *conn);
void smc_close_step(struct smc_conn *conn, enum smc_close_event ev);
void smc_close_abort(struct smc_conn *conn, int err);
void smc_close_lost(struct smc_conn *conn);
void smc_close_said(struct smc_conn *conn, u8 flags);
void smc_close_settled(struct smc_conn *conn);
void smc_close_heard(struct smc_conn *conn, u8 fresh);
void smc_close_group_ended(struct smc_lgr_member *m, int err);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* The end of a connection, see close.c; conn->lock is held but by the timer. */
#ifndef _SMC_CONN_CLOSE_H
#define _SMC_CONN_CLOSE_H

#include "close_fsm.h"

struct smc_conn;
struct work_struct;

void smc_close_step(struct smc_conn *conn, enum smc_close_event ev);
void smc_close_error(struct smc_conn *conn, int err);
void smc_close_abort(struct smc_conn *conn, int err);
void smc_close_said(struct smc_conn *conn, u8 flags);
void smc_close_heard(struct smc_conn *conn, u8 fresh);
void smc_close_timer(struct work_struct *work);

#endif

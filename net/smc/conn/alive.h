/* SPDX-License-Identifier: GPL-2.0 */
/* Keepalive of a connection. See alive.c. */
#ifndef _SMC_CONN_ALIVE_H
#define _SMC_CONN_ALIVE_H

#include <linux/types.h>

struct smc_conn;

/* ---- for the owner ---- */

void smc_alive_set_patience(struct smc_conn *conn, u32 patience);
void smc_alive_set(struct smc_conn *conn, u32 idle);

/* ---- for other files of conn/ ---- */

void smc_alive_prepare(struct smc_conn *conn);
void smc_alive_watch(struct smc_conn *conn);
void smc_alive_keepalive(struct smc_conn *conn);
void smc_alive_stall(struct smc_conn *conn);

#endif

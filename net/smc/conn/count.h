/* SPDX-License-Identifier: GPL-2.0 */
/* What statistics want to know of a connection. Context: process. */
#ifndef _SMC_CONN_COUNT_H
#define _SMC_CONN_COUNT_H

#include <linux/types.h>

struct smc_conn;

/**
 * smc_conn_count_start - the connection carries data from now on
 * @conn:	connection
 * @wanted:	element size that was wished for
 * @fresh:	its element is of an RMB that was made for it
 */
void smc_conn_count_start(struct smc_conn *conn, u32 wanted, bool fresh);
/** smc_conn_count_send - a call to send @len bytes queued @done */
void smc_conn_count_send(struct smc_conn *conn, size_t len, size_t done);
/** smc_conn_count_recv - a call to receive up to @len bytes got @done */
void smc_conn_count_recv(struct smc_conn *conn, size_t len, size_t done);
/** smc_conn_count_full - a sender found no room */
void smc_conn_count_full(struct smc_conn *conn);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* Statistics of calls and buffers of a connection. See count.c. */
#ifndef _SMC_CONN_COUNT_H
#define _SMC_CONN_COUNT_H

#include <linux/types.h>

struct smc_conn;

void smc_count_start(struct smc_conn *conn, u32 wanted, bool fresh);
void smc_count_send(struct smc_conn *conn, size_t len, size_t done);
void smc_count_recv(struct smc_conn *conn, size_t len, size_t done);
void smc_count_full(struct smc_conn *conn);

#endif

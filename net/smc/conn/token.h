/* SPDX-License-Identifier: GPL-2.0 */
/* Alert tokens. See token.c. */
#ifndef _SMC_CONN_TOKEN_H
#define _SMC_CONN_TOKEN_H

#include <linux/types.h>

struct smc_conn;

int smc_token_init(void);
void smc_token_exit(void);
int smc_token_add(struct smc_conn *conn);
void smc_token_del(struct smc_conn *conn);
struct smc_conn *smc_token_find(u32 token);

#endif

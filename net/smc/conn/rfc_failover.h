/* SPDX-License-Identifier: GPL-2.0 */
/* RFC dialect: changes the link that a connection sends over. See
 * rfc_failover.c.
 */
#ifndef _SMC_CONN_RFC_FAILOVER_H
#define _SMC_CONN_RFC_FAILOVER_H

#include <linux/types.h>
#include "rfc_path_fsm.h"

struct smc_conn;

void smc_rfc_failover_step(struct smc_conn *conn, enum smc_rfc_path_event ev);
bool smc_rfc_failover_resolve(struct smc_conn *conn);
void smc_rfc_failover_settle(struct smc_conn *conn);
void smc_rfc_failover_switch(struct smc_conn *conn);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* Failover of links that fail or that the worker gives up. */
#ifndef _SMC_GROUP_FAILOVER_H
#define _SMC_GROUP_FAILOVER_H

struct smc_lgr;

void smc_failover_run(struct smc_lgr *lgr);
void smc_failover_check(struct smc_lgr *lgr);
void smc_failover_leave_port(struct smc_lgr *lgr);

#endif

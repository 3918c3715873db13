/* SPDX-License-Identifier: GPL-2.0 */
/* Which exchange of keys is due. */
#ifndef _SMC_GROUP_RMB_EXCHANGE_H
#define _SMC_GROUP_RMB_EXCHANGE_H

struct smc_lgr;

void smc_rmb_exchange_run(struct smc_lgr *lgr);

#endif

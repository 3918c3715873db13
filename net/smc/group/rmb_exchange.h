/* SPDX-License-Identifier: GPL-2.0 */
/* Decides which exchange of keys comes next (RFC 7609 3.5.5.2). */
#ifndef _SMC_GROUP_RMB_EXCHANGE_H
#define _SMC_GROUP_RMB_EXCHANGE_H

struct smc_lgr;

void smc_rmb_exchange_run(struct smc_lgr *lgr);

#endif

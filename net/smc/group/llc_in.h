/* SPDX-License-Identifier: GPL-2.0 */
/* Received LLC messages. */
#ifndef _SMC_GROUP_LLC_IN_H
#define _SMC_GROUP_LLC_IN_H

struct smc_lgr;
struct smc_llc_buf;

void smc_llc_in_message(struct smc_lgr *lgr, const struct smc_llc_buf *msg);

#endif

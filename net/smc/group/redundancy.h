/* SPDX-License-Identifier: GPL-2.0 */
/* When a group wants another link. */
#ifndef _SMC_GROUP_REDUNDANCY_H
#define _SMC_GROUP_REDUNDANCY_H

#include <linux/types.h>

struct smc_lgr;
struct smc_link;
struct smc_llc_in;

void smc_redundancy_want(struct smc_lgr *lgr);
void smc_redundancy_retry(struct smc_lgr *lgr);
void smc_redundancy_soon(struct smc_lgr *lgr);
void smc_redundancy_no_path(struct smc_lgr *lgr);
bool smc_redundancy_may_try(const struct smc_lgr *lgr);
void smc_redundancy_answered(struct smc_lgr *lgr);
void smc_redundancy_tell(struct smc_lgr *lgr);
void smc_redundancy_asked(struct smc_lgr *lgr);
void smc_redundancy_ports(struct smc_lgr *lgr);
void smc_redundancy_request(struct smc_link *link, const struct smc_llc_in *in);

#endif

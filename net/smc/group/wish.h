/* SPDX-License-Identifier: GPL-2.0 */
/* When a group wants another link. */
#ifndef _SMC_GROUP_WISH_H
#define _SMC_GROUP_WISH_H

#include <linux/types.h>

struct smc_lgr;
struct smc_link;
struct smc_llc_in;

void smc_wish_link(struct smc_lgr *lgr);
void smc_wish_later(struct smc_lgr *lgr);
void smc_wish_no_path(struct smc_lgr *lgr);
bool smc_wish_may_try(const struct smc_lgr *lgr);
void smc_wish_tell(struct smc_lgr *lgr);
void smc_wish_asked(struct smc_lgr *lgr);
void smc_wish_ports(struct smc_lgr *lgr);
void smc_wish_request(struct smc_link *link, const struct smc_llc_in *in);

#endif

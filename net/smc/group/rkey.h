/* SPDX-License-Identifier: GPL-2.0 */
/* CONFIRM RKEY and DELETE RKEY. See rkey.c. */
#ifndef _SMC_GROUP_RKEY_H
#define _SMC_GROUP_RKEY_H

#include <linux/types.h>

struct smc_lgr;
struct smc_link;
struct smc_llc_in;
struct smc_rmb;

bool smc_rkey_idle(const struct smc_lgr *lgr);
bool smc_rkey_announce(struct smc_lgr *lgr, struct smc_rmb *rmb);
void smc_rkey_revoke(struct smc_lgr *lgr, struct smc_rmb *rmb);
void smc_rkey_timeout(struct smc_lgr *lgr);
void smc_rkey_link_down(struct smc_lgr *lgr, const struct smc_link *link);
void smc_rkey_confirm(struct smc_link *link, const struct smc_llc_in *in);
void smc_rkey_confirm_cont(struct smc_link *link, const struct smc_llc_in *in);
void smc_rkey_delete(struct smc_link *link, const struct smc_llc_in *in);

#endif

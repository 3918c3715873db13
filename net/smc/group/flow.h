/* SPDX-License-Identifier: GPL-2.0 */
/* LLC flows that add and delete links. */
#ifndef _SMC_GROUP_FLOW_H
#define _SMC_GROUP_FLOW_H

#include <linux/types.h>

struct smc_lgr;
struct smc_link;
struct smc_llc_in;

bool smc_flow_idle(const struct smc_lgr *lgr);
bool smc_flow_unheard(const struct smc_lgr *lgr);
struct smc_link *smc_flow_find_down(struct smc_lgr *lgr);
void smc_flow_next(struct smc_lgr *lgr);
bool smc_flow_first(struct smc_lgr *lgr);
void smc_flow_timeout(struct smc_lgr *lgr);
void smc_flow_link_down(struct smc_lgr *lgr, struct smc_link *link);
bool smc_flow_is_about(const struct smc_link *link);
bool smc_flow_offer(struct smc_link *on, const struct smc_llc_in *in);
void smc_flow_add_link(struct smc_link *on, const struct smc_llc_in *in);
void smc_flow_add_cont(struct smc_link *on, const struct smc_llc_in *in);
void smc_flow_confirm_link(struct smc_link *on, const struct smc_llc_in *in);
void smc_flow_delete_link(struct smc_link *on, const struct smc_llc_in *in);
void smc_flow_answer_delete(struct smc_lgr *lgr, struct smc_link *link);
void smc_flow_answer_request(struct smc_lgr *lgr);

#endif

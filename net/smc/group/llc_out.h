/* SPDX-License-Identifier: GPL-2.0 */
/* LLC messages that several files of this floor send. */
#ifndef _SMC_GROUP_LLC_OUT_H
#define _SMC_GROUP_LLC_OUT_H

#include <linux/types.h>

struct smc_lgr;
struct smc_link;

bool smc_llc_out_orderly(u32 reason);
int smc_llc_out_delete_all(struct smc_lgr *lgr, u32 reason);
void smc_llc_out_unknown_link(struct smc_link *link, u8 link_num);
int smc_llc_out_delete(struct smc_link *on, u8 num, u32 reason, bool reply);
int smc_llc_out_confirm_link(struct smc_link *link, bool reply);
void smc_llc_out_add_nothing(struct smc_link *link, u8 reason, u8 link_num);

#endif

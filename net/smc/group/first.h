/* SPDX-License-Identifier: GPL-2.0 */
/* First contact (first.c), and LLC messages by opcode (llc.c). */
#ifndef _SMC_GROUP_FIRST_H
#define _SMC_GROUP_FIRST_H

#include <linux/types.h>

struct smc_lgr;
struct smc_link;

/* first.c */
void smc_first_client(struct smc_lgr *lgr);
int smc_first_server(struct smc_link *link);
void smc_first_llc(struct smc_link *link, const u8 *msg);
void smc_first_timeout(struct smc_lgr *lgr);
int smc_first_confirm_link(struct smc_link *link, bool reply);
void smc_first_offer(struct smc_link *link, const u8 *msg);
void smc_first_second_done(struct smc_lgr *lgr);
u32 smc_first_decline(struct smc_lgr *lgr);

/* llc.c */
void smc_llc_handle(struct smc_link *link, const u8 *msg);
void smc_llc_reply_unknown(struct smc_link *link, u8 link_num);
bool smc_llc_orderly(u32 reason);
int smc_llc_delete_all(struct smc_lgr *lgr, u32 reason);

#endif

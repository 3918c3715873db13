/* SPDX-License-Identifier: GPL-2.0 */
/* First contact: link confirmation and the wait for a second link. */
#ifndef _SMC_GROUP_FIRST_CONTACT_H
#define _SMC_GROUP_FIRST_CONTACT_H

#include <linux/types.h>

struct smc_lgr;
struct smc_link;
struct smc_llc_in;

void smc_first_contact_client(struct smc_lgr *lgr);
int smc_first_contact_server(struct smc_link *link);
void smc_first_contact_confirm_link(struct smc_link *link,
				    const struct smc_llc_in *in);
void smc_first_contact_add_link(struct smc_link *link,
				const struct smc_llc_in *in);
void smc_first_contact_offer(struct smc_link *link,
			     const struct smc_llc_in *in);
void smc_first_contact_timeout(struct smc_lgr *lgr);
void smc_first_contact_settled(struct smc_lgr *lgr);
void smc_first_contact_flow_ended(struct smc_lgr *lgr);

#endif

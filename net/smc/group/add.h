/* SPDX-License-Identifier: GPL-2.0 */
/* Adding a link to a group: ports, keys and messages. */
#ifndef _SMC_GROUP_ADD_H
#define _SMC_GROUP_ADD_H

#include <linux/types.h>

struct smc_lgr;
struct smc_link;
struct smc_llc_add_link;
struct smc_llc_add_link_cont;
struct smc_llc_in;

struct smc_link *smc_add_open_server(struct smc_lgr *lgr);
struct smc_link *smc_add_open_client(struct smc_link *carrier,
				     const struct smc_llc_add_link *m);
int smc_add_send(struct smc_link *carrier, struct smc_link *link, bool reply);
bool smc_add_notice(struct smc_lgr *lgr);
int smc_add_map_keys(struct smc_lgr *lgr, struct smc_link *link);
int smc_add_open_keys(struct smc_lgr *lgr, struct smc_link *link);
int smc_add_send_keys(struct smc_link *carrier, struct smc_link *link,
		      bool reply);
int smc_add_take_keys(struct smc_link *carrier, struct smc_link *link,
		      const struct smc_llc_add_link_cont *m);
bool smc_add_lists_keys(const struct smc_lgr *lgr);
int smc_add_take_pairs(struct smc_link *carrier, struct smc_link *link,
		       const struct smc_llc_in *in);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* The links of a group. */
#ifndef _SMC_GROUP_LINKS_H
#define _SMC_GROUP_LINKS_H

#include <linux/types.h>

struct smc_dev_choice;
struct smc_ep_addr;
struct smc_lgr;
struct smc_link;

int smc_links_add(struct smc_lgr *lgr, struct smc_link *link);
bool smc_links_full(struct smc_lgr *lgr);
int smc_links_bind(struct smc_link *link, const struct smc_ep_addr *peer,
		   int (*bind)(struct smc_link *link));
void smc_links_close(struct smc_lgr *lgr);
void smc_links_remove(struct smc_lgr *lgr, struct smc_link *link);
void smc_links_stopped(struct smc_lgr *lgr);
void smc_links_drop_keys(struct smc_lgr *lgr);
void smc_links_leave(struct smc_link *link, struct smc_link *carrier);
void smc_links_left(struct smc_lgr *lgr, bool all);
struct smc_link *smc_links_first(struct smc_lgr *lgr);
struct smc_link *smc_links_pick(struct smc_lgr *lgr, const struct smc_link *not);
struct smc_link *smc_links_carrier(struct smc_lgr *lgr,
				   const struct smc_link *not);
struct smc_link *smc_links_by_uid(struct smc_lgr *lgr, u32 uid);
bool smc_links_on_path(struct smc_lgr *lgr, const struct smc_dev_choice *own,
		       const u8 *peer_gid);
unsigned int smc_links_active(struct smc_lgr *lgr);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* The server's groups that have a place for another connection, by peer. */
#ifndef _SMC_GROUP_VACANT_H
#define _SMC_GROUP_VACANT_H

#include <linux/list.h>
#include <linux/types.h>

struct smc_contact;
struct smc_lgr;

void smc_vacant_init(void);
bool smc_vacant_has_place(const struct smc_lgr *lgr);
void smc_vacant_add(struct smc_lgr *lgr);
void smc_vacant_remove(struct smc_lgr *lgr);
void smc_vacant_user_came(struct smc_lgr *lgr);
void smc_vacant_user_left(struct smc_lgr *lgr);
struct hlist_head *smc_vacant_list(const struct smc_contact *c);

#endif

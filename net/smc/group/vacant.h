/* SPDX-License-Identifier: GPL-2.0 */
/* The server's groups that have a place for another connection, by peer. */
#ifndef _SMC_GROUP_VACANT_H
#define _SMC_GROUP_VACANT_H

#include <linux/list.h>
#include <linux/types.h>

struct smc_contact;
struct smc_lgr;

/**
 * struct smc_vacant_pick - the group with the fewest users
 * @lgr:	group or NULL; valid in the RCU section of the lookup
 * @users:	its users
 */
struct smc_vacant_pick {
	struct smc_lgr *lgr;
	unsigned int users;
};

/**
 * struct smc_vacant_crowd - wide groups that a lookup uses only if it must
 * (F-36)
 * @n:		number of groups
 * @formed:	the best of those with many connections
 * @forming:	the best of those that have not formed
 */
struct smc_vacant_crowd {
	unsigned int n;
	struct smc_vacant_pick formed;
	struct smc_vacant_pick forming;
};

void smc_vacant_init(void);
bool smc_vacant_has_place(const struct smc_lgr *lgr);
bool smc_vacant_note(struct smc_vacant_crowd *crowd, struct smc_lgr *lgr);
struct smc_lgr *smc_vacant_choose(const struct smc_vacant_crowd *crowd,
				  const struct smc_contact *c);
void smc_vacant_refused(const struct smc_contact *c);
void smc_vacant_check(struct smc_lgr *lgr);
void smc_vacant_remove(struct smc_lgr *lgr);
struct hlist_head *smc_vacant_list(const struct smc_contact *c);

#endif

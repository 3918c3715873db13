/* SPDX-License-Identifier: GPL-2.0 */
/* The server of a group gives each link a number (RFC 7609 2.2.4). */
#ifndef _SMC_GROUP_LINK_NUM_H
#define _SMC_GROUP_LINK_NUM_H

#include "lgr_types.h"
#include "link.h"
#include "link_types.h"

/* Number of the first link */
#define SMC_LINK_NUM_FIRST	1

/**
 * smc_link_num_find() - find the link of a group that has this number
 * @lgr:	group
 * @num:	number
 *
 * Context: worker. Return: the link, or NULL.
 */
static inline struct smc_link *smc_link_num_find(struct smc_lgr *lgr, u8 num)
{
	struct smc_link *link;
	int i;

	smc_link_for_each(lgr, i, link)
		if (link->num == num)
			return link;
	return NULL;
}

/**
 * smc_link_num_next() - choose the number of a new link
 * @lgr:	group
 *
 * Context: worker. Return: the first number after the last one that was chosen
 * and that no link has; 0 is not a number (R-2.2.4-02, R-2.2.4-03).
 */
static inline u8 smc_link_num_next(struct smc_lgr *lgr)
{
	struct smc_lgr_numbers *numbers = &lgr->numbers;

	do
		numbers->last_num++;
	while (!numbers->last_num ||
	       smc_link_num_find(lgr, numbers->last_num));
	return numbers->last_num;
}

#endif

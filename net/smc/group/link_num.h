/* SPDX-License-Identifier: GPL-2.0 */
/* Numbers of the links of a group (RFC 7609 2.2.4). The server assigns them. */
#ifndef _SMC_GROUP_LINK_NUM_H
#define _SMC_GROUP_LINK_NUM_H

#include "lgr_types.h"
#include "link_types.h"

/* Number of the first link */
#define SMC_LINK_NUM_FIRST	1

/**
 * smc_link_num_used() - does a link of the group have this number?
 * @lgr:	group
 * @num:	number
 *
 * Context: worker. Return: true if a link has it.
 */
static inline bool smc_link_num_used(const struct smc_lgr *lgr, u8 num)
{
	int i;

	for (i = 0; i < SMC_LINK_SLOTS; i++)
		if (lgr->links[i] && lgr->links[i]->num == num)
			return true;
	return false;
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
	       smc_link_num_used(lgr, numbers->last_num));
	return numbers->last_num;
}

#endif

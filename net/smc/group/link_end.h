/* SPDX-License-Identifier: GPL-2.0 */
/* The end of a link, see link_end.c. */
#ifndef _SMC_GROUP_LINK_END_H
#define _SMC_GROUP_LINK_END_H

#include <linux/types.h>

struct smc_lgr;
struct smc_link;

void smc_link_bury(struct smc_link *link);
bool smc_link_stopped(const struct smc_link *link);
bool smc_link_await_stop(struct smc_link *link, unsigned int ms);
void smc_link_await_quiet(struct smc_lgr *lgr);
void smc_link_uncount(struct smc_link *link);
bool smc_link_await_left(struct smc_link *link, unsigned int ms);

#endif

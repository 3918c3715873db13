/* SPDX-License-Identifier: GPL-2.0 */
/* A frame that waits while the application reads. See hold.c. */
#ifndef _SMC_GROUP_HOLD_H
#define _SMC_GROUP_HOLD_H

#include <linux/types.h>

struct smc_link;

void smc_hold_init(struct smc_link *link);
void smc_hold_begin(struct smc_link *link, u64 ns);
void smc_hold_end(struct smc_link *link);
void smc_hold_left(struct smc_link *link);
void smc_hold_stop(struct smc_link *link);
void smc_hold_unread(struct smc_link *link);
void smc_hold_seen(struct smc_link *link);
bool smc_hold_wanted(const struct smc_link *link, u32 n);

#endif

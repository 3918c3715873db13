/* SPDX-License-Identifier: GPL-2.0 */
/* Count of the idle groups of a namespace. */
#ifndef _SMC_GROUP_IDLE_H
#define _SMC_GROUP_IDLE_H

#include <linux/types.h>

struct net;
struct smc_idle;

int smc_idle_init(void);
void smc_idle_exit(void);
struct smc_idle *smc_idle_get(const struct net *net);
void smc_idle_put(struct smc_idle *idle);
void smc_idle_begin(struct smc_idle *idle);
void smc_idle_end(struct smc_idle *idle);
bool smc_idle_crowded(const struct smc_idle *idle, int max);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* A table of links by the address of their peer. */
#ifndef _SMC_GROUP_BY_PEER_H
#define _SMC_GROUP_BY_PEER_H

#include <linux/types.h>

struct smc_contact;
struct smc_ep_addr;
struct smc_link;

void smc_by_peer_init(void);
void smc_by_peer_add(struct smc_link *link);
void smc_by_peer_remove(struct smc_link *link);
bool smc_by_peer_find(struct smc_contact *c, const struct smc_ep_addr *peer);

#endif

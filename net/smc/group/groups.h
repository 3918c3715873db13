/* SPDX-License-Identifier: GPL-2.0 */
/* Creates and frees groups. Starts and ends the files of group/. */
#ifndef _SMC_GROUP_GROUPS_H
#define _SMC_GROUP_GROUPS_H

#include <linux/types.h>

struct net;
struct smc_contact;
struct smc_link_user;

int smc_groups_for_server(struct smc_contact *c, const u8 *peer_gid,
			  bool *beside);
int smc_groups_for_client(struct smc_contact *c, const u8 *peer_gid);
int smc_groups_end(const struct net *net, u32 id);
int smc_groups_init(const struct smc_link_user *user);
void smc_groups_exit(void);

#endif

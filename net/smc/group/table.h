/* SPDX-License-Identifier: GPL-2.0 */
/* The table of all groups. */
#ifndef _SMC_GROUP_TABLE_H
#define _SMC_GROUP_TABLE_H

#include <linux/types.h>
#include "lgr.h"

struct net;
struct smc_contact;

bool smc_table_route_moved(const struct smc_lgr *lgr,
			   const struct smc_contact *c, const u8 *peer_gid);
bool smc_table_find_server(struct smc_contact *c, const u8 *peer_gid,
			   bool *beside);
bool smc_table_add_server(struct smc_lgr *fresh, struct smc_contact *c,
			  const u8 *peer_gid);
void smc_table_add_client(struct smc_lgr *lgr);
void smc_table_remove(struct smc_lgr *lgr);
void smc_table_event_all(enum smc_lgr_event_bit ev);
void smc_table_ports(u64 net_cookie);
void smc_table_event_net(const struct net *net, enum smc_lgr_event_bit ev);
bool smc_table_event_id(const struct net *net, u32 id, enum smc_lgr_event_bit ev);
void smc_table_make_room(struct smc_lgr *lgr);
struct smc_lgr *smc_table_next(u32 after, const struct net *net);

#endif

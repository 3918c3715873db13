/* SPDX-License-Identifier: GPL-2.0 */
/* The GIDs of a port for the two versions of the protocol. */
#ifndef _SMC_TRANSPORT_GID_PICK_H
#define _SMC_TRANSPORT_GID_PICK_H

#include <linux/types.h>

/**
 * struct smc_gid_rank - the best entry so far
 * @rank:	how well it fits; 0: there is none
 * @idx:	its index
 */
struct smc_gid_rank {
	u8 rank;
	u8 idx;
};

/**
 * struct smc_gid_pick - the best entries of a GID table
 * @own:	the connection's own address
 * @any:	only the family of @own matters
 * @v1:		of RoCEv1
 * @v2:		of RoCEv2
 * @usable:	version 2 can use the GID of @v2
 */
struct smc_gid_pick {
	const u8 *own;
	bool any;
	struct smc_gid_rank v1;
	struct smc_gid_rank v2;
	bool usable;
};

void smc_gid_pick_init(struct smc_gid_pick *p, const u8 *own, bool any);
void smc_gid_pick_look(struct smc_gid_pick *p, u8 idx, const u8 *gid,
		       bool roce_v1);
bool smc_gid_pick_best(const struct smc_gid_pick *p, bool has_v1);
bool smc_gid_pick_exact(const struct smc_gid_pick *p);
int smc_gid_pick_v1(const struct smc_gid_pick *p);
int smc_gid_pick_v2(const struct smc_gid_pick *p);

#endif

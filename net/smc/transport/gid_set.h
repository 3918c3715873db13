/* SPDX-License-Identifier: GPL-2.0 */
/* The GIDs that a port had at the last look, to find new ones. */
#ifndef _SMC_TRANSPORT_GID_SET_H
#define _SMC_TRANSPORT_GID_SET_H

#include <linux/types.h>

/* Entries of a GID table that the module uses: their index is one byte. */
#define SMC_GID_SET_MAX	256

/**
 * struct smc_gid_set - GIDs of a port
 * @hash:	of GID, type and namespace, by index; 0: there is none
 */
struct smc_gid_set {
	u32 hash[SMC_GID_SET_MAX];
};

u32 smc_gid_set_hash(const u8 *gid, u8 type, u64 net_cookie);
bool smc_gid_set_has(const struct smc_gid_set *s, u32 hash);

#endif

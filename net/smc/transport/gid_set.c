// SPDX-License-Identifier: GPL-2.0
/*
 * Remembers the GIDs of a port, to know which of them are new. The RDMA core
 * only reports that something has changed. Only a new address in the namespace
 * of a group is a reason to look for links. A removed address, or an address of
 * another namespace, is not. Pure code.
 */
#include <linux/jhash.h>
#include "gid_set.h"

/**
 * smc_gid_set_hash - identify a GID
 * @gid:	16 bytes
 * @type:	enum ib_gid_type
 * @net_cookie:	namespace of its net device
 *
 * Return: number, not 0. Two GIDs may have the same number by chance. Then the
 * module notices the second one only at the next event.
 */
u32 smc_gid_set_hash(const u8 *gid, u8 type, u64 net_cookie)
{
	return jhash(gid, 16, jhash_3words(type, net_cookie, net_cookie >> 32,
					   0)) ?: 1;
}

/** smc_gid_set_has - does the set have this GID? */
bool smc_gid_set_has(const struct smc_gid_set *s, u32 hash)
{
	int i;

	for (i = 0; i < SMC_GID_SET_MAX; i++)
		if (s->hash[i] == hash)
			return true;
	return false;
}

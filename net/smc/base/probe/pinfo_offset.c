// SPDX-License-Identifier: GPL-2.0
/* struct proto has the offset of struct ipv6_pinfo. */
#include <net/sock.h>

static inline unsigned int smc_probe_pinfo_offset(const struct proto *prot)
{
	return prot->ipv6_pinfo_offset;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Picks the GIDs of a port, one for each version of the protocol, from the
 * entries of its GID table that belong to the path. Pure code.
 *
 * Version 1 uses a GID of RoCEv1, and deployed peers take the first GID of that
 * type. If this side used a GID of RoCEv2, both sides would accept the other's
 * GID, and no packet would arrive. Version 2 uses a GID of RoCEv2, which is an
 * IP address: of IPv4, or of IPv6 if the connection has addresses of IPv6.
 */
#include <net/ipv6.h>
#include "gid_pick.h"

enum {
	RANK_NONE,
	RANK_ANY,
	RANK_ALIKE,	/* the same address family, usable beyond the link */
	RANK_OWN,	/* the connection's own address */
};

/**
 * smc_gid_pick_init - begin a search
 * @p: the search
 * @own: the connection's own address as a GID; must stay valid during the
 *		search
 * @any: only the family of @own matters, because the net device may be another
 */
void smc_gid_pick_init(struct smc_gid_pick *p, const u8 *own, bool any)
{
	*p = (struct smc_gid_pick) { .own = own, .any = any };
}

static bool gid_is_v4(const u8 *gid)
{
	return ipv6_addr_v4mapped((const struct in6_addr *)gid);
}

static bool gid_is_local(const u8 *gid)
{
	return ipv6_addr_type((const struct in6_addr *)gid) &
	       IPV6_ADDR_LINKLOCAL;
}

static u8 rank_of(const struct smc_gid_pick *p, const u8 *gid)
{
	if (!p->any && !memcmp(p->own, gid, sizeof(struct in6_addr)))
		return RANK_OWN;
	return gid_is_v4(p->own) == gid_is_v4(gid) && !gid_is_local(gid) ?
	       RANK_ALIKE : RANK_ANY;
}

/*
 * Can version 2 use this GID of RoCEv2? It looks up a route to the peer's GID,
 * and a link-local address has none without an interface.
 */
static bool usable_for_v2(const struct smc_gid_pick *p, const u8 *gid)
{
	return gid_is_v4(gid) || (!gid_is_v4(p->own) && !gid_is_local(gid));
}

/**
 * smc_gid_pick_look - look at an entry
 * @p: the search
 * @idx: index of the entry; each call has a larger index than the one before
 * @gid: its GID
 * @roce_v1: its type
 */
void smc_gid_pick_look(struct smc_gid_pick *p, u8 idx, const u8 *gid,
		       bool roce_v1)
{
	u8 rank = rank_of(p, gid);

	if (roce_v1) {
		if (!p->v1.rank)
			p->v1 = (struct smc_gid_rank) { rank, idx };
	} else if (rank > p->v2.rank) {
		p->v2 = (struct smc_gid_rank) { rank, idx };
		p->usable = usable_for_v2(p, gid);
	}
}

/**
 * smc_gid_pick_best - can no later entry be better?
 * @p: the search
 * @has_v1: the port may have entries of RoCEv1
 */
bool smc_gid_pick_best(const struct smc_gid_pick *p, bool has_v1)
{
	return p->v2.rank == (p->any ? RANK_ALIKE : RANK_OWN) &&
	       (p->v1.rank || !has_v1);
}

/** smc_gid_pick_exact - is one of the entries the connection's own address? */
bool smc_gid_pick_exact(const struct smc_gid_pick *p)
{
	return p->v1.rank == RANK_OWN || p->v2.rank == RANK_OWN;
}

/** smc_gid_pick_v1 - index of the entry for version 1, or -1 */
int smc_gid_pick_v1(const struct smc_gid_pick *p)
{
	if (p->v1.rank)
		return p->v1.idx;
	/* hosts with this module speak version 1 over RoCEv2, too */
	return p->v2.rank ? p->v2.idx : -1;
}

/** smc_gid_pick_v2 - index of the entry for version 2, or -1 */
int smc_gid_pick_v2(const struct smc_gid_pick *p)
{
	return p->v2.rank && p->usable ? p->v2.idx : -1;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * What kinds of links a group has and may have (RFC 7609 2.2.1, 2.2.2). All in
 * the group's worker.
 *
 * Links are told apart by age: one that shares an adapter, at either end, with
 * an older symmetric link is asymmetric. So the oldest never is, nor the only one
 * that is left (R-2.2.2-11), and neither is one that shares adapters with an
 * asymmetric link alone: it is there to replace that.
 */
#include "lgr_types.h"
#include "link.h"
#include "link_types.h"
#include "links.h"
#include "symmetry.h"

static bool same_adapter(const struct smc_ep_addr *a,
			 const struct smc_ep_addr *b)
{
	return !memcmp(a->gid, b->gid, sizeof(a->gid)) &&
	       !memcmp(a->mac, b->mac, sizeof(a->mac));
}

static bool link_older(const struct smc_link *a, const struct smc_link *b)
{
	return (s32)(a->uid - b->uid) < 0;
}

static bool link_is_asymmetric(struct smc_lgr *lgr, const struct smc_link *link)
{
	struct smc_link *other;
	int i;

	smc_link_for_each(lgr, i, other)
		if (other->state == SMC_LINK_ACTIVE && !other->asymmetric &&
		    link_older(other, link) &&
		    (other->choice.port == link->choice.port ||
		     same_adapter(&other->peer, &link->peer)))
			return true;
	return false;
}

/**
 * smc_symmetry_classify - which links are asymmetric (R-2.2.1-01)
 * @lgr: group
 *
 * As their number is small nobody keeps this up to date: who wants to know asks
 * first. A link that is being set up counts as the youngest.
 */
void smc_symmetry_classify(struct smc_lgr *lgr)
{
	struct smc_link *link;
	int i, n;

	/* each round settles one more, by age */
	for (n = 0; n < SMC_LINK_SLOTS; n++)
		smc_link_for_each(lgr, i, link)
			link->asymmetric = link_is_asymmetric(lgr, link);
}

static unsigned int symmetry_count(struct smc_lgr *lgr)
{
	struct smc_link *link;
	unsigned int n = 0;
	int i;

	smc_symmetry_classify(lgr);
	smc_link_for_each(lgr, i, link)
		n += link->state == SMC_LINK_ACTIVE && !link->asymmetric;
	return n;
}

/** smc_symmetry_missing - may there be one more (R-2.2.2-09 to -11)? */
bool smc_symmetry_missing(struct smc_lgr *lgr)
{
	return symmetry_count(lgr) < lgr->numbers.max_links;
}

/** smc_symmetry_needless - the asymmetric one beside two others (R-2.2.1-04) */
struct smc_link *smc_symmetry_needless(struct smc_lgr *lgr)
{
	struct smc_link *link;
	int i;

	if (symmetry_count(lgr) < 2)
		return NULL;
	smc_link_for_each(lgr, i, link)
		if (link->state == SMC_LINK_ACTIVE && link->asymmetric)
			return link;
	return NULL;
}

/**
 * smc_symmetry_unfit - a link that must not be, now that its peer is known
 * @lgr: group
 * @link: link that is being set up
 *
 * Return: it connects the same adapters as another one (R-2.2.1-03), or would
 * be a second asymmetric one (R-2.2.2-12).
 */
bool smc_symmetry_unfit(struct smc_lgr *lgr, const struct smc_link *link)
{
	struct smc_link *other;
	int i;

	smc_symmetry_classify(lgr);
	smc_link_for_each(lgr, i, other)
		if (other != link && other->state == SMC_LINK_ACTIVE &&
		    other->choice.port == link->choice.port &&
		    same_adapter(&other->peer, &link->peer))
			return true;
	return link->asymmetric && smc_links_active(lgr) > 1;
}

/* ---- for a link that does not exist yet; smc_symmetry_classify() before ---- */

/** smc_symmetry_on_port - does any link that is not down use this port? */
bool smc_symmetry_on_port(struct smc_lgr *lgr, const struct smc_port *port,
			  bool asymmetric)
{
	struct smc_link *link;
	int i;

	smc_link_for_each(lgr, i, link)
		if (link->state <= SMC_LINK_ACTIVE &&
		    link->choice.port == port &&
		    (asymmetric || !link->asymmetric))
			return true;
	return false;
}

/** smc_symmetry_to_adapter - does a symmetric link end at this adapter? */
bool smc_symmetry_to_adapter(struct smc_lgr *lgr, const struct smc_ep_addr *peer)
{
	struct smc_link *link;
	int i;

	smc_link_for_each(lgr, i, link)
		if (link->state == SMC_LINK_ACTIVE && !link->asymmetric &&
		    same_adapter(&link->peer, peer))
			return true;
	return false;
}

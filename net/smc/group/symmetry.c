// SPDX-License-Identifier: GPL-2.0
/*
 * Symmetric and asymmetric links of a group (RFC 7609 2.2.1, 2.2.2). The code
 * of this file runs in the group's worker.
 *
 * A link is asymmetric if it shares an adapter, at either end, with an older
 * symmetric link. So the oldest link is always symmetric, and so is a link that
 * is alone (R-2.2.2-11). A link that shares adapters only with an asymmetric
 * link is symmetric, because it replaces that link.
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
 * smc_symmetry_classify - find out which links are asymmetric (R-2.2.1-01)
 * @lgr: group
 *
 * Sets link->asymmetric of all links. No other function updates these values,
 * so the caller must call this function before it reads them. A link in setup
 * counts as the youngest.
 */
void smc_symmetry_classify(struct smc_lgr *lgr)
{
	struct smc_link *link;
	int i, n;

	/* each round decides on one more link, in the order of age */
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

/**
 * smc_symmetry_missing() - may the group have one more symmetric link?
 * @lgr:	group
 *
 * Return: true if it may (R-2.2.2-09 to R-2.2.2-11).
 */
bool smc_symmetry_missing(struct smc_lgr *lgr)
{
	return symmetry_count(lgr) < lgr->numbers.max_links;
}

/** smc_symmetry_needless - find an unneeded asymmetric link (R-2.2.1-04) */
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
 * smc_symmetry_unfit - does the new link break a rule, now that its peer is
 * known?
 * @lgr: group
 * @link: link that is being set up
 *
 * Return: true if it connects the same adapters as another link (R-2.2.1-03),
 * or would be a second asymmetric link (R-2.2.2-12).
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

/* ---- before a link is created; call smc_symmetry_classify() first ---- */

/** smc_symmetry_on_port - does a link that is not down use this port? */
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

// SPDX-License-Identifier: GPL-2.0
/*
 * The client's table of links by the address of their peer. An Accept without
 * the F flag names a link, and the peer may have a thousand groups, so the
 * client must not search all of them.
 */
#include <linux/jhash.h>
#include <linux/list.h>
#include <linux/random.h>
#include <linux/spinlock.h>
#include <net/net_namespace.h>
#include "by_peer.h"
#include "contact_types.h"
#include "lgr.h"
#include "lgr_fsm.h"
#include "lgr_types.h"
#include "link.h"
#include "link_types.h"

#define BY_PEER_BITS	10

/**
 * struct by_peer_links - links whose peers have the same hash
 * @lock:	protects @list; while it is held, no link of @list is freed;
 *	taken before lgr->lock
 * @list:	of struct smc_link, the newest first
 */
struct by_peer_links {
	spinlock_t lock;	/* see above */
	struct hlist_head list;
};

static struct by_peer_links by_peer[1 << BY_PEER_BITS];

/*
 * Seed of the hash, set once when the module starts. Peers choose their
 * addresses. If they knew the seed, they could choose addresses with the same
 * hash.
 */
static u32 by_peer_secret;

static struct by_peer_links *by_peer_of(const struct smc_ep_addr *peer)
{
	u32 hash = jhash(peer->gid, sizeof(peer->gid),
			 peer->qpn ^ by_peer_secret);

	return &by_peer[hash >> (32 - BY_PEER_BITS)];
}

/** smc_by_peer_init - initialise the lists when the module starts */
void smc_by_peer_init(void)
{
	int i;

	by_peer_secret = get_random_u32();
	for (i = 0; i < ARRAY_SIZE(by_peer); i++) {
		spin_lock_init(&by_peer[i].lock);
		INIT_HLIST_HEAD(&by_peer[i].list);
	}
}

/**
 * smc_by_peer_add - let smc_by_peer_find() find a link
 * @link: link of a group in the table; link->peer does not change any more
 */
void smc_by_peer_add(struct smc_link *link)
{
	struct by_peer_links *links = by_peer_of(&link->peer);

	spin_lock_bh(&links->lock);
	hlist_add_head(&link->by_peer, &links->list);
	spin_unlock_bh(&links->lock);
}

/**
 * smc_by_peer_remove - remove a link that leaves its group, or whose group ends
 * @link: link; may be removed already, or never added
 */
void smc_by_peer_remove(struct smc_link *link)
{
	struct by_peer_links *links = by_peer_of(&link->peer);

	spin_lock_bh(&links->lock);
	hlist_del_init(&link->by_peer);
	spin_unlock_bh(&links->lock);
}

static bool ends_at(const struct smc_ep_addr *a, const struct smc_ep_addr *b)
{
	return a->qpn == b->qpn && !memcmp(a->gid, b->gid, sizeof(a->gid)) &&
	       !memcmp(a->mac, b->mac, sizeof(a->mac));
}

static bool by_peer_serves(const struct smc_lgr *lgr,
			   const struct smc_contact *c)
{
	return lgr->key.role == SMC_CLNT &&
	       lgr->key.net_cookie == c->net->net_cookie &&
	       !memcmp(lgr->key.peer_id, c->peer_id, sizeof(lgr->key.peer_id));
}

/* The lock of its list is held, so the link is in a group of the table. */
static bool by_peer_take(struct smc_contact *c, struct smc_link *link)
{
	struct smc_lgr *lgr = link->lgr;
	bool ok;

	spin_lock(&lgr->lock);
	ok = lgr->state < SMC_LGR_ENDING;
	if (ok) {
		smc_lgr_user_get(lgr);
		c->lgr = smc_lgr_get(lgr, SMC_LGR_REF_CONTACT);
		c->link = smc_link_get(link, SMC_LINK_REF_CONTACT);
	}
	spin_unlock(&lgr->lock);
	return ok;
}

/**
 * smc_by_peer_find - find the link, and its group, that an Accept without the F
 * flag names
 * @c: contact
 * @peer: peer's address
 *
 * Peer ID, GID, MAC and QP number must all match (R-3.5.2.2-01). A link that
 * has just failed also counts if its group is not ending. Context: any but irq.
 * Return: true if the link was found. Then c->lgr is set, with a reference and
 * a user, and c->link, with a reference.
 */
bool smc_by_peer_find(struct smc_contact *c, const struct smc_ep_addr *peer)
{
	struct by_peer_links *links = by_peer_of(peer);
	struct smc_link *link;

	spin_lock_bh(&links->lock);
	hlist_for_each_entry(link, &links->list, by_peer)
		if (ends_at(&link->peer, peer) && by_peer_serves(link->lgr, c) &&
		    by_peer_take(c, link))
			break;
	spin_unlock_bh(&links->lock);
	return link;
}

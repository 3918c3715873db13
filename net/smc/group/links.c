// SPDX-License-Identifier: GPL-2.0
/*
 * The links of a group. Only the worker, and the creator for the first link,
 * write lgr->links, under lgr->lock. All other code reads the array under the
 * lock. The worker may read it without the lock, because no other context
 * writes it.
 *
 * The limit is three links, because CONFIRM RKEY carries the keys of its own
 * link and of two others (R-A.3.5-02). For more links this side would have to
 * send CONFIRM RKEY CONTINUATION. The RFC defines two layouts for that message
 * (Y-03), and no deployed peer has ever sent it.
 */
#include "by_peer.h"
#include "lgr.h"
#include "lgr_types.h"
#include "link.h"
#include "link_end.h"
#include "link_types.h"
#include "links.h"
#include "rmb.h"
#include "rtok.h"
#include "slots.h"

static_assert(SMC_LINKS_LOCAL_MAX < SMC_LINK_SLOTS);

/*
 * Returns the slot that has been free for longest, or -1. A handshake may still
 * name the link that used the slot before.
 */
static int links_free_place(const struct smc_lgr *lgr)
{
	int i, found = -1;

	lockdep_assert_held(&lgr->lock);
	for (i = 0; i < SMC_LINK_SLOTS; i++)
		if (!lgr->links[i] &&
		    (found < 0 || lgr->owner[i] < lgr->owner[found]))
			found = i;
	return found;
}

/**
 * smc_links_full - is there no slot for another link?
 * @lgr: group
 *
 * Context: worker. Return: true if each slot has a link. A slot becomes free
 * when a link that was removed has stopped.
 */
bool smc_links_full(struct smc_lgr *lgr)
{
	bool full;

	spin_lock_bh(&lgr->lock);
	full = links_free_place(lgr) < 0;
	spin_unlock_bh(&lgr->lock);
	return full;
}

/**
 * smc_links_add - put a link into a free slot; the slot takes the caller's
 * reference
 * @lgr: group
 * @link: link
 *
 * Context: worker, or creator. Return: 0; -ENOSPC: no slot is free, and the
 * caller keeps its reference.
 */
int smc_links_add(struct smc_lgr *lgr, struct smc_link *link)
{
	int slot;

	spin_lock_bh(&lgr->lock);
	slot = links_free_place(lgr);
	if (slot >= 0) {
		link->slot = slot;
		/* partners: rmbe_region(), smc_member_offered_rmb() */
		WRITE_ONCE(lgr->owner[slot], link->uid);
		/*
		 * forget the keys of the link that had this slot before, see
		 * smc_link_owns()
		 */
		smc_rmb_forget_slot(lgr, slot);
		smc_rtok_forget(&lgr->rtoks, slot);
		/* partner: smc_link_next() */
		WRITE_ONCE(lgr->links[slot], link);
	}
	spin_unlock_bh(&lgr->lock);
	return slot < 0 ? -ENOSPC : 0;
}

/**
 * smc_links_bind - tell a link the address of its peer, after which it can
 * receive
 * @link: link of a group
 * @peer: peer's address
 * @bind: smc_link_bind(), or smc_device_bind() in the worker
 *
 * Context: worker, or creator, once for each link; may sleep. Return: 0 or
 * negative errno, after which the link must be removed.
 */
int smc_links_bind(struct smc_link *link, const struct smc_ep_addr *peer,
		   int (*bind)(struct smc_link *link))
{
	int err;

	/*
	 * set before the bind, because the worker compares an early CONFIRM
	 * LINK with the address. After the bind another Accept may name the
	 * link
	 */
	spin_lock_bh(&link->lgr->lock);
	link->peer = *peer;
	spin_unlock_bh(&link->lgr->lock);
	smc_by_peer_add(link);
	err = bind(link);
	if (err)
		smc_by_peer_remove(link);
	return err;
}

/* A removed link has stopped. Now another link may take its slot. */
static void links_vacate(struct smc_lgr *lgr, struct smc_link *link)
{
	spin_lock_bh(&lgr->lock);
	WRITE_ONCE(lgr->links[link->slot], NULL);
	spin_unlock_bh(&lgr->lock);
	smc_link_put(link, SMC_LINK_REF_GROUP);
}

/**
 * smc_links_stopped - free what links that have stopped by now still hold
 * @lgr: group
 *
 * Context: worker, which calls this function after event STOPPED. May sleep.
 */
void smc_links_stopped(struct smc_lgr *lgr)
{
	struct smc_link *link;
	int i;

	for (i = 0; i < SMC_LINK_SLOTS; i++) {
		link = lgr->links[i];
		if (!link || !smc_link_stopped(link))
			continue;
		smc_rmb_drop_link(lgr, link);
		if (link->state == SMC_LINK_GONE)
			links_vacate(lgr, link);
	}
}

/**
 * smc_links_remove - close a link and take it out of the group
 * @lgr: group
 * @link: link; its members have moved, or are about to
 *
 * Does not wait for the device, which may hang. Until the device has stopped
 * the queue pair, members may still be about to leave, and messages may arrive.
 * So until then the link keeps its slot, and with it the keys of its RMBs, but
 * smc_link_next() skips it. smc_links_stopped(), or the end of the group, frees
 * the slot. Context: worker.
 */
void smc_links_remove(struct smc_lgr *lgr, struct smc_link *link)
{
	bool stopped;

	smc_by_peer_remove(link);
	smc_link_step(link, SMC_LINK_EV_REMOVE);
	smc_link_bury(link);
	/* before the keys are dropped, which depends on this */
	stopped = smc_link_stopped(link);
	smc_rmb_drop_link(lgr, link);
	spin_lock_bh(&lgr->lock);
	lgr->mail.deadline[SMC_LGR_DL_PROBE + link->slot] = 0;
	lgr->mail.deadline[SMC_LGR_DL_PROBE_REPLY + link->slot] = 0;
	spin_unlock_bh(&lgr->lock);
	/* otherwise event STOPPED follows */
	if (stopped)
		links_vacate(lgr, link);
}

static bool link_active(const struct smc_link *link)
{
	/* partner: smc_link_step() */
	return READ_ONCE(link->state) == SMC_LINK_ACTIVE;
}

/**
 * smc_links_leave - remove a link when the reply to DELETE LINK has arrived
 * @link: link that the peer has deleted; it carries no connection
 * @carrier: link that carries the reply, and perhaps a later LLC message
 *
 * The peer may use the link until it has the reply (R-3.5.5.1.3-04, -06). A
 * later call replaces an earlier one, but does not extend the time, which ends
 * SMC_LLC_BUSY_WAIT_MS after the first call. Nothing probes the link any more,
 * so its deadline is free for this. Context: worker, which calls
 * smc_links_left() at the end of its run.
 */
void smc_links_leave(struct smc_link *link, struct smc_link *carrier)
{
	struct smc_lgr *lgr = link->lgr;

	if (smc_link_step(link, SMC_LINK_EV_REPLY)) {
		smc_lgr_clear_deadline(lgr, SMC_LGR_DL_PROBE_REPLY + link->slot);
		smc_lgr_set_deadline(lgr, SMC_LGR_DL_PROBE + link->slot,
				     SMC_LLC_BUSY_WAIT_MS);
	}
	link->fate.carrier = carrier->uid;
	link->fate.reply = smc_slots_llc_last(carrier);
}

/*
 * If the carrier fails or is deleted, the reply may be lost. Then the server
 * repeats DELETE LINK, and learns that the link is unknown (R-C.7.1-26). A link
 * that has failed, or whose device is being removed, does not wait for the
 * peer.
 */
static bool links_may_go(struct smc_lgr *lgr, const struct smc_link *link)
{
	struct smc_link *carrier = smc_links_by_uid(lgr, link->fate.carrier);

	/* partner: link_down() */
	return READ_ONCE(link->broken) ||
	       smc_link_port_gone(link) ||
	       !carrier || !link_active(carrier) ||
	       smc_slots_llc_arrived(carrier, link->fate.reply);
}

/**
 * smc_links_left - remove the links whose reply has arrived
 * @lgr: group
 * @all: a request of the peer shows that it has every reply; the adapter may
 *	report that later
 *
 * Context: worker, also at the end of each of its runs, because a link or a
 * port may have failed.
 */
void smc_links_left(struct smc_lgr *lgr, bool all)
{
	struct smc_link *link;
	int i;

	smc_link_for_each(lgr, i, link)
		if (link->state == SMC_LINK_LEAVING &&
		    (all || links_may_go(lgr, link)))
			smc_links_remove(lgr, link);
}

/**
 * smc_links_close - close all endpoints when the group ends
 * @lgr: group
 *
 * After the return nothing is posted, and nobody can write to our memory.
 * Context: end work (end.c), may sleep; waits for devices.
 */
void smc_links_close(struct smc_lgr *lgr)
{
	struct smc_link *link;
	int i;

	smc_link_for_each(lgr, i, link) {
		smc_by_peer_remove(link);
		smc_link_bury(link);
	}
	smc_link_await_quiet(lgr);
}

/**
 * smc_links_drop_keys - free the regions of all links when the group ends
 * @lgr: group whose links have stopped
 *
 * Context: end work (end.c), may sleep.
 */
void smc_links_drop_keys(struct smc_lgr *lgr)
{
	int i;

	for (i = 0; i < SMC_LINK_SLOTS; i++)
		if (lgr->links[i])
			smc_rmb_drop_link(lgr, lgr->links[i]);
}

/**
 * smc_links_first - oldest link that the peer has not deleted, or NULL
 * @lgr: group
 *
 * Context: worker, creator, or lgr->lock held.
 */
struct smc_link *smc_links_first(struct smc_lgr *lgr)
{
	struct smc_link *link, *first = NULL;
	int i;

	smc_link_for_each(lgr, i, link)
		if (READ_ONCE(link->state) != SMC_LINK_LEAVING &&
		    (!first || (s32)(link->uid - first->uid) < 0))
			first = link;
	return first;
}

/* Is @a a better link for a connection than @b? */
static bool link_better(const struct smc_link *a, const struct smc_link *b)
{
	return !b || atomic_read(&a->conns) < atomic_read(&b->conns);
}

/**
 * smc_links_pick - the active link that carries the fewest connections
 * @lgr: group
 * @not: link to leave out, or NULL
 *
 * All links carry connections (R-2.2-05, R-2.3-01). Context: lgr->lock held, or
 * worker.
 * Return: link, no reference taken, or NULL.
 */
struct smc_link *smc_links_pick(struct smc_lgr *lgr, const struct smc_link *not)
{
	struct smc_link *link, *best = NULL;
	int i;

	smc_link_for_each(lgr, i, link)
		if (link != not && link_active(link) && link_better(link, best))
			best = link;
	return best;
}

/**
 * smc_links_carrier - choose the link for LLC messages, which is the oldest
 * active link
 * @lgr: group
 * @not: link to leave out, or NULL
 *
 * Context: worker. Return: link, no reference taken, or NULL.
 */
struct smc_link *smc_links_carrier(struct smc_lgr *lgr,
				   const struct smc_link *not)
{
	struct smc_link *link, *best = NULL;
	int i;

	smc_link_for_each(lgr, i, link)
		if (link != not && link_active(link) &&
		    (!best || (s32)(link->uid - best->uid) < 0))
			best = link;
	return best;
}

/** smc_links_active - number of active links */
unsigned int smc_links_active(struct smc_lgr *lgr)
{
	struct smc_link *link;
	unsigned int n = 0;
	int i;

	smc_link_for_each(lgr, i, link)
		n += link_active(link);
	return n;
}

/** smc_links_by_uid - find the link with this user ID of ours, in the worker */
struct smc_link *smc_links_by_uid(struct smc_lgr *lgr, u32 uid)
{
	struct smc_link *link;
	int i;

	smc_link_for_each(lgr, i, link)
		if (link->uid == uid)
			return link;
	return NULL;
}

/**
 * smc_links_on_path - does the group use this port and have a link to this GID?
 * @lgr: group, its lock held
 * @own: port of the route
 * @peer_gid: GID that the peer proposes
 *
 * The port and the GID may belong to different links, because a connection may
 * use any link of its group.
 */
bool smc_links_on_path(struct smc_lgr *lgr, const struct smc_dev_choice *own,
		       const u8 *peer_gid)
{
	bool port = false, gid = false;
	struct smc_link *link;
	int i;

	lockdep_assert_held(&lgr->lock);
	smc_link_for_each(lgr, i, link) {
		port |= link->choice.port == own->port;
		gid |= !memcmp(link->peer.gid, peer_gid,
			       sizeof(link->peer.gid));
	}
	return port && gid;
}

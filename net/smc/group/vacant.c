// SPDX-License-Identifier: GPL-2.0
/*
 * The server's groups that have a place for another connection, by peer. A peer
 * may have a thousand groups, almost all of them full. A lookup does not visit
 * the full groups, and takes no lock that groups share.
 *
 * Readers use RCU. If a group leaves the list and returns while a reader is at
 * this group, the reader may visit some groups twice.
 */
#include <linux/jhash.h>
#include <linux/jiffies.h>
#include <linux/random.h>
#include <linux/rculist.h>
#include <linux/spinlock.h>
#include <net/net_namespace.h>
#include "../transport/dev.h"
#include "contact_types.h"
#include "lgr_fsm.h"
#include "lgr_types.h"
#include "vacant.h"

#define VACANT_BITS	10

/* Time without another attempt to make a group beside wide ones, in jiffies */
#define VACANT_REFUSED	msecs_to_jiffies(SMC_LGR_BESIDE_MS)

/**
 * struct vacant_peers - groups whose peers have the same hash
 * @lock:	held by writers of @list; taken under lgr->lock
 * @list:	of entry.vacant of struct smc_lgr; RCU
 * @again:	time from which a group may be made beside wide ones
 */
struct vacant_peers {
	spinlock_t lock;	/* see above */
	struct hlist_head list;
	unsigned long again;
};

static struct vacant_peers vacant[1 << VACANT_BITS];

/*
 * Seed of the hash, set once when the module starts. Peers choose their IDs. If
 * they knew the seed, they could choose IDs with the same hash.
 */
static u32 vacant_secret;

static struct vacant_peers *vacant_of(const u8 *peer_id, u64 net_cookie)
{
	u32 hash = jhash(peer_id, sizeof_field(struct smc_lgr_key, peer_id),
			 (u32)net_cookie ^ vacant_secret);

	return &vacant[hash >> (32 - VACANT_BITS)];
}

/** smc_vacant_init - initialise the lists when the module starts */
void smc_vacant_init(void)
{
	int i;

	vacant_secret = get_random_u32();
	for (i = 0; i < ARRAY_SIZE(vacant); i++) {
		spin_lock_init(&vacant[i].lock);
		INIT_HLIST_HEAD(&vacant[i].list);
		vacant[i].again = jiffies;
	}
}

/* A user is a connection, or a contact that will become a connection. */
static unsigned int vacant_users(const struct smc_lgr *lgr)
{
	lockdep_assert_held(&lgr->lock);
	return lgr->users - lgr->members.n_joined;
}

/*
 * Until the Confirm the answer of the server counts. Connections join only
 * after the Confirm, so the limit is not passed if the Confirm does not repeat
 * the answer: contacts that wait then look for a group again.
 */
static bool vacant_wide(const struct smc_lgr *lgr)
{
	u8 caps = lgr->state == SMC_LGR_FORMING ? lgr->terms.answer.caps :
						  lgr->terms.ext.caps;

	return caps & SMC_EXT_WIDE;
}

/**
 * smc_vacant_has_place - does the agreed limit allow another connection?
 * @lgr: group, its lock held
 *
 * R-3.5.3-01; with WIDE the limit is that of F-36.
 */
bool smc_vacant_has_place(const struct smc_lgr *lgr)
{
	unsigned int users = vacant_users(lgr);
	unsigned int max = vacant_wide(lgr) ? SMC_LGR_CONNS_WIDE :
					      lgr->terms.max_conns;

	return !max || users < max;
}

/**
 * smc_vacant_note - note a wide group that should not take the contact at once
 * @crowd: the groups of a lookup
 * @lgr: group with a place, its lock held
 *
 * These are wide groups with many connections, and those that have not formed
 * yet (F-36). Return: true if @lgr is one of them.
 */
bool smc_vacant_note(struct smc_vacant_crowd *crowd, struct smc_lgr *lgr)
{
	unsigned int users = vacant_users(lgr);
	struct smc_vacant_pick *pick;

	if (!vacant_wide(lgr))
		return false;
	if (lgr->state == SMC_LGR_FORMING)
		pick = &crowd->forming;
	else if (users >= SMC_LGR_CONNS_MAX)
		pick = &crowd->formed;
	else
		return false;
	crowd->n++;
	if (!pick->lgr || users < pick->users) {
		pick->lgr = lgr;
		pick->users = users;
	}
	return true;
}

/**
 * smc_vacant_choose - choose among the noted groups (F-36)
 * @crowd: groups that a lookup has noted; it has found no other group
 * @c: contact
 *
 * A link has one completion vector, so one CPU serves it. The server opens as
 * many groups as there are vectors before it puts more connections into one. It
 * opens one at a time, and does not wait for it: it uses a group that has
 * formed. If a peer refuses another group, the server does not offer one for
 * some seconds.
 *
 * Context: any. Return: group, or NULL: open another one.
 */
struct smc_lgr *smc_vacant_choose(const struct smc_vacant_crowd *crowd,
				  const struct smc_contact *c)
{
	const struct vacant_peers *v = vacant_of(c->peer_id,
						 c->net->net_cookie);
	unsigned long again;
	bool more;

	if (!crowd->n)
		return NULL;
	/* partner: smc_vacant_refused() */
	again = READ_ONCE(v->again);
	more = crowd->n < smc_port_vectors(c->choice.port) &&
	       !time_in_range_open(jiffies, again - VACANT_REFUSED, again);
	if (crowd->formed.lgr)
		return more && !crowd->forming.lgr ? NULL : crowd->formed.lgr;
	return more && crowd->forming.users >= SMC_LGR_CONNS_MAX ?
	       NULL : crowd->forming.lgr;
}

/**
 * smc_vacant_refused - a new group with this peer could not be made
 * @c: contact that has tried it
 *
 * Context: any.
 */
void smc_vacant_refused(const struct smc_contact *c)
{
	struct vacant_peers *v = vacant_of(c->peer_id, c->net->net_cookie);

	/* partner: smc_vacant_choose() */
	WRITE_ONCE(v->again, jiffies + VACANT_REFUSED);
}

/*
 * Does nothing on the client, where only the server chooses the group, and
 * nothing for a group that is ending.
 */
static void vacant_add(struct smc_lgr *lgr)
{
	struct vacant_peers *v = vacant_of(lgr->key.peer_id,
					   lgr->key.net_cookie);

	lockdep_assert_held(&lgr->lock);
	if (lgr->key.role != SMC_SERV || lgr->state >= SMC_LGR_ENDING ||
	    !hlist_unhashed(&lgr->entry.vacant))
		return;
	spin_lock_bh(&v->lock);
	hlist_add_head_rcu(&lgr->entry.vacant, &v->list);
	spin_unlock_bh(&v->lock);
}

/**
 * smc_vacant_remove - hide a group from lookups
 * @lgr: group, its lock held; freed after a grace period at the earliest
 */
void smc_vacant_remove(struct smc_lgr *lgr)
{
	struct vacant_peers *v = vacant_of(lgr->key.peer_id,
					   lgr->key.net_cookie);

	lockdep_assert_held(&lgr->lock);
	if (hlist_unhashed(&lgr->entry.vacant))
		return;
	spin_lock_bh(&v->lock);
	hlist_del_init_rcu(&lgr->entry.vacant);
	spin_unlock_bh(&v->lock);
}

/**
 * smc_vacant_check - let lookups see a group if it has a place, or hide it
 * @lgr: group, its lock held; in the table, or ending
 *
 * A caller has added the group to the table, or has changed its number of
 * users.
 */
void smc_vacant_check(struct smc_lgr *lgr)
{
	if (smc_vacant_has_place(lgr))
		vacant_add(lgr);
	else
		smc_vacant_remove(lgr);
}

/**
 * smc_vacant_list - get the list of groups that a lookup must check
 * @c: contact
 *
 * Context: RCU read section, in which the groups are not freed. Return: list
 * of entry.vacant, with groups of other peers, too.
 */
struct hlist_head *smc_vacant_list(const struct smc_contact *c)
{
	return &vacant_of(c->peer_id, c->net->net_cookie)->list;
}

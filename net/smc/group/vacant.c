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
#include <linux/rculist.h>
#include <linux/spinlock.h>
#include <net/net_namespace.h>
#include "contact_types.h"
#include "lgr_fsm.h"
#include "lgr_types.h"
#include "vacant.h"

#define VACANT_BITS	10

/**
 * struct vacant_peers - groups whose peers have the same hash
 * @lock:	held by writers of @list; taken under lgr->lock
 * @list:	of entry.vacant of struct smc_lgr; RCU
 */
struct vacant_peers {
	spinlock_t lock;	/* see above */
	struct hlist_head list;
};

static struct vacant_peers vacant[1 << VACANT_BITS];

static struct vacant_peers *vacant_of(const u8 *peer_id, u64 net_cookie)
{
	u32 hash = jhash(peer_id, sizeof_field(struct smc_lgr_key, peer_id),
			 net_cookie);

	return &vacant[hash >> (32 - VACANT_BITS)];
}

/** smc_vacant_init - initialise the lists when the module starts */
void smc_vacant_init(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(vacant); i++) {
		spin_lock_init(&vacant[i].lock);
		INIT_HLIST_HEAD(&vacant[i].list);
	}
}

/**
 * smc_vacant_has_place - does the agreed limit allow another connection?
 * @lgr: group, its lock held
 *
 * A user is a connection, or a contact that will become a connection
 * (R-3.5.3-01).
 */
bool smc_vacant_has_place(const struct smc_lgr *lgr)
{
	lockdep_assert_held(&lgr->lock);
	return !lgr->terms.max_conns ||
	       lgr->users - lgr->members.n_joined < lgr->terms.max_conns;
}

/**
 * smc_vacant_add - let lookups see a group
 * @lgr: group, its lock held; lookups may find it already
 *
 * Does nothing on the client, where only the server chooses the group, and
 * nothing for a group that is ending.
 */
void smc_vacant_add(struct smc_lgr *lgr)
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
 * smc_vacant_user_came - hide a group from lookups if it is full now
 * @lgr: group, its lock held
 */
void smc_vacant_user_came(struct smc_lgr *lgr)
{
	if (!smc_vacant_has_place(lgr))
		smc_vacant_remove(lgr);
}

/**
 * smc_vacant_user_left - let lookups see a group again if it has a place now
 * @lgr: group, its lock held
 */
void smc_vacant_user_left(struct smc_lgr *lgr)
{
	if (smc_vacant_has_place(lgr))
		smc_vacant_add(lgr);
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

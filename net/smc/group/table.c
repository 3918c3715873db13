// SPDX-License-Identifier: GPL-2.0
/*
 * The table of all groups: lookup for handshakes of the server, eviction of
 * idle groups, and iteration for views.
 */
#include <linux/etherdevice.h>
#include <linux/list.h>
#include <linux/random.h>
#include <linux/rculist.h>
#include <net/net_namespace.h>
#include "../base/mib.h"
#include "contact_types.h"
#include "idle.h"
#include "lgr.h"
#include "lgr_fsm.h"
#include "lgr_types.h"
#include "link.h"
#include "links.h"
#include "rmbe.h"
#include "table.h"
#include "vacant.h"

static LIST_HEAD(groups);	/* all groups; groups_lock protects the list */

/* Protects the table; BH. A handshake in an existing group does not take it. */
static DEFINE_SPINLOCK(groups_lock);

/* ---- lookup ---- */

/*
 * A link keeps the gateway that it had at its start. If the route now has
 * another gateway, a new group uses that gateway. An unknown path counts as
 * direct.
 */
static bool table_same_gateway(const struct smc_dev_path *a,
			       const struct smc_dev_path *b)
{
	return a->gateway == b->gateway &&
	       (!a->gateway || ether_addr_equal(a->mac, b->mac));
}

/**
 * smc_table_route_moved - client: does the route use a gateway that is not the
 * gateway of the group?
 * @lgr: group
 * @c: contact with the path from its own address to @peer_gid
 * @peer_gid: GID of the peer's end of the link that the Accept names
 *
 * Only the first link of a group may be behind a gateway (smc_lgr_may_add()),
 * so the function checks no route between other addresses. If the source
 * address chooses the route, the route from one adapter to the network of
 * another adapter may use a gateway although the link needs none. Context: any.
 * Return: false also if the path is not known.
 */
bool smc_table_route_moved(const struct smc_lgr *lgr,
			   const struct smc_contact *c, const u8 *peer_gid)
{
	const struct smc_lgr_key *key = &lgr->key;

	return c->path.known &&
	       !memcmp(key->choice.gid, c->choice.gid, sizeof(key->choice.gid)) &&
	       !memcmp(key->peer_gid, peer_gid, sizeof(key->peer_gid)) &&
	       !table_same_gateway(&key->path, &c->path);
}

/*
 * Does the group fit the handshake? Peer, role and version must be the same
 * (R-2.2-02, R-2.2-03, R-2.2.4-07), and so must be the server's answer about
 * the extension (F-32). The namespace must be the same, because a namespace
 * must not see the keys and views of another one.
 */
static bool table_serves(const struct smc_lgr *lgr, const struct smc_contact *c)
{
	return lgr->key.role == SMC_SERV && lgr->key.in_host == c->in_host &&
	       lgr->key.net_cookie == c->net->net_cookie &&
	       lgr->terms.version == c->terms.version &&
	       smc_ext_same(&lgr->terms.answer, &c->terms.answer) &&
	       !memcmp(lgr->key.peer_id, c->peer_id, sizeof(lgr->key.peer_id)) &&
	       (lgr->key.in_host ||
		(lgr->key.choice.vlan == c->choice.vlan &&
		 table_same_gateway(&lgr->key.path, &c->path)));
}

/*
 * The path must be the same, too. If the group has no link yet, the path of the
 * future first link counts.
 */
static bool table_on_path(struct smc_lgr *lgr, const struct smc_contact *c,
			  const u8 *peer_gid)
{
	lockdep_assert_held(&lgr->lock);
	if (lgr->key.in_host ||
	    (lgr->key.choice.port == c->choice.port &&
	     lgr->key.choice.gid_idx == c->choice.gid_idx &&
	     !memcmp(lgr->key.peer_gid, peer_gid, sizeof(lgr->key.peer_gid))))
		return true;
	return smc_links_on_path(lgr, &c->choice, peer_gid);
}

/*
 * The server respects the agreed number of connections and the limit of RMBs.
 * For more connections it creates a parallel group (R-3.5.3-01).
 */
static bool table_has_place(const struct smc_lgr *lgr,
			    const struct smc_contact *c)
{
	u8 caps = lgr->terms.ext.caps;

	if (!smc_vacant_has_place(lgr))
		return false;
	/* with ELASTIC a connection can work without an element */
	return caps & SMC_EXT_ELASTIC ||
	       !smc_rmbe_full(lgr, smc_contact_size(c, caps & SMC_EXT_FRAMES));
}

/*
 * Takes a reference for the contact and counts it as a user, unless @crowd is
 * not NULL and notes the group. The table keeps its reference until the group
 * is dead. So a group that is not ending yet still has this reference, and its
 * links.
 */
static bool table_take(struct smc_lgr *lgr, const struct smc_contact *c,
		       const u8 *peer_gid, struct smc_vacant_crowd *crowd)
{
	bool ok;

	spin_lock_bh(&lgr->lock);
	ok = lgr->state < SMC_LGR_ENDING && table_on_path(lgr, c, peer_gid) &&
	     table_has_place(lgr, c) && !(crowd && smc_vacant_note(crowd, lgr));
	if (ok) {
		smc_lgr_user_get(lgr);
		smc_vacant_check(lgr);
		smc_lgr_get(lgr, SMC_LGR_REF_CONTACT);
	}
	spin_unlock_bh(&lgr->lock);
	return ok;
}

static struct smc_lgr *table_by_id(const struct rb_node *node)
{
	return rb_entry(node, struct smc_lgr, entry.id);
}

static bool table_before(struct rb_node *a, const struct rb_node *b)
{
	return table_by_id(a)->id < table_by_id(b)->id;
}

static void table_publish(struct smc_lgr *lgr)
{
	lockdep_assert_held(&groups_lock);
	smc_lgr_get(lgr, SMC_LGR_REF_TABLE);	/* end_finish() drops it */
	list_add_tail(&lgr->entry.all, &groups);
	rb_add(&lgr->entry.id, &lgr->idle.of_net->by_id, table_before);
	spin_lock(&lgr->lock);
	smc_vacant_check(lgr);
	spin_unlock(&lgr->lock);
}

/* The group of a namespace with the smallest number above @after, or NULL. */
static struct smc_lgr *table_above(const struct net *net, u32 after)
{
	struct rb_node *node = smc_idle_of(net)->by_id.rb_node;
	struct smc_lgr *lgr, *best = NULL;

	lockdep_assert_held(&groups_lock);
	while (node) {
		lgr = table_by_id(node);
		if (lgr->id > after)
			best = lgr;
		node = lgr->id > after ? node->rb_left : node->rb_right;
	}
	return best;
}

/**
 * smc_table_find_server - find the group for a Proposal
 * @c: contact
 * @peer_gid: GID of the Proposal
 * @beside: output: true if no group was found, but a wide group has a place
 *
 * Looks only at groups that may have a place. Context: any but irq. Return:
 * true if a group was found; then c->lgr is set, with a reference and a user.
 */
bool smc_table_find_server(struct smc_contact *c, const u8 *peer_gid,
			   bool *beside)
{
	struct smc_vacant_crowd crowd = {};
	struct smc_lgr *lgr;

	c->lgr = NULL;
	rcu_read_lock();
	hlist_for_each_entry_rcu(lgr, smc_vacant_list(c), entry.vacant)
		if (table_serves(lgr, c) &&
		    table_take(lgr, c, peer_gid, &crowd)) {
			c->lgr = lgr;
			break;
		}
	lgr = c->lgr ? NULL : smc_vacant_choose(&crowd, c);
	if (lgr && table_take(lgr, c, peer_gid, NULL))
		c->lgr = lgr;
	rcu_read_unlock();
	*beside = !c->lgr && crowd.formed.lgr;
	return c->lgr;
}

/**
 * smc_table_add_server - put a new group into the table, unless a suitable one
 *	has appeared
 * @fresh: group
 * @c: contact that creates it
 * @peer_gid: GID of the Proposal
 *
 * Return: true: @fresh is in the table; false: c->lgr is the other group, with
 * a reference and a user.
 */
bool smc_table_add_server(struct smc_lgr *fresh, struct smc_contact *c,
			  const u8 *peer_gid)
{
	bool found, beside;

	spin_lock_bh(&groups_lock);
	found = smc_table_find_server(c, peer_gid, &beside);
	if (!found)
		table_publish(fresh);
	spin_unlock_bh(&groups_lock);
	return !found;
}

/**
 * smc_table_add_client - put a new group into the table
 * @lgr: group
 */
void smc_table_add_client(struct smc_lgr *lgr)
{
	spin_lock_bh(&groups_lock);
	table_publish(lgr);
	spin_unlock_bh(&groups_lock);
}

/**
 * smc_table_remove - take the group out of the table
 * @lgr: group that is ending; the caller must drop the table's reference
 */
void smc_table_remove(struct smc_lgr *lgr)
{
	spin_lock_bh(&groups_lock);
	list_del_init(&lgr->entry.all);
	if (!RB_EMPTY_NODE(&lgr->entry.id))
		rb_erase(&lgr->entry.id, &lgr->idle.of_net->by_id);
	RB_CLEAR_NODE(&lgr->entry.id);
	spin_lock(&lgr->lock);
	smc_vacant_remove(lgr);
	spin_unlock(&lgr->lock);
	spin_unlock_bh(&groups_lock);
}

/* ---- events for several groups ---- */

/**
 * smc_table_event_all - send an event to the workers of all groups
 * @ev: what happened
 */
void smc_table_event_all(enum smc_lgr_event_bit ev)
{
	struct smc_lgr *lgr;

	spin_lock_bh(&groups_lock);
	list_for_each_entry(lgr, &groups, entry.all)
		smc_lgr_event(lgr, ev);
	spin_unlock_bh(&groups_lock);
}

static bool table_has_ports(const struct smc_lgr *lgr, u64 net_cookie)
{
	return !lgr->key.in_host &&
	       (!net_cookie || lgr->key.net_cookie == net_cookie);
}

/**
 * smc_table_ports - let the groups act on a new port or address
 * @net_cookie: namespace whose groups can use it; 0: all
 *
 * Each group may open a queue pair, so they do not all act at once: with n
 * groups each group waits up to n milliseconds. Context: any but irq.
 */
void smc_table_ports(u64 net_cookie)
{
	struct smc_lgr *lgr;
	u32 n = 0;

	spin_lock_bh(&groups_lock);
	list_for_each_entry(lgr, &groups, entry.all)
		n += table_has_ports(lgr, net_cookie);
	list_for_each_entry(lgr, &groups, entry.all) {
		if (!table_has_ports(lgr, net_cookie))
			continue;
		spin_lock(&lgr->lock);
		/* a burst of events does not postpone the deadline */
		if (!lgr->mail.deadline[SMC_LGR_DL_PORTS])
			smc_lgr_deadline_locked(lgr, SMC_LGR_DL_PORTS,
						get_random_u32() % n);
		spin_unlock(&lgr->lock);
	}
	spin_unlock_bh(&groups_lock);
}

/**
 * smc_table_event_net - send an event to the workers of all groups of a
 * namespace
 * @net: namespace
 * @ev: what happened
 */
void smc_table_event_net(const struct net *net, enum smc_lgr_event_bit ev)
{
	struct rb_node *node;

	spin_lock_bh(&groups_lock);
	for (node = rb_first(&smc_idle_of(net)->by_id); node;
	     node = rb_next(node))
		smc_lgr_event(table_by_id(node), ev);
	spin_unlock_bh(&groups_lock);
}

/**
 * smc_table_event_id - send an event to the worker of one group
 * @net: its namespace
 * @id: its number, as in views
 * @ev: what happened
 *
 * Return: false if the group does not exist, or is in-host.
 */
bool smc_table_event_id(const struct net *net, u32 id, enum smc_lgr_event_bit ev)
{
	struct smc_lgr *lgr;
	bool found;

	if (!id)
		return false;
	spin_lock_bh(&groups_lock);
	lgr = table_above(net, id - 1);
	found = lgr && lgr->id == id && !lgr->key.in_host;
	if (found)
		smc_lgr_event(lgr, ev);
	spin_unlock_bh(&groups_lock);
	return found;
}

/* ---- too many idle groups ---- */

/* Tells one idle group to end if there are too many. Return: true if it has
 * told a group.
 */
static bool table_evict(struct smc_idle *idle, int max)
{
	struct list_head *victim;

	spin_lock_bh(&idle->lock);
	victim = smc_idle_take(idle, max);
	if (victim)
		smc_lgr_event(container_of(victim, struct smc_lgr, idle.entry),
			      SMC_LGR_EVB_EVICT);
	spin_unlock_bh(&idle->lock);
	return victim;
}

/**
 * smc_table_make_room - end idle groups until the namespace is within its limit
 * @lgr: group that has just become idle
 *
 * Context: worker of @lgr.
 */
void smc_table_make_room(struct smc_lgr *lgr)
{
	while (table_evict(lgr->idle.of_net, lgr->idle.max))
		smc_mib_inc(NULL, SMC_MIB_LGR_EVICTED);
}

/* ---- views ---- */

/**
 * smc_table_next - find the group with the smallest number above @after
 * @after:	number
 * @net:	namespace of the group
 *
 * Return: group with a reference (SMC_LGR_REF_VIEW) or NULL. Context: any but
 * irq.
 */
struct smc_lgr *smc_table_next(u32 after, const struct net *net)
{
	struct smc_lgr *lgr;

	spin_lock_bh(&groups_lock);
	lgr = table_above(net, after);
	if (lgr)
		smc_lgr_get(lgr, SMC_LGR_REF_VIEW);
	spin_unlock_bh(&groups_lock);
	return lgr;
}

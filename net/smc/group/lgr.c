// SPDX-License-Identifier: GPL-2.0
/*
 * Link groups: the table, lifetime, users, views.
 *
 * References: the table holds one from creation until the group is dead, each
 * contact and each member one, and the work item one while it is queued.
 */
#include <linux/hashtable.h>
#include <linux/jhash.h>
#include <linux/slab.h>
#include <linux/wait.h>
#include <net/net_namespace.h>
#include "../base/compat.h"
#include "../base/fsm.h"
#include "../base/mib.h"
#include "../base/trace.h"
#include "../base/tunables.h"
#include "group_fsm.h"
#include "lgr_priv.h"

static DEFINE_HASHTABLE(groups, 8);	/* by peer ID; groups_lock */
static DEFINE_SPINLOCK(groups_lock);	/* protects groups; BH */
static atomic_t lgr_ids = ATOMIC_INIT(0);
static atomic_t lgr_alive = ATOMIC_INIT(0);	/* not yet freed */
static DECLARE_WAIT_QUEUE_HEAD(lgr_gone);	/* lgr_alive became 0 */

static u32 peer_hash(const u8 *peer_id)
{
	return jhash(peer_id, SMC_PEER_ID_LEN, 0);
}

struct smc_lgr *smc_lgr_get(struct smc_lgr *lgr)
{
	kref_get(&lgr->ref);
	return lgr;
}

static void lgr_free(struct kref *ref)
{
	struct smc_lgr *lgr = container_of(ref, struct smc_lgr, ref);
	struct smc_llc_buf msg;
	int i;

	WARN_ON_ONCE(!list_empty(&lgr->members));
	timer_shutdown_sync(&lgr->timer);
	while (kfifo_get(&lgr->llc_in, &msg))
		if (msg.page)
			put_page(msg.page);
	for (i = 0; i < SMC_LINK_SLOTS; i++)
		if (lgr->links[i])
			smc_link_put(lgr->links[i]);
	smc_rmbs_destroy(lgr);
	smc_rtoks_destroy(&lgr->rtoks);
	smc_dev_choice_put(&lgr->choice);
	smc_lgr_idle_put(lgr->idle);
	kfree_rcu(lgr, rcu);
	if (atomic_dec_and_test(&lgr_alive))
		wake_up_all(&lgr_gone);
}

void smc_lgr_put(struct smc_lgr *lgr)
{
	kref_put(&lgr->ref, lgr_free);
}

/* ---- state ---- */

bool smc_lgr_step(struct smc_lgr *lgr, enum smc_lgr_event ev)
{
	u8 before = lgr->state;

	lockdep_assert_held(&lgr->lock);
	smc_fsm_step(&smc_lgr_fsm, &lgr->state, ev);
	smc_lgr_idle_count(lgr, before);
	return lgr->state != before;
}

bool smc_lgr_usable(const struct smc_lgr *lgr)
{
	u8 state = READ_ONCE(lgr->state);	/* partner: smc_lgr_step() */

	return state == SMC_LGR_ACTIVE || state == SMC_LGR_LINGER;
}

/**
 * smc_lgr_may_add - can the group have another link at all?
 * @lgr: group
 *
 * Not within a host. In version 2 not where the two agreed on one, nor behind a
 * gateway: ADD LINK does not tell by which way the other adapter is reached.
 */
bool smc_lgr_may_add(const struct smc_lgr *lgr)
{
	return !lgr->in_host && lgr->terms.max_links != 1 &&
	       (lgr->terms.version == SMC_CLC_V1 || lgr->terms.direct);
}

/* ---- users ---- */

/* A contact or a member begins to use the group; lgr->lock held. */
void smc_lgr_user_get(struct smc_lgr *lgr)
{
	lockdep_assert_held(&lgr->lock);
	lgr->users++;
	lgr->deadline[SMC_LGR_DL_LINGER] = 0;
	smc_lgr_step(lgr, SMC_LGR_EV_USER);
}

void smc_lgr_user_put(struct smc_lgr *lgr)
{
	bool last, crowded = false;

	spin_lock_bh(&lgr->lock);
	last = !--lgr->users;
	if (last) {
		WRITE_ONCE(lgr->idle_since, jiffies);
		WRITE_ONCE(lgr->evicted, false);
		smp_wmb();	/* partner: is_idle() */
		smc_lgr_step(lgr, SMC_LGR_EV_NO_USER);
	}
	/* R-2-06 */
	if (last && lgr->state == SMC_LGR_LINGER) {
		smc_lgr_deadline_locked(lgr, SMC_LGR_DL_LINGER,
					lgr->linger_ms);
		crowded = smc_lgr_crowded(lgr);
	}
	spin_unlock_bh(&lgr->lock);
	if (crowded)
		smc_lgr_event(lgr, SMC_LGR_EVB_CROWDED);
}

/* The contact's link, or another one if it broke since; lgr->lock held. */
static struct smc_link *link_for(struct smc_lgr *lgr, struct smc_link *link)
{
	struct smc_link *other;

	lockdep_assert_held(&lgr->lock);
	if (READ_ONCE(link->state) <= SMC_LINK_ACTIVE)
		return link;
	other = smc_links_pick(lgr, NULL);
	return other ?: link;
}

int smc_lgr_join(struct smc_lgr_member *m, struct smc_contact *c,
		 const struct smc_lgr_member_ops *ops)
{
	struct smc_lgr *lgr = c->lgr;
	int err = -ENOLINK;

	m->ops = ops;
	m->lgr = lgr;
	m->named = c->link->slot;
	m->named_uid = c->link->uid;
	INIT_LIST_HEAD(&m->list);
	INIT_LIST_HEAD(&m->wait);
	spin_lock_bh(&lgr->lock);
	if (lgr->state < SMC_LGR_ENDING) {
		m->link = smc_link_get(link_for(lgr, c->link));
		atomic_inc(&m->link->conns);
		m->ep = m->link->ep;
		m->epoch = lgr->epoch;
		list_add_tail(&m->list, &lgr->members);
		lgr->n_members++;
		smc_lgr_user_get(lgr);
		smc_lgr_get(lgr);
		lgr->n_joined++;
		c->joined = true;
		err = 0;
	}
	spin_unlock_bh(&lgr->lock);
	if (err)
		m->lgr = NULL;
	return err;
}

void smc_lgr_leave(struct smc_lgr_member *m)
{
	struct smc_lgr *lgr = m->lgr;
	/* ->down() may call here; otherwise wait until it is over */
	bool own = READ_ONCE(lgr->down_task) == current;

	if (!own)
		mutex_lock(&lgr->down_mutex);
	spin_lock_bh(&lgr->lock);
	list_del_init(&m->list);
	lgr->n_members--;
	spin_unlock_bh(&lgr->lock);
	if (!own)
		mutex_unlock(&lgr->down_mutex);
	smc_link_unwait(m);
	atomic_dec(&m->link->conns);
	smc_link_put(m->link);
	smc_lgr_user_put(lgr);
	smc_lgr_put(lgr);
}

int smc_lgr_peer_rmb(struct smc_lgr_member *m, u32 rkey, u64 addr, u32 *id)
{
	struct smc_lgr *lgr = m->lgr;
	int err = -ENOLINK;

	spin_lock_bh(&lgr->lock);
	if (smc_links_owns(lgr, m->named, m->named_uid))
		err = smc_rtok_learn(&lgr->rtoks, m->named, rkey, addr, id);
	spin_unlock_bh(&lgr->lock);
	return err;
}

bool smc_lgr_peer_key(struct smc_lgr_member *m, u32 id, u32 *rkey, u64 *addr)
{
	return smc_rtok_get(&m->lgr->rtoks, id, m->link->slot, rkey, addr);
}

bool smc_lgr_may_move(struct smc_lgr_member *m, u32 id,
		      const struct smc_link *from, const struct smc_link *to)
{
	u32 rkey;
	u64 addr;

	return READ_ONCE(from->state) != SMC_LINK_ACTIVE ||
	       smc_rtok_get(&m->lgr->rtoks, id, to->slot, &rkey, &addr);
}

/* ---- table ---- */

static void init_sync(struct smc_lgr *lgr)
{
	spin_lock_init(&lgr->lock);
	spin_lock_init(&lgr->in_lock);
	mutex_init(&lgr->down_mutex);
	mutex_init(&lgr->setup);
	INIT_LIST_HEAD(&lgr->members);
	INIT_LIST_HEAD(&lgr->waiters);
	INIT_HLIST_NODE(&lgr->node);
	INIT_KFIFO(lgr->llc_in);
	timer_setup(&lgr->timer, smc_lgr_timer, 0);
	smc_rmbs_init(&lgr->rmbs);
}

static struct smc_lgr *lgr_alloc(struct smc_contact *c, const u8 *peer_gid)
{
	struct smc_lgr *lgr = kzalloc(sizeof(*lgr), GFP_KERNEL);

	if (!lgr)
		return NULL;
	if (smc_rtoks_init(&lgr->rtoks)) {
		kfree(lgr);
		return NULL;
	}
	kref_init(&lgr->ref);	/* the creating contact's */
	init_sync(lgr);
	INIT_WORK(&lgr->work, smc_lgr_worker);
	lgr->id = atomic_inc_return(&lgr_ids);
	lgr->net_cookie = c->net->net_cookie;
	lgr->role = c->role;
	lgr->in_host = c->in_host;
	memcpy(lgr->peer_id, c->peer_id, sizeof(lgr->peer_id));
	memcpy(lgr->peer_gid, peer_gid, sizeof(lgr->peer_gid));
	lgr->choice = c->choice;
	if (c->in_host)
		memset(&lgr->choice, 0, sizeof(lgr->choice));
	if (lgr->choice.port)
		smc_port_get(lgr->choice.port);
	lgr->terms = c->terms;
	/* version 1 cannot state less than two */
	lgr->max_links = c->terms.max_links ?:
			 max_t(u8, READ_ONCE(smc_tunables(c->net)->lgr_links),
			       SMC_LINKS_STATED_MIN);
	lgr->testlink_secs = READ_ONCE(smc_tunables(c->net)->testlink_time);
	lgr->linger_ms = MSEC_PER_SEC *
			 READ_ONCE(smc_tunables(c->net)->lgr_idle_time);
	if (c->role == SMC_CLNT)
		lgr->linger_ms += SMC_LGR_LINGER_CLIENT_MS;
	lgr->idle = smc_lgr_idle_get(c->net);
	lgr->idle_max = READ_ONCE(smc_tunables(c->net)->lgr_idle_max);
	lgr->creator = c;
	lgr->users = 1;
	atomic_inc(&lgr_alive);
	return lgr;
}

/*
 * Same peer, same role, same path (R-2.2-02, R-2.2-03, R-2.2.4-07), and the
 * same namespace: keys and views of one are none of the other's business. As
 * long as the first link is not there, the path is the one that it will take.
 */
static bool serves(struct smc_lgr *lgr, const struct smc_contact *c,
		   const u8 *peer_gid)
{
	bool same;

	if (lgr->role != SMC_SERV || lgr->in_host != c->in_host ||
	    lgr->net_cookie != c->net->net_cookie ||
	    lgr->terms.version != c->terms.version ||
	    memcmp(lgr->peer_id, c->peer_id, sizeof(lgr->peer_id)))
		return false;
	if (lgr->in_host)
		return true;
	if (lgr->choice.vlan != c->choice.vlan)
		return false;
	if (lgr->choice.port == c->choice.port &&
	    lgr->choice.gid_idx == c->choice.gid_idx &&
	    !memcmp(lgr->peer_gid, peer_gid, sizeof(lgr->peer_gid)))
		return true;
	spin_lock(&lgr->lock);
	same = smc_links_on_path(lgr, &c->choice, peer_gid);
	spin_unlock(&lgr->lock);
	return same;
}

/*
 * The server keeps to the agreed number of connections and to what RMBs can
 * hold, and begins a parallel group for more (R-3.5.3-01); the client goes
 * where the server says. A user is a connection, or a contact that will become
 * one.
 */
static bool has_place(const struct smc_lgr *lgr, const struct smc_contact *c)
{
	if (lgr->role == SMC_CLNT)
		return true;
	if (lgr->terms.max_conns &&
	    lgr->users - lgr->n_joined >= lgr->terms.max_conns)
		return false;
	return !smc_rmbs_full(lgr, c->rmb_size);
}

/* Take a group for a contact: reference and user. groups_lock held. */
static bool take(struct smc_lgr *lgr, const struct smc_contact *c)
{
	bool ok;

	lockdep_assert_held(&groups_lock);
	spin_lock(&lgr->lock);
	ok = lgr->state < SMC_LGR_ENDING && has_place(lgr, c);
	if (ok) {
		smc_lgr_user_get(lgr);
		smc_lgr_get(lgr);
	}
	spin_unlock(&lgr->lock);
	return ok;
}

static void publish(struct smc_lgr *lgr)
{
	lockdep_assert_held(&groups_lock);
	smc_lgr_get(lgr);	/* the table's, dropped in finish_end() */
	hash_add(groups, &lgr->node, peer_hash(lgr->peer_id));
}

/* A group for the contact, with reference and user; groups_lock held. */
static struct smc_lgr *find_server(const struct smc_contact *c,
				   const u8 *peer_gid)
{
	struct smc_lgr *lgr;

	hash_for_each_possible(groups, lgr, node, peer_hash(c->peer_id))
		if (serves(lgr, c, peer_gid) && take(lgr, c))
			return lgr;
	return NULL;
}

/**
 * smc_lgr_for_server - the group for a Proposal, created if there is none
 * @c: contact; c->lgr is set, with reference and user
 * @peer_gid: GID of the Proposal
 *
 * Context: may sleep for memory. Return: 0: found, 1: created, -ENOMEM.
 */
int smc_lgr_for_server(struct smc_contact *c, const u8 *peer_gid)
{
	struct smc_lgr *fresh;

	spin_lock_bh(&groups_lock);
	c->lgr = find_server(c, peer_gid);
	spin_unlock_bh(&groups_lock);
	if (c->lgr)
		return 0;
	fresh = lgr_alloc(c, peer_gid);
	if (!fresh)
		return -ENOMEM;
	spin_lock_bh(&groups_lock);
	c->lgr = find_server(c, peer_gid);	/* somebody was quicker? */
	if (!c->lgr)
		publish(fresh);
	spin_unlock_bh(&groups_lock);
	if (c->lgr) {
		smc_lgr_put(fresh);
		return 0;
	}
	smc_mib_inc(c->net, SMC_MIB_LGR_CREATED);
	c->lgr = fresh;
	return 1;
}

void smc_lgr_unhash(struct smc_lgr *lgr)
{
	spin_lock_bh(&groups_lock);
	hash_del(&lgr->node);
	spin_unlock_bh(&groups_lock);
}

/**
 * smc_lgr_for_client - a new group for an Accept with F; 0 or -ENOMEM
 * @c: contact
 * @peer_gid: peer's GID
 */
int smc_lgr_for_client(struct smc_contact *c, const u8 *peer_gid)
{
	struct smc_lgr *lgr = lgr_alloc(c, peer_gid);

	if (!lgr)
		return -ENOMEM;
	spin_lock_bh(&groups_lock);
	publish(lgr);
	spin_unlock_bh(&groups_lock);
	smc_mib_inc(c->net, SMC_MIB_LGR_CREATED);
	c->lgr = lgr;
	return 0;
}

/* As take(), with the link that ends at @peer. */
static bool take_link(struct smc_lgr *lgr, struct smc_contact *c,
		      const struct smc_ep_addr *peer)
{
	struct smc_link *link;

	spin_lock(&lgr->lock);
	link = smc_links_by_peer(lgr, peer);
	if (link)
		smc_link_get(link);
	spin_unlock(&lgr->lock);
	if (!link)
		return false;
	if (!take(lgr, c)) {
		smc_link_put(link);
		return false;
	}
	c->link = link;
	return true;
}

/**
 * smc_lgr_find_client - the group whose link an Accept without F names
 * @c: contact
 * @peer: peer's address
 *
 * Peer ID, GID, MAC and QP number must all match (R-3.5.2.2-01). A link that
 * has just broken will do, if its group lives on. Return: true: c->lgr is set,
 * with reference and user, and c->link, with a reference.
 */
bool smc_lgr_find_client(struct smc_contact *c, const struct smc_ep_addr *peer)
{
	struct smc_lgr *lgr;

	spin_lock_bh(&groups_lock);
	hash_for_each_possible(groups, lgr, node, peer_hash(c->peer_id)) {
		if (lgr->role != SMC_CLNT ||
		    lgr->net_cookie != c->net->net_cookie ||
		    memcmp(lgr->peer_id, c->peer_id, sizeof(lgr->peer_id)))
			continue;
		if (!take_link(lgr, c, peer))
			continue;
		c->lgr = lgr;
		break;
	}
	spin_unlock_bh(&groups_lock);
	return c->lgr;
}

/* ---- events from outside ---- */

void smc_lgr_violation(struct smc_lgr *lgr)
{
	/* the first ends it; what else was received by then tells nothing new */
	if (xchg(&lgr->violated, true))
		return;
	smc_mib_inc(NULL, SMC_MIB_LLC_VIOLATION);
	trace_smc_violation("link", lgr, lgr->id);
	smc_lgr_event(lgr, SMC_LGR_EVB_VIOLATION);
}

void smc_lgr_out_of_sync(struct smc_lgr *lgr)
{
	smc_lgr_event(lgr, SMC_LGR_EVB_OUT_OF_SYNC);
}

static void event_for_all(enum smc_lgr_event_bit ev)
{
	struct smc_lgr *lgr;
	int b;

	spin_lock_bh(&groups_lock);
	hash_for_each(groups, b, lgr, node)
		smc_lgr_event(lgr, ev);
	spin_unlock_bh(&groups_lock);
}

/* In the namespace of @than, and to stay so far. */
static bool is_idle(const struct smc_lgr *lgr, const struct smc_lgr *than)
{
	lockdep_assert_held(&groups_lock);
	if (lgr->idle != than->idle || READ_ONCE(lgr->state) != SMC_LGR_LINGER)
		return false;
	smp_rmb();	/* partner: smc_lgr_user_put() */
	return !READ_ONCE(lgr->evicted);
}

/* A client's group is kept for longer than its server's (R-3.5.4-03). */
static bool goes_first(const struct smc_lgr *lgr, const struct smc_lgr *other)
{
	if (lgr->role != other->role)
		return lgr->role == SMC_SERV;
	return time_before(READ_ONCE(lgr->idle_since),
			   READ_ONCE(other->idle_since));
}

/**
 * smc_lgr_evict - if too many groups are idle, one is to end
 * @than: group whose namespace and limit these are
 *
 * Context: any but irq. Return: one was told; there may be others.
 */
bool smc_lgr_evict(struct smc_lgr *than)
{
	struct smc_lgr *lgr, *victim = NULL;
	int b, n = 0;

	spin_lock_bh(&groups_lock);
	hash_for_each(groups, b, lgr, node) {
		if (!is_idle(lgr, than))
			continue;
		n++;
		if (!victim || goes_first(lgr, victim))
			victim = lgr;
	}
	if (n <= than->idle_max)
		victim = NULL;
	if (victim) {
		WRITE_ONCE(victim->evicted, true);
		smc_lgr_event(victim, SMC_LGR_EVB_EVICT);
	}
	spin_unlock_bh(&groups_lock);
	return victim;
}

/* ---- views ---- */

/**
 * smc_lgr_next - the group with the smallest number above @after
 * @after:	number
 * @net_cookie:	its namespace
 *
 * Return: group with a reference or NULL. Context: any but irq.
 */
struct smc_lgr *smc_lgr_next(u32 after, u64 net_cookie)
{
	struct smc_lgr *lgr, *best = NULL;
	int b;

	spin_lock_bh(&groups_lock);
	hash_for_each(groups, b, lgr, node)
		if (lgr->id > after && lgr->net_cookie == net_cookie &&
		    (!best || lgr->id < best->id))
			best = lgr;
	if (best)
		smc_lgr_get(best);
	spin_unlock_bh(&groups_lock);
	return best;
}

/* ---- module ---- */

static void port_leaving(struct smc_port *port)
{
	event_for_all(SMC_LGR_EVB_PORT_LEAVING);
}

static void port_ready(struct smc_port *port)
{
	event_for_all(SMC_LGR_EVB_PORT_READY);
}

static void port_gone(struct smc_port *port)
{
	/* its endpoints watch it, and their failure ends the links */
}

/* Nobody is left who could use its groups. */
static void __net_exit net_exit(struct net *net)
{
	struct smc_lgr *lgr;
	int b;

	spin_lock_bh(&groups_lock);
	hash_for_each(groups, b, lgr, node)
		if (lgr->net_cookie == net->net_cookie)
			smc_lgr_event(lgr, SMC_LGR_EVB_SHUTDOWN);
	spin_unlock_bh(&groups_lock);
}

static struct pernet_operations net_ops = {
	.exit = net_exit,
};

static const struct smc_dev_user dev_user = {
	.port_leaving = port_leaving,
	.port_gone = port_gone,
	.port_ready = port_ready,
};

int smc_group_init(const struct smc_lgr_user *user)
{
	int err;

	smc_group_user = user;
	err = smc_lgr_worker_init();
	if (err)
		return err;
	err = smc_dev_init(&dev_user);
	if (err)
		goto err_worker;
	err = smc_lgr_idle_init();
	if (err)
		goto err_dev;
	err = register_pernet_subsys(&net_ops);
	if (err)
		goto err_idle;
	return 0;

err_idle:
	smc_lgr_idle_exit();
err_dev:
	smc_dev_exit();
err_worker:
	smc_lgr_worker_exit();
	return err;
}

void smc_group_exit(void)
{
	unregister_pernet_subsys(&net_ops);
	event_for_all(SMC_LGR_EVB_SHUTDOWN);
	wait_event(lgr_gone, !atomic_read(&lgr_alive));
	smc_lgr_idle_exit();
	smc_dev_exit();
	smc_lgr_worker_exit();
	/* kfree_rcu() of the last group */
	rcu_barrier();
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Members of a group. A member is a connection; one link carries its sends.
 */
#include <linux/sizes.h>
#include "../transport/transport.h"
#include "contact_types.h"
#include "framing.h"
#include "hold.h"
#include "lgr.h"
#include "lgr_types.h"
#include "link.h"
#include "link_end.h"
#include "link_types.h"
#include "links.h"
#include "member.h"
#include "rmb.h"
#include "rtok.h"
#include "slots.h"

/*
 * Returns the contact's link, or another link if that one is down by now. Needs
 * lgr->lock.
 */
static struct smc_link *member_link_for(struct smc_lgr *lgr, struct smc_link *link)
{
	struct smc_link *other;

	lockdep_assert_held(&lgr->lock);
	if (READ_ONCE(link->state) <= SMC_LINK_ACTIVE)
		return link;
	other = smc_links_pick(lgr, NULL);
	return other ?: link;
}

int smc_member_join(struct smc_lgr_member *m, struct smc_contact *c,
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
		m->link = smc_link_get(member_link_for(lgr, c->link),
				       SMC_LINK_REF_MEMBER);
		atomic_inc(&m->link->conns);
		m->ep = m->link->ep;
		m->epoch = lgr->members.epoch;
		list_add_tail(&m->list, &lgr->members.list);
		lgr->members.n++;
		smc_lgr_user_get(lgr);
		smc_lgr_get(lgr, SMC_LGR_REF_MEMBER);
		lgr->members.n_joined++;
		c->joined = true;
		err = 0;
	}
	spin_unlock_bh(&lgr->lock);
	if (err)
		m->lgr = NULL;
	return err;
}

void smc_member_leave(struct smc_lgr_member *m)
{
	struct smc_lgr *lgr = m->lgr;
	/*
	 * ->down() may call this function; any other caller waits until
	 * ->down() returns
	 */
	bool own = READ_ONCE(lgr->members.down_task) == current;

	if (!own)
		mutex_lock(&lgr->members.down_mutex);
	spin_lock_bh(&lgr->lock);
	list_del_init(&m->list);
	if (!--lgr->members.n)
		smc_rmb_alone(lgr);
	spin_unlock_bh(&lgr->lock);
	if (!own)
		mutex_unlock(&lgr->members.down_mutex);
	smc_slots_unwait(m);
	smc_link_uncount(m->link);
	smc_link_put(m->link, SMC_LINK_REF_MEMBER);
	smc_lgr_user_put(lgr);
	smc_lgr_put(lgr, SMC_LGR_REF_MEMBER);
}

void smc_member_pause(struct smc_lgr_member *m)
{
	mutex_lock(&m->lgr->members.down_mutex);
}

void smc_member_resume(struct smc_lgr_member *m)
{
	mutex_unlock(&m->lgr->members.down_mutex);
}

/*
 * A CPU adds up to this many bytes before it takes the lock of the counter.
 * Only views read the total, and they add up the counts of all CPUs.
 */
#define MEMBER_QUEUED_BATCH	SZ_1G

void smc_member_queued(struct smc_lgr *lgr, s64 change)
{
	percpu_counter_add_batch(&lgr->members.queued, change,
				 MEMBER_QUEUED_BATCH);
}

void smc_member_wait_slot(struct smc_lgr_member *m)
{
	smc_slots_wait(m);
}

bool smc_member_queue(struct smc_lgr_member *m, u32 due, u8 how)
{
	return smc_framing_queue(m, due, how);
}

void smc_member_switch(struct smc_lgr_member *m, struct smc_link *to)
{
	struct smc_link *from = m->link;

	/* do not wait for ->run(): it takes a lock that the caller holds */
	smc_slots_leave(m);
	smc_link_uncount(from);
	atomic_inc(&to->conns);
	m->link = smc_link_get(to, SMC_LINK_REF_MEMBER);
	m->ep = to->ep;
	smc_link_put(from, SMC_LINK_REF_MEMBER);
}

unsigned long smc_member_keepalive(struct smc_lgr_member *m, unsigned long idle)
{
	struct smc_link *link = m->link;
	unsigned long last_rx = READ_ONCE(link->probe.last_rx);

	if (time_before(jiffies, last_rx + idle))
		return last_rx;
	WRITE_ONCE(link->probe.asked, true);	/* partner: smc_link_probe() */
	smc_lgr_event(link->lgr, SMC_LGR_EVB_PROBE);
	return jiffies;
}

void smc_member_heard(struct smc_lgr_member *m)
{
	unsigned long *last_rx = &m->link->probe.last_rx;
	unsigned long now = jiffies;

	/* all members of the link share this memory, so write once per tick */
	if (READ_ONCE(*last_rx) != now)
		WRITE_ONCE(*last_rx, now);
}

void smc_member_unread(struct smc_lgr_member *m)
{
	smc_hold_unread(m->link);
}

void smc_member_seen(struct smc_lgr_member *m)
{
	smc_hold_seen(m->link);
}

bool smc_member_faces(const struct smc_lgr_member *m,
		      const struct smc_lgr_member *peer)
{
	return m->lgr->key.in_host && peer->lgr->key.in_host &&
	       smc_ep_peer_same(m->ep, &peer->link->self);
}

/* ---- the peer's RMB of a member ---- */

int smc_member_peer_rmb(struct smc_lgr_member *m, u32 rkey, u64 addr, u32 *id)
{
	struct smc_lgr *lgr = m->lgr;
	int err = -ENOLINK;

	spin_lock_bh(&lgr->lock);
	if (smc_link_owns(lgr, m->named, m->named_uid))
		err = smc_rtok_learn(&lgr->rtoks, m->named, rkey, addr, id);
	spin_unlock_bh(&lgr->lock);
	return err;
}

int smc_member_offered_rmb(struct smc_lgr_member *m, const struct smc_link *link,
			   u32 rkey, u32 *id)
{
	int err = smc_rtok_find(&m->lgr->rtoks, link->slot, rkey, id);

	/* another link may have taken the slot, with other keys; partner:
	 * smc_links_add()
	 */
	if (READ_ONCE(m->lgr->owner[link->slot]) != link->uid)
		return -ENOENT;
	return err;
}

bool smc_member_peer_key(struct smc_lgr_member *m, u32 id, u32 *rkey, u64 *addr)
{
	return smc_rtok_get(&m->lgr->rtoks, id, m->link->slot, rkey, addr);
}

bool smc_member_in_host(const struct smc_lgr_member *m)
{
	return m->lgr->key.in_host;	/* constant */
}

bool smc_member_may_move(struct smc_lgr_member *m, u32 id,
			 const struct smc_link *from, const struct smc_link *to)
{
	u32 rkey;
	u64 addr;

	return READ_ONCE(from->state) != SMC_LINK_ACTIVE ||
	       smc_rtok_get(&m->lgr->rtoks, id, to->slot, &rkey, &addr);
}

/* ---- all members ---- */

/*
 * Returns the next member that has not seen the current move. Needs down_mutex.
 */
static struct smc_lgr_member *member_next(struct smc_lgr *lgr)
{
	struct smc_lgr_member *m;

	spin_lock_bh(&lgr->lock);
	m = list_first_entry_or_null(&lgr->members.list, struct smc_lgr_member,
				     list);
	if (m && m->epoch == lgr->members.epoch)
		m = NULL;
	if (m) {
		m->epoch = lgr->members.epoch;
		list_move_tail(&m->list, &lgr->members.list);
	}
	spin_unlock_bh(&lgr->lock);
	return m;
}

/**
 * smc_member_move_all - move members from one link to another
 * @lgr:	group
 * @from:	link
 * @to:		link; NULL: choose the link with the fewest connections for each
 *		member
 * @n:		limit of members to move
 *
 * Context: worker, may sleep.
 */
void smc_member_move_all(struct smc_lgr *lgr, struct smc_link *from,
			 struct smc_link *to, int n)
{
	struct smc_lgr_member *m;
	struct smc_link *next;

	spin_lock_bh(&lgr->lock);
	lgr->members.epoch++;		/* later members choose their own link */
	spin_unlock_bh(&lgr->lock);
	do {
		mutex_lock(&lgr->members.down_mutex);
		m = member_next(lgr);
		next = to ?: smc_links_pick(lgr, from);
		/* the mutex keeps the member in the group */
		if (m && next && m->ops->move(m, from, next))
			n--;
		mutex_unlock(&lgr->members.down_mutex);
		cond_resched();
	} while (m && n);
}

/**
 * smc_member_down_all - the group has ended: tell all members
 * @lgr: group
 *
 * Context: end work (end.c), may sleep.
 */
void smc_member_down_all(struct smc_lgr *lgr)
{
	struct smc_lgr_member *m;

	for (;;) {
		mutex_lock(&lgr->members.down_mutex);
		spin_lock_bh(&lgr->lock);
		m = list_first_entry_or_null(&lgr->members.list,
					     struct smc_lgr_member, list);
		if (m)
			list_del_init(&m->list);
		spin_unlock_bh(&lgr->lock);
		/* the mutex keeps the member in the group */
		WRITE_ONCE(lgr->members.down_task, current);
		if (m)
			m->ops->down(m, lgr->end.err);
		WRITE_ONCE(lgr->members.down_task, NULL);
		mutex_unlock(&lgr->members.down_mutex);
		if (!m)
			return;
		cond_resched();
	}
}

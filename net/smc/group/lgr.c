// SPDX-License-Identifier: GPL-2.0
/*
 * The object of a link group: its references, its state, its users, and the
 * inputs of its worker, which are events, deadlines and an agenda.
 */
#include <linux/wait.h>
#include "../base/compat.h"
#include "../base/deadline.h"
#include "../base/mib.h"
#include "../base/trace.h"
#include "../wire/clc.h"
#include "idle.h"
#include "lgr.h"
#include "lgr_fsm.h"
#include "lgr_types.h"
#include "vacant.h"

static atomic_t lgr_ids = ATOMIC_INIT(0);

/* number of groups that are not yet freed */
static atomic_t lgr_alive = ATOMIC_INIT(0);

/* woken when lgr_alive becomes 0 */
static DECLARE_WAIT_QUEUE_HEAD(lgr_gone);

/* ---- references ---- */

static const char *const lgr_ref_names[SMC_LGR_NR_REFS] = {
	[SMC_LGR_REF_CONTACT]	= "contact",
	[SMC_LGR_REF_TABLE]	= "table",
	[SMC_LGR_REF_MEMBER]	= "member",
	[SMC_LGR_REF_REAP]	= "reap",
	[SMC_LGR_REF_WORK]	= "work",
	[SMC_LGR_REF_LAST_WORD]	= "last-word",
	[SMC_LGR_REF_GRAVE]	= "grave",
	[SMC_LGR_REF_CALL]	= "call",
	[SMC_LGR_REF_VIEW]	= "view",
};

static void lgr_ref_trace(const struct smc_lgr *lgr, enum smc_lgr_ref why,
			  int change)
{
	trace_smc_ref("lgr", lgr, lgr_ref_names[why], change);
}

/**
 * smc_lgr_get - take one more reference
 * @lgr: group
 * @why: reason, for the trace
 *
 * Context: any. Return: @lgr.
 */
struct smc_lgr *smc_lgr_get(struct smc_lgr *lgr, enum smc_lgr_ref why)
{
	kref_get(&lgr->ref);
	lgr_ref_trace(lgr, why, 1);
	return lgr;
}

static void lgr_release(struct kref *ref)
{
	struct smc_lgr *lgr = container_of(ref, struct smc_lgr, ref);

	queue_work(lgr->mail.wq, &lgr->free.work);
}

/**
 * smc_lgr_put - drop a reference
 * @lgr: group
 * @why: reason, as in smc_lgr_get()
 *
 * Context: any. After the last reference a work item frees the parts of the
 * group.
 */
void smc_lgr_put(struct smc_lgr *lgr, enum smc_lgr_ref why)
{
	lgr_ref_trace(lgr, why, -1);
	kref_put(&lgr->ref, lgr_release);
}

/**
 * smc_lgr_freed - free the object, after its parts are freed
 * @lgr: group without a reference
 */
void smc_lgr_freed(struct smc_lgr *lgr)
{
	kfree_rcu(lgr, free.rcu);
	if (atomic_dec_and_test(&lgr_alive))
		wake_up_all(&lgr_gone);
}

/** smc_lgr_wait_all_freed - wait until no group is left; may sleep */
void smc_lgr_wait_all_freed(void)
{
	wait_event(lgr_gone, !atomic_read(&lgr_alive));
}

/* ---- state ---- */

/**
 * smc_lgr_step - the only writer of the state
 * @lgr: group, its lock held
 * @ev: what happened
 *
 * Return: true if the state changed.
 */
bool smc_lgr_step(struct smc_lgr *lgr, enum smc_lgr_event ev)
{
	u8 before = lgr->state;

	lockdep_assert_held(&lgr->lock);
	smc_fsm_step(&smc_lgr_fsm, &lgr->state, ev);
	if (lgr->state == before)
		return false;
	if (before == SMC_LGR_LINGER)
		smc_idle_end(lgr->idle.of_net, &lgr->idle.entry);
	if (lgr->state == SMC_LGR_LINGER)
		smc_idle_begin(lgr->idle.of_net, &lgr->idle.entry,
			       lgr->key.role);
	return true;
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
 * An in-host group has only one link. So has a group if both sides agreed on
 * one link, or if a gateway is between the hosts: ADD LINK does not tell the
 * route to the other adapter.
 */
bool smc_lgr_may_add(const struct smc_lgr *lgr)
{
	return !lgr->key.in_host && lgr->terms.max_links != 1 &&
	       lgr->terms.direct;
}

/**
 * smc_lgr_peer_ends_conns - does the peer end each connection of a dying group
 *	with a message?
 * @lgr: group
 *
 * Deployed Linux sends such messages, and so do all known peers with version 2.
 * On a device that retries without limit, deployed Linux blocks until these
 * messages have arrived.
 */
bool smc_lgr_peer_ends_conns(const struct smc_lgr *lgr)
{
	return lgr->terms.version > SMC_CLC_V1;
}

/**
 * smc_lgr_eye_len - bytes of the eye catcher that each element starts with
 * @lgr: group
 *
 * Context: any. Return: 0 or SMC_RMBE_EYE_LEN, the same in the whole group.
 */
u8 smc_lgr_eye_len(const struct smc_lgr *lgr)
{
	return lgr->terms.eye;
}

/* ---- mailbox of the worker ---- */

/**
 * smc_lgr_event - send an event to the worker of a group
 * @lgr:	group; the caller has a reference
 * @ev:		what happened
 *
 * Context: any, BH safe, locks may be held.
 */
void smc_lgr_event(struct smc_lgr *lgr, enum smc_lgr_event_bit ev)
{
	/*
	 * orders earlier writes before the bit, which the worker takes by
	 * xchg()
	 */
	smp_mb__before_atomic();
	set_bit(ev, &lgr->mail.events);
	smc_lgr_get(lgr, SMC_LGR_REF_WORK);
	/* queue_work() is a full barrier: the worker sees the bit */
	if (!queue_work(lgr->mail.wq, &lgr->mail.work))
		smc_lgr_put(lgr, SMC_LGR_REF_WORK);
}

/**
 * smc_lgr_queue_work - queue work that must end before the module unloads
 * @lgr: group; a device that hangs delays only work of its own groups
 * @work: work that waits for no command of a device
 */
void smc_lgr_queue_work(struct smc_lgr *lgr, struct work_struct *work)
{
	queue_work(lgr->mail.wq, work);
}

/**
 * smc_lgr_due - put an item on the worker's agenda
 * @lgr: group
 * @what: the item
 *
 * Context: worker. smc_worker_run() describes the order.
 */
void smc_lgr_due(struct smc_lgr *lgr, enum smc_lgr_due what)
{
	__set_bit(what, &lgr->mail.agenda);
}

void smc_lgr_violation(struct smc_lgr *lgr)
{
	/* the first violation ends the group, so later ones are not counted */
	if (xchg(&lgr->mail.violated, true))
		return;
	smc_mib_inc(NULL, SMC_MIB_LLC_VIOLATION);
	trace_smc_violation("link", lgr, lgr->id);
	smc_lgr_event(lgr, SMC_LGR_EVB_VIOLATION);
}

void smc_lgr_out_of_sync(struct smc_lgr *lgr)
{
	smc_lgr_event(lgr, SMC_LGR_EVB_OUT_OF_SYNC);
}

/* ---- deadlines ---- */

static void lgr_arm_timer(struct smc_lgr *lgr)
{
	unsigned long left = smc_deadline_first(lgr->mail.deadline,
						SMC_LGR_DL_NR);

	lockdep_assert_held(&lgr->lock);
	if (left != ULONG_MAX && lgr->state != SMC_LGR_DEAD)
		mod_timer(&lgr->mail.timer, jiffies + left);
}

void smc_lgr_deadline_locked(struct smc_lgr *lgr, enum smc_lgr_deadline d,
			     unsigned int ms)
{
	lockdep_assert_held(&lgr->lock);
	lgr->mail.deadline[d] = smc_deadline_in(msecs_to_jiffies(ms));
	lgr_arm_timer(lgr);
}

void smc_lgr_set_deadline(struct smc_lgr *lgr, enum smc_lgr_deadline d,
			  unsigned int ms)
{
	spin_lock_bh(&lgr->lock);
	smc_lgr_deadline_locked(lgr, d, ms);
	spin_unlock_bh(&lgr->lock);
}

void smc_lgr_clear_deadline(struct smc_lgr *lgr, enum smc_lgr_deadline d)
{
	spin_lock_bh(&lgr->lock);
	lgr->mail.deadline[d] = 0;
	spin_unlock_bh(&lgr->lock);
}

/** smc_lgr_rearm - start the timer for the next deadline, if there is one */
void smc_lgr_rearm(struct smc_lgr *lgr)
{
	spin_lock_bh(&lgr->lock);
	lgr_arm_timer(lgr);
	spin_unlock_bh(&lgr->lock);
}

static void lgr_timer(struct timer_list *t)
{
	struct smc_lgr *lgr = smc_from_timer(lgr, t, mail.timer);

	smc_lgr_event(lgr, SMC_LGR_EVB_TIMER);
}

/**
 * smc_lgr_expired - has this deadline expired? If so, clear it
 * @lgr: group
 * @d: deadline
 *
 * The worker handles one deadline at a time, because handling one may clear
 * another deadline, or give its slot to a new link. Context: worker.
 */
bool smc_lgr_expired(struct smc_lgr *lgr, enum smc_lgr_deadline d)
{
	bool due;

	spin_lock_bh(&lgr->lock);
	due = smc_deadline_take(&lgr->mail.deadline[d]);
	spin_unlock_bh(&lgr->lock);
	return due;
}

/* ---- users ---- */

/* A contact or a member begins to use the group. The caller holds lgr->lock. */
void smc_lgr_user_get(struct smc_lgr *lgr)
{
	lockdep_assert_held(&lgr->lock);
	lgr->users++;
	lgr->mail.deadline[SMC_LGR_DL_LINGER] = 0;
	smc_lgr_step(lgr, SMC_LGR_EV_USER);
}

void smc_lgr_user_put(struct smc_lgr *lgr)
{
	bool last, crowded = false;

	spin_lock_bh(&lgr->lock);
	last = !--lgr->users;
	smc_vacant_check(lgr);
	if (last)
		smc_lgr_step(lgr, SMC_LGR_EV_NO_USER);
	/* R-2-06 */
	if (last && lgr->state == SMC_LGR_LINGER) {
		smc_lgr_deadline_locked(lgr, SMC_LGR_DL_LINGER,
					lgr->idle.linger_ms);
		crowded = smc_idle_crowded(lgr->idle.of_net, lgr->idle.max);
	}
	spin_unlock_bh(&lgr->lock);
	if (crowded)
		smc_lgr_event(lgr, SMC_LGR_EVB_CROWDED);
}

/* ---- life ---- */

/**
 * smc_lgr_init - initialise what this file owns in a new group
 * @lgr: zeroed
 * @wq: runs its worker; exists as long as the module
 *
 * The caller gets one reference (SMC_LGR_REF_CONTACT) and is the first user.
 */
void smc_lgr_init(struct smc_lgr *lgr, struct workqueue_struct *wq)
{
	kref_init(&lgr->ref);
	lgr_ref_trace(lgr, SMC_LGR_REF_CONTACT, 1);
	spin_lock_init(&lgr->lock);
	spin_lock_init(&lgr->mail.lock);
	mutex_init(&lgr->members.down_mutex);
	mutex_init(&lgr->setup);
	INIT_LIST_HEAD(&lgr->members.list);
	INIT_LIST_HEAD(&lgr->waiters);
	INIT_LIST_HEAD(&lgr->idle.entry);
	INIT_LIST_HEAD(&lgr->entry.all);
	RB_CLEAR_NODE(&lgr->entry.id);
	INIT_HLIST_NODE(&lgr->entry.vacant);
	INIT_KFIFO(lgr->mail.llc_in);
	lgr->mail.wq = wq;
	timer_setup(&lgr->mail.timer, lgr_timer, 0);
	lgr->id = smc_lgr_next_id(&lgr_ids);
	lgr->users = 1;
	atomic_inc(&lgr_alive);
}

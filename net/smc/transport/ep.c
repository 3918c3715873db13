// SPDX-License-Identifier: GPL-2.0
/*
 * Code that both transports share: creation and end of an endpoint, its send
 * slots, and the functions of transport.h, which call the transport's
 * operations.
 */
#include <linux/bug.h>
#include <linux/gfp.h>
#include <linux/slab.h>
#include "../base/compat.h"
#include "../base/exact.h"
#include "../base/limits.h"
#include "../base/memcg.h"
#include "../base/mib.h"
#include "../base/trace.h"
#include "ep.h"
#include "queues.h"

static struct workqueue_struct *down_wq;

/* ---- state ---- */

/* Return: true if @ev changed the state. */
static bool ep_step(struct smc_ep *ep, enum smc_ep_event ev)
{
	const struct smc_fsm_cell *cell;
	unsigned long flags;

	spin_lock_irqsave(&ep->lock, flags);
	cell = smc_fsm_step(&smc_ep_fsm, &ep->state, ev);
	switch ((enum smc_ep_action)cell->action) {
	case SMC_EP_DO_NOTHING:
		break;
	case SMC_EP_DO_TELL:
		/*
		 * queue under the lock, so that none is queued after QUIET, see
		 * smc_ep_quiesce()
		 */
		queue_work(down_wq, &ep->down_work);
		break;
	}
	spin_unlock_irqrestore(&ep->lock, flags);
	WARN_ON_ONCE(cell->kind == SMC_FSM_VIOLATION);
	return cell->kind == SMC_FSM_MOVE;
}

/**
 * smc_ep_fail - mark the endpoint as failed
 * @ep:		endpoint
 * @err:	negative errno
 *
 * The owner's down() is called once, in a separate context. The endpoint posts
 * nothing after this. Context: any, any locks.
 */
void smc_ep_fail(struct smc_ep *ep, int err)
{
	/*
	 * Partner: tell_down(). The first error is kept, except a flush error
	 * (-ECONNABORTED), which a later error replaces: a queue pair flushes
	 * its receives before it reports the real error.
	 */
	if (cmpxchg(&ep->err, 0, err) == -ECONNABORTED)
		cmpxchg(&ep->err, -ECONNABORTED, err);
	ep_step(ep, SMC_EP_EV_FAIL);
}

static void tell_down(struct work_struct *work)
{
	struct smc_ep *ep = container_of(work, struct smc_ep, down_work);

	ep->user->down(ep->ctx, READ_ONCE(ep->err));
}

/* ---- slots ---- */

/* Has a sender been refused a slot, and is one free for it now? */
static bool take_room(struct smc_ep *ep)
{
	unsigned int due = 0;

	lockdep_assert_held(&ep->lock);
	if (ep->state != SMC_EP_READY || timer_pending(&ep->room.retry))
		return false;
	if (ep->n_free)
		due |= BIT(SMC_EP_CTRL);
	if (ep->n_free > SMC_EP_CTRL_SLOTS)
		due |= BIT(SMC_EP_DATA);
	due &= ep->room.starved;
	ep->room.starved &= ~due;
	return due;
}

static void give_room(struct tasklet_struct *t)
{
	struct smc_ep *ep = from_tasklet(ep, t, kick);
	unsigned long flags;
	bool room;

	spin_lock_irqsave(&ep->lock, flags);
	room = take_room(ep);
	spin_unlock_irqrestore(&ep->lock, flags);
	if (room)
		ep->user->room(ep->ctx);
}

/* Queue the work under the lock, for the reason given in ep_step(). */
static void kick_room(struct smc_ep *ep)
{
	lockdep_assert_held(&ep->lock);
	if (ep->room.starved && ep->state == SMC_EP_READY &&
	    !timer_pending(&ep->room.retry))
		tasklet_schedule(&ep->kick);
}

static void push_free(struct smc_ep *ep, struct smc_ep_bundle *b)
{
	lockdep_assert_held(&ep->lock);
	/* use the slot again first, because it is likely to be in the cache */
	list_add(&b->list, &ep->free);
	ep->n_free++;
}

struct smc_ep_slot *smc_ep_slot_get(struct smc_ep *ep, enum smc_ep_prio prio)
{
	unsigned int keep = prio == SMC_EP_CTRL ? 0 : SMC_EP_CTRL_SLOTS;
	struct smc_ep_bundle *b = NULL;
	unsigned long flags;

	spin_lock_irqsave(&ep->lock, flags);
	if (ep->state == SMC_EP_READY && ep->n_free > keep &&
	    !timer_pending(&ep->room.retry)) {
		b = list_first_entry(&ep->free, struct smc_ep_bundle, list);
		list_del_init(&b->list);
		ep->n_free--;
	} else if (ep->state <= SMC_EP_READY) {
		ep->room.starved |= BIT(prio);
	}
	spin_unlock_irqrestore(&ep->lock, flags);
	if (!b)
		return NULL;
	b->n_writes = 0;
	b->n_pieces = 0;
	b->err = 0;
	b->pub.page = NULL;
	return &b->pub;
}

static struct smc_ep_bundle *bundle_of(struct smc_ep_slot *slot)
{
	return container_of(slot, struct smc_ep_bundle, pub);
}

void smc_ep_slot_cancel(struct smc_ep *ep, struct smc_ep_slot *slot)
{
	unsigned long flags;

	spin_lock_irqsave(&ep->lock, flags);
	push_free(ep, bundle_of(slot));
	kick_room(ep);
	spin_unlock_irqrestore(&ep->lock, flags);
}

static void retry_now(struct timer_list *t)
{
	struct smc_ep *ep = smc_from_timer(ep, t, room.retry);
	unsigned long flags;

	/* the timer is not pending any more */
	spin_lock_irqsave(&ep->lock, flags);
	kick_room(ep);
	spin_unlock_irqrestore(&ep->lock, flags);
}

/* Returns the delay after @failures failures in a row; it doubles with each. */
static unsigned int retry_ms(unsigned int failures)
{
	unsigned int ms = SMC_EP_RETRY_MIN_MS;

	while (--failures && ms < SMC_EP_RETRY_MAX_MS)
		ms *= 2;
	return ms;
}

/*
 * Memory could not be mapped. All senders of the endpoint wait, because their
 * attempts would fail as well.
 */
static void retry_later(struct smc_ep *ep)
{
	unsigned int failures;
	unsigned long flags;

	spin_lock_irqsave(&ep->lock, flags);
	/* both kinds of senders must try again */
	ep->room.starved |= BIT(SMC_EP_CTRL) | BIT(SMC_EP_DATA);
	if (ep->state == SMC_EP_READY && !timer_pending(&ep->room.retry)) {
		failures = ep->room.failures + 1;
		/* partner: note_mapped() */
		WRITE_ONCE(ep->room.failures, failures);
		mod_timer(&ep->room.retry,
			  jiffies + msecs_to_jiffies(retry_ms(failures)));
	}
	spin_unlock_irqrestore(&ep->lock, flags);
}

/*
 * Ends a row of failures after a call of map() has succeeded. A bundle without
 * memory, such as an LLC message, maps nothing, so it says nothing about the
 * device.
 */
static void note_mapped(struct smc_ep *ep, const struct smc_ep_bundle *b)
{
	if (!READ_ONCE(ep->room.failures) || (!b->n_pieces && !b->pub.page))
		return;
	WRITE_ONCE(ep->room.failures, 0);	/* partner: retry_later() */
}

void smc_ep_write_begin(struct smc_ep *ep, struct smc_ep_slot *slot, u32 rkey,
			u64 raddr)
{
	struct smc_ep_bundle *b = bundle_of(slot);
	struct smc_ep_write *w;

	if (WARN_ON_ONCE(b->n_writes == SMC_EP_MAX_WRITES))
		return;
	w = &b->write[b->n_writes++];
	w->rkey = rkey;
	w->raddr = raddr;
	w->len = 0;
	w->first_piece = b->n_pieces;
	w->n_pieces = 0;
}

u32 smc_ep_write_page(struct smc_ep *ep, struct smc_ep_slot *slot,
		      struct page *page, u32 off, u32 len)
{
	struct smc_ep_bundle *b = bundle_of(slot);
	struct smc_ep_piece *last;
	struct smc_ep_write *w;

	if (WARN_ON_ONCE(!b->n_writes))
		return 0;
	w = &b->write[b->n_writes - 1];
	if (len > ep->max.write - w->len)
		return 0;
	last = w->n_pieces ? &b->piece[b->n_pieces - 1] : NULL;
	if (last && last->page == page && last->off + last->len == off) {
		last->len += len;
	} else {
		if (b->n_pieces == ep->max.pieces)
			return 0;
		b->piece[b->n_pieces++] = (struct smc_ep_piece) {
			.page = page, .off = off, .len = len,
		};
		w->n_pieces++;
	}
	w->len += len;
	return len;
}

static int try_post(struct smc_ep *ep, struct smc_ep_bundle *b)
{
	unsigned long flags;
	int err = -ENOTCONN;

	lockdep_assert_held(&ep->post_lock);
	spin_lock_irqsave(&ep->lock, flags);
	if (ep->state == SMC_EP_READY) {
		if (list_empty(&ep->posted))
			ep->room.moved = jiffies;
		list_add_tail(&b->list, &ep->posted);
		ep->n_posted++;
		err = 0;
	}
	spin_unlock_irqrestore(&ep->lock, flags);
	if (err)
		return err;

	err = ep->ops->post(ep, b);
	if (err) {
		spin_lock_irqsave(&ep->lock, flags);
		list_del_init(&b->list);
		ep->n_posted--;
		spin_unlock_irqrestore(&ep->lock, flags);
	}
	return err;
}

int smc_ep_slot_post(struct smc_ep *ep, struct smc_ep_slot *slot)
{
	struct smc_ep_bundle *b = bundle_of(slot);
	u32 n_writes = b->n_writes;	/* @b must not be used after the post */
	int err;

	/* before the lock, so that other posters do not wait for an IOMMU */
	if (ep->ops->map && ep->ops->map(ep, b)) {
		smc_mib_inc(NULL, SMC_MIB_TX_MAP_FAILED);
		retry_later(ep);
		smc_ep_slot_cancel(ep, slot);
		return -EAGAIN;
	}
	note_mapped(ep, b);
	spin_lock_bh(&ep->post_lock);
	err = try_post(ep, b);
	spin_unlock_bh(&ep->post_lock);
	if (err) {
		if (ep->ops->unmap)
			ep->ops->unmap(ep, b);
		smc_ep_fail(ep, err);
		smc_ep_slot_cancel(ep, slot);
		return err;
	}
	smc_mib_inc(NULL, SMC_MIB_DOORBELLS);
	smc_mib_inc(NULL, SMC_MIB_WR_SEND);
	if (n_writes)
		smc_mib_add(NULL, SMC_MIB_WR_WRITE, n_writes);
	return 0;
}

/**
 * smc_ep_complete - complete a posted slot: call done(), free the slot, call
 * room()
 * @ep:		endpoint
 * @b:		the slot, the oldest that is posted
 * @err:	0: delivered
 *
 * Context: softirq, or process context with BH off; one call at a time per
 * endpoint.
 */
void smc_ep_complete(struct smc_ep *ep, struct smc_ep_bundle *b, int err)
{
	unsigned long flags;
	bool room;

	spin_lock_irqsave(&ep->lock, flags);
	list_del_init(&b->list);
	ep->room.moved = jiffies;
	spin_unlock_irqrestore(&ep->lock, flags);

	b->pub.done(&b->pub, err);

	spin_lock_irqsave(&ep->lock, flags);
	push_free(ep, b);
	/* only smc_ep_quiesce() waits, and it waits after the state is QUIET */
	if (!--ep->n_posted && ep->state == SMC_EP_QUIET)
		wake_up(&ep->idle);
	room = take_room(ep);
	spin_unlock_irqrestore(&ep->lock, flags);
	if (room)
		ep->user->room(ep->ctx);
}

bool smc_ep_stuck(struct smc_ep *ep)
{
	unsigned long flags;
	bool stuck;

	spin_lock_irqsave(&ep->lock, flags);
	stuck = ep->state == SMC_EP_READY && !list_empty(&ep->posted) &&
		time_after_eq(jiffies, ep->room.moved +
			      msecs_to_jiffies(SMC_EP_STUCK_MS));
	spin_unlock_irqrestore(&ep->lock, flags);
	return stuck;
}

bool smc_ep_cannot_map(const struct smc_ep *ep)
{
	return READ_ONCE(ep->room.failures) >= SMC_EP_RETRIES &&
	       timer_pending(&ep->room.retry);
}

/* ---- receiving ---- */

/** smc_ep_message - give a message to the owner; softirq, one at a time */
void smc_ep_message(struct smc_ep *ep, const u8 *buf, u32 len)
{
	smc_mib_inc(NULL, SMC_MIB_WR_RECV);
	ep->user->message(ep->ctx, buf, len);
}

/* ---- life ---- */

/** smc_ep_nth_bundle - get slot @n, from 0 to ep->max.slots - 1 */
struct smc_ep_bundle *smc_ep_nth_bundle(struct smc_ep *ep, unsigned int n)
{
	return ep->bundles + n * ep->ops->bundle_size;
}

static size_t bundles_bytes(const struct smc_ep *ep)
{
	return ep->max.allocated * ep->ops->bundle_size;
}

static int alloc_slots(struct smc_ep *ep)
{
	struct smc_ep_bundle *b;
	unsigned int i;

	BUILD_BUG_ON(SMC_EP_MSG_LEN > SMC_EP_MSG_STRIDE);
	ep->msgs = kcalloc(ep->max.allocated, SMC_EP_MSG_STRIDE, SMC_GFP_PAID);
	ep->bundles = smc_exact_alloc(bundles_bytes(ep),
				      SMC_GFP_PAID | __GFP_ZERO);
	if (!ep->msgs || !ep->bundles)
		return -ENOMEM;
	for (i = 0; i < ep->max.slots; i++) {
		b = smc_ep_nth_bundle(ep, i);
		b->pub.msg = ep->msgs + i * SMC_EP_MSG_STRIDE;
		list_add_tail(&b->list, &ep->free);
	}
	ep->n_free = ep->max.slots;
	return 0;
}

/**
 * smc_ep_init - initialise the common part of a zeroed endpoint, with one
 * reference
 * @ep:		endpoint
 * @ops:	operations of its transport
 * @n_slots:	number of slots, SMC_EP_SLOTS at most
 * @user:	as in smc_ep_open_roce()
 * @ctx:	as in smc_ep_open_roce()
 *
 * Context: may sleep. Return: 0 or -ENOMEM; call smc_ep_cleanup() in both
 * cases.
 */
int smc_ep_init(struct smc_ep *ep, const struct smc_ep_ops *ops,
		unsigned int n_slots, const struct smc_ep_user *user,
		void *ctx)
{
	ep->ops = ops;
	ep->max.slots = n_slots;
	ep->max.allocated = n_slots;
	ep->user = user;
	ep->ctx = ctx;
	kref_init(&ep->ref);
	mutex_init(&ep->ctl);
	INIT_WORK(&ep->down_work, tell_down);
	tasklet_setup(&ep->kick, give_room);
	timer_setup(&ep->room.retry, retry_now, 0);
	spin_lock_init(&ep->post_lock);
	spin_lock_init(&ep->lock);
	INIT_LIST_HEAD(&ep->free);
	INIT_LIST_HEAD(&ep->posted);
	init_waitqueue_head(&ep->idle);
	return alloc_slots(ep);
}

/**
 * smc_ep_limit_slots - use fewer slots
 * @ep:		endpoint that is being opened
 * @n:		number of slots
 */
void smc_ep_limit_slots(struct smc_ep *ep, unsigned int n)
{
	struct smc_ep_bundle *b;

	for (; ep->n_free > n; ep->n_free--) {
		b = list_last_entry(&ep->free, struct smc_ep_bundle, list);
		list_del_init(&b->list);
	}
}

void smc_ep_cleanup(struct smc_ep *ep)
{
	kfree(ep->msgs);
	smc_exact_free(ep->bundles, bundles_bytes(ep));
	mutex_destroy(&ep->ctl);
}

/**
 * smc_ep_abandon - stop all callbacks after a failed open
 * @ep:		endpoint
 *
 * Context: may sleep. smc_ep_cleanup() follows.
 */
void smc_ep_abandon(struct smc_ep *ep)
{
	ep_step(ep, SMC_EP_EV_QUIESCE);
	cancel_work_sync(&ep->down_work);
	tasklet_kill(&ep->kick);
}

int smc_ep_accept(struct smc_ep *ep, const struct smc_ep_addr *peer)
{
	int err = -ENOTCONN;

	mutex_lock(&ep->ctl);
	if (READ_ONCE(ep->state) == SMC_EP_OPEN) {
		ep->peer = *peer;
		err = ep->ops->accept(ep);
		if (err)
			ep->peer.qpn = 0;
	}
	if (!err)
		/* partner: smc_ep_peer_same() */
		smp_store_release(&ep->bound, true);
	if (!err && !ep_step(ep, SMC_EP_EV_ACCEPT))
		err = -ENOTCONN;
	mutex_unlock(&ep->ctl);
	return err;
}

int smc_ep_start(struct smc_ep *ep)
{
	unsigned long flags;
	int err = -ENOTCONN;

	mutex_lock(&ep->ctl);
	if (READ_ONCE(ep->state) == SMC_EP_BOUND)
		err = ep->ops->start(ep);
	if (!err && !ep_step(ep, SMC_EP_EV_START))
		err = -ENOTCONN;
	mutex_unlock(&ep->ctl);

	spin_lock_irqsave(&ep->lock, flags);
	kick_room(ep);
	spin_unlock_irqrestore(&ep->lock, flags);
	return err;
}

void smc_ep_quiesce(struct smc_ep *ep)
{
	might_sleep();
	mutex_lock(&ep->ctl);
	if (ep_step(ep, SMC_EP_EV_QUIESCE)) {
		/* a poster that saw READY has finished when the lock is free */
		spin_lock_bh(&ep->post_lock);
		spin_unlock_bh(&ep->post_lock);
		ep->ops->quiesce(ep);
		/*
		 * none is queued again, because the state is checked under the
		 * lock
		 */
		cancel_work_sync(&ep->down_work);
		timer_shutdown_sync(&ep->room.retry);
		tasklet_kill(&ep->kick);
		WARN_ON_ONCE(ep->n_posted);
	}
	mutex_unlock(&ep->ctl);
}

void smc_ep_close(struct smc_ep *ep)
{
	smc_ep_quiesce(ep);
	/* without the mutex ctl, because a device may take a minute, and other
	 * callers only quiesce
	 */
	if (ep_step(ep, SMC_EP_EV_CLOSE) && ep->ops->close)
		ep->ops->close(ep);
}

static void ep_release(struct kref *ref)
{
	struct smc_ep *ep = container_of(ref, struct smc_ep, ref);

	WARN_ON_ONCE(ep->state != SMC_EP_CLOSED);
	ep->ops->release(ep);
}

static const char *const ep_ref_names[SMC_EP_NR_REFS] = {
	[SMC_EP_REF_OWNER]	= "owner",
	[SMC_EP_REF_MR]		= "region",
	[SMC_EP_REF_PEER]	= "peer",
	[SMC_EP_REF_KEPT]	= "kept",
};

static void ep_ref_trace(const struct smc_ep *ep, enum smc_ep_ref why,
			 int change)
{
	trace_smc_ref("ep", ep, ep_ref_names[why], change);
}

/**
 * smc_ep_opened - give the endpoint to its owner
 * @ep:		endpoint; the reference of smc_ep_init() is SMC_EP_REF_OWNER
 *
 * Return: @ep.
 */
struct smc_ep *smc_ep_opened(struct smc_ep *ep)
{
	ep_ref_trace(ep, SMC_EP_REF_OWNER, 1);
	return ep;
}

/**
 * smc_ep_get - take one more reference
 * @ep:		endpoint
 * @why:	reason, for the trace
 *
 * Context: any. Return: @ep.
 */
struct smc_ep *smc_ep_get(struct smc_ep *ep, enum smc_ep_ref why)
{
	kref_get(&ep->ref);
	ep_ref_trace(ep, why, 1);
	return ep;
}

void smc_ep_put(struct smc_ep *ep, enum smc_ep_ref why)
{
	ep_ref_trace(ep, why, -1);
	kref_put(&ep->ref, ep_release);
}

/* ---- views ---- */

void smc_ep_describe(const struct smc_ep *ep, struct smc_ep_addr *addr)
{
	*addr = ep->self;
}

bool smc_ep_peer_same(const struct smc_ep *ep, const struct smc_ep_addr *addr)
{
	/* partner: smc_ep_accept() */
	return smp_load_acquire(&ep->bound) && ep->peer.qpn == addr->qpn &&
	       !memcmp(ep->peer.gid, addr->gid, sizeof(addr->gid)) &&
	       !memcmp(ep->peer.mac, addr->mac, sizeof(addr->mac));
}

u32 smc_ep_max_write(const struct smc_ep *ep)
{
	return ep->max.write;
}

u32 smc_ep_max_pieces(const struct smc_ep *ep)
{
	return ep->max.pieces;
}

unsigned int smc_ep_napi(const struct smc_ep *ep)
{
	return READ_ONCE(ep->napi);	/* partner: smc_roce_busy_quiesce() */
}

void smc_ep_queue_stop(struct smc_ep *ep, struct work_struct *work)
{
	queue_work(smc_queues_stops(ep->port), work);
}

void smc_ep_queue_free(struct smc_ep *ep, struct work_struct *work)
{
	queue_work(smc_queues_frees(ep->port), work);
}

/* ---- the worker for callbacks ---- */

/** smc_ep_workers_init - start the worker, before the first endpoint opens */
int smc_ep_workers_init(void)
{
	down_wq = alloc_workqueue("smc_ep_down", WQ_UNBOUND, 0);
	return down_wq ? 0 : -ENOMEM;
}

/** smc_ep_workers_exit - stop the worker, after every endpoint was closed */
void smc_ep_workers_exit(void)
{
	destroy_workqueue(down_wq);
}

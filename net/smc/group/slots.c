// SPDX-License-Identifier: GPL-2.0
/*
 * Waiting for send slots. Queues the members and the LLC messages of a link
 * while no send slot is free. Serves them when the endpoint has a free slot.
 */
#include <linux/mm.h>
#include "framing.h"
#include "hold.h"
#include "lgr.h"
#include "link_types.h"
#include "member_types.h"
#include "slots.h"

/*
 * Limit of bundles in one run of the softirq. If a sender posts more slowly
 * than the device completes, a slot is always free, and a run without a limit
 * would not end.
 */
#define SLOTS_BUDGET	64

static bool slots_any_free(struct smc_link *link)
{
	struct smc_ep_slot *slot = smc_ep_slot_get(link->ep, SMC_EP_DATA);

	if (slot)
		smc_ep_slot_cancel(link->ep, slot);
	return slot;
}

static struct smc_lgr_member *slots_next_waiter(struct smc_link *link)
{
	struct smc_lgr_member *m;

	spin_lock_bh(&link->queue.lock);
	m = list_first_entry_or_null(&link->queue.waiters, struct smc_lgr_member,
				     wait);
	if (m)
		smc_framing_unqueue(link, m);
	link->queue.running = m;
	spin_unlock_bh(&link->queue.lock);
	return m;
}

/**
 * smc_slots_reached - raise link->reach
 * @link: link
 * @reach: enum smc_link_reach
 *
 * Context: any. These functions read link->reach without a lock: end_decline(),
 * smc_llc_out_delete_all() and first_unheard().
 */
void smc_slots_reached(struct smc_link *link, u8 reach)
{
	u8 old = READ_ONCE(link->reach);

	while (old < reach && !try_cmpxchg(&link->reach, &old, reach))
		;
}

static void slots_llc_sent(struct smc_ep_slot *slot, int err)
{
	struct smc_link *link = slot->cookie;
	struct smc_link_queue *q = &link->queue;
	bool awaited;

	if (slot->page)
		put_page(slot->page);
	/* a failed send also fails the endpoint, which reports that itself */
	if (err)
		return;
	smc_slots_reached(link, SMC_LINK_HEARD);
	spin_lock_bh(&q->lock);
	awaited = ++q->llc_arrived == q->llc_awaited;
	spin_unlock_bh(&q->lock);
	if (awaited)
		smc_lgr_event(link->lgr, SMC_LGR_EVB_ARRIVED);
}

/**
 * smc_slots_llc_add - queue an LLC message; smc_slots_flush() sends it
 * @link: link
 * @msg: message; copied
 *
 * Context: any, BH safe. Return: false if the queue is full.
 */
bool smc_slots_llc_add(struct smc_link *link, const struct smc_llc_buf *msg)
{
	bool kept;

	spin_lock_bh(&link->queue.lock);
	kept = kfifo_put(&link->queue.ctrl_out, *msg);
	link->queue.llc_queued += kept;
	spin_unlock_bh(&link->queue.lock);
	return kept;
}

/**
 * smc_slots_llc_last - number of the newest LLC message of a link
 * @link: link
 *
 * Context: any, BH safe. Return: argument of smc_slots_llc_arrived().
 */
u32 smc_slots_llc_last(struct smc_link *link)
{
	u32 number;

	spin_lock_bh(&link->queue.lock);
	number = link->queue.llc_queued;
	spin_unlock_bh(&link->queue.lock);
	return number;
}

/**
 * smc_slots_llc_arrived - has this LLC message arrived at the peer's adapter?
 * @link: link
 * @number: what smc_slots_llc_last() has returned
 *
 * If not, event SMC_LGR_EVB_ARRIVED follows when it has arrived. A later call
 * for a newer message moves the event to that message. Context: worker.
 */
bool smc_slots_llc_arrived(struct smc_link *link, u32 number)
{
	bool arrived;

	spin_lock_bh(&link->queue.lock);
	arrived = (s32)(link->queue.llc_arrived - number) >= 0;
	if (!arrived)
		link->queue.llc_awaited = number;
	spin_unlock_bh(&link->queue.lock);
	return arrived;
}

/* Posts queued LLC messages. Stops when none is left, or no slot is free. */
static void slots_post_llc(struct smc_link *link)
{
	struct smc_llc_buf msg;
	struct smc_ep_slot *slot;
	bool got;
	int err;

	while (!kfifo_is_empty(&link->queue.ctrl_out)) {
		slot = smc_ep_slot_get(link->ep, SMC_EP_CTRL);
		if (!slot)
			return;
		/*
		 * Post under the lock, because worker and softirq both run this
		 * code, and the older message must leave first.
		 */
		spin_lock_bh(&link->queue.lock);
		got = kfifo_peek(&link->queue.ctrl_out, &msg) &&
		      smc_framing_take_credit(link);
		if (got) {
			memcpy(slot->msg, msg.b, SMC_LLC_LEN);
			slot->page = msg.page;
			slot->len = msg.len;
			slot->done = slots_llc_sent;
			slot->cookie = link;
			err = smc_ep_slot_post(link->ep, slot);
			/* -EAGAIN: the message stays first in the queue, and
			 * smc_slots_room() follows
			 */
			if (err == -EAGAIN)
				smc_framing_return_credit(link);
			else
				kfifo_skip(&link->queue.ctrl_out);
			if (err && err != -EAGAIN && msg.page)
				put_page(msg.page);
		}
		spin_unlock_bh(&link->queue.lock);
		if (!got) {
			smc_ep_slot_cancel(link->ep, slot);
			return;
		}
	}
}

/** smc_slots_flush - post queued LLC messages while slots are free */
void smc_slots_flush(struct smc_link *link)
{
	/* whoever adds a message calls this function afterwards */
	if (!kfifo_is_empty(&link->queue.ctrl_out))
		slots_post_llc(link);
}

/** smc_slots_drop - drop queued messages, after the last user has left */
void smc_slots_drop(struct smc_link *link)
{
	struct smc_llc_buf msg;

	while (kfifo_get(&link->queue.ctrl_out, &msg))
		if (msg.page)
			put_page(msg.page);
}

static void slots_frame_done(struct smc_ep_slot *slot, int err)
{
	struct smc_link *link = smc_framing_link(slot);
	bool held = smc_slots_hold(link);

	smc_framing_done(slot, err);
	smc_slots_release(link, held);
}

/*
 * Return: true if no member waits, or none can send now; false if @budget is
 * used up, and members may still wait.
 */
static bool slots_serve_waiters(struct smc_link *link, unsigned int *budget)
{
	struct smc_lgr_member *m;

	if (smc_framing_on(link))
		return smc_framing_serve(link, budget, slots_frame_done);
	while (slots_any_free(link)) {
		if (!*budget)
			return false;
		m = slots_next_waiter(link);
		if (!m)
			break;
		--*budget;
		/*
		 * the member may have moved to another link: ->run() does no
		 * harm then
		 */
		m->ops->run(m);
		spin_lock_bh(&link->queue.lock);
		link->queue.running = NULL;
		spin_unlock_bh(&link->queue.lock);
	}
	return true;
}

/*
 * Serves members in the order of their arrival, with one bundle each. A bulk
 * sender queues again behind members that have a single small message. Only one
 * CPU serves at a time, so a member whose ->run() posts nothing is not served
 * twice in a round. After some bundles the tasklet continues, so that other
 * softirqs and tasks can run first.
 *
 * A member that has moved may end while its old link still calls ->run() or
 * ->fill(). A grace period of RCU precedes the end of its memory, and does not
 * pass while bottom halves are off.
 */
static void slots_serve_held(struct smc_link *link)
{
	unsigned int budget = SLOTS_BUDGET;
	bool all;

	do {
		clear_bit(1, &link->queue.serving);
		/*
		 * clear bit 1 before looking for what waits; a later set of the
		 * bit repeats the loop. Partner: smc_slots_room()
		 */
		smp_mb__after_atomic();
		smc_slots_flush(link);
		all = slots_serve_waiters(link, &budget);
		clear_bit_unlock(0, &link->queue.serving);
		/*
		 * full barrier: clear bit 0 before testing bit 1; partner:
		 * smc_slots_room()
		 */
		smp_mb__after_atomic();
		if (!all) {
			tasklet_schedule(&link->queue.tasklet);
			return;
		}
	} while (test_bit(1, &link->queue.serving) &&
		 !test_and_set_bit(0, &link->queue.serving));
}

static void slots_serve(struct smc_link *link)
{
	/* otherwise the CPU that serves the queue checks it again */
	if (!test_and_set_bit(0, &link->queue.serving))
		slots_serve_held(link);
}

/**
 * smc_slots_release - serve the queue after smc_slots_hold()
 * @link: link
 * @held: what smc_slots_hold() has returned
 */
void smc_slots_release(struct smc_link *link, bool held)
{
	if (!held) {
		smc_slots_room(link);
		return;
	}
	slots_serve_held(link);
}

/** smc_slots_room - callback struct smc_ep_user.room: a send slot is free */
void smc_slots_room(void *ctx)
{
	struct smc_link *link = ctx;

	/* what waits before bit 1, see framing_note() */
	smp_mb__before_atomic();
	set_bit(1, &link->queue.serving);
	/* bit 1 before bit 0; partner of both: slots_serve_held() */
	smp_mb__after_atomic();
	local_bh_disable();
	slots_serve(link);
	local_bh_enable();
}

static void slots_tasklet(struct tasklet_struct *t)
{
	struct smc_link *link = from_tasklet(link, t, queue.tasklet);

	smc_slots_room(link);
}

/**
 * smc_slots_wait - queue a member until a send slot is free
 * @m: member; may be queued already
 *
 * The queue serves members in the order of arrival and calls ->run(). Context:
 * BH safe.
 */
void smc_slots_wait(struct smc_lgr_member *m)
{
	struct smc_link *link = m->link;

	spin_lock_bh(&link->queue.lock);
	if (list_empty(&m->wait))
		list_add_tail(&m->wait, &link->queue.waiters);
	spin_unlock_bh(&link->queue.lock);
	/*
	 * A slot may have become free between the caller's failed attempt and
	 * this point. Then no further event serves the queue. The caller may
	 * hold the lock of its connection, so the tasklet serves the queue.
	 */
	if (slots_any_free(link))
		tasklet_schedule(&link->queue.tasklet);
}

/** smc_slots_unwait - take @m off the queue, wait until ->run() returns */
void smc_slots_unwait(struct smc_lgr_member *m)
{
	struct smc_link *link = m->link;

	spin_lock_bh(&link->queue.lock);
	smc_framing_unqueue(link, m);
	while (link->queue.running == m) {
		spin_unlock_bh(&link->queue.lock);
		cpu_relax();
		spin_lock_bh(&link->queue.lock);
		smc_framing_unqueue(link, m);
	}
	spin_unlock_bh(&link->queue.lock);
}

/**
 * smc_slots_leave - take @m off the queue; its ->run() may still be running
 * @m: member
 */
void smc_slots_leave(struct smc_lgr_member *m)
{
	struct smc_link *link = m->link;

	spin_lock_bh(&link->queue.lock);
	smc_framing_unqueue(link, m);
	spin_unlock_bh(&link->queue.lock);
}

/** smc_slots_init - initialise the queue of a new link */
void smc_slots_init(struct smc_link *link)
{
	spin_lock_init(&link->queue.lock);
	INIT_LIST_HEAD(&link->queue.waiters);
	INIT_KFIFO(link->queue.ctrl_out);
	tasklet_setup(&link->queue.tasklet, slots_tasklet);
	smc_hold_init(link);
}

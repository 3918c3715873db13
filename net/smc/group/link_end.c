// SPDX-License-Identifier: GPL-2.0
/*
 * The end of a link that sends no more. One work item stops its queue pair, and
 * another one closes its endpoint. Both wait for the device. The worker of the
 * group waits for the first one for a limited time.
 */
#include <linux/wait.h>
#include "framing.h"
#include "lgr.h"
#include "lgr_types.h"
#include "link.h"
#include "link_end.h"
#include "link_types.h"
#include "member_types.h"

/* woken when a link has stopped, and when the last member has left a link */
static DECLARE_WAIT_QUEUE_HEAD(link_quiet);

/*
 * Nothing arrives over the link any more, and all messages were handled. The
 * mutex keeps members from leaving during the loop. New members come at the
 * end.
 */
static void link_tell_members(struct smc_link *link)
{
	struct smc_lgr *lgr = link->lgr;
	struct smc_lgr_member *m;
	struct list_head *at = &lgr->members.list;

	if (!link->queue.framing)
		return;
	mutex_lock(&lgr->members.down_mutex);
	for (;;) {
		spin_lock_bh(&lgr->lock);
		at = at->next;
		spin_unlock_bh(&lgr->lock);
		if (at == &lgr->members.list)
			break;
		m = list_entry(at, struct smc_lgr_member, list);
		if (m->ops->closed)
			m->ops->closed(m, link->uid);
		cond_resched();
	}
	mutex_unlock(&lgr->members.down_mutex);
}

static void link_stop(struct work_struct *work)
{
	struct smc_link *link = container_of(work, struct smc_link, stop_work);

	smc_ep_quiesce(link->ep);
	smc_framing_drop(link);
	link_tell_members(link);
	/* partner: smc_link_stopped() */
	smp_mb__before_atomic();
	set_bit(SMC_LINK_STOPPED, &link->grave);
	/* who sees the count sees the bit; partner: smc_link_await_quiet() */
	smp_mb__before_atomic();
	atomic_dec(&link->lgr->end.graves);
	wake_up_all(&link_quiet);
	smc_lgr_event(link->lgr, SMC_LGR_EVB_STOPPED);
	/* queued last, because link_close() drops the references */
	smc_ep_queue_free(link->ep, &link->close_work);
}

static void link_close(struct work_struct *work)
{
	struct smc_link *link = container_of(work, struct smc_link, close_work);
	struct smc_lgr *lgr = link->lgr;

	smc_ep_close(link->ep);
	atomic_dec(&lgr->end.unclosed);
	smc_link_put(link, SMC_LINK_REF_GRAVE);
	smc_lgr_put(lgr, SMC_LGR_REF_GRAVE);
}

/**
 * smc_link_bury - start to close the endpoint, but keep the object
 * @link: link that sends no more
 *
 * Returns at once. Closing takes several commands of a device, which may hang
 * for a minute. Meanwhile each connection of the link may continue on another
 * link, as soon as its own bundles have completed (R-2.3-06). A second call
 * does nothing. Context: any; the caller has references to link and group.
 */
void smc_link_bury(struct smc_link *link)
{
	if (test_and_set_bit(SMC_LINK_BURIED, &link->grave))
		return;
	INIT_WORK(&link->stop_work, link_stop);
	INIT_WORK(&link->close_work, link_close);
	atomic_inc(&link->lgr->end.graves);
	atomic_inc(&link->lgr->end.unclosed);
	smc_lgr_get(link->lgr, SMC_LGR_REF_GRAVE);
	smc_link_get(link, SMC_LINK_REF_GRAVE);
	smc_ep_queue_stop(link->ep, &link->stop_work);
}

/**
 * smc_link_stopped - has the device stopped the queue pair of a buried link?
 * @link: link
 *
 * Return: true if nothing is posted on the link, and nothing arrives over it
 * any more. If the link was buried and has not stopped, event
 * SMC_LGR_EVB_STOPPED follows. Context: any.
 */
bool smc_link_stopped(const struct smc_link *link)
{
	/* partner: link_stop() */
	return test_bit_acquire(SMC_LINK_STOPPED, &link->grave);
}

/**
 * smc_link_await_stop - wait until a buried link has stopped
 * @link: link
 * @ms: limit of the wait, in ms
 *
 * Context: may sleep. Return: false if the device did not stop the queue pair
 * in time.
 */
bool smc_link_await_stop(struct smc_link *link, unsigned int ms)
{
	return wait_event_timeout(link_quiet, smc_link_stopped(link),
				  msecs_to_jiffies(ms));
}

/**
 * smc_link_await_quiet - wait until all links that were buried have stopped
 * @lgr: group
 *
 * Context: may sleep; waits for devices.
 */
void smc_link_await_quiet(struct smc_lgr *lgr)
{
	wait_event(link_quiet, !atomic_read(&lgr->end.graves));
}

/**
 * smc_link_uncount - a member has left a link
 * @link: link
 *
 * Context: any, BH safe.
 */
void smc_link_uncount(struct smc_link *link)
{
	/* the barrier of wq_has_sleeper() pairs with the one of wait_event() */
	if (atomic_dec_and_test(&link->conns) && wq_has_sleeper(&link_quiet))
		wake_up_all(&link_quiet);
}

/**
 * smc_link_await_left - wait until all members have left a link that works
 * @link: link that no member may choose any more
 * @ms: limit of the wait, in ms
 *
 * Context: may sleep. Return: false if members still use the link when @ms have
 * passed.
 */
bool smc_link_await_left(struct smc_link *link, unsigned int ms)
{
	return wait_event_timeout(link_quiet, !atomic_read(&link->conns),
				  msecs_to_jiffies(ms));
}

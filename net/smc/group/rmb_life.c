// SPDX-License-Identifier: GPL-2.0
/*
 * Life of RMBs (RFC 7609 3.5.5.2; D5): when one is added, announced again after
 * the set of links has changed, and given back. One exchange at a time, in the
 * group's worker; the exchange itself is in rkey.c.
 */
#include "../base/mib.h"
#include "lgr_priv.h"

static u32 max_pages(struct smc_lgr *lgr)
{
	struct smc_link *link;
	u32 max = U32_MAX;
	int i;

	smc_links_for_each(lgr, i, link)
		max = min(max, smc_mr_max_pages(link->ep));
	return max;
}

static unsigned int growth(struct smc_lgr *lgr, u8 code)
{
	u32 pages = (SMC_RMBE_MIN_BYTES << code) >> PAGE_SHIFT;
	u32 limit = max_pages(lgr) / pages;
	unsigned int n, waiting = 0;
	struct list_head *pos;

	spin_lock_bh(&lgr->lock);
	list_for_each(pos, &lgr->waiters)
		waiting++;
	n = max(lgr->rmbs.total[code], waiting);
	spin_unlock_bh(&lgr->lock);
	return clamp_t(u32, n, 1, min_t(u32, limit, SMC_RMBES_PER_RMB_MAX));
}

/*
 * Handshakes that wait get their element, or wait for the next growth. A
 * failure concerns those who want this size; the others' orders stand.
 */
static void grown(struct smc_lgr *lgr, u8 code, int err)
{
	if (err)
		smc_contact_fail_code(lgr, code, err);
	else
		smc_contact_wake_all(lgr);
}

static void grow(struct smc_lgr *lgr, u8 code)
{
	struct smc_rmb *rmb = NULL;
	unsigned int n;

	/*
	 * Ordered when there was room for one more; only the worker adds. A
	 * server that looks again takes another group, a client declines.
	 */
	if (READ_ONCE(lgr->rmbs.n) >= SMC_RMBS_PER_LGR_MAX) {
		grown(lgr, code, 0);
		return;
	}
	for (n = growth(lgr, code); n && !rmb; n /= 2)
		rmb = smc_rmb_alloc(lgr, code, n);
	if (!rmb) {
		grown(lgr, code, -ENOMEM);
		return;
	}
	rmb->state = SMC_RMB_ANNOUNCING;
	smc_rmb_insert(lgr, rmb);
}

/**
 * smc_rmb_announced - the peer has answered CONFIRM RKEY, or cannot be asked
 * @lgr: group
 * @rmb: RMB
 * @ok: it took the keys
 *
 * Context: worker.
 */
void smc_rmb_announced(struct smc_lgr *lgr, struct smc_rmb *rmb, bool ok)
{
	u8 code = rmb->code;

	/* it was told of another link only: its elements are in use */
	if (rmb->state != SMC_RMB_ANNOUNCING) {
		smc_contact_wake_all(lgr);
		return;
	}
	if (!ok) {	/* R-A.3.5-07 */
		smc_rmb_remove(lgr, rmb);
		grown(lgr, code, -ENOMEM);
		return;
	}
	spin_lock_bh(&lgr->lock);
	smc_rmb_ready(lgr, rmb);
	spin_unlock_bh(&lgr->lock);
	grown(lgr, code, 0);
}

/**
 * smc_rmb_revoked - the peer has answered DELETE RKEY; worker
 * @lgr: group
 * @rmb: RMB
 *
 * Negative or not (R-A.3.7-04): the keys go now.
 */
void smc_rmb_revoked(struct smc_lgr *lgr, struct smc_rmb *rmb)
{
	smc_rmb_remove(lgr, rmb);
}

static bool unused(const struct smc_rmb *rmb)
{
	return rmb->state == SMC_RMB_READY && !rmb->n_used;
}

/* Milliseconds until @rmb has been idle for long enough, 0: it has. */
static unsigned int idle_left(const struct smc_rmb *rmb)
{
	unsigned int idle = jiffies_to_msecs(jiffies - rmb->idle_since);

	return idle < SMC_RMB_IDLE_MS ? SMC_RMB_IDLE_MS - idle : 0;
}

/*
 * An RMB to give back: all that is left of it is quarantined, or nobody used
 * it for long while others have free elements.
 */
static struct smc_rmb *find_unused(struct smc_lgr *lgr)
{
	struct smc_rmb *rmb, *found = NULL;
	unsigned int left, next = 0;

	spin_lock_bh(&lgr->lock);
	list_for_each_entry(rmb, &lgr->rmbs.list, list) {
		if (!unused(rmb) || (!rmb->n_dirty && lgr->rmbs.n == 1))
			continue;
		left = rmb->n_dirty ? 0 : idle_left(rmb);
		if (!left) {
			found = rmb;
			break;
		}
		next = next ? min(next, left) : left;
	}
	if (found) {
		found->state = SMC_RMB_REVOKING;
		lgr->rmbs.free[found->code] -= found->n_elems - found->n_dirty;
		lgr->rmbs.total[found->code] -= found->n_elems;
	} else if (next) {
		/* the time that brought us here was another RMB's */
		smc_lgr_deadline_locked(lgr, SMC_LGR_DL_RMB_IDLE, next);
	}
	spin_unlock_bh(&lgr->lock);
	return found;
}

static int take_wanted(struct smc_lgr *lgr)
{
	unsigned long wanted;
	int code;

	spin_lock_bh(&lgr->lock);
	wanted = lgr->rmbs.wanted;
	code = wanted ? __ffs(wanted) : -1;
	if (wanted)
		__clear_bit(code, &lgr->rmbs.wanted);
	spin_unlock_bh(&lgr->lock);
	return code;
}

/* The peer has to learn of @rmb, on a link at least. */
static bool untold(struct smc_lgr *lgr, const struct smc_rmb *rmb)
{
	struct smc_link *link;
	int i;

	if (rmb->state == SMC_RMB_ANNOUNCING)
		return true;
	if (rmb->state != SMC_RMB_READY)
		return false;
	smc_links_for_each(lgr, i, link)
		if (link->state == SMC_LINK_ACTIVE &&
		    !(rmb->told & BIT(link->slot)))
			return true;
	return false;
}

/*
 * Exchanges that an RMB needs: new, interrupted by the end of the link that
 * carried it (R-2.3-10), or refused because the links were changing. Return:
 * true if one was started.
 */
static bool exchange(struct smc_lgr *lgr)
{
	struct smc_rmb *rmb, *next;

	/* only the worker changes the list and the states looked at */
	list_for_each_entry_safe(rmb, next, &lgr->rmbs.list, list) {
		if (untold(lgr, rmb)) {
			if (smc_rkey_announce(lgr, rmb))
				return true;
		} else if (rmb->state == SMC_RMB_REVOKING) {
			smc_rkey_revoke(lgr, rmb);
			if (lgr->rmbs.busy)
				return true;
		}
	}
	return false;
}

/**
 * smc_rmb_work - add, announce or give back an RMB if that is due; worker
 * @lgr: group
 */
void smc_rmb_work(struct smc_lgr *lgr)
{
	int code;

	/*
	 * Until an exchange runs or nothing is left: what is put off here comes
	 * up again only when that exchange ends.
	 */
	while (smc_rkey_may_start(lgr) && smc_lgr_usable(lgr)) {
		if (exchange(lgr))
			return;
		code = take_wanted(lgr);
		if (code < 0) {
			if (!find_unused(lgr))
				return;
			continue;
		}
		/* somebody may have put an element back meanwhile */
		if (smc_rmbs_free(lgr, code))
			grown(lgr, code, 0);
		else
			grow(lgr, code);
	}
}

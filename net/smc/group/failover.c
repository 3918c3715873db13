// SPDX-License-Identifier: GPL-2.0
/*
 * A link has failed or is to be deleted: its connections go on over another
 * one (RFC 7609 4.6). All in the group's worker.
 *
 * First the endpoint is closed: every bundle posted there has completed or
 * failed then, and nothing more of it reaches the peer (R-2.3-06). Then each
 * member is told where to go on; what that means for its bytes is its own
 * matter (floor conn).
 */
#include "../base/mib.h"
#include "../base/trace.h"
#include "lgr_priv.h"

/* The next member that was not asked to make this move; down_mutex held. */
static struct smc_lgr_member *next_member(struct smc_lgr *lgr)
{
	struct smc_lgr_member *m;

	spin_lock_bh(&lgr->lock);
	m = list_first_entry_or_null(&lgr->members, struct smc_lgr_member,
				     list);
	if (m && m->epoch == lgr->epoch)
		m = NULL;
	if (m) {
		m->epoch = lgr->epoch;
		list_move_tail(&m->list, &lgr->members);
	}
	spin_unlock_bh(&lgr->lock);
	return m;
}

/**
 * smc_links_move - members that send over a link go on over another
 * @lgr:	group
 * @from:	link
 * @to:		link, or NULL: the one with least to do
 * @n:		that many at most
 *
 * Context: worker, may sleep.
 */
void smc_links_move(struct smc_lgr *lgr, struct smc_link *from,
		    struct smc_link *to, int n)
{
	struct smc_lgr_member *m;
	struct smc_link *next;

	spin_lock_bh(&lgr->lock);
	lgr->epoch++;		/* who joins from now on looks for himself */
	spin_unlock_bh(&lgr->lock);
	do {
		mutex_lock(&lgr->down_mutex);
		m = next_member(lgr);
		next = to ?: smc_links_pick(lgr, from);
		/* the mutex keeps the member from leaving meanwhile */
		if (m && next && m->ops->move(m, from, next))
			n--;
		mutex_unlock(&lgr->down_mutex);
	} while (m && n);
}

/**
 * smc_links_failed - a link does not work any more
 * @lgr:	group
 * @link:	link in any state
 * @err:	negative errno
 * @reason:	enum smc_llc_del_reason, for the peer
 *
 * The last link takes the group with it. Context: worker, may sleep.
 */
void smc_links_failed(struct smc_lgr *lgr, struct smc_link *link, int err,
		      u32 reason)
{
	if (!smc_link_step(link, SMC_LINK_EV_FAIL))
		return;
	trace_smcr_link_down(lgr, link->num, err, reason);
	link->reason = reason;
	if (!smc_links_active(lgr)) {
		smc_lgr_end(lgr, err, reason, READ_ONCE(link->broken) ?
			    SMC_LGR_END_NOW : SMC_LGR_END_TELL);
		return;
	}
	smc_link_close(link);
	smc_mib_inc(NULL, SMC_MIB_FAILOVER);
	smc_links_move(lgr, link, NULL, INT_MAX);
	/* not with the link's place: a device that leaves waits for them */
	smc_rmbs_drop_link(lgr, link);
	smc_rkey_link_down(lgr, link);
	smc_flow_link_down(lgr, link);
}

/**
 * smc_links_retire - a link that works still is given up
 * @lgr:	group
 * @link:	link in any state
 * @err:	negative errno
 * @reason:	enum smc_llc_del_reason, for the peer
 *
 * What is under way on it, in either direction, gets there as long as the peer
 * has not heard of it (R-2.3-06, R-3.5.5.1.3-02, -04). Its endpoint ends with
 * the exchange that deletes it. Context: worker, may sleep.
 */
void smc_links_retire(struct smc_lgr *lgr, struct smc_link *link, int err,
		      u32 reason)
{
	if (link->state != SMC_LINK_ACTIVE || READ_ONCE(link->broken) ||
	    !smc_links_carrier(lgr, link)) {
		smc_links_failed(lgr, link, err, reason);
		return;
	}
	smc_link_step(link, SMC_LINK_EV_FAIL);
	trace_smcr_link_down(lgr, link->num, err, reason);
	link->reason = reason;
	smc_mib_inc(NULL, SMC_MIB_FAILOVER);
	smc_links_move(lgr, link, NULL, INT_MAX);
	smc_rkey_link_down(lgr, link);
	smc_flow_link_down(lgr, link);
}

static void last_word_lost(struct smc_lgr *lgr)
{
	if (smc_lgr_ask_elsewhere(lgr))
		return;
	lgr->await_answer = false;
	smc_lgr_event(lgr, SMC_LGR_EVB_SENT);
}

/** smc_links_check - the endpoint of some link has failed; worker */
void smc_links_check(struct smc_lgr *lgr)
{
	struct smc_link *link;
	int i;

	smc_links_for_each(lgr, i, link) {
		/* partner: link_down() */
		if (!READ_ONCE(link->broken))
			continue;
		if (READ_ONCE(lgr->state) < SMC_LGR_ENDING)
			smc_links_failed(lgr, link, READ_ONCE(link->broken),
					 SMC_LLC_DEL_LOST_PATH);
		else if (lgr->end_uid == link->uid)
			last_word_lost(lgr);
	}
}

/**
 * smc_links_leave_port - the device below some link is being removed; worker
 * @lgr: group
 *
 * It works still, and the peer is told by the last link that it is the last.
 */
void smc_links_leave_port(struct smc_lgr *lgr)
{
	struct smc_link *link;
	int i;

	smc_links_for_each(lgr, i, link)
		if (link->choice.port && smc_port_gone(link->choice.port) &&
		    READ_ONCE(lgr->state) < SMC_LGR_ENDING)
			smc_links_retire(lgr, link, -ENETDOWN,
					 SMC_LLC_DEL_OPERATOR);
}

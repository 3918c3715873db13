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
#include "end.h"
#include "failover.h"
#include "flow.h"
#include "lgr.h"
#include "lgr_fsm.h"
#include "lgr_types.h"
#include "link.h"
#include "link_types.h"
#include "links.h"
#include "member.h"
#include "rkey.h"
#include "rmb.h"

/*
 * A link does not work any more: its members go on over another one. The last
 * link takes the group with it.
 */
static void failover_link_failed(struct smc_lgr *lgr, struct smc_link *link, int err,
				 u32 reason)
{
	if (!smc_link_step(link, SMC_LINK_EV_FAIL))
		return;
	trace_smcr_link_down(lgr, link->num, err, reason);
	link->reason = reason;
	if (!smc_links_active(lgr)) {
		smc_end_group(lgr, err, reason, READ_ONCE(link->broken) ?
			    SMC_LGR_END_NOW : SMC_LGR_END_TELL);
		return;
	}
	smc_link_close(link);
	smc_mib_inc(NULL, SMC_MIB_FAILOVER);
	smc_member_move_all(lgr, link, NULL, INT_MAX);
	/* not with the link's place: a device that leaves waits for them */
	smc_rmb_drop_link(lgr, link);
	smc_rkey_link_down(lgr, link);
	smc_flow_link_down(lgr, link);
}

/*
 * A link that works still is given up. What is under way on it, in either
 * direction, gets there as long as the peer has not heard of it (R-2.3-06,
 * R-3.5.5.1.3-02, -04). Its endpoint ends with the exchange that deletes it.
 */
static void failover_retire(struct smc_lgr *lgr, struct smc_link *link, int err,
			    u32 reason)
{
	if (link->state != SMC_LINK_ACTIVE || READ_ONCE(link->broken) ||
	    !smc_links_carrier(lgr, link)) {
		failover_link_failed(lgr, link, err, reason);
		return;
	}
	smc_link_step(link, SMC_LINK_EV_FAIL);
	trace_smcr_link_down(lgr, link->num, err, reason);
	link->reason = reason;
	smc_mib_inc(NULL, SMC_MIB_FAILOVER);
	smc_member_move_all(lgr, link, NULL, INT_MAX);
	smc_rkey_link_down(lgr, link);
	smc_flow_link_down(lgr, link);
}

/**
 * smc_failover_run - do what the notes on the links say
 * @lgr: group
 *
 * Context: worker, may sleep. See smc_link_give_up().
 */
void smc_failover_run(struct smc_lgr *lgr)
{
	struct smc_link *link;
	u8 fate;
	int i;

	smc_link_for_each(lgr, i, link) {
		fate = link->fate.how;
		link->fate.how = SMC_LINK_STAYS;
		switch ((enum smc_link_fate)fate) {
		case SMC_LINK_STAYS:
			break;
		case SMC_LINK_FAILS:
			failover_link_failed(lgr, link, link->fate.err,
					     link->fate.reason);
			break;
		case SMC_LINK_RETIRES:
			failover_retire(lgr, link, link->fate.err,
					link->fate.reason);
			break;
		case SMC_LINK_LEAVES:
			if (link->state == SMC_LINK_ACTIVE)
				failover_link_failed(lgr, link,
						     link->fate.err,
							 link->fate.reason);
			if (READ_ONCE(lgr->state) < SMC_LGR_ENDING)
				smc_flow_answer_delete(lgr, link);
			break;
		}
	}
}

/** smc_failover_check - the endpoint of some link has failed; worker */
void smc_failover_check(struct smc_lgr *lgr)
{
	struct smc_link *link;
	int i;

	smc_link_for_each(lgr, i, link) {
		/* partner: link_down() */
		if (!READ_ONCE(link->broken))
			continue;
		if (READ_ONCE(lgr->state) < SMC_LGR_ENDING)
			failover_link_failed(lgr, link, READ_ONCE(link->broken),
					     SMC_LLC_DEL_LOST_PATH);
		else if (lgr->end.uid == link->uid)
			smc_end_word_lost(lgr);
	}
}

/**
 * smc_failover_leave_port - the device below some link is being removed; worker
 * @lgr: group
 *
 * It works still, and the peer is told by the last link that it is the last.
 */
void smc_failover_leave_port(struct smc_lgr *lgr)
{
	struct smc_link *link;
	int i;

	smc_link_for_each(lgr, i, link)
		if (link->choice.port && smc_port_gone(link->choice.port) &&
		    READ_ONCE(lgr->state) < SMC_LGR_ENDING)
			failover_retire(lgr, link, -ENETDOWN,
					SMC_LLC_DEL_OPERATOR);
}

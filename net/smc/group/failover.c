// SPDX-License-Identifier: GPL-2.0
/*
 * Failover (RFC 7609 4.6): when a link fails or is to be deleted, its
 * connections move to another link. The code of this file runs in the group's
 * worker.
 *
 * The worker tells each member its new link. The member uses the new link as
 * soon as every bundle that it posted on the old one has completed or failed.
 * After that none of these bundles can reach the peer (R-2.3-06). The floor
 * conn decides which bytes to send again. Other work items stop and close the
 * endpoint, because its device may take minutes for that.
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
#include "link_end.h"
#include "link_types.h"
#include "links.h"
#include "member.h"
#include "rkey.h"
#include "rmb.h"

/*
 * Limit of the wait until a device has stopped a queue pair. A device that
 * hangs may need a minute, and meanwhile the worker handles no messages of the
 * other links. With LEAVE_WAIT_MS this is less than the 2 s for which a
 * deployed server waits for the reply to DELETE LINK, if the worker waits for
 * nothing else.
 */
#define STOP_WAIT_MS	1000

/*
 * A link has failed: its members move to another link. If the failed link was
 * the last one, the group ends.
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
	smc_mib_inc(NULL, SMC_MIB_FAILOVER);
	smc_member_move_all(lgr, link, NULL, INT_MAX);
	smc_link_bury(link);
	/*
	 * R-3.5.5.1.3-02: connections must have left the link before DELETE
	 * LINK is sent. Connections with messages in flight leave when the
	 * device has stopped the queue pair. If the device does not do that in
	 * time, DELETE LINK is sent nevertheless, and they leave later. Until
	 * then they send nothing on any link.
	 */
	smc_link_await_stop(link, STOP_WAIT_MS);
	/*
	 * free the regions at once, although the link keeps its slot: the
	 * removal of a device waits until its regions are freed
	 */
	smc_rmb_drop_link(lgr, link);
	smc_rkey_link_down(lgr, link);
	smc_flow_link_down(lgr, link);
}

/*
 * Retires a link that still works. Data in flight in either direction still
 * arrives, until the peer gets DELETE LINK (R-2.3-06, R-3.5.5.1.3-02, -04). The
 * endpoint is closed at the end of the exchange that deletes the link.
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

/*
 * A deployed server waits for the reply to DELETE LINK for 2 s. For a part of
 * this time connections may complete what they have posted. Records of frames
 * that do not complete are sent again on the next link (F-23), so a connection
 * with frames leaves at once.
 */
#define LEAVE_WAIT_MS	500

/*
 * The server deletes the link. If it has lost the path, nothing on its side
 * uses the link any more. Then the queue pair ends at once, so that the
 * connections continue soon. Otherwise the link works until the reply has
 * arrived (R-3.5.5.1.3-06), unless connections have not left it in time. In
 * both cases they leave it before the reply is sent (R-3.5.5.1.3-02), unless
 * the device hangs.
 */
static void failover_leave(struct smc_lgr *lgr, struct smc_link *link, int err,
			   u32 reason)
{
	if (reason == SMC_LLC_DEL_LOST_PATH) {
		failover_link_failed(lgr, link, err, reason);
	} else {
		failover_retire(lgr, link, err, reason);
		if (READ_ONCE(lgr->state) < SMC_LGR_ENDING &&
		    !test_bit(SMC_LINK_BURIED, &link->grave) &&
		    !smc_link_await_left(link, LEAVE_WAIT_MS)) {
			smc_link_bury(link);
			smc_link_await_stop(link, STOP_WAIT_MS);
		}
	}
	if (READ_ONCE(lgr->state) < SMC_LGR_ENDING)
		smc_flow_answer_delete(lgr, link);
}

/**
 * smc_failover_run - end the links for which smc_link_give_up() was called
 * @lgr: group
 *
 * Context: worker, may sleep.
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
			failover_leave(lgr, link, link->fate.err,
				       link->fate.reason);
			break;
		}
	}
}

/** smc_failover_check - find links whose endpoint has failed, in the worker */
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
 * smc_failover_leave_port - give up links whose device is being removed, in the
 * worker
 * @lgr: group
 *
 * The device still works. If the device carries the last link, DELETE LINK for
 * the whole group still leaves over that link.
 */
void smc_failover_leave_port(struct smc_lgr *lgr)
{
	struct smc_link *link;
	int i;

	smc_link_for_each(lgr, i, link)
		if (smc_link_port_gone(link) &&
		    READ_ONCE(lgr->state) < SMC_LGR_ENDING)
			failover_retire(lgr, link, -ENETDOWN,
					SMC_LLC_DEL_OPERATOR);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Which exchange of keys is due (RFC 7609 3.5.5.2): RMBs are announced,
 * announced again after the set of links has changed, and revoked, one exchange
 * at a time. All in the group's worker.
 */
#include "flow.h"
#include "lgr.h"
#include "lgr_types.h"
#include "rkey.h"
#include "rmb.h"
#include "rmb_exchange.h"
#include "rmb_types.h"
#include "rmbe.h"

/* No exchange runs, and none has to wait. */
static bool exchange_may_start(struct smc_lgr *lgr)
{
	return smc_rkey_idle(lgr) && smc_flow_idle(lgr) &&
	       !READ_ONCE(lgr->mail.deadline[SMC_LGR_DL_RKEY_AGAIN]);
}

/*
 * Exchanges that an RMB needs: new, interrupted by the end of the link that
 * carried it (R-2.3-10), or refused because the links were changing. Return:
 * true if one was started.
 */
static bool rmb_exchange(struct smc_lgr *lgr)
{
	struct smc_rmb *rmb, *next;

	/* only the worker changes the list and the states looked at */
	list_for_each_entry_safe(rmb, next, &lgr->rmbs.list, list) {
		if (smc_rmb_untold(lgr, rmb)) {
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
 * smc_rmb_exchange_run - add, announce or give back an RMB if that is due; worker
 * @lgr: group
 */
void smc_rmb_exchange_run(struct smc_lgr *lgr)
{
	int code;

	/*
	 * Until an exchange runs or nothing is left: what is put off here comes
	 * up again only when that exchange ends.
	 */
	while (exchange_may_start(lgr) && smc_lgr_usable(lgr)) {
		if (rmb_exchange(lgr))
			return;
		code = smc_rmb_take_wanted(lgr);
		if (code < 0) {
			if (!smc_rmb_find_unused(lgr))
				return;
			continue;
		}
		/* somebody may have put an element back meanwhile */
		if (smc_rmbe_any_free(lgr, code))
			smc_rmb_grown(lgr, code, 0);
		else
			smc_rmb_grow(lgr, code);
	}
}

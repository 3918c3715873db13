// SPDX-License-Identifier: GPL-2.0
/*
 * Decides which exchange of keys comes next (RFC 7609 3.5.5.2). An RMB is
 * announced when it is new and again after the links have changed, and it is
 * revoked before it is freed. One exchange runs at a time. The code of this
 * file runs in the group's worker.
 */
#include "flow.h"
#include "lgr.h"
#include "lgr_types.h"
#include "rkey.h"
#include "rmb.h"
#include "rmb_exchange.h"
#include "rmb_types.h"
#include "rmbe.h"

/* May an exchange of keys start? No other exchange may run, and no delay may be
 * pending.
 */
static bool exchange_may_start(struct smc_lgr *lgr)
{
	return smc_rkey_idle(lgr) && smc_flow_idle(lgr) &&
	       !READ_ONCE(lgr->mail.deadline[SMC_LGR_DL_RKEY_AGAIN]);
}

/*
 * Starts an exchange that an RMB needs: a new exchange, an exchange whose link
 * has failed (R-2.3-10), or an exchange that the peer refused while links were
 * changing. Return: true if an exchange runs or will run.
 */
static bool rmb_exchange(struct smc_lgr *lgr)
{
	struct smc_rmb *rmb, *next;

	/* only this worker changes the list and the states */
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
 * smc_rmb_exchange_run - add, announce or revoke an RMB, if necessary; worker
 * @lgr: group
 */
void smc_rmb_exchange_run(struct smc_lgr *lgr)
{
	int code;

	/*
	 * Loop until an exchange runs or no work is left. The end of an
	 * exchange calls this function again.
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
		/* a connection may have returned an element since the order */
		if (smc_rmbe_any_free(lgr, code))
			smc_rmb_grown(lgr, code, 0);
		else
			smc_rmb_grow(lgr, code);
	}
}

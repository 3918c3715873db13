/* SPDX-License-Identifier: GPL-2.0 */
/* State table of one RMB. Pure code, which tests also build in user space. */
#ifndef _SMC_GROUP_RMB_FSM_H
#define _SMC_GROUP_RMB_FSM_H

#include "../base/fsm.h"

enum smc_rmb_state {
	SMC_RMB_NEW,		/* keys known, memory not yet open */
	SMC_RMB_ANNOUNCING,	/* the peer does not know all keys yet */
	SMC_RMB_READY,		/* connections may take elements */
	SMC_RMB_REVOKING,	/* DELETE RKEY under way, no element in use */
	SMC_RMB_GONE,
	SMC_RMB_NR_STATES,
};

enum smc_rmb_event {
	SMC_RMB_EV_OPEN,	/* first RMB: Accept or Confirm announces it */
	SMC_RMB_EV_ANNOUNCE,	/* later RMB: CONFIRM RKEY announces it */
	SMC_RMB_EV_TAKEN,	/* the peer took the keys, maybe of a new link */
	SMC_RMB_EV_REFUSED,	/* the peer refused, or cannot be asked */
	SMC_RMB_EV_UNUSED,	/* no element is in use: free the RMB */
	SMC_RMB_EV_REVOKED,	/* the peer has answered DELETE RKEY */
	SMC_RMB_NR_EVENTS,
};

enum smc_rmb_action {
	SMC_RMB_DO_NOTHING,
	SMC_RMB_DO_ADD_ELEMENTS,
	SMC_RMB_DO_TAKE_ELEMENTS,
	SMC_RMB_DO_REMOVE,
};

extern const struct smc_fsm smc_rmb_fsm;

#endif

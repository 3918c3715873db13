/* SPDX-License-Identifier: GPL-2.0 */
/* State table of one RMB. Tests also build this code in user space. */
#ifndef _SMC_GROUP_RMB_FSM_H
#define _SMC_GROUP_RMB_FSM_H

#include "../base/fsm.h"

enum smc_rmb_state {
	/* keys are reserved, the memory is not yet open */
	SMC_RMB_NEW,
	SMC_RMB_ANNOUNCING,	/* the peer does not know all keys yet */
	SMC_RMB_READY,		/* connections may take elements */
	/* DELETE RKEY is under way, no element is in use */
	SMC_RMB_REVOKING,
	SMC_RMB_GONE,
	SMC_RMB_NR_STATES,
};

enum smc_rmb_event {
	SMC_RMB_EV_OPEN,	/* first RMB: Accept or Confirm announces it */
	SMC_RMB_EV_ANNOUNCE,	/* later RMB: CONFIRM RKEY announces it */
	/* the peer has stored the keys, maybe of a new link */
	SMC_RMB_EV_TAKEN,
	/* the peer refused the keys, or cannot be asked */
	SMC_RMB_EV_REFUSED,
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

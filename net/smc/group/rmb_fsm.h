/* SPDX-License-Identifier: GPL-2.0 */
/* State table of one RMB. Pure: also built in user space. */
#ifndef _SMC_GROUP_RMB_FSM_H
#define _SMC_GROUP_RMB_FSM_H

#include "../base/fsm.h"

enum smc_rmb_state {
	SMC_RMB_NEW,		/* keys known, memory not yet open */
	SMC_RMB_ANNOUNCING,	/* the peer does not know all keys yet */
	SMC_RMB_READY,		/* elements may be handed out */
	SMC_RMB_REVOKING,	/* DELETE RKEY under way, no elements out */
	SMC_RMB_GONE,
	SMC_RMB_NR_STATES,
};

enum smc_rmb_event {
	SMC_RMB_EV_OPEN,	/* the first one: Accept or Confirm announces it */
	SMC_RMB_EV_ANNOUNCE,	/* a further one */
	SMC_RMB_EV_TAKEN,	/* the peer took the keys, of a new link perhaps */
	SMC_RMB_EV_REFUSED,	/* it did not, or cannot be asked */
	SMC_RMB_EV_UNUSED,	/* to be given back */
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

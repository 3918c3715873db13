/* SPDX-License-Identifier: GPL-2.0 */
/* State table of one link. Tests also build this code in user space. */
#ifndef _SMC_GROUP_LINK_FSM_H
#define _SMC_GROUP_LINK_FSM_H

#include "../base/fsm.h"

enum smc_link_state {
	/* the link is being connected, keys are exchanged */
	SMC_LINK_SETUP,
	/* the link is confirmed and carries connections */
	SMC_LINK_ACTIVE,
	/* the link carries nothing; the peer may not know */
	SMC_LINK_DOWN,
	/*
	 * the peer has deleted the link; it stays until the reply has arrived
	 */
	SMC_LINK_LEAVING,
	SMC_LINK_GONE,		/* out of the group */
	SMC_LINK_NR_STATES,
};

enum smc_link_event {
	SMC_LINK_EV_CONFIRMED,	/* CONFIRM LINK was exchanged */
	SMC_LINK_EV_FAIL,	/* the link broke, or must be deleted */
	SMC_LINK_EV_REPLY,	/* the reply to DELETE LINK is on its way */
	SMC_LINK_EV_REMOVE,	/* both sides have deleted the link */
	SMC_LINK_NR_EVENTS,
};

extern const struct smc_fsm smc_link_fsm;

#endif

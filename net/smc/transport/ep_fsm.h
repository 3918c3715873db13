/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State table of an endpoint. Tests also build this code in user space.
 */
#ifndef _SMC_TRANSPORT_EP_FSM_H
#define _SMC_TRANSPORT_EP_FSM_H

#include "../base/fsm.h"

enum smc_ep_state {
	/* has an address and posted receives, but no peer */
	SMC_EP_OPEN,
	SMC_EP_BOUND,		/* receives from its peer */
	SMC_EP_READY,		/* also sends */
	SMC_EP_DOWN,		/* failed; waits for its owner to close it */
	SMC_EP_QUIET,		/* nothing is posted any more */
	SMC_EP_CLOSED,		/* its resources are being freed, or are free */
	SMC_EP_NR_STATES,
};

enum smc_ep_event {
	SMC_EP_EV_ACCEPT,	/* bound to the peer's endpoint */
	SMC_EP_EV_START,	/* sending allowed */
	SMC_EP_EV_FAIL,
	SMC_EP_EV_QUIESCE,
	SMC_EP_EV_CLOSE,
	SMC_EP_NR_EVENTS,
};

enum smc_ep_action {
	SMC_EP_DO_NOTHING,
	SMC_EP_DO_TELL,		/* call down() of the owner, once */
};

extern const struct smc_fsm smc_ep_fsm;

#endif

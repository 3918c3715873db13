/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Own exchanges of CONFIRM RKEY and DELETE RKEY, one at a time per group. Those
 * of the peer are answered at once whatever runs here (R-3.5.5.3-04, Y-04).
 * Pure: also built in user space.
 */
#ifndef _SMC_GROUP_RKEY_FSM_H
#define _SMC_GROUP_RKEY_FSM_H

#include "../base/fsm.h"

enum smc_rkey_state {
	SMC_RKEY_IDLE,
	SMC_RKEY_CONFIRM,	/* CONFIRM RKEY under way */
	SMC_RKEY_DELETE,	/* DELETE RKEY under way */
	SMC_RKEY_NR_STATES,
};

enum smc_rkey_event {
	SMC_RKEY_EV_CONFIRM,	/* keys are to be announced */
	SMC_RKEY_EV_DELETE,	/* keys are to be revoked */
	SMC_RKEY_EV_CONFIRMED,	/* reply to CONFIRM RKEY */
	SMC_RKEY_EV_REFUSED,	/* the same, negative */
	SMC_RKEY_EV_AGAIN,	/* the same, and to be repeated: Z and C */
	SMC_RKEY_EV_DELETED,	/* reply to DELETE RKEY, also a negative one */
	SMC_RKEY_EV_LOST,	/* the link that carried the request is down */
	SMC_RKEY_EV_TIMEOUT,
	SMC_RKEY_NR_EVENTS,
};

enum smc_rkey_action {
	SMC_RKEY_DO_NOTHING,
	SMC_RKEY_DO_SEND_CONFIRM,
	SMC_RKEY_DO_SEND_DELETE,
	SMC_RKEY_DO_TAKEN,	/* the peer knows the keys */
	SMC_RKEY_DO_REFUSED,	/* the RMB cannot be used */
	SMC_RKEY_DO_LATER,	/* repeat when the links do not change */
	SMC_RKEY_DO_GONE,	/* the RMB's memory may go */
	SMC_RKEY_DO_FAIL_LINK,	/* R-C.7.1-17, -19; repeat on another one */
};

extern const struct smc_fsm smc_rkey_fsm;

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State table of the CONFIRM RKEY and DELETE RKEY exchanges that this side
 * begins. A group runs one exchange of keys at a time. Requests of the peer
 * need no state, because this side answers them at once (R-3.5.5.3-04, Y-04).
 * Tests also build this code in user space.
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
	SMC_RKEY_EV_CONFIRM,	/* announce keys */
	SMC_RKEY_EV_DELETE,	/* revoke keys */
	SMC_RKEY_EV_CONFIRMED,	/* reply to CONFIRM RKEY */
	SMC_RKEY_EV_REFUSED,	/* a negative reply to CONFIRM RKEY */
	/* a reply with the flags Z and C asks for a repetition */
	SMC_RKEY_EV_AGAIN,
	/* a reply to DELETE RKEY, positive or negative */
	SMC_RKEY_EV_DELETED,
	SMC_RKEY_EV_LOST,	/* the link that carries the request is down */
	SMC_RKEY_EV_TIMEOUT,
	SMC_RKEY_NR_EVENTS,
};

enum smc_rkey_action {
	SMC_RKEY_DO_NOTHING,
	SMC_RKEY_DO_SEND_CONFIRM,
	SMC_RKEY_DO_SEND_DELETE,
	SMC_RKEY_DO_TAKEN,	/* the peer knows the keys */
	SMC_RKEY_DO_REFUSED,	/* the RMB cannot be used */
	/* repeat the request when no exchange changes links */
	SMC_RKEY_DO_LATER,
	SMC_RKEY_DO_GONE,	/* the RMB may be freed */
	/* end the link, repeat on another one (R-C.7.1-17, -19) */
	SMC_RKEY_DO_FAIL_LINK,
};

extern const struct smc_fsm smc_rkey_fsm;

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State table of first contact: link confirmation, and the attempt at a second
 * link. Pure: also built in user space.
 */
#ifndef _SMC_GROUP_FIRST_CONTACT_FSM_H
#define _SMC_GROUP_FIRST_CONTACT_FSM_H

#include "../base/fsm.h"

enum smc_first_state {
	SMC_FIRST_IDLE,
	SMC_FIRST_CONFIRM_REQ,	/* client waits for CONFIRM LINK */
	SMC_FIRST_CONFIRM_RSP,	/* server waits for its reply */
	SMC_FIRST_ADD_REQ,	/* client waits for ADD LINK */
	SMC_FIRST_ADD_RSP,	/* server waits for its reply */
	SMC_FIRST_DONE,
	SMC_FIRST_FAILED,
	SMC_FIRST_NR_STATES,
};

enum smc_first_event {
	SMC_FIRST_EV_CLIENT,	/* client is bound to the server's link */
	SMC_FIRST_EV_SERVER,	/* server's link is up, CONFIRM LINK was sent */
	SMC_FIRST_EV_CONFIRM,	/* CONFIRM LINK request */
	SMC_FIRST_EV_CONFIRMED,	/* CONFIRM LINK reply */
	SMC_FIRST_EV_ADD,	/* ADD LINK request */
	SMC_FIRST_EV_ADDED,	/* ADD LINK reply, rejection included */
	SMC_FIRST_EV_ALONE,	/* no (further) attempt at a second link */
	SMC_FIRST_EV_TIMEOUT,
	SMC_FIRST_EV_FAIL,	/* a step could not be done */
	SMC_FIRST_NR_EVENTS,
};

enum smc_first_action {
	SMC_FIRST_DO_NOTHING,
	SMC_FIRST_DO_REPLY_CONFIRM,	/* client: answer, wait for ADD LINK */
	SMC_FIRST_DO_SEND_ADD,		/* server: offer (no) second link */
	SMC_FIRST_DO_REJECT_ADD,	/* answer ADD LINK: no second link */
	SMC_FIRST_DO_REJECT_FORM,	/* the same, and first contact is over */
	SMC_FIRST_DO_FORM,		/* first contact is over */
	SMC_FIRST_DO_FAIL,
};

extern const struct smc_fsm smc_first_fsm;

#endif

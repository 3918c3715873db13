/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State table of first contact: link confirmation, and the attempt at a second
 * link. Pure code, which tests also build in user space.
 */
#ifndef _SMC_GROUP_FIRST_CONTACT_FSM_H
#define _SMC_GROUP_FIRST_CONTACT_FSM_H

#include "../base/fsm.h"

enum smc_first_state {
	SMC_FIRST_IDLE,
	SMC_FIRST_CONFIRM_REQ,	/* client waits for CONFIRM LINK */
	SMC_FIRST_CONFIRM_RSP,	/* server waits for the CONFIRM LINK reply */
	SMC_FIRST_ADD_REQ,	/* client waits for ADD LINK */
	SMC_FIRST_ADD_RSP,	/* server waits for the ADD LINK reply */
	SMC_FIRST_DONE,
	SMC_FIRST_FAILED,
	SMC_FIRST_NR_STATES,
};

enum smc_first_event {
	SMC_FIRST_EV_CLIENT,	/* client: the endpoint gets its peer */
	SMC_FIRST_EV_SERVER,	/* server: the link is up, CONFIRM LINK leaves */
	SMC_FIRST_EV_CONFIRM,	/* a CONFIRM LINK request arrives */
	SMC_FIRST_EV_CONFIRMED,	/* a CONFIRM LINK reply arrives */
	SMC_FIRST_EV_ADD,	/* an ADD LINK request arrives */
	SMC_FIRST_EV_ADDED,	/* an ADD LINK reply arrives, or a rejection */
	SMC_FIRST_EV_ALONE,	/* the attempt at a second link is over */
	SMC_FIRST_EV_TIMEOUT,
	SMC_FIRST_EV_FAIL,	/* an action has failed */
	SMC_FIRST_NR_EVENTS,
};

enum smc_first_action {
	SMC_FIRST_DO_NOTHING,
	SMC_FIRST_DO_REPLY_CONFIRM,	/* client: answer, then wait for ADD LINK */
	SMC_FIRST_DO_SEND_ADD,		/* server: offer a second link, or none */
	SMC_FIRST_DO_REJECT_ADD,	/* refuse the second link */
	SMC_FIRST_DO_REJECT_FORM,	/* refuse; first contact is over */
	SMC_FIRST_DO_FORM,		/* first contact is over */
	SMC_FIRST_DO_FAIL,
};

extern const struct smc_fsm smc_first_fsm;

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State table of first contact: link confirmation, and the attempt at a second
 * link. Tests also build this code in user space.
 */
#ifndef _SMC_GROUP_FIRST_CONTACT_FSM_H
#define _SMC_GROUP_FIRST_CONTACT_FSM_H

#include "../base/fsm.h"

enum smc_first_state {
	SMC_FIRST_IDLE,
	SMC_FIRST_CONFIRM_REQ,	/* the client waits for CONFIRM LINK */
	/* the server waits for the CONFIRM LINK reply */
	SMC_FIRST_CONFIRM_RSP,
	SMC_FIRST_ADD_REQ,	/* the client waits for ADD LINK */
	SMC_FIRST_ADD_RSP,	/* the server waits for the ADD LINK reply */
	SMC_FIRST_DONE,
	SMC_FIRST_FAILED,
	SMC_FIRST_NR_STATES,
};

enum smc_first_event {
	SMC_FIRST_EV_CLIENT,	/* client: the endpoint is bound to its peer */
	SMC_FIRST_EV_SERVER,	/* server: the link works, CONFIRM LINK leaves */
	SMC_FIRST_EV_CONFIRM,	/* a CONFIRM LINK request arrives */
	SMC_FIRST_EV_CONFIRMED,	/* a CONFIRM LINK reply arrives */
	SMC_FIRST_EV_ADD,	/* an ADD LINK request arrives */
	SMC_FIRST_EV_ADDED,	/* an ADD LINK reply or a rejection arrives */
	SMC_FIRST_EV_ALONE,	/* the attempt to add a second link has ended */
	SMC_FIRST_EV_TIMEOUT,
	SMC_FIRST_EV_FAIL,	/* an action has failed */
	SMC_FIRST_NR_EVENTS,
};

enum smc_first_action {
	SMC_FIRST_DO_NOTHING,
	/* client: send the reply, wait for ADD LINK */
	SMC_FIRST_DO_REPLY_CONFIRM,
	/* server: send ADD LINK, with or without a link */
	SMC_FIRST_DO_SEND_ADD,
	SMC_FIRST_DO_REJECT_ADD,	/* refuse the second link */
	/* refuse the second link, end first contact */
	SMC_FIRST_DO_REJECT_FORM,
	/* end first contact, the group is usable */
	SMC_FIRST_DO_FORM,
	SMC_FIRST_DO_FAIL,
};

extern const struct smc_fsm smc_first_fsm;

#endif

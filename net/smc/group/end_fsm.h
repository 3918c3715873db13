/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State table of the end of a group: what is said, and what is waited for. Pure:
 * also built in user space.
 */
#ifndef _SMC_GROUP_END_FSM_H
#define _SMC_GROUP_END_FSM_H

#include "../base/fsm.h"

enum smc_end_state {
	SMC_END_NONE,		/* the group does not end */
	SMC_END_TELLING,	/* the last message has to leave */
	SMC_END_AWAIT_ANSWER,	/* client: the server says that it ends, too */
	SMC_END_LAST_WORDS,	/* the peer has still something to say */
	SMC_END_OVER,
	SMC_END_NR_STATES,
};

enum smc_end_event {
	SMC_END_EV_NOW,		/* the peer knows, or cannot be told */
	SMC_END_EV_TELL,	/* the last message was posted */
	SMC_END_EV_ASK,		/* the same, and it will be answered */
	SMC_END_EV_SENT,	/* the last message has left */
	SMC_END_EV_ANSWERED,	/* the peer says that the group ends */
	SMC_END_EV_REPEATED,	/* it says so again */
	SMC_END_EV_LOST,	/* the link of the last message has failed */
	SMC_END_EV_TIMEOUT,
	SMC_END_EV_WAIT,	/* the peer may have something to say */
	SMC_END_EV_DONE,	/* nothing is waited for */
	SMC_END_NR_EVENTS,
};

enum smc_end_action {
	SMC_END_DO_NOTHING,
	SMC_END_DO_WAIT_SENT,	/* for the message to leave, or the answer */
	SMC_END_DO_WAIT_WORDS,	/* for what the peer has to say */
	SMC_END_DO_LOOK,	/* whether there is something: WAIT or DONE */
	SMC_END_DO_ASK_OR_LOOK,	/* over another link, or else LOOK */
	SMC_END_DO_ASK_OR_FINISH, /* the same, or else DONE (R-C.7.1-14) */
	SMC_END_DO_FINISH,
};

extern const struct smc_fsm smc_end_fsm;

#endif

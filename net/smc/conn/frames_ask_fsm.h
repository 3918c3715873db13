/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State table of a direction's sender after a change of links (frames.rst,
 * F-20). The sender asks the receiver where to continue, and sends no data
 * until the answer arrives.
 */
#ifndef _SMC_CONN_FRAMES_ASK_FSM_H
#define _SMC_CONN_FRAMES_ASK_FSM_H

#include "../base/fsm.h"

enum smc_frames_ask_state {
	SMC_ASK_SENDS,		/* data may be sent */
	SMC_ASK_ASKS,		/* the link has changed, no answer yet */
	SMC_ASK_NR_STATES,
};

enum smc_frames_ask_event {
	SMC_ASK_EV_MOVED,	/* the connection sends over another link now */
	SMC_ASK_EV_ANSWER,	/* an answer to the newest change of links */
	SMC_ASK_EV_OLD_ANSWER,	/* an answer to an earlier change */
	SMC_ASK_EV_WRONG_ANSWER, /* an answer to a change that never happened */
	SMC_ASK_NR_EVENTS,
};

enum smc_frames_ask_action {
	SMC_ASK_DO_NOTHING,
	SMC_ASK_DO_ASK,		/* send the part move, with a new number */
	SMC_ASK_DO_CONTINUE,	/* continue at the position of the answer */
};

extern const struct smc_fsm smc_frames_ask_fsm;

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State table of a direction's receiver after the sender has changed its link
 * (frames.rst, F-21). The receiver takes records of the old link until it has
 * all bytes that the sender knows to be delivered. Then it answers with the
 * position at which the sender must continue, and takes only records of the new
 * link.
 */
#ifndef _SMC_CONN_FRAMES_ANSWER_FSM_H
#define _SMC_CONN_FRAMES_ANSWER_FSM_H

#include "../base/fsm.h"

enum smc_frames_answer_state {
	SMC_ANSWER_TAKES,	/* records arrive in order */
	SMC_ANSWER_WAITS,	/* bytes of the old link are missing */
	SMC_ANSWER_REPEATS,	/* answered; the answer may not have arrived */
	SMC_ANSWER_NR_STATES,
};

enum smc_frames_answer_event {
	/* the sender has moved, and no byte is missing */
	SMC_ANSWER_EV_MOVE,
	/* the sender has moved, and bytes are missing */
	SMC_ANSWER_EV_MOVE_AHEAD,
	SMC_ANSWER_EV_ARRIVED,	/* the missing bytes have arrived */
	SMC_ANSWER_EV_CONTINUED, /* the sender has continued on the new link */
	/* the endpoint of the old link is closed, all its records were taken */
	SMC_ANSWER_EV_DRAINED,
	SMC_ANSWER_NR_EVENTS,
};

enum smc_frames_answer_action {
	SMC_ANSWER_DO_NOTHING,
	SMC_ANSWER_DO_NOTE,	/* note the position of the last missing byte */
	SMC_ANSWER_DO_ANSWER,	/* switch to the new link, send the answer */
	SMC_ANSWER_DO_LOST,	/* end the connection: bytes are lost */
};

extern const struct smc_fsm smc_frames_answer_fsm;

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State table of the end of a group: last messages, and waits for the peer.
 * Tests also build this code in user space.
 */
#ifndef _SMC_GROUP_END_FSM_H
#define _SMC_GROUP_END_FSM_H

#include "../base/fsm.h"

enum smc_end_state {
	SMC_END_NONE,		/* the group does not end */
	SMC_END_TELLING,	/* waits until the last message has left */
	SMC_END_AWAIT_ANSWER,	/* the client waits for the server's answer */
	SMC_END_LAST_WORDS,	/* waits for the peer's last messages */
	SMC_END_OVER,
	SMC_END_NR_STATES,
};

enum smc_end_event {
	/*
	 * end at once: the peer has already ended the group, or no message can
	 * reach it
	 */
	SMC_END_EV_NOW,
	SMC_END_EV_TELL,	/* the last message was posted */
	/* the last message was posted, and the peer will answer */
	SMC_END_EV_ASK,
	SMC_END_EV_SENT,	/* the last message has left */
	SMC_END_EV_ANSWERED,	/* the peer has sent DELETE LINK or an answer */
	SMC_END_EV_REPEATED,	/* the peer has repeated its DELETE LINK */
	SMC_END_EV_LOST,	/* the link of the last message has failed */
	SMC_END_EV_TIMEOUT,
	SMC_END_EV_WAIT,	/* the peer may still send its last messages */
	SMC_END_EV_DONE,	/* there is nothing to wait for */
	SMC_END_NR_EVENTS,
};

enum smc_end_action {
	SMC_END_DO_NOTHING,
	SMC_END_DO_WAIT_SENT,	/* wait until the message leaves or is answered */
	SMC_END_DO_WAIT_WORDS,	/* wait for the peer's last messages */
	/* check if the peer may still send; WAIT or DONE follows */
	SMC_END_DO_LOOK,
	/* send DELETE LINK over another link; without one do LOOK */
	SMC_END_DO_ASK_OR_LOOK,
	/* send DELETE LINK over another link; without one do DONE
	 * (R-C.7.1-14)
	 */
	SMC_END_DO_ASK_OR_FINISH,
	SMC_END_DO_FINISH,
};

extern const struct smc_fsm smc_end_fsm;

#endif

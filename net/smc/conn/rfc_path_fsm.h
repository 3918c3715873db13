/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State table of the messages that a sender must send after a change of links
 * (RFC 7609 4.6). The module and user-space tests build the same source.
 *
 * The first message on a new link has the flag F. If the last message on the
 * old link may be lost, a second message repeats positions and flags.
 */
#ifndef _SMC_CONN_RFC_PATH_FSM_H
#define _SMC_CONN_RFC_PATH_FSM_H

#include "../base/fsm.h"

enum smc_rfc_path_state {
	/* no message of the two kinds below is pending */
	SMC_PATH_GOOD,
	SMC_PATH_LOST,		/* a message failed, another link follows */
	SMC_PATH_VALIDATE,	/* the message with F is pending */
	/* the message with F and the repetition are pending */
	SMC_PATH_VALIDATE_REPEAT,
	SMC_PATH_REPEAT,	/* the repetition is pending */
	SMC_PATH_NR_STATES,
};

enum smc_rfc_path_event {
	SMC_PATH_EV_FAILED,	/* a message has completed with an error */
	SMC_PATH_EV_POSTED,	/* a message without F was posted */
	SMC_PATH_EV_POSTED_F,	/* the message with F was posted */
	SMC_PATH_EV_MOVED,	/* new link, all messages were delivered */
	SMC_PATH_EV_MOVED_UNSURE, /* new link, the last message may be lost */
	/* like MOVED, but the element has no key on the link */
	SMC_PATH_EV_NO_KEY,
	SMC_PATH_EV_NO_KEY_UNSURE, /* like MOVED_UNSURE, but without a key */
	SMC_PATH_EV_NR,
};

extern const struct smc_fsm smc_rfc_path_fsm;

#endif

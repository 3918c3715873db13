/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State table: what a sender owes its peer after a change of links (RFC 7609
 * 4.6). Pure code: the module and user-space tests build the same source.
 *
 * The first message on a new link carries F. If the last message on the old
 * link may be lost, a second message repeats positions and flags.
 */
#ifndef _SMC_CONN_RFC_PATH_FSM_H
#define _SMC_CONN_RFC_PATH_FSM_H

#include "../base/fsm.h"

enum smc_rfc_path_state {
	SMC_PATH_GOOD,		/* nothing is owed */
	SMC_PATH_LOST,		/* a message failed, another link follows */
	SMC_PATH_VALIDATE,	/* F is owed */
	SMC_PATH_VALIDATE_REPEAT, /* F is owed, then the repetition */
	SMC_PATH_REPEAT,	/* the repetition is owed */
	SMC_PATH_NR_STATES,
};

enum smc_rfc_path_event {
	SMC_PATH_EV_FAILED,	/* a message has completed with an error */
	SMC_PATH_EV_POSTED,	/* a message without F was posted */
	SMC_PATH_EV_POSTED_F,	/* the message with F was posted */
	SMC_PATH_EV_MOVED,	/* new link, all messages were delivered */
	SMC_PATH_EV_MOVED_UNSURE, /* new link, the last message may be lost */
	SMC_PATH_EV_NO_KEY,	/* MOVED, but the element has no key there */
	SMC_PATH_EV_NO_KEY_UNSURE, /* MOVED_UNSURE, but no key there */
	SMC_PATH_EV_NR,
};

extern const struct smc_fsm smc_rfc_path_fsm;

#endif

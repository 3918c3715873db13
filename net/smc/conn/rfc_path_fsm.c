// SPDX-License-Identifier: GPL-2.0
/*
 * Table of the sending path. See rfc_path_fsm.h. When a connection starts on a
 * new link, nothing is in flight, so no message can fail before F is posted. If
 * the element has no key there, the connection is aborted. An aborted
 * connection sends no data and needs no F.
 */
#include "rfc_path_fsm.h"

#define S(s)		SMC_PATH_##s
#define E(e)		SMC_PATH_EV_##e
#define GO(s)		SMC_FSM_GO(SMC_PATH_##s, 0)
#define IGNORE		SMC_FSM_IGNORED
#define BAD		SMC_FSM_BAD

static const struct smc_fsm_cell
path_cells[SMC_PATH_NR_STATES][SMC_PATH_EV_NR] = {
	[S(GOOD)] = {
		[E(FAILED)]		= GO(LOST),
		[E(POSTED)]		= IGNORE,
		[E(POSTED_F)]		= BAD,
		[E(MOVED)]		= GO(VALIDATE),		/* R-4.6.1-04 */
		[E(MOVED_UNSURE)]	= GO(VALIDATE_REPEAT),
		[E(NO_KEY)]		= IGNORE,
		[E(NO_KEY_UNSURE)]	= GO(REPEAT),
	},
	/* Messages that are posted in this state also fail, or are repeated on
	 * the next link.
	 */
	[S(LOST)] = {
		[E(FAILED)]		= IGNORE,
		[E(POSTED)]		= IGNORE,
		[E(POSTED_F)]		= BAD,
		[E(MOVED)]		= GO(VALIDATE),		/* R-4.6.1-09 */
		[E(MOVED_UNSURE)]	= GO(VALIDATE_REPEAT),
		[E(NO_KEY)]		= GO(GOOD),
		[E(NO_KEY_UNSURE)]	= GO(REPEAT),
	},
	[S(VALIDATE)] = {
		[E(FAILED)]		= BAD,
		[E(POSTED)]		= BAD,
		[E(POSTED_F)]		= GO(GOOD),
		[E(MOVED)]		= IGNORE,
		[E(MOVED_UNSURE)]	= GO(VALIDATE_REPEAT),
		[E(NO_KEY)]		= IGNORE,
		[E(NO_KEY_UNSURE)]	= GO(VALIDATE_REPEAT),
	},
	[S(VALIDATE_REPEAT)] = {
		[E(FAILED)]		= BAD,
		[E(POSTED)]		= BAD,
		[E(POSTED_F)]		= GO(REPEAT),
		[E(MOVED)]		= IGNORE,
		[E(MOVED_UNSURE)]	= IGNORE,
		[E(NO_KEY)]		= GO(VALIDATE),
		[E(NO_KEY_UNSURE)]	= IGNORE,
	},
	[S(REPEAT)] = {
		[E(FAILED)]		= GO(LOST),
		[E(POSTED)]		= GO(GOOD),
		[E(POSTED_F)]		= BAD,
		[E(MOVED)]		= GO(VALIDATE_REPEAT),
		[E(MOVED_UNSURE)]	= GO(VALIDATE_REPEAT),
		[E(NO_KEY)]		= GO(GOOD),
		[E(NO_KEY_UNSURE)]	= IGNORE,
	},
};

static const char *const path_states[SMC_PATH_NR_STATES] = {
	[S(GOOD)]		= "GOOD",
	[S(LOST)]		= "LOST",
	[S(VALIDATE)]		= "VALIDATE",
	[S(VALIDATE_REPEAT)]	= "VALIDATE_REPEAT",
	[S(REPEAT)]		= "REPEAT",
};

static const char *const path_events[SMC_PATH_EV_NR] = {
	[E(FAILED)]		= "FAILED",
	[E(POSTED)]		= "POSTED",
	[E(POSTED_F)]		= "POSTED_F",
	[E(MOVED)]		= "MOVED",
	[E(MOVED_UNSURE)]	= "MOVED_UNSURE",
	[E(NO_KEY)]		= "NO_KEY",
	[E(NO_KEY_UNSURE)]	= "NO_KEY_UNSURE",
};

SMC_FSM_DEFINE(smc_rfc_path_fsm, "path", path_cells, path_states, path_events);

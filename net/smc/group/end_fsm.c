// SPDX-License-Identifier: GPL-2.0
/*
 * State table of the end of a group. Every pair of state and event has a cell.
 */
#include "end_fsm.h"

#define GO(_state, _do)	SMC_FSM_GO(SMC_END_##_state, SMC_END_DO_##_do)
#define DO(_do)		SMC_FSM_DO(SMC_END_DO_##_do)
#define IGN		SMC_FSM_IGNORED
#define BAD		SMC_FSM_BAD

static const char * const end_states[] = {
	[SMC_END_NONE]		= "none",
	[SMC_END_TELLING]	= "telling",
	[SMC_END_AWAIT_ANSWER]	= "await-answer",
	[SMC_END_LAST_WORDS]	= "last-words",
	[SMC_END_OVER]		= "over",
};

static const char * const end_events[] = {
	[SMC_END_EV_NOW]		= "now",
	[SMC_END_EV_TELL]		= "tell",
	[SMC_END_EV_ASK]		= "ask",
	[SMC_END_EV_SENT]		= "sent",
	[SMC_END_EV_ANSWERED]	= "answered",
	[SMC_END_EV_REPEATED]	= "repeated",
	[SMC_END_EV_LOST]		= "lost",
	[SMC_END_EV_TIMEOUT]	= "timeout",
	[SMC_END_EV_WAIT]		= "wait",
	[SMC_END_EV_DONE]		= "done",
};

static const struct smc_fsm_cell
end_cells[SMC_END_NR_STATES][SMC_END_NR_EVENTS] = {
	[SMC_END_NONE] = {
		[SMC_END_EV_NOW]		= GO(OVER, FINISH),
		[SMC_END_EV_TELL]		= GO(TELLING, WAIT_SENT),
		[SMC_END_EV_ASK]		= GO(AWAIT_ANSWER, WAIT_SENT),
		[SMC_END_EV_SENT]		= IGN,
		[SMC_END_EV_ANSWERED]	= IGN,
		[SMC_END_EV_REPEATED]	= IGN,
		[SMC_END_EV_LOST]		= IGN,
		[SMC_END_EV_TIMEOUT]	= IGN,
		[SMC_END_EV_WAIT]		= BAD,
		[SMC_END_EV_DONE]		= BAD,
	},
	[SMC_END_TELLING] = {
		[SMC_END_EV_NOW]		= BAD,
		[SMC_END_EV_TELL]		= BAD,
		[SMC_END_EV_ASK]		= BAD,
		[SMC_END_EV_SENT]		= DO(LOOK),
		[SMC_END_EV_ANSWERED]	= IGN,
		[SMC_END_EV_REPEATED]	= IGN,
		[SMC_END_EV_LOST]		= DO(LOOK),
		[SMC_END_EV_TIMEOUT]	= GO(OVER, FINISH),
		[SMC_END_EV_WAIT]		= GO(LAST_WORDS, WAIT_WORDS),
		[SMC_END_EV_DONE]		= GO(OVER, FINISH),
	},
	[SMC_END_AWAIT_ANSWER] = {
		[SMC_END_EV_NOW]		= BAD,
		[SMC_END_EV_TELL]		= BAD,
		[SMC_END_EV_ASK]		= BAD,
		[SMC_END_EV_SENT]		= IGN,
		[SMC_END_EV_ANSWERED]	= DO(LOOK),
		[SMC_END_EV_REPEATED]	= DO(LOOK),
		[SMC_END_EV_LOST]		= DO(ASK_OR_LOOK),
		[SMC_END_EV_TIMEOUT]	= DO(ASK_OR_FINISH),
		[SMC_END_EV_WAIT]		= GO(LAST_WORDS, WAIT_WORDS),
		[SMC_END_EV_DONE]		= GO(OVER, FINISH),
	},
	[SMC_END_LAST_WORDS] = {
		[SMC_END_EV_NOW]		= BAD,
		[SMC_END_EV_TELL]		= BAD,
		[SMC_END_EV_ASK]		= BAD,
		[SMC_END_EV_SENT]		= DO(LOOK),
		[SMC_END_EV_ANSWERED]	= DO(LOOK),
		[SMC_END_EV_REPEATED]	= IGN,
		[SMC_END_EV_LOST]		= DO(LOOK),
		[SMC_END_EV_TIMEOUT]	= GO(OVER, FINISH),
		[SMC_END_EV_WAIT]		= DO(WAIT_WORDS),
		[SMC_END_EV_DONE]		= GO(OVER, FINISH),
	},
	[SMC_END_OVER] = {
		[SMC_END_EV_NOW]		= IGN,
		[SMC_END_EV_TELL]		= IGN,
		[SMC_END_EV_ASK]		= IGN,
		[SMC_END_EV_SENT]		= IGN,
		[SMC_END_EV_ANSWERED]	= IGN,
		[SMC_END_EV_REPEATED]	= IGN,
		[SMC_END_EV_LOST]		= IGN,
		[SMC_END_EV_TIMEOUT]	= IGN,
		[SMC_END_EV_WAIT]		= IGN,
		[SMC_END_EV_DONE]		= IGN,
	},
};

SMC_FSM_DEFINE(smc_end_fsm, "end", end_cells, end_states, end_events);

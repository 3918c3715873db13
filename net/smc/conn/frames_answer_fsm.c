// SPDX-License-Identifier: GPL-2.0
/* Table of the receiver after a change of links. See frames_answer_fsm.h. */
#include "frames_answer_fsm.h"

#define S(s)		SMC_ANSWER_##s
#define E(e)		SMC_ANSWER_EV_##e
#define GO(s, a)	SMC_FSM_GO(SMC_ANSWER_##s, SMC_ANSWER_DO_##a)
#define DO(a)		SMC_FSM_DO(SMC_ANSWER_DO_##a)
#define IGNORE		SMC_FSM_IGNORED

static const struct smc_fsm_cell
answer_cells[SMC_ANSWER_NR_STATES][SMC_ANSWER_NR_EVENTS] = {
	[S(TAKES)] = {
		[E(MOVE)]	= GO(REPEATS, ANSWER),
		[E(MOVE_AHEAD)]	= GO(WAITS, NOTE),
		[E(ARRIVED)]	= IGNORE,
		[E(CONTINUED)]	= IGNORE,
		[E(DRAINED)]	= IGNORE,	/* the link has not changed */
	},
	[S(WAITS)] = {
		[E(MOVE)]	= GO(REPEATS, ANSWER),
		[E(MOVE_AHEAD)]	= DO(NOTE),	/* the link has changed again */
		[E(ARRIVED)]	= GO(REPEATS, ANSWER),
		[E(CONTINUED)]	= IGNORE,	/* a record of the old link */
		[E(DRAINED)]	= GO(TAKES, LOST),
	},
	[S(REPEATS)] = {
		[E(MOVE)]	= DO(ANSWER),
		[E(MOVE_AHEAD)]	= GO(WAITS, NOTE),
		[E(ARRIVED)]	= IGNORE,
		[E(CONTINUED)]	= GO(TAKES, NOTHING),
		[E(DRAINED)]	= IGNORE,
	},
};

static const char *const answer_states[SMC_ANSWER_NR_STATES] = {
	[S(TAKES)]	= "TAKES",
	[S(WAITS)]	= "WAITS",
	[S(REPEATS)]	= "REPEATS",
};

static const char *const answer_events[SMC_ANSWER_NR_EVENTS] = {
	[E(MOVE)]	= "MOVE",
	[E(MOVE_AHEAD)]	= "MOVE_AHEAD",
	[E(ARRIVED)]	= "ARRIVED",
	[E(CONTINUED)]	= "CONTINUED",
	[E(DRAINED)]	= "DRAINED",
};

SMC_FSM_DEFINE(smc_frames_answer_fsm, "frames_answer", answer_cells,
	       answer_states, answer_events);

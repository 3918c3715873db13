// SPDX-License-Identifier: GPL-2.0
/* Table of the sender after a change of links. See frames_ask_fsm.h. */
#include "frames_ask_fsm.h"

#define S(s)		SMC_ASK_##s
#define E(e)		SMC_ASK_EV_##e
#define GO(s, a)	SMC_FSM_GO(SMC_ASK_##s, SMC_ASK_DO_##a)
#define DO(a)		SMC_FSM_DO(SMC_ASK_DO_##a)
#define IGNORE		SMC_FSM_IGNORED
#define BAD		SMC_FSM_BAD

static const struct smc_fsm_cell
ask_cells[SMC_ASK_NR_STATES][SMC_ASK_NR_EVENTS] = {
	[S(SENDS)] = {
		[E(MOVED)]		= GO(ASKS, ASK),
		[E(ANSWER)]		= IGNORE,	/* a repeated answer */
		[E(OLD_ANSWER)]		= IGNORE,
		[E(WRONG_ANSWER)]	= BAD,
	},
	[S(ASKS)] = {
		[E(MOVED)]		= DO(ASK),
		[E(ANSWER)]		= GO(SENDS, CONTINUE),
		[E(OLD_ANSWER)]		= IGNORE,	/* F-25 */
		[E(WRONG_ANSWER)]	= BAD,
	},
};

static const char *const ask_states[SMC_ASK_NR_STATES] = {
	[S(SENDS)]	= "SENDS",
	[S(ASKS)]	= "ASKS",
};

static const char *const ask_events[SMC_ASK_NR_EVENTS] = {
	[E(MOVED)]		= "MOVED",
	[E(ANSWER)]		= "ANSWER",
	[E(OLD_ANSWER)]		= "OLD_ANSWER",
	[E(WRONG_ANSWER)]	= "WRONG_ANSWER",
};

SMC_FSM_DEFINE(smc_frames_ask_fsm, "frames_ask", ask_cells, ask_states,
	       ask_events);

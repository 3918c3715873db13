// SPDX-License-Identifier: GPL-2.0
/* The tables of the group floor: every state and event written down. */
#include "group_fsm.h"

#define GO	SMC_FSM_GO
#define DO	SMC_FSM_DO
#define IGN	SMC_FSM_IGNORED
#define BAD	SMC_FSM_BAD

static const char * const lgr_states[] = {
	[SMC_LGR_FORMING]	= "forming",
	[SMC_LGR_ACTIVE]	= "active",
	[SMC_LGR_LINGER]	= "linger",
	[SMC_LGR_ENDING]	= "ending",
	[SMC_LGR_DEAD]		= "dead",
};

static const char * const lgr_events[] = {
	[SMC_LGR_EV_FORMED]	= "formed",
	[SMC_LGR_EV_USER]	= "user",
	[SMC_LGR_EV_NO_USER]	= "no-user",
	[SMC_LGR_EV_END]	= "end",
	[SMC_LGR_EV_ENDED]	= "ended",
};

static const struct smc_fsm_cell
lgr_cells[SMC_LGR_NR_STATES][SMC_LGR_NR_EVENTS] = {
	[SMC_LGR_FORMING] = {
		[SMC_LGR_EV_FORMED]	= GO(SMC_LGR_ACTIVE, 0),
		[SMC_LGR_EV_USER]	= IGN,
		[SMC_LGR_EV_NO_USER]	= IGN,	/* smc_lgr_formed() looks */
		[SMC_LGR_EV_END]	= GO(SMC_LGR_ENDING, 0),
		[SMC_LGR_EV_ENDED]	= BAD,
	},
	[SMC_LGR_ACTIVE] = {
		[SMC_LGR_EV_FORMED]	= BAD,
		[SMC_LGR_EV_USER]	= IGN,
		[SMC_LGR_EV_NO_USER]	= GO(SMC_LGR_LINGER, 0),
		[SMC_LGR_EV_END]	= GO(SMC_LGR_ENDING, 0),
		[SMC_LGR_EV_ENDED]	= BAD,
	},
	[SMC_LGR_LINGER] = {
		[SMC_LGR_EV_FORMED]	= BAD,
		[SMC_LGR_EV_USER]	= GO(SMC_LGR_ACTIVE, 0),
		[SMC_LGR_EV_NO_USER]	= BAD,
		[SMC_LGR_EV_END]	= GO(SMC_LGR_ENDING, 0),
		[SMC_LGR_EV_ENDED]	= BAD,
	},
	[SMC_LGR_ENDING] = {
		[SMC_LGR_EV_FORMED]	= IGN,
		[SMC_LGR_EV_USER]	= IGN,
		[SMC_LGR_EV_NO_USER]	= IGN,
		[SMC_LGR_EV_END]	= IGN,
		[SMC_LGR_EV_ENDED]	= GO(SMC_LGR_DEAD, 0),
	},
	[SMC_LGR_DEAD] = {
		[SMC_LGR_EV_FORMED]	= IGN,
		[SMC_LGR_EV_USER]	= IGN,
		[SMC_LGR_EV_NO_USER]	= IGN,
		[SMC_LGR_EV_END]	= IGN,
		[SMC_LGR_EV_ENDED]	= IGN,
	},
};

SMC_FSM_DEFINE(smc_lgr_fsm, "lgr", lgr_cells, lgr_states, lgr_events);

static const char * const first_states[] = {
	[SMC_FIRST_IDLE]	= "idle",
	[SMC_FIRST_CONFIRM_REQ]	= "wait-confirm",
	[SMC_FIRST_CONFIRM_RSP]	= "wait-confirmed",
	[SMC_FIRST_ADD_REQ]	= "wait-add",
	[SMC_FIRST_ADD_RSP]	= "wait-added",
	[SMC_FIRST_DONE]	= "done",
	[SMC_FIRST_FAILED]	= "failed",
};

static const char * const first_events[] = {
	[SMC_FIRST_EV_CLIENT]	 = "client",
	[SMC_FIRST_EV_SERVER]	 = "server",
	[SMC_FIRST_EV_CONFIRM]	 = "confirm",
	[SMC_FIRST_EV_CONFIRMED] = "confirmed",
	[SMC_FIRST_EV_ADD]	 = "add",
	[SMC_FIRST_EV_ADDED]	 = "added",
	[SMC_FIRST_EV_ALONE]	 = "alone",
	[SMC_FIRST_EV_TIMEOUT]	 = "timeout",
	[SMC_FIRST_EV_FAIL]	 = "fail",
};

#define FAIL	GO(SMC_FIRST_FAILED, SMC_FIRST_DO_FAIL)

static const struct smc_fsm_cell
first_cells[SMC_FIRST_NR_STATES][SMC_FIRST_NR_EVENTS] = {
	[SMC_FIRST_IDLE] = {
		[SMC_FIRST_EV_CLIENT]	 = GO(SMC_FIRST_CONFIRM_REQ, 0),
		[SMC_FIRST_EV_SERVER]	 = GO(SMC_FIRST_CONFIRM_RSP, 0),
		[SMC_FIRST_EV_CONFIRM]	 = BAD,
		[SMC_FIRST_EV_CONFIRMED] = BAD,
		[SMC_FIRST_EV_ADD]	 = BAD,
		[SMC_FIRST_EV_ADDED]	 = BAD,
		[SMC_FIRST_EV_ALONE]	 = BAD,
		[SMC_FIRST_EV_TIMEOUT]	 = FAIL,
		[SMC_FIRST_EV_FAIL]	 = FAIL,
	},
	[SMC_FIRST_CONFIRM_REQ] = {
		[SMC_FIRST_EV_CLIENT]	 = BAD,
		[SMC_FIRST_EV_SERVER]	 = BAD,
		[SMC_FIRST_EV_CONFIRM]	 = GO(SMC_FIRST_ADD_REQ,
					      SMC_FIRST_DO_REPLY_CONFIRM),
		[SMC_FIRST_EV_CONFIRMED] = BAD,
		[SMC_FIRST_EV_ADD]	 = BAD,
		[SMC_FIRST_EV_ADDED]	 = BAD,
		[SMC_FIRST_EV_ALONE]	 = BAD,
		[SMC_FIRST_EV_TIMEOUT]	 = FAIL,	/* R-C.7-04 */
		[SMC_FIRST_EV_FAIL]	 = FAIL,
	},
	[SMC_FIRST_CONFIRM_RSP] = {
		[SMC_FIRST_EV_CLIENT]	 = BAD,
		[SMC_FIRST_EV_SERVER]	 = BAD,
		[SMC_FIRST_EV_CONFIRM]	 = BAD,		/* R-3.3-07 */
		[SMC_FIRST_EV_CONFIRMED] = GO(SMC_FIRST_ADD_RSP,
					      SMC_FIRST_DO_SEND_ADD),
		[SMC_FIRST_EV_ADD]	 = IGN,	/* a client's notice */
		[SMC_FIRST_EV_ADDED]	 = BAD,
		[SMC_FIRST_EV_ALONE]	 = BAD,
		[SMC_FIRST_EV_TIMEOUT]	 = FAIL,	/* R-C.7.1-01 */
		[SMC_FIRST_EV_FAIL]	 = FAIL,
	},
	[SMC_FIRST_ADD_REQ] = {
		[SMC_FIRST_EV_CLIENT]	 = BAD,
		[SMC_FIRST_EV_SERVER]	 = BAD,
		[SMC_FIRST_EV_CONFIRM]	 = IGN,		/* repeated by the server */
		[SMC_FIRST_EV_CONFIRMED] = BAD,
		[SMC_FIRST_EV_ADD]	 = GO(SMC_FIRST_DONE,
					      SMC_FIRST_DO_REJECT_FORM),
		[SMC_FIRST_EV_ADDED]	 = BAD,
		[SMC_FIRST_EV_ALONE]	 = GO(SMC_FIRST_DONE, SMC_FIRST_DO_FORM),
		/* X-11, R-L-14: go on with one link */
		[SMC_FIRST_EV_TIMEOUT]	 = GO(SMC_FIRST_DONE, SMC_FIRST_DO_FORM),
		[SMC_FIRST_EV_FAIL]	 = FAIL,
	},
	[SMC_FIRST_ADD_RSP] = {
		[SMC_FIRST_EV_CLIENT]	 = BAD,
		[SMC_FIRST_EV_SERVER]	 = BAD,
		[SMC_FIRST_EV_CONFIRM]	 = BAD,
		[SMC_FIRST_EV_CONFIRMED] = BAD,
		[SMC_FIRST_EV_ADD]	 = IGN,		/* R-3.5.5.3.1-02 */
		[SMC_FIRST_EV_ADDED]	 = GO(SMC_FIRST_DONE, SMC_FIRST_DO_FORM),
		[SMC_FIRST_EV_ALONE]	 = GO(SMC_FIRST_DONE, SMC_FIRST_DO_FORM),
		/* Y-05, X-11 */
		[SMC_FIRST_EV_TIMEOUT]	 = GO(SMC_FIRST_DONE, SMC_FIRST_DO_FORM),
		[SMC_FIRST_EV_FAIL]	 = FAIL,
	},
	[SMC_FIRST_DONE] = {
		[SMC_FIRST_EV_CLIENT]	 = BAD,
		[SMC_FIRST_EV_SERVER]	 = BAD,
		[SMC_FIRST_EV_CONFIRM]	 = BAD,
		[SMC_FIRST_EV_CONFIRMED] = BAD,
		[SMC_FIRST_EV_ADD]	 = DO(SMC_FIRST_DO_REJECT_ADD),
		[SMC_FIRST_EV_ADDED]	 = IGN,		/* late answer */
		[SMC_FIRST_EV_ALONE]	 = BAD,
		[SMC_FIRST_EV_TIMEOUT]	 = IGN,
		[SMC_FIRST_EV_FAIL]	 = FAIL,
	},
	[SMC_FIRST_FAILED] = {
		[SMC_FIRST_EV_CLIENT]	 = IGN,
		[SMC_FIRST_EV_SERVER]	 = IGN,
		[SMC_FIRST_EV_CONFIRM]	 = IGN,
		[SMC_FIRST_EV_CONFIRMED] = IGN,
		[SMC_FIRST_EV_ADD]	 = IGN,
		[SMC_FIRST_EV_ADDED]	 = IGN,
		[SMC_FIRST_EV_ALONE]	 = IGN,
		[SMC_FIRST_EV_TIMEOUT]	 = IGN,
		[SMC_FIRST_EV_FAIL]	 = IGN,
	},
};

SMC_FSM_DEFINE(smc_first_fsm, "first", first_cells, first_states, first_events);

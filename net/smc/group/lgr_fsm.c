// SPDX-License-Identifier: GPL-2.0
/* State table of a link group. Every pair of state and event has a cell. */
#include "lgr_fsm.h"

#define GO	SMC_FSM_GO
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
		[SMC_LGR_EV_NO_USER]	= IGN,	/* see first_formed() */
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

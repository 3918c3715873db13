// SPDX-License-Identifier: GPL-2.0
/* State table of a link. Every pair of state and event has a cell. */
#include "link_fsm.h"

#define GO	SMC_FSM_GO
#define IGN	SMC_FSM_IGNORED
#define BAD	SMC_FSM_BAD

static const char * const link_states[] = {
	[SMC_LINK_SETUP]	= "setup",
	[SMC_LINK_ACTIVE]	= "active",
	[SMC_LINK_DOWN]		= "down",
	[SMC_LINK_LEAVING]	= "leaving",
	[SMC_LINK_GONE]		= "gone",
};

static const char * const link_events[] = {
	[SMC_LINK_EV_CONFIRMED]	= "confirmed",
	[SMC_LINK_EV_FAIL]	= "fail",
	[SMC_LINK_EV_REPLY]	= "reply",
	[SMC_LINK_EV_REMOVE]	= "remove",
};

static const struct smc_fsm_cell
link_cells[SMC_LINK_NR_STATES][SMC_LINK_NR_EVENTS] = {
	[SMC_LINK_SETUP] = {
		[SMC_LINK_EV_CONFIRMED]	= GO(SMC_LINK_ACTIVE, 0),
		[SMC_LINK_EV_FAIL]	= GO(SMC_LINK_DOWN, 0),
		[SMC_LINK_EV_REPLY]	= GO(SMC_LINK_LEAVING, 0),
		[SMC_LINK_EV_REMOVE]	= GO(SMC_LINK_GONE, 0),
	},
	[SMC_LINK_ACTIVE] = {
		[SMC_LINK_EV_CONFIRMED]	= BAD,
		[SMC_LINK_EV_FAIL]	= GO(SMC_LINK_DOWN, 0),
		/* its connections have to move first */
		[SMC_LINK_EV_REPLY]	= BAD,
		[SMC_LINK_EV_REMOVE]	= GO(SMC_LINK_GONE, 0),
	},
	[SMC_LINK_DOWN] = {
		/* the link failed before the worker handled the message */
		[SMC_LINK_EV_CONFIRMED]	= IGN,
		/* one failure may be reported twice */
		[SMC_LINK_EV_FAIL]	= IGN,
		[SMC_LINK_EV_REPLY]	= GO(SMC_LINK_LEAVING, 0),
		[SMC_LINK_EV_REMOVE]	= GO(SMC_LINK_GONE, 0),
	},
	[SMC_LINK_LEAVING] = {
		[SMC_LINK_EV_CONFIRMED]	= IGN,
		[SMC_LINK_EV_FAIL]	= IGN,
		/* the server has repeated its request */
		[SMC_LINK_EV_REPLY]	= IGN,
		[SMC_LINK_EV_REMOVE]	= GO(SMC_LINK_GONE, 0),
	},
	[SMC_LINK_GONE] = {
		[SMC_LINK_EV_CONFIRMED]	= IGN,
		[SMC_LINK_EV_FAIL]	= IGN,
		[SMC_LINK_EV_REPLY]	= IGN,
		[SMC_LINK_EV_REMOVE]	= IGN,
	},
};

SMC_FSM_DEFINE(smc_link_fsm, "link", link_cells, link_states, link_events);

// SPDX-License-Identifier: GPL-2.0
/* State table of an RMB. Every pair of state and event has a cell. */
#include "rmb_fsm.h"

#define GO(_state, _do)	SMC_FSM_GO(SMC_RMB_##_state, SMC_RMB_DO_##_do)
#define IGN		SMC_FSM_IGNORED
#define BAD		SMC_FSM_BAD

static const char * const rmb_states[] = {
	[SMC_RMB_NEW]		= "new",
	[SMC_RMB_ANNOUNCING]	= "announcing",
	[SMC_RMB_READY]		= "ready",
	[SMC_RMB_REVOKING]	= "revoking",
	[SMC_RMB_GONE]		= "gone",
};

static const char * const rmb_events[] = {
	[SMC_RMB_EV_OPEN]	= "open",
	[SMC_RMB_EV_ANNOUNCE]	= "announce",
	[SMC_RMB_EV_TAKEN]	= "taken",
	[SMC_RMB_EV_REFUSED]	= "refused",
	[SMC_RMB_EV_UNUSED]	= "unused",
	[SMC_RMB_EV_REVOKED]	= "revoked",
};

static const struct smc_fsm_cell
rmb_cells[SMC_RMB_NR_STATES][SMC_RMB_NR_EVENTS] = {
	[SMC_RMB_NEW] = {
		[SMC_RMB_EV_OPEN]	= GO(READY, ADD_ELEMENTS),
		[SMC_RMB_EV_ANNOUNCE]	= GO(ANNOUNCING, NOTHING),
		[SMC_RMB_EV_TAKEN]	= BAD,
		[SMC_RMB_EV_REFUSED]	= BAD,
		[SMC_RMB_EV_UNUSED]	= BAD,
		[SMC_RMB_EV_REVOKED]	= BAD,
	},
	[SMC_RMB_ANNOUNCING] = {
		[SMC_RMB_EV_OPEN]	= BAD,
		[SMC_RMB_EV_ANNOUNCE]	= BAD,
		[SMC_RMB_EV_TAKEN]	= GO(READY, ADD_ELEMENTS),
		[SMC_RMB_EV_REFUSED]	= GO(GONE, REMOVE),
		[SMC_RMB_EV_UNUSED]	= BAD,
		[SMC_RMB_EV_REVOKED]	= BAD,
	},
	[SMC_RMB_READY] = {
		[SMC_RMB_EV_OPEN]	= BAD,
		[SMC_RMB_EV_ANNOUNCE]	= BAD,
		[SMC_RMB_EV_TAKEN]	= IGN,
		[SMC_RMB_EV_REFUSED]	= IGN,
		[SMC_RMB_EV_UNUSED]	= GO(REVOKING, TAKE_ELEMENTS),
		[SMC_RMB_EV_REVOKED]	= BAD,
	},
	[SMC_RMB_REVOKING] = {
		[SMC_RMB_EV_OPEN]	= BAD,
		[SMC_RMB_EV_ANNOUNCE]	= BAD,
		[SMC_RMB_EV_TAKEN]	= BAD,
		[SMC_RMB_EV_REFUSED]	= BAD,
		[SMC_RMB_EV_UNUSED]	= BAD,
		[SMC_RMB_EV_REVOKED]	= GO(GONE, REMOVE),
	},
	[SMC_RMB_GONE] = {
		[SMC_RMB_EV_OPEN]	= IGN,
		[SMC_RMB_EV_ANNOUNCE]	= IGN,
		[SMC_RMB_EV_TAKEN]	= IGN,
		[SMC_RMB_EV_REFUSED]	= IGN,
		[SMC_RMB_EV_UNUSED]	= IGN,
		[SMC_RMB_EV_REVOKED]	= IGN,
	},
};

SMC_FSM_DEFINE(smc_rmb_fsm, "rmb", rmb_cells, rmb_states, rmb_events);

// SPDX-License-Identifier: GPL-2.0
/*
 * State table of the CONFIRM RKEY and DELETE RKEY exchanges that this side
 * begins. Every pair of state and event has a cell.
 */
#include "rkey_fsm.h"

#define GO	SMC_FSM_GO
#define IGN	SMC_FSM_IGNORED
#define BAD	SMC_FSM_BAD

static const char * const rkey_states[] = {
	[SMC_RKEY_IDLE]		= "idle",
	[SMC_RKEY_CONFIRM]	= "confirm",
	[SMC_RKEY_DELETE]	= "delete",
};

static const char * const rkey_events[] = {
	[SMC_RKEY_EV_CONFIRM]	= "confirm",
	[SMC_RKEY_EV_DELETE]	= "delete",
	[SMC_RKEY_EV_CONFIRMED]	= "confirmed",
	[SMC_RKEY_EV_REFUSED]	= "refused",
	[SMC_RKEY_EV_AGAIN]	= "again",
	[SMC_RKEY_EV_DELETED]	= "deleted",
	[SMC_RKEY_EV_LOST]	= "link-lost",
	[SMC_RKEY_EV_TIMEOUT]	= "timeout",
};

static const struct smc_fsm_cell
rkey_cells[SMC_RKEY_NR_STATES][SMC_RKEY_NR_EVENTS] = {
	[SMC_RKEY_IDLE] = {
		[SMC_RKEY_EV_CONFIRM]	= GO(SMC_RKEY_CONFIRM,
					     SMC_RKEY_DO_SEND_CONFIRM),
		[SMC_RKEY_EV_DELETE]	= GO(SMC_RKEY_DELETE,
					     SMC_RKEY_DO_SEND_DELETE),
		/* there was no request */
		[SMC_RKEY_EV_CONFIRMED]	= BAD,
		[SMC_RKEY_EV_REFUSED]	= BAD,
		[SMC_RKEY_EV_AGAIN]	= BAD,
		[SMC_RKEY_EV_DELETED]	= BAD,
		[SMC_RKEY_EV_LOST]	= IGN,
		[SMC_RKEY_EV_TIMEOUT]	= IGN,
	},
	[SMC_RKEY_CONFIRM] = {
		[SMC_RKEY_EV_CONFIRM]	= BAD,
		[SMC_RKEY_EV_DELETE]	= BAD,
		[SMC_RKEY_EV_CONFIRMED]	= GO(SMC_RKEY_IDLE, SMC_RKEY_DO_TAKEN),
		[SMC_RKEY_EV_REFUSED]	= GO(SMC_RKEY_IDLE,
					     SMC_RKEY_DO_REFUSED),
		[SMC_RKEY_EV_AGAIN]	= GO(SMC_RKEY_IDLE, SMC_RKEY_DO_LATER),
		[SMC_RKEY_EV_DELETED]	= BAD,
		[SMC_RKEY_EV_LOST]	= GO(SMC_RKEY_IDLE, SMC_RKEY_DO_LATER),
		[SMC_RKEY_EV_TIMEOUT]	= GO(SMC_RKEY_IDLE,
					     SMC_RKEY_DO_FAIL_LINK),
	},
	[SMC_RKEY_DELETE] = {
		[SMC_RKEY_EV_CONFIRM]	= BAD,
		[SMC_RKEY_EV_DELETE]	= BAD,
		[SMC_RKEY_EV_CONFIRMED]	= BAD,
		[SMC_RKEY_EV_REFUSED]	= BAD,
		[SMC_RKEY_EV_AGAIN]	= BAD,
		[SMC_RKEY_EV_DELETED]	= GO(SMC_RKEY_IDLE, SMC_RKEY_DO_GONE),
		[SMC_RKEY_EV_LOST]	= GO(SMC_RKEY_IDLE, SMC_RKEY_DO_LATER),
		[SMC_RKEY_EV_TIMEOUT]	= GO(SMC_RKEY_IDLE,
					     SMC_RKEY_DO_FAIL_LINK),
	},
};

SMC_FSM_DEFINE(smc_rkey_fsm, "rkey", rkey_cells, rkey_states, rkey_events);

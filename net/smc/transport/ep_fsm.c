// SPDX-License-Identifier: GPL-2.0
/*
 * State table of an endpoint. A failure may happen at any time, even between
 * the owner's check of the state and its call. So a call on an endpoint in
 * state DOWN or CLOSED is ignored and is not a violation.
 */
#include "ep_fsm.h"

#define GO	SMC_FSM_GO
#define IGN	SMC_FSM_IGNORED
#define BAD	SMC_FSM_BAD

static const char * const ep_states[] = {
	[SMC_EP_OPEN]	= "open",
	[SMC_EP_BOUND]	= "bound",
	[SMC_EP_READY]	= "ready",
	[SMC_EP_DOWN]	= "down",
	[SMC_EP_QUIET]	= "quiet",
	[SMC_EP_CLOSED]	= "closed",
};

static const char * const ep_events[] = {
	[SMC_EP_EV_ACCEPT]	= "accept",
	[SMC_EP_EV_START]	= "start",
	[SMC_EP_EV_FAIL]	= "fail",
	[SMC_EP_EV_QUIESCE]	= "quiesce",
	[SMC_EP_EV_CLOSE]	= "close",
};

static const struct smc_fsm_cell
ep_cells[SMC_EP_NR_STATES][SMC_EP_NR_EVENTS] = {
	[SMC_EP_OPEN] = {
		[SMC_EP_EV_ACCEPT]	= GO(SMC_EP_BOUND, 0),
		[SMC_EP_EV_START]	= BAD,
		[SMC_EP_EV_FAIL]	= GO(SMC_EP_DOWN, SMC_EP_DO_TELL),
		[SMC_EP_EV_QUIESCE]	= GO(SMC_EP_QUIET, 0),
		[SMC_EP_EV_CLOSE]	= BAD,
	},
	[SMC_EP_BOUND] = {
		[SMC_EP_EV_ACCEPT]	= BAD,
		[SMC_EP_EV_START]	= GO(SMC_EP_READY, 0),
		[SMC_EP_EV_FAIL]	= GO(SMC_EP_DOWN, SMC_EP_DO_TELL),
		[SMC_EP_EV_QUIESCE]	= GO(SMC_EP_QUIET, 0),
		[SMC_EP_EV_CLOSE]	= BAD,
	},
	[SMC_EP_READY] = {
		[SMC_EP_EV_ACCEPT]	= BAD,
		[SMC_EP_EV_START]	= BAD,
		[SMC_EP_EV_FAIL]	= GO(SMC_EP_DOWN, SMC_EP_DO_TELL),
		[SMC_EP_EV_QUIESCE]	= GO(SMC_EP_QUIET, 0),
		[SMC_EP_EV_CLOSE]	= BAD,
	},
	[SMC_EP_DOWN] = {
		[SMC_EP_EV_ACCEPT]	= IGN,
		[SMC_EP_EV_START]	= IGN,
		[SMC_EP_EV_FAIL]	= IGN,
		[SMC_EP_EV_QUIESCE]	= GO(SMC_EP_QUIET, 0),
		[SMC_EP_EV_CLOSE]	= BAD,
	},
	[SMC_EP_QUIET] = {
		[SMC_EP_EV_ACCEPT]	= IGN,
		[SMC_EP_EV_START]	= IGN,
		[SMC_EP_EV_FAIL]	= IGN,
		[SMC_EP_EV_QUIESCE]	= IGN,
		[SMC_EP_EV_CLOSE]	= GO(SMC_EP_CLOSED, 0),
	},
	[SMC_EP_CLOSED] = {
		[SMC_EP_EV_ACCEPT]	= IGN,
		[SMC_EP_EV_START]	= IGN,
		[SMC_EP_EV_FAIL]	= IGN,
		[SMC_EP_EV_QUIESCE]	= IGN,
		[SMC_EP_EV_CLOSE]	= IGN,
	},
};

SMC_FSM_DEFINE(smc_ep_fsm, "endpoint", ep_cells, ep_states, ep_events);

// SPDX-License-Identifier: GPL-2.0
/*
 * Table of a connection's membership in its group. See place_fsm.h. The group
 * may end at any time, and it tells a connection that is about to leave as
 * well. A reader may finish at any time.
 */
#include "place_fsm.h"

#define S(s)		SMC_PLACE_##s
#define E(e)		SMC_PLACE_EV_##e
#define GO(s)		SMC_FSM_GO(SMC_PLACE_##s, 0)
#define IGNORE		SMC_FSM_IGNORED
#define BAD		SMC_FSM_BAD

static const struct smc_fsm_cell
place_cells[SMC_PLACE_NR_STATES][SMC_PLACE_EV_NR] = {
	[S(OUT)] = {
		[E(JOIN)]		= GO(IN),
		[E(REFUSED)]		= IGNORE,
		[E(ENDED)]		= GO(CUT),
		[E(CLOSED)]		= BAD,
		[E(LEFT)]		= BAD,
		[E(READING)]		= BAD,
		[E(READ)]		= IGNORE,
		[E(REAPED)]		= BAD,
	},
	[S(IN)] = {
		[E(JOIN)]		= BAD,
		[E(REFUSED)]		= BAD,
		[E(ENDED)]		= GO(CUT),
		[E(CLOSED)]		= GO(LEAVING),
		[E(LEFT)]		= BAD,
		[E(READING)]		= BAD,
		[E(READ)]		= IGNORE,
		[E(REAPED)]		= BAD,
	},
	[S(CUT)] = {
		[E(JOIN)]		= BAD,
		[E(REFUSED)]		= GO(OUT),
		[E(ENDED)]		= IGNORE,
		[E(CLOSED)]		= GO(LEAVING),
		[E(LEFT)]		= BAD,
		[E(READING)]		= BAD,
		[E(READ)]		= IGNORE,
		[E(REAPED)]		= BAD,
	},
	[S(LEAVING)] = {
		[E(JOIN)]		= BAD,
		[E(REFUSED)]		= BAD,
		[E(ENDED)]		= IGNORE,
		[E(CLOSED)]		= BAD,
		[E(LEFT)]		= GO(LEFT),
		[E(READING)]		= BAD,
		[E(READ)]		= IGNORE,
		[E(REAPED)]		= BAD,
	},
	[S(LEFT)] = {
		[E(JOIN)]		= BAD,
		[E(REFUSED)]		= BAD,
		[E(ENDED)]		= IGNORE,
		[E(CLOSED)]		= BAD,
		[E(LEFT)]		= BAD,
		[E(READING)]		= GO(HELD),
		[E(READ)]		= IGNORE,
		[E(REAPED)]		= GO(DONE),
	},
	[S(HELD)] = {
		[E(JOIN)]		= BAD,
		[E(REFUSED)]		= BAD,
		[E(ENDED)]		= IGNORE,
		[E(CLOSED)]		= BAD,
		[E(LEFT)]		= BAD,
		[E(READING)]		= BAD,
		[E(READ)]		= GO(LEFT),
		[E(REAPED)]		= BAD,
	},
	[S(DONE)] = {
		[E(JOIN)]		= BAD,
		[E(REFUSED)]		= BAD,
		[E(ENDED)]		= IGNORE,
		[E(CLOSED)]		= BAD,
		[E(LEFT)]		= BAD,
		[E(READING)]		= BAD,
		[E(READ)]		= IGNORE,
		[E(REAPED)]		= BAD,
	},
};

static const char *const place_states[SMC_PLACE_NR_STATES] = {
	[S(OUT)]	= "OUT",
	[S(IN)]		= "IN",
	[S(CUT)]	= "CUT",
	[S(LEAVING)]	= "LEAVING",
	[S(LEFT)]	= "LEFT",
	[S(HELD)]	= "HELD",
	[S(DONE)]	= "DONE",
};

static const char *const place_events[SMC_PLACE_EV_NR] = {
	[E(JOIN)]	= "JOIN",
	[E(REFUSED)]	= "REFUSED",
	[E(ENDED)]	= "ENDED",
	[E(CLOSED)]	= "CLOSED",
	[E(LEFT)]	= "LEFT",
	[E(READING)]	= "READING",
	[E(READ)]	= "READ",
	[E(REAPED)]	= "REAPED",
};

SMC_FSM_DEFINE(smc_place_fsm, "place", place_cells, place_states, place_events);

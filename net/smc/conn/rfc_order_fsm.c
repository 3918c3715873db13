// SPDX-License-Identifier: GPL-2.0
/* Table of the order of CDC messages. See rfc_order_fsm.h. */
#include "rfc_order_fsm.h"

#define S(s)		SMC_ORDER_##s
#define E(e)		SMC_ORDER_EV_##e
#define GO(s, a)	SMC_FSM_GO(SMC_ORDER_##s, SMC_ORDER_DO_##a)
#define DO(a)		SMC_FSM_DO(SMC_ORDER_DO_##a)
#define IGNORE		SMC_FSM_IGNORED

static const struct smc_fsm_cell
order_cells[SMC_ORDER_NR_STATES][SMC_ORDER_NR_EVENTS] = {
	[S(KEPT)] = {
		[E(MISSING)]	= GO(GAP, WAIT),
		[E(BEYOND)]	= IGNORE,	/* in order */
		[E(FILLED)]	= IGNORE,
		[E(TIMEOUT)]	= IGNORE,
	},
	[S(GAP)] = {
		[E(MISSING)]	= DO(WAIT),	/* the peer has moved once more */
		[E(BEYOND)]	= GO(HELD, HOLD),
		[E(FILLED)]	= GO(KEPT, NOTHING),
		[E(TIMEOUT)]	= GO(KEPT, LOST),	/* R-4.6.1-07 */
	},
	[S(HELD)] = {
		[E(MISSING)]	= DO(WAIT),
		[E(BEYOND)]	= DO(HOLD_NEWER),
		[E(FILLED)]	= GO(KEPT, TAKE),
		[E(TIMEOUT)]	= GO(KEPT, LOST),	/* R-4.6.1-07 */
	},
};

static const char *const order_states[SMC_ORDER_NR_STATES] = {
	[S(KEPT)]	= "KEPT",
	[S(GAP)]	= "GAP",
	[S(HELD)]	= "HELD",
};

static const char *const order_events[SMC_ORDER_NR_EVENTS] = {
	[E(MISSING)]	= "MISSING",
	[E(BEYOND)]	= "BEYOND",
	[E(FILLED)]	= "FILLED",
	[E(TIMEOUT)]	= "TIMEOUT",
};

SMC_FSM_DEFINE(smc_rfc_order_fsm, "order", order_cells, order_states,
	       order_events);

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State table: do CDC messages arrive in the order in which the peer posted
 * them (RFC 7609 4.6.1)? Pure code: the module and user-space tests build the
 * same source.
 *
 * After the peer has moved to another link, messages of the new link may overtake
 * messages of the old link. The newest message of the new link is held until the
 * old link has delivered all its messages, or a timer has expired.
 */
#ifndef _SMC_CONN_RFC_ORDER_FSM_H
#define _SMC_CONN_RFC_ORDER_FSM_H

#include "../base/fsm.h"

enum smc_rfc_order_state {
	SMC_ORDER_KEPT,		/* messages arrive in order */
	SMC_ORDER_GAP,		/* messages of the old link are missing */
	SMC_ORDER_HELD,		/* GAP, and a message of the new link is held */
	SMC_ORDER_NR_STATES,
};

enum smc_rfc_order_event {
	SMC_ORDER_EV_MISSING,	/* F names a message that has not arrived */
	SMC_ORDER_EV_BEYOND,	/* a message from behind the gap has arrived */
	SMC_ORDER_EV_FILLED,	/* the old link has delivered all */
	SMC_ORDER_EV_TIMEOUT,	/* messages of the old link never arrived */
	SMC_ORDER_NR_EVENTS,
};

enum smc_rfc_order_action {
	SMC_ORDER_DO_NOTHING,
	SMC_ORDER_DO_WAIT,	/* the timer runs */
	SMC_ORDER_DO_HOLD,	/* keep the message */
	SMC_ORDER_DO_HOLD_NEWER, /* keep the newer of two messages */
	SMC_ORDER_DO_TAKE,	/* act on the message that was held */
	SMC_ORDER_DO_LOST,	/* end the connection: a message is lost */
};

extern const struct smc_fsm smc_rfc_order_fsm;

#endif

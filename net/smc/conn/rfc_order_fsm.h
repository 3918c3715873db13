/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State table that tracks if CDC messages arrive in the order in which the peer
 * posted them (RFC 7609 4.6.1). The module and user-space tests build the same
 * source.
 *
 * After the peer has moved, messages of the new link may overtake messages of
 * the old link. The receiver holds the newest message of the new link until the
 * old link has delivered all its messages, or until a timer expires.
 */
#ifndef _SMC_CONN_RFC_ORDER_FSM_H
#define _SMC_CONN_RFC_ORDER_FSM_H

#include "../base/fsm.h"

enum smc_rfc_order_state {
	SMC_ORDER_KEPT,		/* messages arrive in order */
	SMC_ORDER_GAP,		/* messages of the old link are missing */
	/* messages are missing, one of the new link is held */
	SMC_ORDER_HELD,
	SMC_ORDER_NR_STATES,
};

enum smc_rfc_order_event {
	SMC_ORDER_EV_MISSING,	/* F names a message that has not arrived */
	/* a message of the new link has arrived too early */
	SMC_ORDER_EV_BEYOND,
	/* the old link has delivered all its messages */
	SMC_ORDER_EV_FILLED,
	SMC_ORDER_EV_TIMEOUT,	/* messages of the old link never arrived */
	SMC_ORDER_NR_EVENTS,
};

enum smc_rfc_order_action {
	SMC_ORDER_DO_NOTHING,
	SMC_ORDER_DO_WAIT,	/* the timer runs */
	SMC_ORDER_DO_HOLD,	/* keep the message */
	SMC_ORDER_DO_HOLD_NEWER, /* keep the newer of two messages */
	SMC_ORDER_DO_TAKE,	/* act on the message that is held */
	SMC_ORDER_DO_LOST,	/* end the connection: a message is lost */
};

extern const struct smc_fsm smc_rfc_order_fsm;

#endif

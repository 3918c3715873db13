/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Close machine of a connection as a table (RFC 7609 4.8, figure 22). The
 * module, KUnit and user-space tests build the same source.
 *
 * Figure 22 has conditions, such as "the peer's C was received before". In this
 * table such a condition is part of the event. The flags that both sides have
 * sent decide it:
 *
 *   ..._LAST	the other side's C is known, so both sides have finished
 *   ..._FINAL	abort after the peer's C: nobody waits for an answer
 *   ..._MUTE	own C was sent, so nothing more may be sent (R-4.8.2-14)
 */
#ifndef _SMC_CONN_CLOSE_FSM_H
#define _SMC_CONN_CLOSE_FSM_H

#include "../base/fsm.h"

/* States of a connection, with the names of RFC 7609 figure 22. */
enum smc_conn_state {
	SMC_CONN_INIT,			/* the handshake has not finished */
	SMC_CONN_ACTIVE,
	SMC_CONN_PEERCLOSEWAIT1,
	SMC_CONN_PEERCLOSEWAIT2,
	SMC_CONN_APPCLOSEWAIT1,
	SMC_CONN_APPCLOSEWAIT2,
	SMC_CONN_APPFINCLOSEWAIT,
	SMC_CONN_PEERFINCLOSEWAIT,
	SMC_CONN_PEERABORTWAIT,
	SMC_CONN_PROCESSABORT,
	SMC_CONN_CLOSED,
	SMC_CONN_NR_STATES,
};

enum smc_close_event {
	SMC_CLOSE_EV_START,	/* the handshake has finished */
	SMC_CLOSE_EV_TX_D,	/* own D was posted, after all data */
	SMC_CLOSE_EV_TX_C,	/* own C was posted */
	SMC_CLOSE_EV_TX_C_LAST,	/* own C was posted after the peer's C */
	SMC_CLOSE_EV_TX_A_DONE,	/* the message with own A has completed */
	SMC_CLOSE_EV_RX_D,	/* the peer's D has arrived */
	SMC_CLOSE_EV_RX_C,	/* the peer's C arrived before own C */
	SMC_CLOSE_EV_RX_C_LAST,	/* the peer's C arrived after own C */
	SMC_CLOSE_EV_RX_A,	/* the peer's A arrived before own C and A */
	SMC_CLOSE_EV_RX_A_LAST,	/* the peer's A arrived after own C or A */
	SMC_CLOSE_EV_ABORT,	/* this side aborts and sends A */
	SMC_CLOSE_EV_ABORT_FINAL, /* this side aborts after the peer's C */
	SMC_CLOSE_EV_ABORT_MUTE, /* this side aborts after own C */
	SMC_CLOSE_EV_TIMER,	/* the peer's C is overdue */
	SMC_CLOSE_EV_GONE,	/* the group ended, or the handshake failed */
	SMC_CLOSE_EV_NR,
};

enum smc_close_action {
	SMC_CLOSE_DO_NOTHING,
	SMC_CLOSE_DO_WAKE,	/* tell the owner; see the end of this file */
	SMC_CLOSE_DO_WAIT,	/* start the timer for the peer's C */
	SMC_CLOSE_DO_PURGE,	/* drop all data, send A, start the timer */
	SMC_CLOSE_DO_END,	/* drop all data, leave the group */
};

extern const struct smc_fsm smc_close_fsm;

enum smc_close_event smc_close_ev_abort(u8 said, u8 heard);
enum smc_close_event smc_close_ev_tx_c(u8 heard);
enum smc_close_event smc_close_ev_rx_c(u8 said);
enum smc_close_event smc_close_ev_rx_a(u8 said);

#endif

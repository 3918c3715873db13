/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Close machine of a connection as a table (RFC 7609 4.8, figure 22). Pure:
 * the same source is built into the module, into KUnit and in user space.
 *
 * The states are enum smc_conn_state of conn.h. What figure 22 writes as
 * conditions ("the peer's C was received before") is part of the event here, and
 * derived from the flags that both sides have said:
 *
 *   ..._LAST	the other side's C is known already, nobody has more to say
 *   ..._FINAL	the same for an abort: the peer's answer is not waited for
 *   ..._MUTE	own C is out, nothing may be sent any more (R-4.8.2-14)
 */
#ifndef _SMC_CONN_CLOSE_FSM_H
#define _SMC_CONN_CLOSE_FSM_H

#include "../base/fsm.h"
#include "conn.h"

enum smc_close_event {
	SMC_CLOSE_EV_START,	/* handshake finished */
	SMC_CLOSE_EV_TX_D,	/* own D was posted, all data before it */
	SMC_CLOSE_EV_TX_C,	/* own C was posted */
	SMC_CLOSE_EV_TX_C_LAST,	/* the same, the peer's C came before */
	SMC_CLOSE_EV_TX_A_DONE,	/* the message with own A has completed */
	SMC_CLOSE_EV_RX_D,	/* the peer's D came */
	SMC_CLOSE_EV_RX_C,	/* the peer's C came, own C not out yet */
	SMC_CLOSE_EV_RX_C_LAST,	/* the peer's C came, own C is out */
	SMC_CLOSE_EV_RX_A,	/* the peer's A came, neither C nor A is out */
	SMC_CLOSE_EV_RX_A_LAST,	/* the peer's A came, own C or A is out */
	SMC_CLOSE_EV_ABORT,	/* to be ended here and announced by A */
	SMC_CLOSE_EV_ABORT_FINAL, /* the same, the peer's C came before */
	SMC_CLOSE_EV_ABORT_MUTE, /* to be ended here, own C is out */
	SMC_CLOSE_EV_TIMER,	/* the peer took too long */
	SMC_CLOSE_EV_GONE,	/* the group ended, or the handshake failed */
	SMC_CLOSE_EV_NR,
};

enum smc_close_action {
	SMC_CLOSE_DO_NOTHING,
	SMC_CLOSE_DO_WAKE,	/* tell the owner, receivers see the end */
	SMC_CLOSE_DO_WAIT,	/* own C is out: start the timer for the peer's */
	SMC_CLOSE_DO_PURGE,	/* drop data both ways, send A, start the timer */
	SMC_CLOSE_DO_END,	/* drop data both ways, leave the group */
};

extern const struct smc_fsm smc_close_fsm;

/*
 * Which event it is, by the flags (SMC_CDC_D, C, A) that were posted (@said)
 * and received (@heard) before.
 */
enum smc_close_event smc_close_ev_abort(u8 said, u8 heard);
enum smc_close_event smc_close_ev_tx_c(u8 heard);
enum smc_close_event smc_close_ev_rx_c(u8 said);
enum smc_close_event smc_close_ev_rx_a(u8 said);

#endif

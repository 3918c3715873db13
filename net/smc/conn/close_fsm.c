// SPDX-License-Identifier: GPL-2.0
/*
 * Table of the close machine. See close_fsm.h. The rows have the order of RFC
 * 7609 figure 22. The state "Closed" of the figure is two states here: INIT
 * before the handshake has finished, CLOSED after the end.
 */
#include "../wire/cdc.h"
#include "close_fsm.h"

#define S(s)		SMC_CONN_##s
#define E(e)		SMC_CLOSE_EV_##e
#define GO(s, a)	SMC_FSM_GO(SMC_CONN_##s, SMC_CLOSE_DO_##a)
#define DO(a)		SMC_FSM_DO(SMC_CLOSE_DO_##a)
#define IGNORE		SMC_FSM_IGNORED
#define BAD		SMC_FSM_BAD

static const struct smc_fsm_cell
close_cells[SMC_CONN_NR_STATES][SMC_CLOSE_EV_NR] = {
	/* nothing is sent yet; the peer's flags are kept until START */
	[S(INIT)] = {
		[E(START)]	= GO(ACTIVE, NOTHING),		/* R-4.8.1-10 */
		[E(TX_D)]	= BAD,
		[E(TX_C)]	= BAD,
		[E(TX_C_LAST)]	= BAD,
		[E(TX_A_DONE)]	= BAD,
		[E(RX_D)]	= BAD,
		[E(RX_C)]	= BAD,
		[E(RX_C_LAST)]	= BAD,
		[E(RX_A)]	= BAD,
		[E(RX_A_LAST)]	= BAD,
		[E(ABORT)]	= GO(CLOSED, END),
		[E(ABORT_FINAL)]	= GO(CLOSED, END),
		[E(ABORT_MUTE)]	= BAD,
		[E(TIMER)]	= IGNORE,
		[E(GONE)]	= GO(CLOSED, END),
	},
	[S(ACTIVE)] = {
		[E(START)]	= BAD,
		[E(TX_D)]	= GO(PEERCLOSEWAIT1, WAKE),	/* R-4.8.1-14 */
		[E(TX_C)]	= GO(PEERCLOSEWAIT1, WAIT),	/* R-4.8.1-13 */
		[E(TX_C_LAST)]	= BAD,
		[E(TX_A_DONE)]	= BAD,
		[E(RX_D)]	= GO(APPCLOSEWAIT1, WAKE),	/* R-4.8.1-20 */
		[E(RX_C)]	= GO(APPCLOSEWAIT1, WAKE),	/* R-4.8.1-20 */
		[E(RX_C_LAST)]	= BAD,
		[E(RX_A)]	= GO(PROCESSABORT, PURGE),	/* R-4.8.2-07 */
		[E(RX_A_LAST)]	= BAD,
		[E(ABORT)]	= GO(PEERABORTWAIT, PURGE),	/* R-4.8.2-02 */
		[E(ABORT_FINAL)]	= GO(PROCESSABORT, PURGE),	/* R-4.8.1-21 */
		[E(ABORT_MUTE)]	= BAD,
		[E(TIMER)]	= IGNORE,
		[E(GONE)]	= GO(CLOSED, END),		/* R-4.8.3-03 */
	},
	/* own D or C was sent, the peer has sent no flag */
	[S(PEERCLOSEWAIT1)] = {
		[E(START)]	= BAD,
		[E(TX_D)]	= BAD,
		[E(TX_C)]	= DO(WAIT),			/* R-4.8.1-18 */
		[E(TX_C_LAST)]	= BAD,
		[E(TX_A_DONE)]	= BAD,
		[E(RX_D)]	= GO(PEERCLOSEWAIT2, WAKE),	/* R-4.8.1-15 */
		[E(RX_C)]	= GO(APPFINCLOSEWAIT, WAKE),	/* R-4.8.1-17 */
		[E(RX_C_LAST)]	= GO(CLOSED, END),		/* R-4.8.1-16 */
		[E(RX_A)]	= GO(PROCESSABORT, PURGE),	/* R-4.8.1-29 */
		[E(RX_A_LAST)]	= GO(CLOSED, END),		/* R-4.8.2-15 */
		[E(ABORT)]	= GO(PEERABORTWAIT, PURGE),
		[E(ABORT_FINAL)]	= GO(PROCESSABORT, PURGE),	/* R-4.8.2-16 */
		[E(ABORT_MUTE)]	= GO(CLOSED, END),		/* R-4.8.2-14 */
		[E(TIMER)]	= GO(CLOSED, END),		/* R-4.8.1-08 */
		[E(GONE)]	= GO(CLOSED, END),
	},
	/* own D or C was sent, the peer's D has arrived */
	[S(PEERCLOSEWAIT2)] = {
		[E(START)]	= BAD,
		[E(TX_D)]	= BAD,
		[E(TX_C)]	= DO(WAIT),			/* R-4.8.1-18 */
		[E(TX_C_LAST)]	= BAD,
		[E(TX_A_DONE)]	= BAD,
		[E(RX_D)]	= IGNORE,			/* R-4.8.1-28 */
		[E(RX_C)]	= GO(APPFINCLOSEWAIT, WAKE),	/* R-4.8.1-17 */
		[E(RX_C_LAST)]	= GO(CLOSED, END),		/* R-4.8.1-16 */
		[E(RX_A)]	= GO(PROCESSABORT, PURGE),	/* R-4.8.1-29 */
		[E(RX_A_LAST)]	= GO(CLOSED, END),		/* R-4.8.2-15 */
		[E(ABORT)]	= GO(PEERABORTWAIT, PURGE),
		[E(ABORT_FINAL)]	= GO(PROCESSABORT, PURGE),	/* R-4.8.2-16 */
		[E(ABORT_MUTE)]	= GO(CLOSED, END),		/* R-4.8.2-14 */
		[E(TIMER)]	= GO(CLOSED, END),		/* R-4.8.1-08 */
		[E(GONE)]	= GO(CLOSED, END),
	},
	/* the peer's D or C has arrived, no own flag was sent */
	[S(APPCLOSEWAIT1)] = {
		[E(START)]	= BAD,
		[E(TX_D)]	= GO(APPCLOSEWAIT2, WAKE),	/* R-4.8.1-23 */
		[E(TX_C)]	= GO(PEERFINCLOSEWAIT, WAIT),	/* R-4.8.1-25 */
		[E(TX_C_LAST)]	= GO(CLOSED, END),		/* R-4.8.1-24 */
		[E(TX_A_DONE)]	= BAD,
		[E(RX_D)]	= IGNORE,			/* R-4.8.1-28 */
		[E(RX_C)]	= DO(WAKE),			/* R-4.8.1-26 */
		[E(RX_C_LAST)]	= BAD,
		[E(RX_A)]	= GO(PROCESSABORT, PURGE),	/* R-4.8.1-29 */
		[E(RX_A_LAST)]	= BAD,
		[E(ABORT)]	= GO(PEERABORTWAIT, PURGE),
		[E(ABORT_FINAL)]	= GO(PROCESSABORT, PURGE),	/* R-4.8.2-16 */
		[E(ABORT_MUTE)]	= BAD,
		[E(TIMER)]	= IGNORE,			/* R-4.8.1-07 */
		[E(GONE)]	= GO(CLOSED, END),
	},
	/* the peer's D or C has arrived, own D was sent */
	[S(APPCLOSEWAIT2)] = {
		[E(START)]	= BAD,
		[E(TX_D)]	= BAD,
		[E(TX_C)]	= GO(PEERFINCLOSEWAIT, WAIT),	/* R-4.8.1-25 */
		[E(TX_C_LAST)]	= GO(CLOSED, END),		/* R-4.8.1-24 */
		[E(TX_A_DONE)]	= BAD,
		[E(RX_D)]	= IGNORE,			/* R-4.8.1-28 */
		[E(RX_C)]	= DO(WAKE),			/* R-4.8.1-26 */
		[E(RX_C_LAST)]	= BAD,
		[E(RX_A)]	= GO(PROCESSABORT, PURGE),	/* R-4.8.1-29 */
		[E(RX_A_LAST)]	= BAD,
		[E(ABORT)]	= GO(PEERABORTWAIT, PURGE),
		[E(ABORT_FINAL)]	= GO(PROCESSABORT, PURGE),	/* R-4.8.2-16 */
		[E(ABORT_MUTE)]	= BAD,
		[E(TIMER)]	= IGNORE,			/* R-4.8.1-07 */
		[E(GONE)]	= GO(CLOSED, END),
	},
	/*
	 * own D was sent, the peer's C has arrived: only own close() has not
	 * happened
	 */
	[S(APPFINCLOSEWAIT)] = {
		[E(START)]	= BAD,
		[E(TX_D)]	= BAD,
		[E(TX_C)]	= BAD,
		[E(TX_C_LAST)]	= GO(CLOSED, END),		/* R-4.8.1-17 */
		[E(TX_A_DONE)]	= BAD,
		[E(RX_D)]	= IGNORE,			/* R-4.8.1-28 */
		[E(RX_C)]	= IGNORE,
		[E(RX_C_LAST)]	= BAD,
		[E(RX_A)]	= GO(PROCESSABORT, PURGE),	/* R-4.8.1-29 */
		[E(RX_A_LAST)]	= BAD,
		[E(ABORT)]	= BAD,
		[E(ABORT_FINAL)]	= GO(PROCESSABORT, PURGE),	/* R-4.8.2-16 */
		[E(ABORT_MUTE)]	= BAD,
		[E(TIMER)]	= IGNORE,			/* R-4.8.1-07 */
		[E(GONE)]	= GO(CLOSED, END),
	},
	/* own C was sent, the peer's D has arrived: only the peer's C has not
	 * arrived
	 */
	[S(PEERFINCLOSEWAIT)] = {
		[E(START)]	= BAD,
		[E(TX_D)]	= BAD,
		[E(TX_C)]	= BAD,
		[E(TX_C_LAST)]	= BAD,
		[E(TX_A_DONE)]	= BAD,
		[E(RX_D)]	= IGNORE,			/* R-4.8.1-28 */
		[E(RX_C)]	= BAD,
		[E(RX_C_LAST)]	= GO(CLOSED, END),		/* R-4.8.1-27 */
		[E(RX_A)]	= BAD,
		[E(RX_A_LAST)]	= GO(CLOSED, END),		/* R-4.8.2-15 */
		[E(ABORT)]	= BAD,
		[E(ABORT_FINAL)]	= BAD,
		[E(ABORT_MUTE)]	= GO(CLOSED, END),		/* R-4.8.2-14 */
		[E(TIMER)]	= GO(CLOSED, END),		/* R-4.8.1-08 */
		[E(GONE)]	= GO(CLOSED, END),
	},
	/* own A is being sent; of the peer's flags only A has an effect:
	 * R-4.8.2-03
	 */
	[S(PEERABORTWAIT)] = {
		[E(START)]	= BAD,
		[E(TX_D)]	= BAD,
		[E(TX_C)]	= BAD,
		[E(TX_C_LAST)]	= BAD,
		[E(TX_A_DONE)]	= IGNORE,
		[E(RX_D)]	= IGNORE,
		[E(RX_C)]	= IGNORE,
		[E(RX_C_LAST)]	= IGNORE,
		[E(RX_A)]	= GO(PROCESSABORT, NOTHING),
		[E(RX_A_LAST)]	= GO(CLOSED, END),		/* R-4.8.2-05 */
		[E(ABORT)]	= IGNORE,			/* R-4.8.2-10 */
		[E(ABORT_FINAL)]	= IGNORE,
		[E(ABORT_MUTE)]	= IGNORE,
		[E(TIMER)]	= GO(CLOSED, END),		/* R-4.8.2-06 */
		[E(GONE)]	= GO(CLOSED, END),
	},
	/* the peer has ended; when own A has completed, the connection is
	 * closed: R-4.8.2-08
	 */
	[S(PROCESSABORT)] = {
		[E(START)]	= BAD,
		[E(TX_D)]	= BAD,
		[E(TX_C)]	= BAD,
		[E(TX_C_LAST)]	= BAD,
		[E(TX_A_DONE)]	= GO(CLOSED, END),
		[E(RX_D)]	= IGNORE,
		[E(RX_C)]	= IGNORE,
		[E(RX_C_LAST)]	= IGNORE,
		[E(RX_A)]	= IGNORE,
		[E(RX_A_LAST)]	= IGNORE,
		[E(ABORT)]	= IGNORE,			/* R-4.8.2-10 */
		[E(ABORT_FINAL)]	= IGNORE,
		[E(ABORT_MUTE)]	= IGNORE,
		[E(TIMER)]	= GO(CLOSED, END),
		[E(GONE)]	= GO(CLOSED, END),
	},
	[S(CLOSED)] = {
		[E(START)]	= IGNORE,	/* the group has ended */
		[E(TX_D)]	= BAD,
		[E(TX_C)]	= BAD,
		[E(TX_C_LAST)]	= BAD,
		[E(TX_A_DONE)]	= IGNORE,
		[E(RX_D)]	= IGNORE,
		[E(RX_C)]	= IGNORE,
		[E(RX_C_LAST)]	= IGNORE,
		[E(RX_A)]	= IGNORE,
		[E(RX_A_LAST)]	= IGNORE,
		[E(ABORT)]	= IGNORE,
		[E(ABORT_FINAL)]	= IGNORE,
		[E(ABORT_MUTE)]	= IGNORE,
		[E(TIMER)]	= IGNORE,
		[E(GONE)]	= IGNORE,
	},
};

static const char *const close_states[SMC_CONN_NR_STATES] = {
	[S(INIT)]		= "INIT",
	[S(ACTIVE)]		= "ACTIVE",
	[S(PEERCLOSEWAIT1)]	= "PEERCLOSEWAIT1",
	[S(PEERCLOSEWAIT2)]	= "PEERCLOSEWAIT2",
	[S(APPCLOSEWAIT1)]	= "APPCLOSEWAIT1",
	[S(APPCLOSEWAIT2)]	= "APPCLOSEWAIT2",
	[S(APPFINCLOSEWAIT)]	= "APPFINCLOSEWAIT",
	[S(PEERFINCLOSEWAIT)]	= "PEERFINCLOSEWAIT",
	[S(PEERABORTWAIT)]	= "PEERABORTWAIT",
	[S(PROCESSABORT)]	= "PROCESSABORT",
	[S(CLOSED)]		= "CLOSED",
};

static const char *const close_events[SMC_CLOSE_EV_NR] = {
	[E(START)]	= "START",
	[E(TX_D)]	= "TX_D",
	[E(TX_C)]	= "TX_C",
	[E(TX_C_LAST)]	= "TX_C_LAST",
	[E(TX_A_DONE)]	= "TX_A_DONE",
	[E(RX_D)]	= "RX_D",
	[E(RX_C)]	= "RX_C",
	[E(RX_C_LAST)]	= "RX_C_LAST",
	[E(RX_A)]	= "RX_A",
	[E(RX_A_LAST)]	= "RX_A_LAST",
	[E(ABORT)]	= "ABORT",
	[E(ABORT_FINAL)]	= "ABORT_FINAL",
	[E(ABORT_MUTE)]	= "ABORT_MUTE",
	[E(TIMER)]	= "TIMER",
	[E(GONE)]	= "GONE",
};

SMC_FSM_DEFINE(smc_close_fsm, "close", close_cells, close_states, close_events);

/**
 * smc_close_ev_abort() - choose the event when this side aborts
 * @said: flags (SMC_CDC_D, C, A) that were posted before
 * @heard: flags that the peer sent before
 *
 * Context: any. Return: event.
 */
enum smc_close_event smc_close_ev_abort(u8 said, u8 heard)
{
	if (said & SMC_CDC_C)
		return SMC_CLOSE_EV_ABORT_MUTE;
	if (heard & SMC_CDC_C)
		return SMC_CLOSE_EV_ABORT_FINAL;
	return SMC_CLOSE_EV_ABORT;
}

/**
 * smc_close_ev_tx_c() - choose the event for own C, which was posted
 * @heard: flags (SMC_CDC_D, C, A) that the peer sent before
 *
 * Context: any. Return: event.
 */
enum smc_close_event smc_close_ev_tx_c(u8 heard)
{
	return heard & SMC_CDC_C ? SMC_CLOSE_EV_TX_C_LAST :
				   SMC_CLOSE_EV_TX_C;
}

/**
 * smc_close_ev_rx_c() - choose the event for the peer's C
 * @said: flags (SMC_CDC_D, C, A) that were posted before
 *
 * Context: any. Return: event.
 */
enum smc_close_event smc_close_ev_rx_c(u8 said)
{
	return said & SMC_CDC_C ? SMC_CLOSE_EV_RX_C_LAST : SMC_CLOSE_EV_RX_C;
}

/**
 * smc_close_ev_rx_a() - choose the event for the peer's A
 * @said: flags (SMC_CDC_D, C, A) that were posted before
 *
 * Context: any. Return: event.
 */
enum smc_close_event smc_close_ev_rx_a(u8 said)
{
	return said & (SMC_CDC_C | SMC_CDC_A) ? SMC_CLOSE_EV_RX_A_LAST :
						SMC_CLOSE_EV_RX_A;
}

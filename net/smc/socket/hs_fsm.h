/* SPDX-License-Identifier: GPL-2.0 */
/*
 * States, events and actions of the two handshake machines (RFC 7609, 3.5 and
 * appendix C). hs_fsm.c has the tables.
 */
#ifndef _SMC_SOCKET_HS_FSM_H
#define _SMC_SOCKET_HS_FSM_H

#include "../base/fsm.h"

/*
 * Events of both machines. The socket, the group and the timer cause the events
 * before SMC_HS_EV_NEXT. SMC_HS_EV_NEXT and later events are results of
 * actions.
 */
enum smc_hs_event {
	/* TCP is connected, the peer shows the option */
	SMC_HS_EV_TCP_UP,
	/* the same, but the peer's connect() may have crossed ours */
	SMC_HS_EV_TCP_CROSSED,
	SMC_HS_EV_TCP_PLAIN,	/* TCP is connected, without the option */
	SMC_HS_EV_PROPOSAL,
	SMC_HS_EV_ACCEPT,
	SMC_HS_EV_CONFIRM,
	SMC_HS_EV_DECLINE,
	/* the bytes are no CLC message, or an unexpected one */
	SMC_HS_EV_MALFORMED,
	SMC_HS_EV_TCP_FIN,
	SMC_HS_EV_TCP_GONE,	/* TCP was refused, reset, or timed out */
	SMC_HS_EV_READY,	/* the contact lets this side try again */
	SMC_HS_EV_UP,		/* the contact reports a confirmed link */
	SMC_HS_EV_DOWN,		/* the contact has failed */
	SMC_HS_EV_TIMER,
	SMC_HS_EV_CANCEL,	/* the socket is being closed */
	SMC_HS_EV_NEXT,		/* success, continue with the next step */
	SMC_HS_EV_WAIT,		/* wait for the contact or the peer */
	SMC_HS_EV_REFUSE,	/* stay on TCP and send a Decline */
	SMC_HS_EV_BREAK,	/* end the TCP connection */
	SMC_HS_EV_NR,
};

/* Actions of a cell. Client and server share the first group of actions. */
enum smc_hs_action {
	SMC_HS_DO_NOTHING,
	SMC_HS_DO_AWAIT_CLC,	/* start the timer for one message (C.5) */
	SMC_HS_DO_AWAIT_GROUP,	/* start the timer for another first contact */
	SMC_HS_DO_AWAIT_LINK,	/* start the timer for the link confirmation */
	/* start the timer for a peer's Decline */
	SMC_HS_DO_AWAIT_DECLINE,
	/* link confirmation failed: check if a Decline helps */
	SMC_HS_DO_JUDGE,
	SMC_HS_DO_DECLINE,	/* send a Decline, then use TCP */
	/* send a Decline after a timeout, then use TCP */
	SMC_HS_DO_DECLINE_LATE,
	SMC_HS_DO_DECLINED,	/* the peer declined: use TCP */
	/* the peer has no option: use TCP, send no Decline */
	SMC_HS_DO_PLAIN,
	SMC_HS_DO_FINISH,	/* the connection is an SMC connection */
	SMC_HS_DO_GONE,		/* the TCP connection has ended */
	SMC_HS_DO_MALFORMED,	/* end TCP, count a malformed message (C.6) */
	SMC_HS_DO_TIMEOUT,	/* end TCP, count a timeout (C.5) */
	SMC_HS_DO_BREAK,	/* end TCP with the error of the handshake */
	SMC_HS_DO_CANCEL,
	/* client */
	SMC_HS_DO_PROPOSE,
	SMC_HS_DO_JOIN,		/* act on the Accept, or on the Proposal */
	SMC_HS_DO_CONFIRM,
	SMC_HS_DO_YIELD,	/* send a Decline in place of the Proposal */
	/* server */
	SMC_HS_DO_EXAMINE,	/* check whether the Proposal is acceptable */
	SMC_HS_DO_ACCEPT,
	SMC_HS_DO_BIND,		/* act on the Confirm */
};

enum smc_hs_client_state {
	SMC_HSC_CONNECTING,	/* TCP handshake */
	SMC_HSC_YIELDING,
	SMC_HSC_YIELDED,	/* the peer's first message must be read */
	SMC_HSC_PROPOSING,
	SMC_HSC_SENT_PROPOSAL,
	SMC_HSC_GOT_ACCEPT,
	SMC_HSC_WAIT_GROUP,
	SMC_HSC_CONFIRMING,
	SMC_HSC_WAIT_LINK,	/* Confirm sent, first contact runs */
	SMC_HSC_LINK_LOST,
	SMC_HSC_WAIT_DECLINE,
	SMC_HSC_DONE,
	SMC_HSC_FALLBACK,
	SMC_HSC_FAILED,
	SMC_HSC_NR,
};

enum smc_hs_server_state {
	SMC_HSS_WAIT_PROPOSAL,
	SMC_HSS_PICKING,
	SMC_HSS_JOINING,
	SMC_HSS_WAIT_GROUP,
	SMC_HSS_ACCEPTING,
	SMC_HSS_WAIT_CONFIRM,
	SMC_HSS_GOT_CONFIRM,
	SMC_HSS_WAIT_LINK,	/* Confirm received, first contact runs */
	SMC_HSS_LINK_LOST,
	SMC_HSS_WAIT_DECLINE,
	SMC_HSS_DONE,
	SMC_HSS_FALLBACK,
	SMC_HSS_FAILED,
	SMC_HSS_NR,
};

extern const struct smc_fsm smc_hs_client_fsm;
extern const struct smc_fsm smc_hs_server_fsm;

#endif

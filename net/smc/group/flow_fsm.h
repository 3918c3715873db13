/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State table of LLC flows that change links (RFC 7609 3.5.5.3): ADD LINK with
 * its continuations and CONFIRM LINK, and DELETE LINK. One runs at a time. The
 * table holds the states and events of client and server; C_ marks the
 * client's. Pure code, which tests also build in user space.
 */
#ifndef _SMC_GROUP_FLOW_FSM_H
#define _SMC_GROUP_FLOW_FSM_H

#include "../base/fsm.h"

enum smc_flow_state {
	SMC_FLOW_IDLE,
	SMC_FLOW_ADD,		/* ADD LINK was sent */
	SMC_FLOW_CONT,		/* ADD LINK CONTINUATION was sent */
	SMC_FLOW_CONFIRM,	/* CONFIRM LINK was sent over the new link */
	SMC_FLOW_DELETE,	/* DELETE LINK was sent */
	SMC_FLOW_DELETE_AGAIN,	/* DELETE LINK was sent a second time */
	SMC_FLOW_C_CONT,	/* ADD LINK was accepted, or more keys follow */
	SMC_FLOW_C_CONFIRM,	/* all keys are known, CONFIRM LINK follows */
	SMC_FLOW_C_GONE,	/* a link was reported as down */
	SMC_FLOW_NR_STATES,
};

enum smc_flow_event {
	SMC_FLOW_EV_ADD,	/* server: begin to add a link */
	SMC_FLOW_EV_DELETE,	/* server: begin to delete a link */
	SMC_FLOW_EV_REPORT,	/* client: report to the server that a link is down */
	SMC_FLOW_EV_OFFER,	/* client: accept an ADD LINK */
	SMC_FLOW_EV_OFFER_KEYS,	/* client: accept, and all keys are known */
	SMC_FLOW_EV_ACCEPTED,	/* server: reply to ADD LINK */
	SMC_FLOW_EV_ACCEPTED_KEYS, /* server: reply, and all keys are known */
	SMC_FLOW_EV_UNUSABLE,	/* server: reply, but the link is unusable */
	SMC_FLOW_EV_LATE,	/* server: the client accepts an offer too late */
	SMC_FLOW_EV_REJECTED,	/* server: the client rejects the offer */
	SMC_FLOW_EV_MORE,	/* keys arrive, and one side has more */
	SMC_FLOW_EV_LAST,	/* keys arrive, and neither side has more */
	SMC_FLOW_EV_CONFIRM,	/* client: CONFIRM LINK on the new link */
	SMC_FLOW_EV_CONFIRMED,	/* server: reply to CONFIRM LINK */
	SMC_FLOW_EV_DELETED,	/* the peer knows that the link is deleted */
	SMC_FLOW_EV_TIMEOUT,
	SMC_FLOW_EV_CARRIER,	/* the link that carries the exchange is down */
	SMC_FLOW_EV_BROKEN,	/* the new link is unusable */
	SMC_FLOW_NR_EVENTS,
};

enum smc_flow_action {
	SMC_FLOW_DO_NOTHING,
	SMC_FLOW_DO_SEND_ADD,
	SMC_FLOW_DO_SEND_CONT,
	SMC_FLOW_DO_SEND_CONFIRM,
	SMC_FLOW_DO_SEND_DELETE,
	SMC_FLOW_DO_RESEND_DELETE, /* repeat DELETE LINK, probe the carrier */
	SMC_FLOW_DO_SEND_REPORT,
	SMC_FLOW_DO_ACCEPT,
	SMC_FLOW_DO_REPLY_CONT,
	SMC_FLOW_DO_REPLY_CONFIRM, /* reply, and make the link active */
	SMC_FLOW_DO_ADDED,	/* make the link active */
	SMC_FLOW_DO_DROP,	/* drop a link that the peer does not know */
	SMC_FLOW_DO_NEXT,	/* drop the link, then try another port */
	SMC_FLOW_DO_ABORT,	/* close the link; the peer must delete it, too */
	SMC_FLOW_DO_DROP_FAIL,	/* drop the link; the carrier has failed */
	SMC_FLOW_DO_FAIL,	/* the carrier has failed (R-C.7.1-16) */
	SMC_FLOW_DO_REMOVE,	/* both sides have deleted the link */
	SMC_FLOW_DO_REMOVE_PROBE, /* no answer came: remove it, probe the carrier */
	SMC_FLOW_DO_REFUSE_LATE, /* the client must delete its half */
};

extern const struct smc_fsm smc_flow_fsm;

#endif

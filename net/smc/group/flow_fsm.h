/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Exchanges that change the links of a group, one at a time (RFC 7609 3.5.5.3):
 * ADD LINK with its continuations and CONFIRM LINK, and DELETE LINK. States and
 * events of client and server are in one table; C_ marks the client's. Pure:
 * also built in user space.
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
	SMC_FLOW_DELETE_AGAIN,	/* it was sent a second time */
	SMC_FLOW_C_CONT,	/* ADD LINK was accepted, or more keys are due */
	SMC_FLOW_C_CONFIRM,	/* all keys are known, CONFIRM LINK is due */
	SMC_FLOW_C_GONE,	/* a link was reported as gone */
	SMC_FLOW_NR_STATES,
};

enum smc_flow_event {
	SMC_FLOW_EV_ADD,	/* server: begin to add a link */
	SMC_FLOW_EV_DELETE,	/* server: begin to delete a link */
	SMC_FLOW_EV_REPORT,	/* client: tell the server that a link is gone */
	SMC_FLOW_EV_OFFER,	/* client: an ADD LINK that can be accepted */
	SMC_FLOW_EV_OFFER_V2,	/* the same, and all keys are known */
	SMC_FLOW_EV_ACCEPTED,	/* server: reply to ADD LINK */
	SMC_FLOW_EV_ACCEPTED_V2, /* the same, and all keys are known */
	SMC_FLOW_EV_UNUSABLE,	/* the same, but the link is of no use here */
	SMC_FLOW_EV_LATE,	/* server: accepted, and nobody waits for that */
	SMC_FLOW_EV_REJECTED,	/* server: rejected */
	SMC_FLOW_EV_MORE,	/* keys, and one side has more */
	SMC_FLOW_EV_LAST,	/* keys, and nobody has more */
	SMC_FLOW_EV_CONFIRM,	/* client: CONFIRM LINK on the new link */
	SMC_FLOW_EV_CONFIRMED,	/* server: reply to it */
	SMC_FLOW_EV_DELETED,	/* the peer knows that the link is gone */
	SMC_FLOW_EV_TIMEOUT,
	SMC_FLOW_EV_CARRIER,	/* the link that carries the exchange is down */
	SMC_FLOW_EV_BROKEN,	/* the new link is of no use */
	SMC_FLOW_NR_EVENTS,
};

enum smc_flow_action {
	SMC_FLOW_DO_NOTHING,
	SMC_FLOW_DO_SEND_ADD,
	SMC_FLOW_DO_SEND_CONT,
	SMC_FLOW_DO_SEND_CONFIRM,
	SMC_FLOW_DO_SEND_DELETE,
	SMC_FLOW_DO_RESEND_DELETE, /* and see whether the carrier lives */
	SMC_FLOW_DO_SEND_REPORT,
	SMC_FLOW_DO_ACCEPT,
	SMC_FLOW_DO_REPLY_CONT,
	SMC_FLOW_DO_REPLY_CONFIRM, /* and the link is active */
	SMC_FLOW_DO_ADDED,	/* the link is active */
	SMC_FLOW_DO_DROP,	/* the peer knows nothing of the new link */
	SMC_FLOW_DO_NEXT,	/* the same; another port may suit better */
	SMC_FLOW_DO_ABORT,	/* the peer has to hear that it is gone */
	SMC_FLOW_DO_DROP_FAIL,	/* drop it, and the carrier has failed */
	SMC_FLOW_DO_FAIL,	/* the carrier has failed (R-C.7.1-16) */
	SMC_FLOW_DO_REMOVE,	/* both sides are done with the link */
	SMC_FLOW_DO_REMOVE_PROBE, /* no answer: look whether the carrier lives */
	SMC_FLOW_DO_REFUSE_LATE, /* the client has to forget its half */
};

extern const struct smc_fsm smc_flow_fsm;

#endif

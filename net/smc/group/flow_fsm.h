/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State table of LLC flows that change links (RFC 7609 3.5.5.3): one flow adds
 * a link with ADD LINK, its continuations and CONFIRM LINK, and one flow
 * deletes a link with DELETE LINK. Only one flow runs at a time. The table has
 * the states and events of client and server; C_ marks the states of the
 * client. Tests also build this code in user space.
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
	/* client: it accepted ADD LINK, or more keys follow */
	SMC_FLOW_C_CONT,
	/* client: all keys are known, CONFIRM LINK follows */
	SMC_FLOW_C_CONFIRM,
	SMC_FLOW_C_GONE,	/* the client has reported a link as down */
	SMC_FLOW_NR_STATES,
};

enum smc_flow_event {
	SMC_FLOW_EV_ADD,	/* server: begin to add a link */
	SMC_FLOW_EV_DELETE,	/* server: begin to delete a link */
	SMC_FLOW_EV_REPORT,	/* client: report to the server that a link is down */
	SMC_FLOW_EV_OFFER,	/* client: accept an ADD LINK */
	/* client: accept an ADD LINK that has all keys */
	SMC_FLOW_EV_OFFER_KEYS,
	SMC_FLOW_EV_ACCEPTED,	/* server: the reply to ADD LINK arrives */
	/* server: the reply to ADD LINK has all keys */
	SMC_FLOW_EV_ACCEPTED_KEYS,
	SMC_FLOW_EV_UNUSABLE,	/* server: the reply names an unusable link */
	SMC_FLOW_EV_LATE,	/* server: the client accepts an offer too late */
	SMC_FLOW_EV_REJECTED,	/* server: the client rejects the offer */
	SMC_FLOW_EV_MORE,	/* keys arrive, and one side has more */
	SMC_FLOW_EV_LAST,	/* keys arrive, and neither side has more */
	SMC_FLOW_EV_CONFIRM,	/* client: CONFIRM LINK on the new link */
	SMC_FLOW_EV_CONFIRMED,	/* server: the reply to CONFIRM LINK arrives */
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
	/* repeat DELETE LINK, probe the link that carries it */
	SMC_FLOW_DO_RESEND_DELETE,
	SMC_FLOW_DO_SEND_REPORT,
	SMC_FLOW_DO_ACCEPT,
	SMC_FLOW_DO_REPLY_CONT,
	/* send the reply, and make the link active */
	SMC_FLOW_DO_REPLY_CONFIRM,
	SMC_FLOW_DO_ADDED,	/* make the link active */
	SMC_FLOW_DO_DROP,	/* drop a link that the peer does not know */
	SMC_FLOW_DO_NEXT,	/* drop the link, then try another port */
	SMC_FLOW_DO_ABORT,	/* close the link; the peer must delete it */
	/* drop the new link, end the link of the exchange */
	SMC_FLOW_DO_DROP_FAIL,
	SMC_FLOW_DO_FAIL,	/* end the link of the exchange (R-C.7.1-16) */
	SMC_FLOW_DO_REMOVE,	/* both sides have deleted the link */
	/* no answer came: delete the link, probe the other */
	SMC_FLOW_DO_REMOVE_PROBE,
	/* the client must delete its half of the link */
	SMC_FLOW_DO_REFUSE_LATE,
};

extern const struct smc_fsm smc_flow_fsm;

#endif

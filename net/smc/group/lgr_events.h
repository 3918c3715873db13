/* SPDX-License-Identifier: GPL-2.0 */
/* Inputs of a group's worker: events, agenda and deadlines. */
#ifndef _SMC_GROUP_LGR_EVENTS_H
#define _SMC_GROUP_LGR_EVENTS_H

#include "../base/limits.h"

/* Events for the worker, bits of lgr->mail.events. */
enum smc_lgr_event_bit {
	SMC_LGR_EVB_LLC,	/* a message is in lgr->mail.llc_in */
	SMC_LGR_EVB_TIMER,
	SMC_LGR_EVB_PROBE,	/* a connection asks for TEST LINK */
	SMC_LGR_EVB_LINK_DOWN,
	SMC_LGR_EVB_STOPPED,	/* a link has stopped, see smc_link_stopped() */
	SMC_LGR_EVB_PORT_READY,	/* a port or an address is new */
	/* a device is being removed and still works */
	SMC_LGR_EVB_PORT_LEAVING,
	SMC_LGR_EVB_VIOLATION,
	SMC_LGR_EVB_OUT_OF_SYNC,
	SMC_LGR_EVB_SHUTDOWN,
	SMC_LGR_EVB_OPERATOR,	/* the operator ends the group */
	SMC_LGR_EVB_FIRST_DROPPED, /* the creating handshake has failed */
	/* an LLC message has arrived, see smc_slots_llc_arrived() */
	SMC_LGR_EVB_ARRIVED,
	SMC_LGR_EVB_RMB,	/* an RMB is ordered, idle or quarantined */
	SMC_LGR_EVB_SENT,	/* the last DELETE LINK has left */
	SMC_LGR_EVB_CROWDED,	/* too many groups are idle */
	/* this group was idle for longest and must end */
	SMC_LGR_EVB_EVICT,
};

/* The agenda: what state machines ask the worker to do next, see worker.c. */
enum smc_lgr_due {
	SMC_LGR_DUE_LINKS,	/* a link must end, see smc_link_give_up() */
	SMC_LGR_DUE_FLOW,	/* start the next exchange that changes links */
	SMC_LGR_DUE_ANSWER,	/* answer REQUEST ADD LINK */
	SMC_LGR_DUE_FIRST,	/* tell first contact that an exchange has ended */
	SMC_LGR_DUE_RMB,	/* start the next exchange of keys */
	SMC_LGR_DUE_NOW,	/* the worker does the items above at once */
	/* the worker does this item after first contact */
	SMC_LGR_DUE_PORTS = SMC_LGR_DUE_NOW,
};

/* Deadlines: indices of lgr->mail.deadline, which lgr->lock protects. */
enum smc_lgr_deadline {
	SMC_LGR_DL_FIRST,	/* step of first contact */
	SMC_LGR_DL_RKEY,	/* reply to CONFIRM or DELETE RKEY */
	SMC_LGR_DL_FLOW,	/* the peer's next message of an exchange */
	SMC_LGR_DL_ADD_RETRY,	/* try again to add a link */
	SMC_LGR_DL_PORTS,	/* a port or an address is new */
	SMC_LGR_DL_RKEY_AGAIN,	/* repeat an exchange of keys */
	/* idle time before TEST LINK, one entry per slot */
	SMC_LGR_DL_PROBE,
	SMC_LGR_DL_PROBE_REPLY = SMC_LGR_DL_PROBE + SMC_LINK_SLOTS,
	SMC_LGR_DL_AFTER_PROBES = SMC_LGR_DL_PROBE_REPLY + SMC_LINK_SLOTS - 1,
	SMC_LGR_DL_LINGER,
	SMC_LGR_DL_RMB_IDLE,
	SMC_LGR_DL_NR,
};

#endif

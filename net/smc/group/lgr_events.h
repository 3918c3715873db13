/* SPDX-License-Identifier: GPL-2.0 */
/* What the worker of a group is told: events, notes and deadlines. */
#ifndef _SMC_GROUP_LGR_EVENTS_H
#define _SMC_GROUP_LGR_EVENTS_H

#include "../base/limits.h"

/* Events for the worker, bits of lgr->mail.events. */
enum smc_lgr_event_bit {
	SMC_LGR_EVB_LLC,	/* message in lgr->mail.llc_in */
	SMC_LGR_EVB_TIMER,
	SMC_LGR_EVB_PROBE,	/* a connection asks for TEST LINK */
	SMC_LGR_EVB_LINK_DOWN,
	SMC_LGR_EVB_PORT_READY,	/* some port or address has come */
	SMC_LGR_EVB_PORT_LEAVING, /* works still: the peer can be told */
	SMC_LGR_EVB_VIOLATION,
	SMC_LGR_EVB_OUT_OF_SYNC,
	SMC_LGR_EVB_SHUTDOWN,
	SMC_LGR_EVB_FIRST_DROPPED, /* the creating handshake gave up */
	SMC_LGR_EVB_RMB,	/* an RMB is wanted, idle or quarantined */
	SMC_LGR_EVB_SENT,	/* the last DELETE LINK left */
	SMC_LGR_EVB_CROWDED,	/* too many groups are idle */
	SMC_LGR_EVB_EVICT,	/* and this one has been for longest */
};

/* The agenda: notes that machines leave for the worker, see worker.c. */
enum smc_lgr_due {
	SMC_LGR_DUE_LINKS,	/* a link has to go, see smc_link_give_up() */
	SMC_LGR_DUE_FLOW,	/* perhaps an exchange that changes links */
	SMC_LGR_DUE_ANSWER,	/* the answer to REQUEST ADD LINK */
	SMC_LGR_DUE_FIRST,	/* first contact may wait for the exchange's end */
	SMC_LGR_DUE_RMB,	/* perhaps an exchange of keys */
	SMC_LGR_DUE_NOW,	/* those above are done at once */
	SMC_LGR_DUE_PORTS = SMC_LGR_DUE_NOW, /* when first contact is over */
};

/* Things with a time; bits of nothing, index of lgr->deadline (lgr->lock). */
enum smc_lgr_deadline {
	SMC_LGR_DL_FIRST,	/* step of first contact */
	SMC_LGR_DL_RKEY,	/* reply to CONFIRM or DELETE RKEY */
	SMC_LGR_DL_FLOW,	/* the peer's next message about links */
	SMC_LGR_DL_ADD_RETRY,	/* try again to add a link */
	SMC_LGR_DL_RKEY_AGAIN,	/* an exchange has to wait */
	SMC_LGR_DL_PROBE,	/* idle time before TEST LINK, one per slot */
	SMC_LGR_DL_PROBE_REPLY = SMC_LGR_DL_PROBE + SMC_LINK_SLOTS,
	SMC_LGR_DL_AFTER_PROBES = SMC_LGR_DL_PROBE_REPLY + SMC_LINK_SLOTS - 1,
	SMC_LGR_DL_LINGER,
	SMC_LGR_DL_RMB_IDLE,
	SMC_LGR_DL_NR,
};

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* What the worker of a group is told, its deadlines, and how a group ends. */
#ifndef _SMC_GROUP_WORKER_H
#define _SMC_GROUP_WORKER_H

#include <linux/types.h>
#include "../base/limits.h"

struct smc_lgr;
struct timer_list;
struct work_struct;

/* Events for the worker, bits of lgr->events. */
enum smc_lgr_event_bit {
	SMC_LGR_EVB_LLC,	/* message in lgr->llc_in */
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

/* How a group ends. */
enum smc_lgr_end {
	SMC_LGR_END_NOW,	/* the peer knows, or cannot be told */
	SMC_LGR_END_TELL,	/* DELETE LINK first, see smc_lgr_end() */
	SMC_LGR_END_IDLE,	/* the same, unless a user came meanwhile */
	SMC_LGR_END_SENT,	/* the last message was posted, wait until it left */
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

int smc_lgr_worker_init(void);
void smc_lgr_worker_exit(void);
void smc_lgr_worker(struct work_struct *work);
void smc_lgr_queue_work(struct work_struct *work);
void smc_lgr_formed(struct smc_lgr *lgr);
void smc_lgr_deadline_locked(struct smc_lgr *lgr, enum smc_lgr_deadline d,
			     unsigned int ms);
void smc_lgr_clear_deadline(struct smc_lgr *lgr, enum smc_lgr_deadline d);
void smc_lgr_set_deadline(struct smc_lgr *lgr, enum smc_lgr_deadline d,
			  unsigned int ms);
void smc_lgr_event(struct smc_lgr *lgr, enum smc_lgr_event_bit ev);
void smc_lgr_end(struct smc_lgr *lgr, int err, u32 reason,
		 enum smc_lgr_end how);
bool smc_lgr_ask_elsewhere(struct smc_lgr *lgr);
void smc_lgr_timer(struct timer_list *t);

#endif

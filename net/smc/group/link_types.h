/* SPDX-License-Identifier: GPL-2.0 */
/* The object of one link of a group. */
#ifndef _SMC_GROUP_LINK_TYPES_H
#define _SMC_GROUP_LINK_TYPES_H

#include <linux/interrupt.h>
#include <linux/kfifo.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include "../base/limits.h"
#include "../transport/dev.h"
#include "../transport/transport.h"
#include "lgr_types.h"

/* How far a link has come; it only goes up. */
enum smc_link_reach {
	SMC_LINK_OPEN,
	SMC_LINK_BOUND,		/* the endpoint knows its peer */
	SMC_LINK_STARTED,	/* sending is possible */
	SMC_LINK_HEARD,		/* the peer has got an LLC message of ours */
};

/**
 * struct smc_link_queue - who waits for the endpoint's send slots
 * @lock:	protects @waiters and @running, and @ctrl_out together with the
 *		order in which it is posted
 * @waiters:	members with work and no slot, served first come first served
 * @running:	member whose ->run() is being called
 * @serving:	bit 0: somebody serves @waiters, bit 1: look (again)
 * @tasklet:	serves when the one who queued a member may not
 * @ctrl_out:	LLC messages that found no slot
 */
struct smc_link_queue {
	spinlock_t lock;	/* see above */
	struct list_head waiters;
	struct smc_lgr_member *running;
	unsigned long serving;
	struct tasklet_struct tasklet;
	DECLARE_KFIFO(ctrl_out, struct smc_llc_buf, SMC_LLC_QUEUE_MSGS);
};

/**
 * struct smc_link_probe - whether the peer lives: TEST LINK
 * @last_rx:	jiffies of the last message; written in softirq, READ_ONCE by
 *		the prober (partner link_receive())
 * @asked:	probe now; set by smc_member_keepalive(), taken by smc_link_probe()
 * @data:	user data of the TEST LINK under way; worker
 * @seq:	makes @data change; worker
 */
struct smc_link_probe {
	unsigned long last_rx;
	bool asked;
	u8 data[16];
	u32 seq;
};

/**
 * struct smc_link_note - what the worker has to do with a link; worker
 * @how:	enum smc_link_fate
 * @err:	negative errno for views and members
 * @reason:	enum smc_llc_del_reason, for the peer
 */
struct smc_link_note {
	u8 how;
	int err;
	u32 reason;
};

/**
 * struct smc_link - one link of a group
 * @ref:	its place in the group, members whose sends it carries, contacts
 * @lgr:	its group; whoever has a reference here has one there
 * @slot:	index in lgr->links; what keys of regions are filed under
 * @num:	link number (R-2.2.4-01)
 * @uid:	link user ID (R-2.2.4-04)
 * @peer_uid:	the peer's
 * @state:	enum smc_link_state, smc_link_step(); READ_ONCE elsewhere
 * @reach:	enum smc_link_reach, smc_slots_reached(); any context
 * @choice:	own port and GID, port reference held; constant
 * @ep:		endpoint; constant, closed when the link is down
 * @self:	own address, constant
 * @peer:	peer's address; constant from SMC_LINK_BOUND on. Its GID is set
 *		before, as far as it is known.
 * @since:	jiffies when it became active; worker
 * @reason:	why it is down, enum smc_llc_del_reason; worker
 * @asymmetric:	shares an adapter with an older link; worker, valid after
 *		smc_symmetry_classify()
 * @fate:	a note for the worker; worker
 * @broken:	negative errno of the endpoint's failure; written by link_down(),
 *		READ_ONCE by the worker
 * @conns:	members whose sends it carries
 * @probe:	TEST LINK
 * @queue:	send slots; a lock of its own
 * @free_work:	end of the object: the last reference may go in softirq
 */
struct smc_link {
	struct kref ref;
	struct smc_lgr *lgr;
	u8 slot;
	u8 num;
	u32 uid;
	u32 peer_uid;
	u8 state;
	u8 reach;
	struct smc_dev_choice choice;
	struct smc_ep *ep;
	struct smc_ep_addr self;
	struct smc_ep_addr peer;
	unsigned long since;
	u32 reason;
	bool asymmetric;
	struct smc_link_note fate;
	int broken;
	atomic_t conns;
	struct smc_link_probe probe;
	struct smc_link_queue queue;
	struct work_struct free_work;
};

#endif

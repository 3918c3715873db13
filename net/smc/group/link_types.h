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

/**
 * struct smc_link - one link of a group
 * @ref:	its place in the group, members whose sends it carries, contacts
 * @lgr:	its group; whoever has a reference here has one there
 * @slot:	index in lgr->links; what keys of regions are filed under
 * @state:	enum smc_link_state, smc_link_step(); READ_ONCE elsewhere
 * @choice:	own port and GID, port reference held; constant
 * @ep:		endpoint; constant, closed when the link is down
 * @self:	own address, constant
 * @peer:	peer's address; constant once @bound. Its GID is set before, as
 *		far as it is known.
 * @bound:	the endpoint knows its peer; acquire in smc_links_by_peer(),
 *		release in smc_link_bind()
 * @started:	sending is possible; creator, then worker; READ_ONCE by
 *		smc_end_group()
 * @delivered:	the peer has got an LLC message of ours; written in softirq,
 *		READ_ONCE by end_decline() (partner llc_sent())
 * @num:	link number (R-2.2.4-01)
 * @uid:	link user ID (R-2.2.4-04), @peer_uid the peer's
 * @since:	jiffies when it became active; worker
 * @reason:	why it is down, enum smc_llc_del_reason; worker
 * @asymmetric:	shares an adapter with an older link; worker, valid after
 *		smc_symmetry_classify()
 * @fate:	enum smc_link_fate, a note for the worker; @fate_err and @fate_reason
 *		go with it; worker
 * @broken:	negative errno of the endpoint's failure; written by link_down(),
 *		READ_ONCE by the worker
 * @conns:	members whose sends it carries
 * @last_rx:	jiffies of the last message; written in softirq, READ_ONCE by
 *		the prober (partner link_message())
 * @asked:	probe now; set by smc_member_keepalive(), taken by smc_link_probe()
 * @wait_lock:	protects @waiters and @running, and @ctrl_out together with
 *		the order in which it is posted
 * @waiters:	members with work and no slot, served first come first served
 * @running:	member whose ->run() is being called
 * @serving:	bit 0: somebody serves @waiters, bit 1: look (again)
 * @tasklet:	serves when the one who queued a member may not
 * @ctrl_out:	LLC messages that found no slot, wait_lock
 * @probe_data:	user data of the TEST LINK under way, worker only
 * @probe_seq:	makes @probe_data change
 * @free_work:	end of the object: the last reference may go in softirq
 */
struct smc_link {
	struct kref ref;
	struct smc_lgr *lgr;
	u8 slot;
	u8 state;
	struct smc_dev_choice choice;
	struct smc_ep *ep;
	struct smc_ep_addr self;
	struct smc_ep_addr peer;
	bool bound;
	bool started;
	bool delivered;
	u8 num;
	u32 uid;
	u32 peer_uid;
	unsigned long since;
	u32 reason;
	bool asymmetric;
	u8 fate;
	int fate_err;
	u32 fate_reason;
	int broken;
	atomic_t conns;
	unsigned long last_rx;
	bool asked;
	spinlock_t wait_lock;	/* see above */
	struct list_head waiters;
	struct smc_lgr_member *running;
	unsigned long serving;
	struct tasklet_struct tasklet;
	DECLARE_KFIFO(ctrl_out, struct smc_llc_buf, SMC_LLC_QUEUE_MSGS);
	u8 probe_data[16];
	u32 probe_seq;
	struct work_struct free_work;
};

#endif

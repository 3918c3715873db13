/* SPDX-License-Identifier: GPL-2.0 */
/* The object of one link of a group. */
#ifndef _SMC_GROUP_LINK_TYPES_H
#define _SMC_GROUP_LINK_TYPES_H

#include <linux/atomic.h>
#include <linux/hrtimer.h>
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

struct smc_framing;

/* Steps of setting up a link. The value never decreases. */
enum smc_link_reach {
	SMC_LINK_OPEN,
	SMC_LINK_BOUND,		/* the endpoint knows its peer */
	SMC_LINK_STARTED,	/* the endpoint can send */
	SMC_LINK_HEARD,		/* the peer has received an LLC message of ours */
};

/* Bits of link->grave: the steps that close a link. */
enum smc_link_grave {
	SMC_LINK_BURIED,	/* @stop_work was queued */
	/* smc_framing_drop() has run; set under queue.lock */
	SMC_LINK_DROPPED,
	/*
	 * the device has stopped the queue pair: nothing is posted, and nothing
	 * arrives any more
	 */
	SMC_LINK_STOPPED,
};

/* May a frame wait? */
enum smc_hold_state {
	SMC_HOLD_ALLOWED,
	SMC_HOLD_OVER,		/* the limit has passed, and no frame has left since */
};

/**
 * struct smc_hold - a frame that waits while the application reads, see hold.c
 * @timer:	limit of the wait; started under queue.lock
 * @unread:	connections of the link that have received data and were not
 *		read since; an estimate
 * @state:	enum smc_hold_state; smc_hold_end() and the timer write it
 * @half:	1: the last frame has left before the application had read from
 *		all; queue.lock
 */
struct smc_hold {
	struct hrtimer timer;
	atomic_t unread;
	u8 state;
	u8 half;
};

/**
 * struct smc_link_queue - members and messages that wait for a send slot
 * @lock:	protects @waiters, @running, @ctrl_out and the numbers of LLC
 *		messages; messages are posted under it, which keeps their order
 * @waiters:	members that have data to send and no slot, in the order of
 *		arrival
 * @running:	member whose ->run() or ->fill() is being called; with frames
 *		until the frame is posted
 * @serving:	bit 0: a CPU serves @waiters; bit 1: that CPU must check
 *		@waiters again
 * @tasklet:	serves @waiters if the context that queues a member cannot serve
 *		them
 * @ctrl_out:	LLC messages that wait for a slot
 * @llc_queued:	number of LLC messages that were ever added to @ctrl_out
 * @llc_arrived: number of these that have arrived at the peer's adapter
 * @llc_awaited: number for which the worker waits, 0: none
 * @framing:	frames, or NULL; constant
 * @frame_size:	largest frame that the peer takes; 0: the link does not
 *		use frames. WRITE_ONCE before the link is bound, READ_ONCE by
 *		smc_framing_on()
 * @version:	version of the extension that both hosts use, or 0; written
 *		before the link is bound
 * @hold:	a frame that waits for readers
 */
struct smc_link_queue {
	spinlock_t lock;	/* see above */
	struct list_head waiters;
	struct smc_lgr_member *running;
	unsigned long serving;
	struct tasklet_struct tasklet;
	DECLARE_KFIFO(ctrl_out, struct smc_llc_buf, SMC_LLC_QUEUE_MSGS);
	u32 llc_queued;
	u32 llc_arrived;
	u32 llc_awaited;
	struct smc_framing *framing;
	u32 frame_size;
	u8 version;
	struct smc_hold hold;
};

/**
 * struct smc_link_probe - state of the TEST LINK probe
 * @last_rx:	jiffies of the last message; written with WRITE_ONCE in softirq
 *		and by smc_member_heard(), READ_ONCE by the worker and
 *		smc_member_keepalive() (partner link_receive())
 * @stuck:	jiffies since when the peer takes nothing; 0: it does; worker
 * @wait_end:	time after which this side does not wait any longer for the
 *		answer to TEST LINK, jiffies; worker
 * @asked:	a probe is requested; smc_member_keepalive() sets it,
 *		smc_link_probe() clears it
 * @data:	user data of the TEST LINK under way; worker
 * @seq:	counter that makes each @data different; worker
 */
struct smc_link_probe {
	unsigned long last_rx;
	unsigned long stuck;
	unsigned long wait_end;
	bool asked;
	u8 data[16];
	u32 seq;
};

/**
 * struct smc_link_note - how the worker must end the link; only the worker uses
 * it
 * @how:	enum smc_link_fate
 * @err:	negative errno for views and members
 * @reason:	enum smc_llc_del_reason, for the peer
 * @carrier:	uid of the link that carries the reply to the peer's DELETE LINK
 * @reply:	number of that reply among the LLC messages of @carrier
 */
struct smc_link_note {
	u8 how;
	int err;
	u32 reason;
	u32 carrier;
	u32 reply;
};

/**
 * struct smc_link - one link of a group
 * @ref:	held for the reasons of enum smc_link_ref
 * @lgr:	group of the link; every holder of a reference to the link also
 *		holds one to the group, except for SMC_LINK_REF_SERVE: this
 *		holder is in an RCU section
 * @slot:	index in lgr->links; keys of memory regions are stored by slot
 * @num:	link number (R-2.2.4-01)
 * @uid:	link user ID (R-2.2.4-04)
 * @peer_uid:	link user ID of the peer
 * @state:	enum smc_link_state, smc_link_step(); READ_ONCE elsewhere
 * @reach:	enum smc_link_reach, smc_slots_reached(); any context
 * @choice:	own port and GID, port reference held; constant
 * @ep:		endpoint; constant, see smc_link_bury()
 * @self:	own address, constant
 * @peer:	peer's address; constant from smc_links_bind() on. The GID may
 *		be known and set earlier.
 * @by_peer:	entry in the table of links by the peer's address, see by_peer.c
 * @since:	jiffies when the link became active; worker
 * @reason:	reason for which the link is down, enum smc_llc_del_reason;
 *		worker
 * @asymmetric:	the link shares an adapter with an older link; worker, valid
 *		after smc_symmetry_classify()
 * @fate:	how the worker must end the link
 * @broken:	negative errno of the endpoint's failure; link_down() writes it,
 *		READ_ONCE by the worker
 * @conns:	members whose sends it carries
 * @probe:	TEST LINK
 * @queue:	members and messages that wait for a send slot; has its own lock
 * @grave:	bits of enum smc_link_grave
 * @stop_work:	ends the traffic, and waits for one command of the device
 * @close_work:	closes the endpoint, and waits for the device
 * @free_work:	frees the object in process context, because softirq may drop
 *		the last reference
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
	struct hlist_node by_peer;
	unsigned long since;
	u32 reason;
	bool asymmetric;
	struct smc_link_note fate;
	int broken;
	atomic_t conns;
	struct smc_link_probe probe;
	struct smc_link_queue queue;
	unsigned long grave;
	struct work_struct stop_work;
	struct work_struct close_work;
	struct work_struct free_work;
};

#endif

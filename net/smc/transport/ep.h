/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Common parts of both transports, for the files of transport/.
 *
 * Locks of an endpoint, outer before inner:
 *   ctl        accept, start and quiesce against each other; may sleep
 *   post_lock  keeps the list of posted slots in the order of posting. BH-safe
 *              spinlock; callers of smc_ep_slot_post() may already hold locks
 *              of their own
 *   lock       protects the state and the slots. Irq-safe spinlock, innermost
 *              but for loop.c
 * No callback of the owner is called with any of them held.
 */
#ifndef _SMC_TRANSPORT_EP_H
#define _SMC_TRANSPORT_EP_H

#include <linux/interrupt.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include "ep_fsm.h"
#include "mr.h"
#include "transport.h"

enum {
	/*
	 * Deployed peers post 48 receives and repost them from a tasklet. The
	 * number of send slots is well below 48.
	 */
	SMC_EP_DATA_SLOTS	= 36,
	SMC_EP_CTRL_SLOTS	= 4,
	SMC_EP_SLOTS		= SMC_EP_DATA_SLOTS + SMC_EP_CTRL_SLOTS,

	/*
	 * Limit of pieces in the writes of one slot. 16 pieces hold 64 KiB in
	 * order-0 pages.
	 */
	SMC_EP_MAX_PIECES	= 16,

	/* Distance between messages in memory: each has its own cache line. */
	SMC_EP_MSG_STRIDE	= 64,

	/*
	 * Delay after a failed mapping. Bounce buffers and I/O addresses become
	 * free with completions of any device.
	 */
	SMC_EP_RETRY_MIN_MS	= 4,
	SMC_EP_RETRY_MAX_MS	= 256,

	/*
	 * After so many failures in a row, in about 10 s, the device cannot
	 * map.
	 */
	SMC_EP_RETRIES		= 45,
};

/* A run of bytes in one (compound) page. */
struct smc_ep_piece {
	struct page *page;
	u32 off;
	u32 len;
};

/* A write; its pieces are in the bundle. */
struct smc_ep_write {
	u64 raddr;
	u32 rkey;
	u32 len;
	u32 first_piece;
	u32 n_pieces;
};

/**
 * struct smc_ep_bundle - a send slot, as the transport sees it
 * @pub:	the part that the caller fills
 * @list:	entry in ep->free or, while posted, in ep->posted; ep->lock
 * @err:	result for done(), used by loop.c
 * @xfer:	list entry that loop.c uses while the slot is posted
 * @n_writes:	number of writes that the caller has started
 * @n_pieces:	number of their pieces
 * @write:	the writes
 * @piece:	their pieces, in order
 */
struct smc_ep_bundle {
	struct smc_ep_slot pub;
	struct list_head list;
	struct list_head xfer;
	int err;
	u32 n_writes;
	u32 n_pieces;
	struct smc_ep_write write[SMC_EP_MAX_WRITES];
	struct smc_ep_piece piece[SMC_EP_MAX_PIECES];
};

/**
 * struct smc_ep_ops - one transport
 * @name:	name of the transport in views
 * @bundle_size: size of its send slot, which starts with a struct smc_ep_bundle
 * @accept:	see smc_ep_accept(); ep->peer is set. Under ctl.
 * @start:	see smc_ep_start(). Under ctl.
 * @quiesce:	see smc_ep_quiesce(). The state is QUIET, and nothing more is
 *		posted. Every posted slot must be completed, and no callback may
 *		run afterwards. Under ctl; called once.
 * @close:	free the objects in the device; NULL: there are none. The state
 *		is CLOSED. Called once, without a lock.
 * @release:	free the object, which is closed
 * @map:	let the device read the memory of the bundle, or in-host copy
 *		it. Without a lock of the endpoint. An error means that nothing
 *		is mapped, and that a later attempt may succeed.
 * @unmap:	undo @map of a bundle that is not posted; NULL: needs nothing
 * @post:	hand the bundle to the peer. Under post_lock. An error means
 *		that nothing was posted.
 * @mr_alloc:	see smc_mr_alloc()
 * @mr_register: see smc_mr_register(). Under post_lock with the state READY.
 * @mr_wait:	see smc_mr_wait(); NULL: registered when @mr_register returns
 * @mr_sync:	see smc_mr_sync_for_cpu(); NULL: no region needs it
 * @mr_free:	revoke the keys and free the region; may sleep for the device.
 *		Return: false if the device still has the region, which then
 *		stays, with its memory and its references
 */
struct smc_ep_ops {
	const char *name;
	size_t bundle_size;
	int (*accept)(struct smc_ep *ep);
	int (*start)(struct smc_ep *ep);
	void (*quiesce)(struct smc_ep *ep);
	void (*close)(struct smc_ep *ep);
	void (*release)(struct smc_ep *ep);
	int (*map)(struct smc_ep *ep, struct smc_ep_bundle *b);
	void (*unmap)(struct smc_ep *ep, struct smc_ep_bundle *b);
	int (*post)(struct smc_ep *ep, struct smc_ep_bundle *b);
	struct smc_mr *(*mr_alloc)(struct smc_ep *ep,
				   const struct smc_mem *mem);
	int (*mr_register)(struct smc_mr *mr);
	int (*mr_wait)(struct smc_mr *mr, unsigned int ms);
	void (*mr_sync)(struct smc_mr *mr, u64 off, u32 len, bool for_cpu);
	bool (*mr_free)(struct smc_mr *mr);
};

/**
 * struct smc_ep_max - limits of an endpoint
 * @slots:	slots that it uses
 * @allocated:	slots that have memory
 * @pieces:	pieces in the writes of one slot
 * @write:	bytes in one write
 * @mr_pages:	pages in one region
 * @mr_batch:	registrations to post before waiting for one
 */
struct smc_ep_max {
	u32 slots;
	u32 allocated;
	u32 pieces;
	u32 write;
	u32 mr_pages;
	u32 mr_batch;
};

/**
 * struct smc_ep_room - how slots of an endpoint become free; ep->lock
 * @starved:	priorities (bits) that were refused a slot
 * @retry:	pending after a failed map() of the transport: no slot is given
 *		away. Armed only in state READY.
 * @moved:	jiffies when a slot completed last, or when the oldest one that
 *		is posted was posted, whichever is later
 * @failures:	calls of map() that have failed since the last one that mapped
 *		memory; WRITE_ONCE
 */
struct smc_ep_room {
	unsigned int starved;
	struct timer_list retry;
	unsigned long moved;
	unsigned int failures;
};

/**
 * struct smc_ep - common part of all endpoints
 * @ops:	operations of its transport
 * @user:	callbacks of the owner
 * @ctx:	their argument
 * @ref:	for the reasons of enum smc_ep_ref
 * @ctl:	serialises accept, start and quiesce
 * @self:	own address, constant once open
 * @peer:	peer's address, written once before @bound
 * @bound:	@peer is constant now; set with smp_store_release()
 * @max:	limits; constant once open
 * @napi:	see smc_ep_napi(); WRITE_ONCE, set and cleared by the transport
 * @port:	RoCE port, reference held until the release; NULL in-host
 * @down_work:	calls down() once, in a context of its own, because a failure
 *		may be found under any lock
 * @kick:	calls room() if a slot was freed under a lock of the owner
 * @post_lock:	protects the order of posting
 * @lock:	protects the members below
 * @state:	enum smc_ep_state; written under @lock, READ_ONCE elsewhere
 * @err:	negative errno of the failure
 * @room:	how slots become free
 * @n_free:	slots on @free
 * @n_posted:	slots whose done() has not returned
 * @free:	free slots
 * @posted:	slots that the peer has not confirmed, in posting order
 * @idle:	woken when @n_posted becomes 0
 * @bundles:	all slots, ops->bundle_size bytes each
 * @msgs:	messages of all slots
 */
struct smc_ep {
	const struct smc_ep_ops *ops;
	const struct smc_ep_user *user;
	void *ctx;
	struct kref ref;
	struct mutex ctl;		/* serialises accept, start, quiesce */
	struct smc_ep_addr self;
	struct smc_ep_addr peer;
	bool bound;
	struct smc_ep_max max;
	unsigned int napi;
	struct smc_port *port;
	struct work_struct down_work;
	struct tasklet_struct kick;

	spinlock_t post_lock;		/* protects the order of posting */

	spinlock_t lock;		/* protects the members below */
	u8 state;
	int err;
	struct smc_ep_room room;
	unsigned int n_free;
	unsigned int n_posted;
	struct list_head free;
	struct list_head posted;
	wait_queue_head_t idle;
	void *bundles;
	u8 *msgs;
};

/*
 * Common part of all regions; constant after allocation, except @pending and
 * @work.
 */
struct smc_mr {
	struct smc_ep *ep;	/* reference */
	struct smc_mem *mem;	/* reference */
	struct work_struct work; /* revokes the keys, see smc_mr_free() */
	bool pending;		/* registration is in the send queue */
	bool needs_sync;	/* see smc_mr_needs_sync() */
	u32 rkey;
	u64 addr;
	u64 len;
};

struct smc_ep *smc_ep_opened(struct smc_ep *ep);
struct smc_ep *smc_ep_get(struct smc_ep *ep, enum smc_ep_ref why);
int smc_ep_workers_init(void);
void smc_ep_workers_exit(void);
int smc_ep_init(struct smc_ep *ep, const struct smc_ep_ops *ops,
		unsigned int n_slots, const struct smc_ep_user *user,
		void *ctx);
void smc_ep_limit_slots(struct smc_ep *ep, unsigned int n);
void smc_ep_cleanup(struct smc_ep *ep);
void smc_ep_abandon(struct smc_ep *ep);
void smc_ep_fail(struct smc_ep *ep, int err);
struct smc_ep_bundle *smc_ep_nth_bundle(struct smc_ep *ep, unsigned int n);
void smc_ep_complete(struct smc_ep *ep, struct smc_ep_bundle *b, int err);
void smc_ep_message(struct smc_ep *ep, const u8 *buf, u32 len);

#endif

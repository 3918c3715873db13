/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The interface of the transports. One endpoint is one ordered, reliable stream
 * of remote writes and 44-byte messages to one peer endpoint. There are two
 * transports: roce.c uses an RC queue pair, and loop.c copies memory within the
 * host. The floors above use only this header and never branch on the
 * transport's name.
 */
#ifndef _SMC_TRANSPORT_H
#define _SMC_TRANSPORT_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mm_types.h>
#include <linux/types.h>

struct net;
struct net_device;
struct smc_dev_choice;
struct smc_ep;
struct smc_mr;
struct smc_port;
struct work_struct;

/* length of each message, RFC 7609 A.3 */
#define SMC_EP_MSG_LEN		44
/* longest received message of an owner of small messages */
#define SMC_EP_MSG_MAX		8192
/* longest received message of an owner of large messages */
#define SMC_EP_FRAME_MAX	8704
#define SMC_EP_MAX_WRITES	2	/* two, if the peer's element wraps */

/**
 * struct smc_ep_addr - address of an endpoint, for CLC and LLC messages
 * @gid:	RoCE GID, all zero in-host
 * @mac:	MAC of the port, all zero in-host
 * @qpn:	queue pair number or in-host endpoint number, 24 bit, never 0
 * @psn:	initial packet sequence number of this side, 24 bit
 * @mtu:	MTU code 1..5 (enum ib_mtu); both sides use the smaller MTU
 * @gateway:	only in the peer's address: the peer is behind a router, and
 *		frames go to @hop
 * @hop:	MAC of that router
 */
struct smc_ep_addr {
	u8 gid[16];
	u8 mac[6];
	u32 qpn;
	u32 psn;
	u8 mtu;
	bool gateway;
	u8 hop[6];
};

/**
 * struct smc_ep_user - callbacks of the owner of an endpoint (floor group)
 * @message:	a message of up to SMC_EP_MSG_MAX bytes has arrived; @buf is
 *		valid only during the call. Softirq, in order, one call at a
 *		time per endpoint.
 * @room:	a send slot is free after smc_ep_slot_get() returned NULL.
 *		Softirq; may run while @message runs on another CPU.
 * @registered:	a registration is complete, see smc_mr_registered(). May be
 *		NULL. Softirq.
 * @take:	instead of @message, for an owner of large messages, of up to
 *		SMC_EP_FRAME_MAX bytes. The owner may refuse one. Return: 0;
 *		-ENOMEM: the endpoint keeps this message and the later ones, and
 *		offers this message again some milliseconds later; other errno:
 *		the endpoint fails. Called under a lock that is taken before all
 *		locks of the owner.
 * @posted:	with @take: @n more receives were posted. They are new, or their
 *		message was taken. The first SMC_ROCE_FRAMES_INITIAL are not
 *		reported. Return: the wanted number of receives; the endpoint
 *		frees others after their next message. Called as @take.
 * @counted:	with @take: do both sides count their SENDs, so that each finds
 *		a receive? Asked when the endpoint starts to send. May sleep.
 * @down:	the endpoint has failed (completion error, device removal, peer
 *		endpoint gone). Any context, possibly under device locks, so the
 *		callback may only queue work. Called at most once per endpoint.
 */
struct smc_ep_user {
	void (*message)(void *ctx, const u8 *buf, u32 len);
	int (*take)(void *ctx, const u8 *buf, u32 len);
	u32 (*posted)(void *ctx, u32 n);
	bool (*counted)(void *ctx);
	void (*room)(void *ctx);
	void (*registered)(void *ctx);
	void (*down)(void *ctx, int err);
};

/**
 * struct smc_ep_slot - send slot for one bundle: up to two writes, then one
 * message
 * @msg:	the message, SMC_EP_MSG_LEN bytes, filled by the caller
 * @page:	page with a message of another length instead of @msg. The
 *		message begins in this page, and continues in the pages after
 *		it. The caller owns them and keeps them unchanged until done().
 *		NULL in a slot from smc_ep_slot_get()
 * @len:	length of the message in @page, up to what the peer receives
 * @done:	called once per posted slot, in posting order, softirq. @err is
 *		0 or a negative errno when the bundle may not have been
 *		delivered. The slot is free after the return of done().
 *		smc_ep_slot_post() never calls it directly.
 * @cookie:	data of the caller (reference to the connection)
 * @end_pos:	data of the caller (stream position after this bundle)
 * @seq:	data of the caller (CDC sequence number)
 */
struct smc_ep_slot {
	u8 *msg;
	struct page *page;
	u32 len;
	void (*done)(struct smc_ep_slot *slot, int err);
	void *cookie;
	u64 end_pos;
	u16 seq;
};

/*
 * Use of a slot. The last slots are reserved for LLC messages, so that data
 * cannot starve them.
 */
enum smc_ep_prio {
	SMC_EP_DATA,	/* CDC and its writes */
	SMC_EP_CTRL,	/* LLC: may use the last, reserved slots */
};

/* ---- endpoints ---- */

/**
 * smc_ep_open_roce - allocate an RC queue pair and post its receives
 * @choice:	port and GID; the endpoint takes its own reference to the port
 * @user:	callbacks, const, must outlive the endpoint
 * @ctx:	argument of the callbacks; must stay valid until the release
 *		callback of smc_ep_close()
 *
 * The endpoint has its own protection domain (R-2.1-06) and its own pair of
 * CQs. The function posts all receives before it returns. Context: may sleep.
 * Return: endpoint with one reference, or ERR_PTR: -ENODEV (device going away),
 * -ENOMEM, or an errno of the verbs layer.
 */
struct smc_ep *smc_ep_open_roce(const struct smc_dev_choice *choice,
				const struct smc_ep_user *user, void *ctx);
/** smc_ep_open_loop - allocate an in-host endpoint; see smc_ep_open_roce() */
struct smc_ep *smc_ep_open_loop(const struct smc_ep_user *user, void *ctx);

/** smc_ep_describe - fill @addr with the address for the peer */
void smc_ep_describe(const struct smc_ep *ep, struct smc_ep_addr *addr);

/**
 * smc_ep_accept - bind the endpoint to the peer's endpoint, and start to
 * receive
 * @ep:		endpoint, just opened
 * @peer:	the address that the peer sent
 *
 * A RoCE endpoint changes from INIT to RTR with the smaller MTU. Context: may
 * sleep; never waits for the peer. Return: 0, -EINVAL (address unusable),
 * -ECONNREFUSED (in-host: no such endpoint), or the verbs error.
 */
int smc_ep_accept(struct smc_ep *ep, const struct smc_ep_addr *peer);

/** smc_ep_start - allow the endpoint to send (RoCE: RTR -> RTS); may sleep */
int smc_ep_start(struct smc_ep *ep);

/**
 * smc_ep_quiesce - end all traffic of the endpoint
 * @ep:		endpoint
 *
 * Calls done() for every posted slot, with an error if delivery is unknown.
 * After the return no callback of smc_ep_user runs, the device reads no page of
 * a slot, and the peer cannot write to our memory any more (R-2.3-06). It costs
 * one command of the device. Idempotent: a second caller waits for the first.
 * Context: may sleep, process context, not from a callback of this endpoint.
 */
void smc_ep_quiesce(struct smc_ep *ep);
/**
 * smc_ep_close - end the endpoint and free its resources in the device
 * @ep:		endpoint
 *
 * Calls smc_ep_quiesce() first. Then it destroys the endpoint's objects in the
 * device, which takes several commands. If the firmware of a device hangs, each
 * command waits for up to a minute. So this runs in work of
 * smc_ep_queue_free(). Only the first caller waits for the end. Context: as
 * smc_ep_quiesce().
 */
void smc_ep_close(struct smc_ep *ep);
/**
 * smc_ep_queue_stop - queue work that calls smc_ep_quiesce()
 * @ep:		endpoint; the caller keeps it until the work has run
 * @work:	work; not queued yet
 *
 * The work delays only work of the same kind for the same device. It runs
 * before the module unloads. Context: any.
 */
void smc_ep_queue_stop(struct smc_ep *ep, struct work_struct *work);
/** smc_ep_queue_free - like smc_ep_queue_stop(), for smc_ep_close() */
void smc_ep_queue_free(struct smc_ep *ep, struct work_struct *work);

/**
 * enum smc_ep_ref - why a reference on an endpoint is held
 * @SMC_EP_REF_OWNER:	held by the owner of the endpoint; the first reference
 * @SMC_EP_REF_MR:	held by a memory region
 * @SMC_EP_REF_PEER:	in-host: held by the peer endpoint, which points to this
 *		endpoint
 * @SMC_EP_REF_KEPT:	RoCE: never put, because the device could not destroy an
 *		object of the endpoint
 * @SMC_EP_NR_REFS:	number of reasons
 */
enum smc_ep_ref {
	SMC_EP_REF_OWNER,
	SMC_EP_REF_MR,
	SMC_EP_REF_PEER,
	SMC_EP_REF_KEPT,
	SMC_EP_NR_REFS,
};

/**
 * smc_ep_put - drop a reference; before the last one the endpoint must be
 * closed
 * @ep:		endpoint
 * @why:	reason of the reference; the floors above use SMC_EP_REF_OWNER
 *
 * Context: any.
 */
void smc_ep_put(struct smc_ep *ep, enum smc_ep_ref why);

/** smc_ep_peer_same - is @addr the address of the bound peer? */
bool smc_ep_peer_same(const struct smc_ep *ep, const struct smc_ep_addr *addr);

/* ---- sending ---- */

/**
 * smc_ep_slot_get - take a send slot
 * @ep:		endpoint
 * @prio:	use of the slot
 *
 * Context: any, BH safe. Return: slot, or NULL. If no slot is free, the
 * function returns NULL, and the endpoint calls ->room() later. If the endpoint
 * is down, the function also returns NULL; ->down() was or will be called, but
 * not ->room().
 */
struct smc_ep_slot *smc_ep_slot_get(struct smc_ep *ep, enum smc_ep_prio prio);
/** smc_ep_slot_cancel - free a slot that was not posted */
void smc_ep_slot_cancel(struct smc_ep *ep, struct smc_ep_slot *slot);

/**
 * smc_ep_write_begin - start a remote write in @slot to @rkey:@raddr
 * @ep:		endpoint
 * @slot:	slot that is not posted yet
 * @rkey:	the peer's key
 * @raddr:	the peer's address
 *
 * A slot may have at most SMC_EP_MAX_WRITES writes.
 */
void smc_ep_write_begin(struct smc_ep *ep, struct smc_ep_slot *slot,
			u32 rkey, u64 raddr);
/**
 * smc_ep_write_page - append @len bytes at @off of @page to the last write
 * @ep:		endpoint
 * @slot:	slot with a started write
 * @page:	page with the bytes
 * @off:	offset of the first byte
 * @len:	number of bytes
 *
 * @page may be a compound page, @off may exceed PAGE_SIZE. The bytes must stay
 * unchanged until done(). smc_ep_slot_post() maps the page for DMA if needed.
 * Return: bytes taken; 0: the gather list is full. It never takes a part.
 */
u32 smc_ep_write_page(struct smc_ep *ep, struct smc_ep_slot *slot,
		      struct page *page, u32 off, u32 len);

/**
 * smc_ep_slot_post - post the writes and the message as one chain, one doorbell
 * @ep:		endpoint
 * @slot:	slot with its message filled in
 *
 * Context: any, BH safe; caller may hold spinlocks. Always consumes the slot.
 * Return: 0: done() follows. Negative errno: nothing was posted, done() does
 * not follow, and the slot is free. -EAGAIN: the device can map no memory at
 * the moment. No slot is free for some time, and ->room() follows, unless the
 * endpoint stops. With any other error the endpoint goes down.
 */
int smc_ep_slot_post(struct smc_ep *ep, struct smc_ep_slot *slot);

/**
 * smc_ep_stuck - has the peer stopped taking messages?
 * @ep:		endpoint
 *
 * Slots complete in order, so this function checks only the oldest one that is
 * posted. A device tries without limit to send to a peer that has no receive
 * buffer. TEST LINK does not detect a peer that sends messages but takes none,
 * because TEST LINK probes only a link on which nothing arrives.
 *
 * Context: any. Return: true: no slot has completed for SMC_EP_STUCK_MS
 * although one is posted.
 */
bool smc_ep_stuck(struct smc_ep *ep);

/**
 * smc_ep_cannot_map - has the device been unable to map memory for long?
 * @ep:		endpoint
 *
 * The senders go on trying. Context: any. Return: true: they should use another
 * device.
 */
bool smc_ep_cannot_map(const struct smc_ep *ep);

/** smc_ep_max_write - limit of bytes in one write */
u32 smc_ep_max_write(const struct smc_ep *ep);
/** smc_ep_max_pieces - limit of calls of smc_ep_write_page() for one write */
u32 smc_ep_max_pieces(const struct smc_ep *ep);
/**
 * smc_ep_napi - what a task polls that waits for messages of the peer
 * @ep:		endpoint
 *
 * Context: any. Return: argument of napi_busy_loop(), which may be gone at any
 * time; 0: a task cannot poll.
 */
unsigned int smc_ep_napi(const struct smc_ep *ep);

int smc_transport_init(void);
void smc_transport_exit(void);

#endif

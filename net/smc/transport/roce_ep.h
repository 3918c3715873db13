/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The object of a RoCE endpoint, for the files that handle queue pair, ring and
 * regions.
 */
#ifndef _SMC_TRANSPORT_ROCE_EP_H
#define _SMC_TRANSPORT_ROCE_EP_H

#include <linux/refcount.h>
#include <linux/sizes.h>
#include <rdma/ib_verbs.h>
#include "ep.h"
#include "port_priv.h"
#include "roce_cq.h"
#include "roce_depth.h"

enum {
	/* Receives to repost together; bounds how many are missing. */
	SMC_ROCE_RX_BATCH	= 16,
	/* Size of the first buffer of a receive. Each receive has its own.
	 */
	SMC_ROCE_RX_BYTES	= 64,
	/*
	 * All small receives share one second buffer, for the rest of a long
	 * message. Long messages are rare, and the peer waits for an answer
	 * before it sends the next message. A peer that does not wait damages
	 * only its own messages. A message that is larger than both buffers
	 * breaks the queue pair.
	 */
	SMC_ROCE_RX_PIECES	= 2,
	SMC_ROCE_SPILL_BYTES	= SMC_EP_MSG_MAX - SMC_ROCE_RX_BYTES,
	/*
	 * The first buffers lie in areas of this size. A page may be much
	 * larger.
	 */
	SMC_ROCE_RX_AREA_BYTES	= SZ_4K,
	SMC_ROCE_RX_PER_AREA	= SMC_ROCE_RX_AREA_BYTES / SMC_ROCE_RX_BYTES,
	SMC_ROCE_RX_AREAS	= DIV_ROUND_UP(SMC_ROCE_RECEIVES_MAX,
					       SMC_ROCE_RX_PER_AREA),
};

/**
 * struct smc_roce_bundle - send slot
 * @b:		common part of all transports
 * @cqe:	completion of the message, which completes the slot
 * @dma:	DMA addresses of @b.piece
 * @long_dma:	DMA address of a message in @b.pub.page
 */
struct smc_roce_bundle {
	struct smc_ep_bundle b;
	struct ib_cqe cqe;
	u64 dma[SMC_EP_MAX_PIECES];
	u64 long_dma;
};

/**
 * struct smc_roce_chain - work requests of a bundle
 * @write:	its writes
 * @send:	its message
 * @wsge:	pieces of the writes
 * @msge:	the message
 *
 * A device copies work requests at the post, so the slots share one chain.
 */
struct smc_roce_chain {
	struct ib_rdma_wr write[SMC_EP_MAX_WRITES];
	struct ib_send_wr send;
	struct ib_sge wsge[SMC_EP_MAX_PIECES];
	struct ib_sge msge;
};

/* Work requests of receives that are posted together. */
struct smc_roce_rx_chain {
	struct ib_recv_wr wr[SMC_ROCE_RX_BATCH];
	struct ib_sge sge[SMC_ROCE_RX_BATCH][SMC_ROCE_RX_PIECES];
};

struct smc_roce_busy;

/**
 * struct smc_roce_ring - posted receives, and the memory of messages to send
 * @chain:	work requests of the bundle that is being posted; post_lock
 * @frames:	receives of large messages; NULL: receives are small
 * @rx_chain:	work requests of small receives that are being posted; receive
 *		CQ only
 * @rx_cqe:	completion of small receives
 * @rx_next:	the small receive that completes next, modulo their number;
 *		receive CQ only
 * @area:	memory of the first pieces
 * @area_dma:	DMA address
 * @n_rx_sge:	pieces of a receive; with small receives 1: the device cannot
 *		receive long messages
 * @spill:	the second piece of all receives
 * @spill_dma:	DMA address
 * @whole:	copy of a long message in one piece; receive CQ only
 * @n_back:	small receives to repost, the last before @rx_next; receive CQ
 *		only
 * @write_cqe:	completion of writes, which only a failure causes
 * @msgs_dma:	DMA address of ep->msgs; unused with @inline_msg
 * @inline_msg:	the device copies messages at the post
 */
struct smc_roce_ring {
	struct smc_roce_chain chain;
	struct smc_roce_frames *frames;
	struct smc_roce_rx_chain *rx_chain;
	struct ib_cqe rx_cqe;
	u32 rx_next;
	u8 *area[SMC_ROCE_RX_AREAS];
	u64 area_dma[SMC_ROCE_RX_AREAS];
	u32 n_rx_sge;
	u8 *spill;
	u64 spill_dma;
	u8 *whole;
	u32 n_back;
	struct ib_cqe write_cqe;
	u64 msgs_dma;
	bool inline_msg;
};

/**
 * struct smc_roce - endpoint
 * @ep:		common part of all transports
 * @ibdev:	device; @ep.port holds a reference
 * @hw:		number of users: the queue pair and each region. When it becomes
 *		0, the protection domain and the port are freed
 * @pd:		protection domain; it exists until @hw is 0
 * @send:	completions of work requests in the send queue
 * @recv:	completions of receives
 * @busy:	lets tasks poll @recv; NULL: none can
 * @qp:		NULL once destroyed; partner reg_settled()
 * @stuck:	a change of the state of @qp has failed; creator, or ep->ctl
 *		held
 * @kept:	the device could not destroy an object, so this struct and all
 *		that the device may use stay; keep_all() sets it, READ_ONCE
 *		elsewhere
 * @sgid:	GID table entry, held while @qp lives
 * @tclass:	traffic class; constant
 * @sl:		service level; constant
 * @watch:	port changes, while @qp lives
 * @ring:	receives and messages
 * @depth:	sizes of the queues; constant once open
 * @regs:	registrations in the send queue
 * @reg_wait:	woken when a registration completed or @qp is NULL
 */
struct smc_roce {
	struct smc_ep ep;
	struct ib_device *ibdev;
	refcount_t hw;
	struct ib_pd *pd;
	struct smc_roce_cq send;
	struct smc_roce_cq recv;
	struct smc_roce_busy *busy;
	struct ib_qp *qp;
	bool stuck;
	bool kept;
	const struct ib_gid_attr *sgid;
	u8 tclass;
	u8 sl;
	struct smc_port_watch watch;
	struct smc_roce_ring ring;
	struct smc_roce_depth depth;
	atomic_t regs;
	wait_queue_head_t reg_wait;
};

static inline struct smc_roce *smc_roce_ep_of(const struct smc_ep *ep)
{
	return container_of(ep, struct smc_roce, ep);
}

bool smc_roce_ep_destroy(struct smc_roce *r, int (*destroy)(void *obj),
			 void *obj);
bool smc_roce_ep_may_open(const struct smc_port *port);
void smc_roce_ep_exit(void);
void smc_roce_ep_hw_put(struct smc_roce *r);
void smc_roce_ep_kill(struct smc_roce *r);
int smc_roce_ep_errno(enum ib_wc_status status);
bool smc_roce_ep_is_message(struct smc_roce *r, const struct ib_wc *wc);

#endif

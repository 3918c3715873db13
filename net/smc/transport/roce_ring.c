// SPDX-License-Identifier: GPL-2.0
/*
 * Work queues of a RoCE endpoint. Bundles become chains of work requests, which
 * complete in order. Receives are reposted in batches.
 *
 * The send CQ and the receive CQ are polled in softirq by the RDMA core, each
 * by one CPU at a time.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include "../base/memcg.h"
#include "roce_ep.h"
#include "roce_frames.h"
#include "roce_ring.h"

/* ---- sending ---- */

static struct smc_roce_bundle *roce_bundle(struct smc_ep_bundle *b)
{
	return container_of(b, struct smc_roce_bundle, b);
}

static void unmap_write(struct smc_roce *r, struct smc_roce_bundle *rb,
			unsigned int w, unsigned int n)
{
	while (n--)
		ib_dma_unmap_page(r->ibdev, rb->wsge[w][n].addr,
				  rb->wsge[w][n].length, DMA_TO_DEVICE);
}

/* Maps a message that is in a separate page. */
static int map_long(struct smc_roce *r, struct smc_roce_bundle *rb)
{
	struct smc_ep_slot *slot = &rb->b.pub;

	rb->msge.addr = ib_dma_map_page(r->ibdev, slot->page, 0, slot->len,
					DMA_TO_DEVICE);
	rb->msge.length = slot->len;
	rb->msge.lkey = r->pd->local_dma_lkey;
	return ib_dma_mapping_error(r->ibdev, rb->msge.addr) ? -EIO : 0;
}

static void unmap_bundle(struct smc_roce *r, struct smc_roce_bundle *rb,
			 unsigned int n_writes)
{
	if (rb->b.pub.page)
		ib_dma_unmap_page(r->ibdev, rb->msge.addr, rb->msge.length,
				  DMA_TO_DEVICE);
	while (n_writes--)
		unmap_write(r, rb, n_writes, rb->b.write[n_writes].n_pieces);
}

static int map_write(struct smc_roce *r, struct smc_roce_bundle *rb,
		     unsigned int w)
{
	struct smc_ep_write *write = &rb->b.write[w];
	struct smc_ep_piece *p;
	struct ib_sge *sge;
	unsigned int i;

	for (i = 0; i < write->n_pieces; i++) {
		p = &write->piece[i];
		sge = &rb->wsge[w][i];
		/*
		 * the helper of the core accepts only offsets within the first
		 * page
		 */
		sge->addr = ib_dma_map_page(r->ibdev,
					    p->page + (p->off >> PAGE_SHIFT),
					    offset_in_page(p->off), p->len,
					    DMA_TO_DEVICE);
		if (ib_dma_mapping_error(r->ibdev, sge->addr)) {
			unmap_write(r, rb, w, i);
			return -EIO;
		}
		sge->length = p->len;
		sge->lkey = r->pd->local_dma_lkey;
	}
	return 0;
}

/** smc_roce_ring_map - see struct smc_ep_ops */
int smc_roce_ring_map(struct smc_ep *ep, struct smc_ep_bundle *b)
{
	struct smc_roce_bundle *rb = roce_bundle(b);
	struct smc_roce *r = smc_roce_ep_of(ep);
	unsigned int i;
	int err;

	if (rb->b.pub.page) {
		err = map_long(r, rb);
		if (err)
			return err;
	}
	for (i = 0; i < rb->b.n_writes; i++) {
		err = map_write(r, rb, i);
		if (err) {
			unmap_bundle(r, rb, i);
			return err;
		}
	}
	return 0;
}

/** smc_roce_ring_unmap - see struct smc_ep_ops */
void smc_roce_ring_unmap(struct smc_ep *ep, struct smc_ep_bundle *b)
{
	unmap_bundle(smc_roce_ep_of(ep), roce_bundle(b), b->n_writes);
}

/* Decides which messages ask for a completion. */
static int send_flags(struct smc_roce *r, const struct smc_ep_bundle *b)
{
	int flags = IB_SEND_SOLICITED | IB_SEND_SIGNALED;

	return r->ring.inline_msg && !b->pub.page ? flags | IB_SEND_INLINE :
						    flags;
}

static void point_at_message(struct smc_roce *r, struct smc_roce_bundle *rb)
{
	u8 *msg = rb->b.pub.msg;

	rb->msge.length = SMC_EP_MSG_LEN;
	if (r->ring.inline_msg) {
		/* the CPU copies the message, so set its virtual address and no
		 * key
		 */
		rb->msge.addr = (uintptr_t)msg;
		rb->msge.lkey = 0;
	} else {
		rb->msge.addr = r->ring.msgs_dma + (msg - r->ep.msgs);
		rb->msge.lkey = r->pd->local_dma_lkey;
		ib_dma_sync_single_for_device(r->ibdev, rb->msge.addr,
					      SMC_EP_MSG_LEN, DMA_TO_DEVICE);
	}
}

static void build_message(struct smc_roce *r, struct smc_roce_bundle *rb)
{
	if (!rb->b.pub.page)
		point_at_message(r, rb);
	rb->send.opcode = IB_WR_SEND;
	rb->send.wr_cqe = &rb->cqe;
	rb->send.sg_list = &rb->msge;
	rb->send.num_sge = 1;
	rb->send.next = NULL;
	rb->send.send_flags = send_flags(r, &rb->b);
}

/* Return: first work request of the chain. */
static struct ib_send_wr *build_chain(struct smc_roce *r,
				      struct smc_roce_bundle *rb)
{
	struct ib_send_wr *next = &rb->send;
	struct smc_ep_write *write;
	struct ib_rdma_wr *wr;
	unsigned int i;

	build_message(r, rb);
	for (i = rb->b.n_writes; i--; ) {
		write = &rb->b.write[i];
		if (!write->n_pieces)
			continue;
		wr = &rb->write[i];
		wr->wr.opcode = IB_WR_RDMA_WRITE;
		wr->wr.wr_cqe = &r->ring.write_cqe;
		wr->wr.sg_list = rb->wsge[i];
		wr->wr.num_sge = write->n_pieces;
		wr->wr.send_flags = 0;
		wr->wr.next = next;
		wr->remote_addr = write->raddr;
		wr->rkey = write->rkey;
		next = &wr->wr;
	}
	return next;
}

/** smc_roce_ring_post - see struct smc_ep_ops */
int smc_roce_ring_post(struct smc_ep *ep, struct smc_ep_bundle *b)
{
	struct smc_roce_bundle *rb = roce_bundle(b);
	struct smc_roce *r = smc_roce_ep_of(ep);
	const struct ib_send_wr *bad = NULL;
	struct ib_send_wr *first;
	int err;

	first = build_chain(r, rb);
	err = ib_post_send(r->qp, first, &bad);
	if (!err || !bad || bad == first)
		return err;
	/*
	 * The device has taken part of the chain and reads from the pages. No
	 * completion tells when it has finished, so the pages are freed only
	 * when the queue pair is drained.
	 */
	smc_ep_fail(ep, err);
	return 0;
}

static void complete_slot(struct smc_roce *r, struct smc_ep_bundle *b, int err)
{
	unmap_bundle(r, roce_bundle(b), b->n_writes);
	smc_ep_complete(&r->ep, b, err);
}

static struct smc_ep_bundle *oldest_posted(struct smc_ep *ep)
{
	struct smc_ep_bundle *b;
	unsigned long flags;

	spin_lock_irqsave(&ep->lock, flags);
	b = list_first_entry_or_null(&ep->posted, struct smc_ep_bundle, list);
	spin_unlock_irqrestore(&ep->lock, flags);
	return b;
}

/*
 * Completes this slot and the earlier slots that did not ask for a completion,
 * because the work requests of a queue pair complete in order.
 */
static void send_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct smc_roce_bundle *rb = container_of(wc->wr_cqe,
						  struct smc_roce_bundle, cqe);
	int err = smc_roce_ep_errno(wc->status);
	struct smc_roce *r = cq->cq_context;
	struct smc_ep_bundle *b;

	if (err)
		smc_ep_fail(&r->ep, err);
	do {
		b = oldest_posted(&r->ep);
		if (WARN_ON_ONCE(!b))
			return;
		complete_slot(r, b, err);
	} while (b != &rb->b);
}

static void write_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct smc_roce *r = cq->cq_context;

	/* some devices report completions that were not requested */
	if (wc->status != IB_WC_SUCCESS)
		smc_ep_fail(&r->ep, smc_roce_ep_errno(wc->status));
}

/**
 * smc_roce_ring_flush - complete slots that the device does not complete
 * @r:		endpoint
 *
 * The queue pair is drained or destroyed. So the device has finished with slots
 * whose chain it had accepted in part, and no other code completes them.
 * Context: process.
 */
void smc_roce_ring_flush(struct smc_roce *r)
{
	struct smc_ep_bundle *b;

	local_bh_disable();
	while ((b = oldest_posted(&r->ep)))
		complete_slot(r, b, -ECONNABORTED);
	local_bh_enable();
}

/* ---- receiving ---- */

static void give_back_receive(struct smc_roce *r, struct smc_roce_rx *rx)
{
	int err;

	/*
	 * partner: smc_ep_quiesce(). The queue pair takes no receives any more,
	 * and it may be destroyed where the device did not stop it on demand.
	 */
	if (READ_ONCE(r->ep.state) >= SMC_EP_QUIET)
		return;
	rx->wr.next = r->ring.back;
	r->ring.back = &rx->wr;
	if (++r->ring.n_back < SMC_ROCE_RX_BATCH)
		return;
	err = smc_roce_ep_repost(r);
	if (err)
		smc_ep_fail(&r->ep, err);
}

/*
 * Returns a received message in contiguous memory. The function copies the
 * second buffer before it checks the content, because the next message may
 * overwrite that buffer at any time.
 */
static const u8 *message_of(struct smc_roce *r, const struct smc_roce_rx *rx,
			    u32 len)
{
	struct smc_roce_ring *ring = &r->ring;
	u32 rest;

	if (len <= SMC_ROCE_RX_BYTES)
		return rx->buf;
	rest = min_t(u32, len - SMC_ROCE_RX_BYTES, SMC_ROCE_SPILL_BYTES);
	ib_dma_sync_single_for_cpu(r->ibdev, ring->spill_dma, rest,
				   DMA_FROM_DEVICE);
	memcpy(ring->whole, rx->buf, SMC_ROCE_RX_BYTES);
	memcpy(ring->whole + SMC_ROCE_RX_BYTES, ring->spill, rest);
	ib_dma_sync_single_for_device(r->ibdev, ring->spill_dma, rest,
				      DMA_FROM_DEVICE);
	return ring->whole;
}

static void recv_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct smc_roce_rx *rx = container_of(wc->wr_cqe, struct smc_roce_rx,
					      cqe);
	struct smc_roce *r = cq->cq_context;

	if (!smc_roce_ep_is_message(r, wc))
		return;
	ib_dma_sync_single_for_cpu(r->ibdev, rx->sge[0].addr,
				   SMC_ROCE_RX_BYTES, DMA_FROM_DEVICE);
	smc_ep_message(&r->ep, message_of(r, rx, wc->byte_len), wc->byte_len);
	ib_dma_sync_single_for_device(r->ibdev, rx->sge[0].addr,
				      SMC_ROCE_RX_BYTES, DMA_FROM_DEVICE);
	give_back_receive(r, rx);
}

/* ---- life ---- */

static void init_rx(struct smc_roce *r, u32 i)
{
	struct smc_roce_rx *rx = &r->ring.rx[i];
	u32 page = i / SMC_ROCE_RX_PER_PAGE;
	u32 off = i % SMC_ROCE_RX_PER_PAGE * SMC_ROCE_RX_BYTES;

	rx->buf = page_address(r->ring.page[page]) + off;
	rx->cqe.done = recv_done;
	rx->sge[0].addr = r->ring.page_dma[page] + off;
	rx->sge[0].length = SMC_ROCE_RX_BYTES;
	rx->sge[0].lkey = r->pd->local_dma_lkey;
	rx->sge[1].addr = r->ring.spill_dma;
	rx->sge[1].length = SMC_ROCE_SPILL_BYTES;
	rx->sge[1].lkey = r->pd->local_dma_lkey;
	rx->wr.wr_cqe = &rx->cqe;
	rx->wr.sg_list = rx->sge;
	rx->wr.num_sge = r->ring.n_rx_sge;
}

static int alloc_spill(struct smc_roce *r)
{
	struct smc_roce_ring *ring = &r->ring;

	if (ring->n_rx_sge < SMC_ROCE_RX_PIECES)
		return 0;
	ring->whole = kmalloc(SMC_EP_MSG_MAX, SMC_GFP_PAID);
	ring->spill = kzalloc(SMC_ROCE_SPILL_BYTES, SMC_GFP_PAID);
	if (!ring->whole || !ring->spill)
		goto free;
	ring->spill_dma = ib_dma_map_single(r->ibdev, ring->spill,
					    SMC_ROCE_SPILL_BYTES,
					    DMA_FROM_DEVICE);
	if (!ib_dma_mapping_error(r->ibdev, ring->spill_dma))
		return 0;
free:
	kfree(ring->spill);
	ring->spill = NULL;
	kfree(ring->whole);
	ring->whole = NULL;
	return -ENOMEM;
}

static void free_spill(struct smc_roce *r)
{
	if (!r->ring.spill)
		return;
	ib_dma_unmap_single(r->ibdev, r->ring.spill_dma, SMC_ROCE_SPILL_BYTES,
			    DMA_FROM_DEVICE);
	kfree(r->ring.spill);
	r->ring.spill = NULL;
	kfree(r->ring.whole);
	r->ring.whole = NULL;
}

static int alloc_rx_page(struct smc_roce *r, u32 i)
{
	struct smc_roce_ring *ring = &r->ring;

	ring->page[i] = alloc_page(SMC_GFP_PAID | __GFP_ZERO);
	if (!ring->page[i])
		return -ENOMEM;
	ring->page_dma[i] = ib_dma_map_page(r->ibdev, ring->page[i], 0,
					    PAGE_SIZE, DMA_FROM_DEVICE);
	if (ib_dma_mapping_error(r->ibdev, ring->page_dma[i])) {
		__free_page(ring->page[i]);
		ring->page[i] = NULL;
		return -ENOMEM;
	}
	return 0;
}

/* Return: 0 or -ENOMEM; call free_rx() in both cases. */
static int alloc_rx(struct smc_roce *r)
{
	struct smc_roce_ring *ring = &r->ring;
	int err;
	u32 i;

	err = alloc_spill(r);
	if (err)
		return err;
	ring->rx = kvcalloc(r->depth.receives, sizeof(*ring->rx), SMC_GFP_PAID);
	if (!ring->rx)
		return -ENOMEM;
	for (i = 0; i * SMC_ROCE_RX_PER_PAGE < r->depth.receives; i++) {
		err = alloc_rx_page(r, i);
		if (err)
			return err;
	}
	for (i = 0; i < r->depth.receives; i++)
		init_rx(r, i);
	return 0;
}

static int map_msgs(struct smc_roce *r)
{
	if (r->ring.inline_msg)
		return 0;
	r->ring.msgs_dma = ib_dma_map_single(r->ibdev, r->ep.msgs, PAGE_SIZE,
					     DMA_TO_DEVICE);
	return ib_dma_mapping_error(r->ibdev, r->ring.msgs_dma) ? -ENOMEM : 0;
}

static void free_rx(struct smc_roce *r)
{
	struct smc_roce_ring *ring = &r->ring;
	u32 i;

	for (i = 0; i < SMC_ROCE_RX_PAGES && ring->page[i]; i++) {
		ib_dma_unmap_page(r->ibdev, ring->page_dma[i], PAGE_SIZE,
				  DMA_FROM_DEVICE);
		__free_page(ring->page[i]);
		ring->page[i] = NULL;
	}
	smc_roce_frames_free(r);
	free_spill(r);
	kvfree(ring->rx);
	ring->rx = NULL;
}

/**
 * smc_roce_ring_alloc - allocate receives and slots of a new queue pair
 * @r:		endpoint
 *
 * Context: may sleep. Return: 0; or -ENOMEM, after which the caller has nothing
 * to free.
 */
int smc_roce_ring_alloc(struct smc_roce *r)
{
	int err;
	u32 i;

	r->ring.write_cqe.done = write_done;
	err = r->ep.user->take ? smc_roce_frames_alloc(r) : alloc_rx(r);
	if (!err)
		err = map_msgs(r);
	if (err)
		goto free;
	for (i = 0; i < r->ep.max.slots; i++)
		roce_bundle(smc_ep_nth_bundle(&r->ep, i))->cqe.done = send_done;
	return 0;
free:
	free_rx(r);
	return err;
}

/** smc_roce_ring_free - free the ring, after the queue pair and its CQs */
void smc_roce_ring_free(struct smc_roce *r)
{
	if (!r->ring.inline_msg)
		ib_dma_unmap_single(r->ibdev, r->ring.msgs_dma, PAGE_SIZE,
				    DMA_TO_DEVICE);
	free_rx(r);
}

/** smc_roce_ring_fill - post all receives of a queue pair in state INIT */
int smc_roce_ring_fill(struct smc_roce *r)
{
	u32 i;

	/* smc_roce_frames_alloc() has put its receives into the chain */
	for (i = 0; !r->ring.frames && i < r->depth.receives; i++) {
		r->ring.rx[i].wr.next = r->ring.back;
		r->ring.back = &r->ring.rx[i].wr;
	}
	return smc_roce_ep_repost(r);
}

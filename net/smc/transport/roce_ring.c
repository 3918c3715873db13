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

/* Maps a message that is in a separate page. */
static int map_long(struct smc_roce *r, struct smc_roce_bundle *rb)
{
	struct smc_ep_slot *slot = &rb->b.pub;

	rb->long_dma = ib_dma_map_page(r->ibdev, slot->page, 0, slot->len,
				       DMA_TO_DEVICE);
	return ib_dma_mapping_error(r->ibdev, rb->long_dma) ? -EIO : 0;
}

/* @n_pieces: how many of the pieces are mapped */
static void unmap_bundle(struct smc_roce *r, struct smc_roce_bundle *rb,
			 unsigned int n_pieces)
{
	if (rb->b.pub.page)
		ib_dma_unmap_page(r->ibdev, rb->long_dma, rb->b.pub.len,
				  DMA_TO_DEVICE);
	while (n_pieces--)
		ib_dma_unmap_page(r->ibdev, rb->dma[n_pieces],
				  rb->b.piece[n_pieces].len, DMA_TO_DEVICE);
}

static int map_piece(struct smc_roce *r, const struct smc_ep_piece *p, u64 *dma)
{
	/* the helper of the core accepts only offsets within the first page */
	*dma = ib_dma_map_page(r->ibdev, p->page + (p->off >> PAGE_SHIFT),
			       offset_in_page(p->off), p->len, DMA_TO_DEVICE);
	return ib_dma_mapping_error(r->ibdev, *dma) ? -EIO : 0;
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
	for (i = 0; i < rb->b.n_pieces; i++) {
		err = map_piece(r, &rb->b.piece[i], &rb->dma[i]);
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
	unmap_bundle(smc_roce_ep_of(ep), roce_bundle(b), b->n_pieces);
}

/* Decides which messages ask for a completion. */
static int send_flags(struct smc_roce *r, const struct smc_ep_bundle *b)
{
	int flags = IB_SEND_SOLICITED | IB_SEND_SIGNALED;

	return r->ring.inline_msg && !b->pub.page ? flags | IB_SEND_INLINE :
						    flags;
}

static void point_at_message(struct smc_roce *r, struct smc_roce_bundle *rb,
			     struct ib_sge *sge)
{
	const struct smc_ep_slot *slot = &rb->b.pub;

	sge->lkey = r->pd->local_dma_lkey;
	if (slot->page) {
		sge->addr = rb->long_dma;
		sge->length = slot->len;
		return;
	}
	sge->length = SMC_EP_MSG_LEN;
	if (r->ring.inline_msg) {
		/* the CPU copies the message, so set its virtual address and no
		 * key
		 */
		sge->addr = (uintptr_t)slot->msg;
		sge->lkey = 0;
	} else {
		sge->addr = r->ring.msgs_dma + (slot->msg - r->ep.msgs);
		ib_dma_sync_single_for_device(r->ibdev, sge->addr,
					      SMC_EP_MSG_LEN, DMA_TO_DEVICE);
	}
}

static void build_message(struct smc_roce *r, struct smc_roce_bundle *rb)
{
	struct smc_roce_chain *chain = &r->ring.chain;

	point_at_message(r, rb, &chain->msge);
	chain->send.opcode = IB_WR_SEND;
	chain->send.wr_cqe = &rb->cqe;
	chain->send.sg_list = &chain->msge;
	chain->send.num_sge = 1;
	chain->send.next = NULL;
	chain->send.send_flags = send_flags(r, &rb->b);
}

static void build_pieces(struct smc_roce *r, const struct smc_roce_bundle *rb)
{
	struct ib_sge *sge = r->ring.chain.wsge;
	u32 i;

	for (i = 0; i < rb->b.n_pieces; i++) {
		sge[i].addr = rb->dma[i];
		sge[i].length = rb->b.piece[i].len;
		sge[i].lkey = r->pd->local_dma_lkey;
	}
}

/* Return: first work request of the chain. */
static struct ib_send_wr *build_chain(struct smc_roce *r,
				      struct smc_roce_bundle *rb)
{
	struct smc_roce_chain *chain = &r->ring.chain;
	struct ib_send_wr *next = &chain->send;
	const struct smc_ep_write *write;
	struct ib_rdma_wr *wr;
	unsigned int i;

	lockdep_assert_held(&r->ep.post_lock);
	build_message(r, rb);
	build_pieces(r, rb);
	for (i = rb->b.n_writes; i--; ) {
		write = &rb->b.write[i];
		if (!write->n_pieces)
			continue;
		wr = &chain->write[i];
		wr->wr.opcode = IB_WR_RDMA_WRITE;
		wr->wr.wr_cqe = &r->ring.write_cqe;
		wr->wr.sg_list = &chain->wsge[write->first_piece];
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
	unmap_bundle(r, roce_bundle(b), b->n_pieces);
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
	struct smc_roce *r = cq->cq_context;
	struct smc_ep_bundle *b;
	int err = 0;

	if (unlikely(wc->status != IB_WC_SUCCESS)) {
		err = smc_roce_ep_errno(wc->status);
		smc_ep_fail(&r->ep, err);
	}
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

/* The device may still read the pages of the slot, so they are never freed. */
static void keep_pages(const struct smc_ep_bundle *b)
{
	u32 i;

	for (i = 0; i < b->n_pieces; i++)
		get_page(b->piece[i].page);
	for (i = 0; b->pub.page && i < PFN_UP(b->pub.len); i++)
		get_page(b->pub.page + i);
}

/**
 * smc_roce_ring_flush - complete slots that the device does not complete
 * @r:		endpoint
 *
 * The queue pair is drained or destroyed. So the device has finished with slots
 * whose chain it had accepted in part, and no other code completes them. If the
 * device could not destroy the queue pair, it may still use their pages. The
 * connections send the data again on another link. A late write of the old
 * queue pair does no harm, because the peer takes nothing from a link that it
 * has deleted. Context: process.
 */
void smc_roce_ring_flush(struct smc_roce *r)
{
	struct smc_ep_bundle *b;

	local_bh_disable();
	while ((b = oldest_posted(&r->ep))) {
		if (READ_ONCE(r->kept)) {
			keep_pages(b);
			smc_ep_complete(&r->ep, b, -ECONNABORTED);
		} else {
			complete_slot(r, b, -ECONNABORTED);
		}
	}
	local_bh_enable();
}

/* ---- receiving ---- */

static u32 rx_area(u32 i)
{
	return i / SMC_ROCE_RX_PER_AREA;
}

static u32 rx_off(u32 i)
{
	return i % SMC_ROCE_RX_PER_AREA * SMC_ROCE_RX_BYTES;
}

/*
 * Posts @n receives, beginning with number @i. @n is at most SMC_ROCE_RX_BATCH.
 * A receive queue completes in the order of its posts, so receives complete in
 * the order of their numbers.
 */
static int post_receives(struct smc_roce *r, u32 i, u32 n)
{
	struct smc_roce_ring *ring = &r->ring;
	struct ib_recv_wr *next = NULL;

	while (n--) {
		struct ib_recv_wr *wr = &ring->rx_chain->wr[n];
		struct ib_sge *sge = ring->rx_chain->sge[n];
		u32 k = (i + n) % r->depth.receives;

		sge[0].addr = ring->area_dma[rx_area(k)] + rx_off(k);
		sge[0].length = SMC_ROCE_RX_BYTES;
		sge[0].lkey = r->pd->local_dma_lkey;
		sge[1].addr = ring->spill_dma;
		sge[1].length = SMC_ROCE_SPILL_BYTES;
		sge[1].lkey = r->pd->local_dma_lkey;
		wr->wr_cqe = &ring->rx_cqe;
		wr->sg_list = sge;
		wr->num_sge = ring->n_rx_sge;
		wr->next = next;
		next = wr;
	}
	return ib_post_recv(r->qp, next, NULL);
}

static void receive_done(struct smc_roce *r)
{
	struct smc_roce_ring *ring = &r->ring;
	u32 n = r->depth.receives;
	int err;

	ring->rx_next = (ring->rx_next + 1) % n;
	/*
	 * partner: smc_ep_quiesce(). The queue pair takes no receives any more,
	 * and it may be destroyed where the device did not stop it on demand.
	 */
	if (READ_ONCE(r->ep.state) >= SMC_EP_QUIET)
		return;
	if (++ring->n_back < SMC_ROCE_RX_BATCH)
		return;
	err = post_receives(r, ring->rx_next + n - ring->n_back, ring->n_back);
	ring->n_back = 0;
	if (err)
		smc_ep_fail(&r->ep, err);
}

/*
 * Returns a received message in contiguous memory. The function copies the
 * second buffer before it checks the content, because the next message may
 * overwrite that buffer at any time.
 */
static const u8 *message_of(struct smc_roce *r, const u8 *buf, u32 len)
{
	struct smc_roce_ring *ring = &r->ring;
	u32 rest;

	if (len <= SMC_ROCE_RX_BYTES)
		return buf;
	rest = min_t(u32, len - SMC_ROCE_RX_BYTES, SMC_ROCE_SPILL_BYTES);
	ib_dma_sync_single_for_cpu(r->ibdev, ring->spill_dma, rest,
				   DMA_FROM_DEVICE);
	memcpy(ring->whole, buf, SMC_ROCE_RX_BYTES);
	memcpy(ring->whole + SMC_ROCE_RX_BYTES, ring->spill, rest);
	ib_dma_sync_single_for_device(r->ibdev, ring->spill_dma, rest,
				      DMA_FROM_DEVICE);
	return ring->whole;
}

static void recv_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct smc_roce *r = cq->cq_context;
	u32 i = r->ring.rx_next;
	const u8 *buf;
	u64 dma;

	if (smc_roce_ep_is_message(r, wc)) {
		buf = r->ring.area[rx_area(i)] + rx_off(i);
		dma = r->ring.area_dma[rx_area(i)] + rx_off(i);
		ib_dma_sync_single_for_cpu(r->ibdev, dma, SMC_ROCE_RX_BYTES,
					   DMA_FROM_DEVICE);
		smc_ep_message(&r->ep, message_of(r, buf, wc->byte_len),
			       wc->byte_len);
		ib_dma_sync_single_for_device(r->ibdev, dma, SMC_ROCE_RX_BYTES,
					      DMA_FROM_DEVICE);
	}
	/* what is not a message has used a receive, too */
	if (wc->status == IB_WC_SUCCESS)
		receive_done(r);
}

/* ---- life ---- */

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

static int alloc_rx_area(struct smc_roce *r, u32 i)
{
	struct smc_roce_ring *ring = &r->ring;

	ring->area[i] = kzalloc(SMC_ROCE_RX_AREA_BYTES, SMC_GFP_PAID);
	if (!ring->area[i])
		return -ENOMEM;
	ring->area_dma[i] = ib_dma_map_single(r->ibdev, ring->area[i],
					      SMC_ROCE_RX_AREA_BYTES,
					      DMA_FROM_DEVICE);
	if (ib_dma_mapping_error(r->ibdev, ring->area_dma[i])) {
		kfree(ring->area[i]);
		ring->area[i] = NULL;
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
	ring->rx_chain = kzalloc(sizeof(*ring->rx_chain), SMC_GFP_PAID);
	if (!ring->rx_chain)
		return -ENOMEM;
	ring->rx_cqe.done = recv_done;
	for (i = 0; i * SMC_ROCE_RX_PER_AREA < r->depth.receives; i++) {
		err = alloc_rx_area(r, i);
		if (err)
			return err;
	}
	return 0;
}

static size_t msgs_bytes(const struct smc_roce *r)
{
	return r->ep.max.allocated * SMC_EP_MSG_STRIDE;
}

static int map_msgs(struct smc_roce *r)
{
	if (r->ring.inline_msg)
		return 0;
	r->ring.msgs_dma = ib_dma_map_single(r->ibdev, r->ep.msgs,
					     msgs_bytes(r), DMA_TO_DEVICE);
	return ib_dma_mapping_error(r->ibdev, r->ring.msgs_dma) ? -ENOMEM : 0;
}

static void free_rx(struct smc_roce *r)
{
	struct smc_roce_ring *ring = &r->ring;
	u32 i;

	for (i = 0; i < SMC_ROCE_RX_AREAS && ring->area[i]; i++) {
		ib_dma_unmap_single(r->ibdev, ring->area_dma[i],
				    SMC_ROCE_RX_AREA_BYTES, DMA_FROM_DEVICE);
		kfree(ring->area[i]);
		ring->area[i] = NULL;
	}
	smc_roce_frames_free(r);
	free_spill(r);
	kfree(ring->rx_chain);
	ring->rx_chain = NULL;
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
		ib_dma_unmap_single(r->ibdev, r->ring.msgs_dma,
				    msgs_bytes(r), DMA_TO_DEVICE);
	free_rx(r);
}

/** smc_roce_ring_fill - post all receives of a queue pair in state INIT */
int smc_roce_ring_fill(struct smc_roce *r)
{
	u32 n = r->depth.receives, i;
	int err = 0;

	if (r->ring.frames)
		return smc_roce_frames_post(r);
	for (i = 0; i < n && !err; i += SMC_ROCE_RX_BATCH)
		err = post_receives(r, i, min_t(u32, n - i, SMC_ROCE_RX_BATCH));
	return err;
}

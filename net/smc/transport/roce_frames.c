// SPDX-License-Identifier: GPL-2.0
/*
 * Receives of an endpoint whose owner gets large messages (struct
 * smc_ep_user.take). Each receive has a buffer of its own. The owner chooses
 * how many receives there are, counts them, and may refuse a message for a
 * while.
 */
#include <linux/slab.h>
#include "../base/compat.h"
#include "../base/exact.h"
#include "../base/memcg.h"
#include "../base/mib.h"
#include "roce_ep.h"
#include "roce_frames.h"

/**
 * struct smc_roce_frame_rx - one receive
 * @cqe:	its completion
 * @wr:		its work request
 * @sge:	@buf
 * @buf:	holds any message
 * @own:	@buf is memory of its own, not a part of the area
 * @list:	entry in one list of struct smc_roce_frames
 * @len:	bytes of the message in it
 */
struct smc_roce_frame_rx {
	struct ib_cqe cqe;
	struct ib_recv_wr wr;
	struct ib_sge sge;
	u8 *buf;
	bool own;
	struct list_head list;
	u32 len;
};

/**
 * struct smc_roce_frames - receives of an endpoint
 * @r:		the endpoint
 * @area:	buffers of the first receives, side by side, because each alone
 *		would waste most of a page; NULL: there are none
 * @lock:	keeps messages in order; held while the owner takes a message,
 *		and taken before all locks of the owner
 * @posted:	receives without a message, some of them in @back
 * @held:	receives with a message that the owner has not taken, in order
 * @retry:	offers them again
 * @back:	receives to post
 * @n_back:	how many
 * @n:		receives in both lists
 * @want:	receives that the owner wants
 * @max:	limit of receives
 * @broken:	the owner has refused a message, so later ones have no meaning
 */
struct smc_roce_frames {
	struct smc_roce *r;
	u8 *area;
	spinlock_t lock;	/* order of messages */
	struct list_head posted;
	struct list_head held;
	struct timer_list retry;
	struct ib_recv_wr *back;
	u32 n_back;
	u32 n;
	u32 want;
	u32 max;
	bool broken;
};

#define AREA_BYTES	(SMC_ROCE_FRAMES_INITIAL * SMC_EP_FRAME_MAX)

/* ---- receives ---- */

static void frame_done(struct ib_cq *cq, struct ib_wc *wc);

/* @part: its buffer, a part of the area; NULL: it gets one of its own */
static struct smc_roce_frame_rx *new_receive(u8 *part, gfp_t gfp)
{
	struct smc_roce_frame_rx *rx = kzalloc(sizeof(*rx), gfp | __GFP_NOWARN);

	if (!rx)
		return NULL;
	rx->own = !part;
	rx->buf = part ?: smc_exact_alloc(SMC_EP_FRAME_MAX,
					  gfp | __GFP_ZERO | __GFP_NOWARN);
	if (rx->buf)
		return rx;
	kfree(rx);
	return NULL;
}

static void free_receive(struct smc_roce_frame_rx *rx)
{
	if (rx->own)
		smc_exact_free(rx->buf, SMC_EP_FRAME_MAX);
	kfree(rx);
}

/* Frees a receive that the queue pair does not have. */
static void drop_receive(struct smc_roce *r, struct smc_roce_frame_rx *rx)
{
	list_del(&rx->list);
	ib_dma_unmap_single(r->ibdev, rx->sge.addr, SMC_EP_FRAME_MAX,
			    DMA_FROM_DEVICE);
	free_receive(rx);
	r->ring.frames->n--;
}

static void chain_receive(struct smc_roce_frames *f, struct smc_roce_frame_rx *rx)
{
	rx->wr.next = f->back;
	f->back = &rx->wr;
	f->n_back++;
}

/* Adds a receive to the chain to post. @part: as for new_receive(). */
static int add_receive(struct smc_roce *r, u8 *part, gfp_t gfp)
{
	struct smc_roce_frames *f = r->ring.frames;
	struct smc_roce_frame_rx *rx = new_receive(part, gfp);

	if (!rx)
		return -ENOMEM;
	rx->sge.addr = ib_dma_map_single(r->ibdev, rx->buf, SMC_EP_FRAME_MAX,
					 DMA_FROM_DEVICE);
	if (ib_dma_mapping_error(r->ibdev, rx->sge.addr)) {
		free_receive(rx);
		return -ENOMEM;
	}
	rx->sge.length = SMC_EP_FRAME_MAX;
	rx->sge.lkey = r->pd->local_dma_lkey;
	rx->cqe.done = frame_done;
	rx->wr.wr_cqe = &rx->cqe;
	rx->wr.sg_list = &rx->sge;
	rx->wr.num_sge = 1;
	list_add_tail(&rx->list, &f->posted);
	chain_receive(f, rx);
	f->n++;
	return 0;
}

/**
 * smc_roce_frames_post - post the receives that the queue pair does not have
 * @r:		endpoint
 *
 * Context: before the queue pair receives, or as offer_messages(). Return: 0,
 * or a negative errno.
 */
int smc_roce_frames_post(struct smc_roce *r)
{
	struct smc_roce_frames *f = r->ring.frames;
	struct ib_recv_wr *chain = f->back;

	f->back = NULL;
	f->n_back = 0;
	return ib_post_recv(r->qp, chain, NULL);
}

/*
 * Posts receives in small batches, because the owner announces them to the
 * peer, and the peer may wait for them. A receive beyond the wanted number is
 * not posted again.
 */
static void give_back(struct smc_roce *r, struct smc_roce_frame_rx *rx)
{
	struct smc_roce_frames *f = r->ring.frames;
	u32 n;
	int err;

	lockdep_assert_held(&f->lock);
	list_move_tail(&rx->list, &f->posted);
	/* partner: smc_ep_quiesce() */
	if (READ_ONCE(r->ep.state) >= SMC_EP_QUIET)
		return;
	if (f->n > f->want && rx->own) {
		drop_receive(r, rx);
		return;
	}
	chain_receive(f, rx);
	if (f->n_back < f->n / 8)
		return;
	/* if there is no memory for more receives, the number stays */
	while (f->n < min(f->want, f->max))
		if (add_receive(r, NULL, GFP_ATOMIC))
			break;
	n = f->n_back;
	err = smc_roce_frames_post(r);
	if (err)
		smc_ep_fail(&r->ep, err);
	else
		f->want = r->ep.user->posted(r->ep.ctx, n);
}

/* ---- messages ---- */

/* Return: -ENOMEM if the owner wants the message again. */
static int offer_message(struct smc_roce *r, struct smc_roce_frame_rx *rx)
{
	struct smc_roce_frames *f = r->ring.frames;
	int err;

	lockdep_assert_held(&f->lock);
	/* messages continue to arrive until the endpoint is closed */
	if (f->broken)
		return 0;
	err = r->ep.user->take(r->ep.ctx, rx->buf, rx->len);
	if (!err || err == -ENOMEM)
		return err;
	f->broken = true;
	smc_ep_fail(&r->ep, err);
	return 0;
}

/* Offers messages to the owner, in order, until it has no memory for one. */
static void offer_messages(struct smc_roce *r)
{
	struct smc_roce_frames *f = r->ring.frames;
	struct smc_roce_frame_rx *rx;

	lockdep_assert_held(&f->lock);
	while ((rx = list_first_entry_or_null(&f->held,
					      struct smc_roce_frame_rx, list))) {
		ib_dma_sync_single_for_cpu(r->ibdev, rx->sge.addr, rx->len,
					   DMA_FROM_DEVICE);
		if (offer_message(r, rx)) {
			mod_timer(&f->retry, jiffies +
				  msecs_to_jiffies(SMC_EP_RETRY_MIN_MS));
			return;
		}
		ib_dma_sync_single_for_device(r->ibdev, rx->sge.addr, rx->len,
					      DMA_FROM_DEVICE);
		give_back(r, rx);
	}
}

static void frame_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct smc_roce_frame_rx *rx = container_of(wc->wr_cqe,
						    struct smc_roce_frame_rx,
						    cqe);
	struct smc_roce *r = cq->cq_context;
	struct smc_roce_frames *f = r->ring.frames;

	if (!smc_roce_ep_is_message(r, wc))
		return;
	smc_mib_inc(NULL, SMC_MIB_WR_RECV);
	spin_lock(&f->lock);
	rx->len = min_t(u32, wc->byte_len, SMC_EP_FRAME_MAX);
	list_move_tail(&rx->list, &f->held);
	offer_messages(r);
	spin_unlock(&f->lock);
}

static void offer_again(struct timer_list *t)
{
	struct smc_roce_frames *f = smc_from_timer(f, t, retry);

	spin_lock(&f->lock);
	if (READ_ONCE(f->r->ep.state) < SMC_EP_QUIET)
		offer_messages(f->r);
	spin_unlock(&f->lock);
}

/* ---- life ---- */

/**
 * smc_roce_frames_alloc - allocate the receives of a new queue pair
 * @r:		endpoint
 *
 * Context: may sleep. Return: 0 or -ENOMEM; call smc_roce_frames_free() in both
 * cases.
 */
int smc_roce_frames_alloc(struct smc_roce *r)
{
	struct smc_roce_frames *f = kzalloc(sizeof(*f), SMC_GFP_PAID);
	int err = 0;
	u32 i;

	if (!f)
		return -ENOMEM;
	f->r = r;
	f->max = r->depth.receives;
	f->want = SMC_ROCE_FRAMES_INITIAL;
	spin_lock_init(&f->lock);
	INIT_LIST_HEAD(&f->posted);
	INIT_LIST_HEAD(&f->held);
	timer_setup(&f->retry, offer_again, 0);
	r->ring.frames = f;
	f->area = smc_exact_alloc(AREA_BYTES, GFP_KERNEL_ACCOUNT |
				  __GFP_ZERO | __GFP_NOWARN | __GFP_NORETRY);
	for (i = 0; i < f->want && !err; i++)
		err = add_receive(r, f->area ? f->area + i * SMC_EP_FRAME_MAX :
					       NULL, SMC_GFP_PAID);
	return err;
}

/**
 * smc_roce_frames_stop - stop offering messages to the owner
 * @r:		endpoint whose queue pair is drained
 *
 * Context: process, sleeps.
 */
void smc_roce_frames_stop(struct smc_roce *r)
{
	if (r->ring.frames)
		timer_shutdown_sync(&r->ring.frames->retry);
}

/** smc_roce_frames_free - free the receives, after the queue pair */
void smc_roce_frames_free(struct smc_roce *r)
{
	struct smc_roce_frames *f = r->ring.frames;
	struct smc_roce_frame_rx *rx, *next;

	if (!f)
		return;
	list_splice(&f->held, &f->posted);
	list_for_each_entry_safe(rx, next, &f->posted, list)
		drop_receive(r, rx);
	smc_exact_free(f->area, AREA_BYTES);
	r->ring.frames = NULL;
	kfree(f);
}

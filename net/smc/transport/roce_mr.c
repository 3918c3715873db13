// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that the peer of a RoCE endpoint may write to. The memory is a list of
 * pages. A work request in the endpoint's own send queue registers the list, so
 * that the registration takes effect before every later message.
 */
#include <linux/dma-mapping.h>
#include <linux/random.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include "roce_ep.h"
#include "roce_mr.h"
#include "roce_ring.h"

/*
 * Limit of the wait for a registration, which follows earlier work requests. A
 * peer that never posts receives can block the work requests for ever. So after
 * this time the queue pair is stopped.
 */
#define REG_WAIT_MS	5000

/*
 * The peer only writes. But a bounce buffer must also get the zeros of an
 * element that is wiped.
 */
#define MR_DMA_DIR	DMA_BIDIRECTIONAL

/* Limit of a run of pages in the list. Bounce buffers are not much larger. */
#define MR_SEG_BYTES	65536U

/**
 * struct roce_mr - region
 * @mr:		the part that the floors above see
 * @ib:		region of the verbs layer
 * @sgt:	the pages, mapped
 * @reg:	work request of the registration; in the send queue while
 *	@mr.pending is true
 * @cqe:	completion of the work request
 */
struct roce_mr {
	struct smc_mr mr;
	struct ib_mr *ib;
	struct sg_table sgt;
	struct ib_reg_wr reg;
	struct ib_cqe cqe;
};

static struct roce_mr *roce_mr(struct smc_mr *mr)
{
	return container_of(mr, struct roce_mr, mr);
}

static void reg_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct roce_mr *m = container_of(wc->wr_cqe, struct roce_mr, cqe);
	struct smc_roce *r = cq->cq_context;

	if (wc->status != IB_WC_SUCCESS)
		smc_ep_fail(&r->ep, smc_roce_ep_errno(wc->status));
	atomic_dec(&r->regs);
	/* after this store wait_reg() may free @m */
	smp_store_release(&m->mr.pending, false);
	wake_up_all(&r->reg_wait);
	if (r->ep.user->registered)
		r->ep.user->registered(r->ep.ctx);
}

static bool map_needs_sync(struct smc_roce *r, const struct sg_table *sgt)
{
	struct scatterlist *sg;
	int i;

	if (ib_uses_virt_dma(r->ibdev))
		return false;
	for_each_sgtable_dma_sg(sgt, sg, i)
		if (dma_need_sync(r->ibdev->dma_device, sg_dma_address(sg)))
			return true;
	return false;
}

/*
 * Unmaps without copying the bounce buffer. Its bytes were copied when they
 * arrived, and newer bytes may have arrived over another link since then.
 */
static void unmap_pages(struct smc_roce *r, struct sg_table *sgt)
{
	ib_dma_unmap_sgtable_attrs(r->ibdev, sgt, MR_DMA_DIR,
				   DMA_ATTR_SKIP_CPU_SYNC);
	sg_free_table(sgt);
}

static int map_pages(struct smc_roce *r, struct roce_mr *m,
		     const struct smc_mem *mem)
{
	u32 seg = min(ib_dma_max_seg_size(r->ibdev), MR_SEG_BYTES);
	int n;
	int err;

	err = sg_alloc_table_from_pages_segment(&m->sgt, mem->pages,
						mem->n_pages, 0,
						(u64)mem->n_pages << PAGE_SHIFT,
						seg, GFP_KERNEL);
	if (err)
		return err;
	err = ib_dma_map_sgtable_attrs(r->ibdev, &m->sgt, MR_DMA_DIR, 0);
	if (err) {
		sg_free_table(&m->sgt);
		return err;
	}
	n = ib_map_mr_sg(m->ib, m->sgt.sgl, m->sgt.nents, NULL, PAGE_SIZE);
	if (n == m->sgt.nents) {
		m->mr.needs_sync = map_needs_sync(r, &m->sgt);
		return 0;
	}
	unmap_pages(r, &m->sgt);
	return n < 0 ? n : -E2BIG;
}

/*
 * Chooses the address of the region. The address must not be the DMA address,
 * which on software devices is a kernel pointer. The address is page aligned
 * like the first page, and no offset into the region overflows.
 */
static u64 random_iova(void)
{
	return (get_random_u64() & GENMASK_ULL(46, 0) & PAGE_MASK) | PAGE_SIZE;
}

static void prepare_reg(struct roce_mr *m)
{
	ib_update_fast_reg_key(m->ib, get_random_u32() & 0xff);
	m->ib->iova = random_iova();
	m->cqe.done = reg_done;
	m->reg.wr.opcode = IB_WR_REG_MR;
	m->reg.wr.wr_cqe = &m->cqe;
	m->reg.wr.send_flags = IB_SEND_SIGNALED;
	m->reg.mr = m->ib;
	m->reg.key = m->ib->rkey;
	m->reg.access = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE;
	m->mr.rkey = m->ib->rkey;
	m->mr.addr = m->ib->iova;
}

static int dereg_mr(void *ib)
{
	return ib_dereg_mr(ib);
}

static struct roce_mr *alloc_region(struct smc_roce *r,
				    const struct smc_mem *mem)
{
	struct roce_mr *m = kzalloc(sizeof(*m), GFP_KERNEL);
	int err;

	if (!m)
		return ERR_PTR(-ENOMEM);
	m->ib = ib_alloc_mr(r->pd, IB_MR_TYPE_MEM_REG, mem->n_pages);
	if (IS_ERR(m->ib)) {
		err = PTR_ERR(m->ib);
		goto free;
	}
	err = map_pages(r, m, mem);
	if (err)
		goto dereg;
	prepare_reg(m);
	m->mr.len = mem->len;
	return m;
dereg:
	smc_roce_ep_destroy(r, dereg_mr, m->ib);
free:
	kfree(m);
	return ERR_PTR(err);
}

/** smc_roce_mr_alloc - see smc_mr_alloc() */
struct smc_mr *smc_roce_mr_alloc(struct smc_ep *ep, const struct smc_mem *mem)
{
	struct smc_roce *r = smc_roce_ep_of(ep);
	struct roce_mr *m;

	/* 0: the endpoint is closed, and the device may be gone */
	if (!refcount_inc_not_zero(&r->hw))
		return ERR_PTR(-ENODEV);
	m = alloc_region(r, mem);
	if (IS_ERR(m)) {
		smc_roce_ep_hw_put(r);
		return ERR_CAST(m);
	}
	return &m->mr;
}

/** smc_roce_mr_register - see struct smc_ep_ops */
int smc_roce_mr_register(struct smc_mr *mr)
{
	struct smc_roce *r = smc_roce_ep_of(mr->ep);
	struct roce_mr *m = roce_mr(mr);
	int err;

	lockdep_assert_held(&r->ep.post_lock);
	if (atomic_inc_return(&r->regs) > r->depth.regs) {
		atomic_dec(&r->regs);
		return -ENOBUFS;
	}
	WRITE_ONCE(m->mr.pending, true);	/* partner: reg_done() */
	err = ib_post_send(r->qp, &m->reg.wr, NULL);
	if (err) {
		WRITE_ONCE(m->mr.pending, false);
		atomic_dec(&r->regs);
	}
	return err;
}

static bool reg_settled(struct smc_roce *r, struct roce_mr *m)
{
	/* partners: reg_done(), destroy_queues() */
	return !smp_load_acquire(&m->mr.pending) || !smp_load_acquire(&r->qp);
}

/* Waits for the registration, because a work request must not exist longer than
 * its region.
 */
static void wait_reg(struct smc_roce *r, struct roce_mr *m)
{
	if (wait_event_timeout(r->reg_wait, reg_settled(r, m),
			       msecs_to_jiffies(REG_WAIT_MS)))
		return;
	smc_ep_fail(&r->ep, -ETIMEDOUT);
	smc_roce_ep_kill(r);
	wait_event(r->reg_wait, reg_settled(r, m));
}

/** smc_roce_mr_wait - see smc_mr_wait() */
int smc_roce_mr_wait(struct smc_mr *mr, unsigned int ms)
{
	struct smc_roce *r = smc_roce_ep_of(mr->ep);

	if (wait_event_timeout(r->reg_wait, reg_settled(r, roce_mr(mr)),
			       msecs_to_jiffies(ms)))
		return 0;
	smc_ep_fail(&r->ep, -ETIMEDOUT);
	return -ETIMEDOUT;
}

/*
 * An IOMMU makes one run of addresses from pages that are not adjacent, and a
 * sync finds the memory of the first address only. So each call stays in a
 * page.
 */
static void sync_run(struct smc_roce *r, u64 addr, u32 len, bool for_cpu)
{
	u32 n;

	for (; len; addr += n, len -= n) {
		n = min_t(u32, len, PAGE_SIZE - offset_in_page(addr));
		if (for_cpu)
			ib_dma_sync_single_for_cpu(r->ibdev, addr, n,
						   MR_DMA_DIR);
		else
			ib_dma_sync_single_for_device(r->ibdev, addr, n,
						      MR_DMA_DIR);
	}
}

/** smc_roce_mr_sync - see struct smc_ep_ops */
void smc_roce_mr_sync(struct smc_mr *mr, u64 off, u32 len, bool for_cpu)
{
	struct scatterlist *sg;
	u32 n;
	int i;

	for_each_sgtable_dma_sg(&roce_mr(mr)->sgt, sg, i) {
		n = sg_dma_len(sg);
		if (off >= n) {
			off -= n;
			continue;
		}
		n = min_t(u32, len, n - off);
		sync_run(smc_roce_ep_of(mr->ep), sg_dma_address(sg) + off, n,
			 for_cpu);
		len -= n;
		if (!len)
			return;
		off = 0;
	}
}

/**
 * smc_roce_mr_free - see struct smc_ep_ops
 * @mr:		region
 *
 * Deregistration invalidates the key in the device before it returns. So a
 * region that is not used again needs no local invalidation first.
 */
bool smc_roce_mr_free(struct smc_mr *mr)
{
	struct smc_roce *r = smc_roce_ep_of(mr->ep);
	struct roce_mr *m = roce_mr(mr);
	bool freed;

	wait_reg(r, m);
	freed = smc_roce_ep_destroy(r, dereg_mr, m->ib);
	if (freed) {
		unmap_pages(r, &m->sgt);
		kfree(m);
	} else {
		/* without the queue pair the key is useless */
		smc_ep_fail(&r->ep, -EIO);
		smc_roce_ep_kill(r);
	}
	smc_roce_ep_hw_put(r);
	return freed;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that peers may write to: the functions of mr.h, which call the
 * transport's operations.
 */
#include <linux/err.h>
#include <linux/mm.h>
#include "../base/mib.h"
#include "ep.h"

struct smc_mr *smc_mr_alloc(struct smc_ep *ep, struct smc_mem *mem)
{
	struct smc_mr *mr;

	if (!mem->n_pages || mem->len > (u64)mem->n_pages << PAGE_SHIFT)
		return ERR_PTR(-EINVAL);
	if (mem->n_pages > ep->max.mr_pages)
		return ERR_PTR(-E2BIG);
	mr = ep->ops->mr_alloc(ep, mem);
	if (IS_ERR(mr))
		return mr;
	mr->ep = smc_ep_get(ep, SMC_EP_REF_MR);
	kref_get(&mem->ref);
	mr->mem = mem;
	return mr;
}

int smc_mr_register(struct smc_mr *mr)
{
	struct smc_ep *ep = mr->ep;
	int err = -ENOTCONN;

	spin_lock_bh(&ep->post_lock);
	if (READ_ONCE(ep->state) == SMC_EP_READY)
		err = ep->ops->mr_register(mr);
	spin_unlock_bh(&ep->post_lock);
	if (err)
		smc_ep_fail(ep, err);
	else
		smc_mib_inc(NULL, SMC_MIB_MR_REG);
	return err;
}

bool smc_mr_registered(const struct smc_mr *mr)
{
	return !smp_load_acquire(&mr->pending);	/* partner: reg_done() */
}

int smc_mr_wait(struct smc_mr *mr, unsigned int ms)
{
	might_sleep();
	return mr->ep->ops->mr_wait ? mr->ep->ops->mr_wait(mr, ms) : 0;
}

static void revoke_region(struct smc_mr *mr)
{
	struct smc_mem *mem = mr->mem;
	struct smc_ep *ep = mr->ep;

	if (!ep->ops->mr_free(mr))
		return;
	kref_put(&mem->ref, mem->release);
	smc_ep_put(ep, SMC_EP_REF_MR);
}

static void revoke_later(struct work_struct *work)
{
	revoke_region(container_of(work, struct smc_mr, work));
}

/* Revokes the keys after the endpoint is quiet. Until then messages of the
 * endpoint are handled, and these may sync the region.
 */
static void revoke_quiet(struct work_struct *work)
{
	struct smc_mr *mr = container_of(work, struct smc_mr, work);

	smc_ep_quiesce(mr->ep);
	revoke_region(mr);
}

static void queue_revoke(struct smc_mr *mr, work_func_t revoke)
{
	might_sleep();
	if (!mr->ep->port) {
		revoke_region(mr);
		return;
	}
	INIT_WORK(&mr->work, revoke);
	smc_ep_queue_free(mr->ep, &mr->work);
}

void smc_mr_free(struct smc_mr *mr)
{
	queue_revoke(mr, revoke_later);
}

void smc_mr_free_quiet(struct smc_mr *mr)
{
	queue_revoke(mr, revoke_quiet);
}

bool smc_mr_needs_sync(const struct smc_mr *mr)
{
	return mr->needs_sync;
}

void smc_mr_sync_for_cpu(struct smc_mr *mr, u64 off, u32 len)
{
	if (mr->needs_sync)
		mr->ep->ops->mr_sync(mr, off, len, true);
}

void smc_mr_sync_for_device(struct smc_mr *mr, u64 off, u32 len)
{
	if (mr->needs_sync)
		mr->ep->ops->mr_sync(mr, off, len, false);
}

u32 smc_mr_rkey(const struct smc_mr *mr)
{
	return mr->rkey;
}

u64 smc_mr_addr(const struct smc_mr *mr)
{
	return mr->addr;
}

u32 smc_mr_batch(const struct smc_ep *ep)
{
	return ep->max.mr_batch;
}

u32 smc_mr_max_pages(const struct smc_ep *ep)
{
	return ep->max.mr_pages;
}

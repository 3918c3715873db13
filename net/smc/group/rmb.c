// SPDX-License-Identifier: GPL-2.0
/*
 * RMBs of a group (RFC 7609 2.1, 3.5.5.2, 4.1 to 4.4). This file allocates the
 * memory of RMBs and registers it on each link. The file decides when an RMB is
 * added and when it is freed, and knows which keys the peer has. First contact
 * creates the first RMB, and Accept or Confirm announces its key. rkey.c
 * exchanges the keys of other RMBs, and rmbe.c gives elements to connections.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include "../base/mem_limits.h"
#include "../base/mib.h"
#include "../transport/call.h"
#include "contact_types.h"
#include "device.h"
#include "idle.h"
#include "quarantine.h"
#include "lgr.h"
#include "lgr_types.h"
#include "link.h"
#include "link_end.h"
#include "link_types.h"
#include "rmb.h"
#include "rmb_size.h"
#include "rmb_types.h"
#include "waiters.h"

/** smc_rmb_elem_size - bytes of one element */
u32 smc_rmb_elem_size(const struct smc_rmb *rmb)
{
	return SMC_RMBE_MIN_BYTES << rmb->code;
}

/* ---- memory ---- */

static void rmb_mem_free(struct kref *ref)
{
	struct smc_mem *mem = container_of(ref, struct smc_mem, ref);
	u32 i;

	for (i = 0; i < mem->n_pages; i++)
		__free_page(mem->pages[i]);
	kvfree(mem->pages);
	kfree(mem);
}

static void rmb_mem_put(struct smc_mem *mem)
{
	kref_put(&mem->ref, rmb_mem_free);
}

/*
 * The memory is not charged to the memory cgroup of the caller, because sockets
 * of several cgroups share an RMB. Each socket is charged for its own element.
 */
static struct smc_mem *rmb_mem_alloc(u32 n)
{
	struct smc_mem *mem = kzalloc(sizeof(*mem), GFP_KERNEL);

	if (!mem)
		return NULL;
	kref_init(&mem->ref);
	mem->release = rmb_mem_free;
	mem->len = (u64)n << PAGE_SHIFT;
	mem->pages = kvcalloc(n, sizeof(*mem->pages), GFP_KERNEL);
	if (!mem->pages)
		goto put;
	for (mem->n_pages = 0; mem->n_pages < n; mem->n_pages++) {
		struct page *page = alloc_page(GFP_KERNEL | __GFP_ZERO |
					       __GFP_NOWARN);

		if (!page)
			goto put;
		mem->pages[mem->n_pages] = page;
	}
	return mem;
put:
	rmb_mem_put(mem);
	return NULL;
}

/* Frees an RMB. Regions that the device must still revoke keep the memory. May
 * sleep.
 */
static void rmb_free(struct smc_rmb *rmb)
{
	int i;

	for (i = 0; i < SMC_LINK_SLOTS; i++)
		if (rmb->tok[i].mr)
			smc_mr_free(rmb->tok[i].mr);
	rmb_mem_put(rmb->mem);
	kfree(rmb);
	smc_mib_inc(NULL, SMC_MIB_RMB_FREE);
}

/* Is this the first RMB of a group, for which a creator waits? */
static bool rmb_is_first(const struct smc_lgr *lgr)
{
	return READ_ONCE(lgr->state) == SMC_LGR_FORMING &&
	       list_empty(&lgr->rmbs.list);
}

/**
 * smc_rmb_map - reserve a key of an RMB on a link, unless it has a key on this
 * link
 * @rmb: RMB
 * @link: link; the peer cannot use the key before smc_mr_register()
 *
 * R-2.1-06: each link has its own registration. Context: worker or creator, may
 * sleep. Return: 0 or negative errno, see also smc_rmb_retire_link().
 */
int smc_rmb_map(struct smc_rmb *rmb, struct smc_link *link)
{
	struct smc_lgr *lgr = link->lgr;
	struct smc_mr *mr;

	if (rmb->tok[link->slot].mr)
		return 0;
	if (rmb_is_first(lgr))
		mr = smc_mr_alloc(link->ep, rmb->mem);
	else
		mr = smc_device_map(link, rmb->mem);
	if (IS_ERR(mr))
		return PTR_ERR(mr);
	spin_lock_bh(&lgr->lock);
	/* an element may have been wiped while the pages were mapped */
	if (!list_empty(&rmb->list))
		smc_mr_sync_for_device(mr, 0, rmb->mem->len);
	/* partner: rmbe_region() */
	smp_store_release(&rmb->tok[link->slot].mr, mr);
	rmb->tok[link->slot].rkey = smc_mr_rkey(mr);
	rmb->tok[link->slot].addr = smc_mr_addr(mr);
	spin_unlock_bh(&lgr->lock);
	return 0;
}

/** smc_rmb_written - sync new bytes for all devices; lgr->lock held */
void smc_rmb_written(struct smc_lgr *lgr, const struct smc_rmb *rmb, u64 off,
		     u32 len)
{
	int i;

	lockdep_assert_held(&lgr->lock);
	for (i = 0; i < SMC_LINK_SLOTS; i++)
		if (rmb->tok[i].mr)
			smc_mr_sync_for_device(rmb->tok[i].mr, off, len);
}

/**
 * smc_rmb_register - let the peer write with the key on a link
 * @lgr: group
 * @rmb: RMB with a key on the link, see smc_rmb_map()
 * @slot: slot of the link
 *
 * Context: worker or creator, may sleep. Return: 0 or negative errno.
 */
int smc_rmb_register(struct smc_lgr *lgr, struct smc_rmb *rmb, u8 slot)
{
	int err;

	if (rmb->opened & BIT(slot))
		return 0;
	err = smc_mr_register(rmb->tok[slot].mr);
	if (err)
		return err;
	spin_lock_bh(&lgr->lock);
	rmb->opened |= BIT(slot);
	spin_unlock_bh(&lgr->lock);
	return 0;
}

/** smc_rmb_tell - note that the peer has the keys of these slots */
void smc_rmb_tell(struct smc_lgr *lgr, struct smc_rmb *rmb, u8 slots)
{
	spin_lock_bh(&lgr->lock);
	rmb->told |= slots;
	spin_unlock_bh(&lgr->lock);
}

/** smc_rmb_forget_slot - drop the keys of a slot; lgr->lock held */
void smc_rmb_forget_slot(struct smc_lgr *lgr, u8 slot)
{
	struct smc_rmb *rmb;

	lockdep_assert_held(&lgr->lock);
	list_for_each_entry(rmb, &lgr->rmbs.list, list) {
		rmb->opened &= ~BIT(slot);
		rmb->told &= ~BIT(slot);
		/* the device may reuse these keys */
		rmb->tok[slot].rkey = 0;
		rmb->tok[slot].addr = 0;
	}
}

/* RMBs of all groups of all namespaces, in bytes */
static atomic_long_t rmb_all_bytes = ATOMIC_LONG_INIT(0);

static long rmb_bytes(const struct smc_rmb *rmb)
{
	return rmb->n_elems * (long)smc_rmb_elem_size(rmb);
}

static void rmb_uncount(struct smc_lgr *lgr, const struct smc_rmb *rmb)
{
	atomic_long_sub(rmb_bytes(rmb), &lgr->idle.of_net->rmb_bytes);
	atomic_long_sub(rmb_bytes(rmb), &rmb_all_bytes);
}

/*
 * Adds the RMB to the memory of its namespace and of the host. A connection is
 * charged for its element only, and an RMB stays while one of its elements is
 * in use, so the charges do not limit this memory. Return: false: the limit is
 * reached.
 */
static bool rmb_count(struct smc_lgr *lgr, const struct smc_rmb *rmb)
{
	u64 own = atomic_long_add_return(rmb_bytes(rmb),
					 &lgr->idle.of_net->rmb_bytes);
	u64 all = atomic_long_add_return(rmb_bytes(rmb), &rmb_all_bytes);

	if (own <= smc_mem_limits_rmem(lgr->idle.mem_share) &&
	    all <= smc_mem_limits_rmem(100))
		return true;
	rmb_uncount(lgr, rmb);
	return false;
}

/**
 * smc_rmb_retire_link - give up a link that gets no key because its device
 * hangs
 * @link: link
 * @err: result of smc_rmb_map()
 *
 * Only if another link, over a device that works, remains. The group tries to
 * add the link again after growing delays. Context: as smc_link_has_other().
 * Return: true if the link goes.
 */
bool smc_rmb_retire_link(struct smc_link *link, int err)
{
	if (err != -EBUSY ||
	    link->state != SMC_LINK_ACTIVE || !smc_link_has_other(link))
		return false;
	smc_link_give_up(link, SMC_LINK_RETIRES, -ETIMEDOUT,
			 SMC_LLC_DEL_PROGRAM);
	return true;
}

/**
 * smc_rmb_may_pass - has the device given no answer?
 * @err: result of smc_rmb_map()
 *
 * Return: true if it hangs, or has too much to do, see smc_call_run(). The same
 * attempt may succeed later.
 */
bool smc_rmb_may_pass(int err)
{
	return err == -ETIMEDOUT || err == -EBUSY || err == -EAGAIN;
}

static int rmb_map_all(struct smc_lgr *lgr, struct smc_rmb *rmb)
{
	struct smc_link *link;
	int err = 0;
	int i;

	smc_link_for_each(lgr, i, link) {
		if (err || link->state > SMC_LINK_ACTIVE)
			continue;
		err = smc_rmb_map(rmb, link);
		if (smc_rmb_retire_link(link, err))
			err = 0;
	}
	return err;
}

/**
 * smc_rmb_alloc - allocate an RMB with keys on all links
 * @lgr: group
 * @code: size code
 * @n_elems: number of elements
 *
 * Context: worker or creator, may sleep. Return: RMB, or ERR_PTR. A smaller RMB
 * may succeed, except after an error of smc_rmb_may_pass().
 */
struct smc_rmb *smc_rmb_alloc(struct smc_lgr *lgr, u8 code,
			      unsigned int n_elems)
{
	struct smc_rmb *rmb = kzalloc(sizeof(*rmb), GFP_KERNEL);
	int err;

	if (!rmb)
		return ERR_PTR(-ENOMEM);
	rmb->code = code;
	rmb->n_elems = n_elems;
	rmb->idle_since = jiffies;
	INIT_LIST_HEAD(&rmb->list);
	err = -ENOMEM;
	if (!rmb_count(lgr, rmb))
		goto free;
	rmb->mem = rmb_mem_alloc(smc_rmb_size_pages(smc_rmb_elem_size(rmb),
						    n_elems, PAGE_SIZE));
	if (!rmb->mem)
		goto uncount;
	smc_mib_inc(NULL, SMC_MIB_RMB_ALLOC);
	err = rmb_map_all(lgr, rmb);
	if (!err)
		return rmb;
	rmb_uncount(lgr, rmb);
	rmb_free(rmb);
	return ERR_PTR(err);
uncount:
	rmb_uncount(lgr, rmb);
free:
	kfree(rmb);
	return ERR_PTR(err);
}

/** smc_rmb_insert - put an RMB into the group's list */
void smc_rmb_insert(struct smc_lgr *lgr, struct smc_rmb *rmb)
{
	spin_lock_bh(&lgr->lock);
	list_add_tail(&rmb->list, &lgr->rmbs.list);
	lgr->rmbs.n++;
	spin_unlock_bh(&lgr->lock);
}

static void rmb_add_elements(struct smc_rmbs *r, const struct smc_rmb *rmb)
{
	/* the element of the first RMB may already be quarantined */
	r->free[rmb->code] += rmb->n_elems - rmb->n_used - rmb->n_dirty;
	r->total[rmb->code] += rmb->n_elems;
}

static void rmb_take_elements(struct smc_rmbs *r, const struct smc_rmb *rmb)
{
	r->free[rmb->code] -= rmb->n_elems - rmb->n_dirty;
	r->total[rmb->code] -= rmb->n_elems;
}

/* Only this function writes the state. The caller frees an RMB in
 * state GONE.
 */
static void rmb_step(struct smc_lgr *lgr, struct smc_rmb *rmb,
		     enum smc_rmb_event ev)
{
	const struct smc_fsm_cell *cell;

	lockdep_assert_held(&lgr->lock);
	cell = smc_fsm_step(&smc_rmb_fsm, &rmb->state, ev);
	WARN_ON_ONCE(cell->kind == SMC_FSM_VIOLATION);
	switch ((enum smc_rmb_action)cell->action) {
	case SMC_RMB_DO_NOTHING:
		break;
	case SMC_RMB_DO_ADD_ELEMENTS:
		rmb_add_elements(&lgr->rmbs, rmb);
		break;
	case SMC_RMB_DO_TAKE_ELEMENTS:
		rmb_take_elements(&lgr->rmbs, rmb);
		break;
	case SMC_RMB_DO_REMOVE:
		list_del(&rmb->list);
		lgr->rmbs.n--;
		break;
	}
}

static void rmb_drop(struct smc_lgr *lgr, struct smc_rmb *rmb)
{
	if (rmb->n_dirty)
		smc_quarantine_forget(lgr, rmb);
	rmb_uncount(lgr, rmb);
	rmb_free(rmb);
}

static void rmb_event(struct smc_lgr *lgr, struct smc_rmb *rmb,
		      enum smc_rmb_event ev)
{
	spin_lock_bh(&lgr->lock);
	rmb_step(lgr, rmb, ev);
	spin_unlock_bh(&lgr->lock);
	if (rmb->state == SMC_RMB_GONE)
		rmb_drop(lgr, rmb);
}

void smc_rmb_init(struct smc_rmbs *r)
{
	INIT_LIST_HEAD(&r->list);
	INIT_LIST_HEAD(&r->heard);
	r->quarantine = RB_ROOT;
}

/*
 * A message that still arrives needs the region: without a sync the CPU would
 * not see the bytes that the message announces.
 */
static bool rmb_region_needed(const struct smc_mr *mr,
			      const struct smc_link *link)
{
	return smc_mr_needs_sync(mr) && !smc_link_stopped(link);
}

/**
 * smc_rmb_drop_link - free the memory regions of a link that sends no more
 * @lgr: group
 * @link: link that was buried
 *
 * Keeps a region that messages may still need. The worker calls this function
 * again when the link has stopped. Context: worker or end work, may sleep.
 */
void smc_rmb_drop_link(struct smc_lgr *lgr, struct smc_link *link)
{
	struct smc_rmb *rmb;
	struct smc_mr *mr;

	/*
	 * an answer that arrives later must not count for the next link in this
	 * slot
	 */
	lgr->rmbs.telling &= ~BIT(link->slot);
	/* nobody else changes the list: the end work starts after the worker */
	list_for_each_entry(rmb, &lgr->rmbs.list, list) {
		mr = rmb->tok[link->slot].mr;
		if (!mr || rmb_region_needed(mr, link))
			continue;
		/* smc_rmb_written() may be using it */
		spin_lock_bh(&lgr->lock);
		rmb->tok[link->slot].mr = NULL;
		spin_unlock_bh(&lgr->lock);
		smc_mr_free_quiet(mr);
	}
	/* a handshake that waits for a key on this link must look for a link
	 * again
	 */
	smc_waiters_wake_all(lgr);
}

/**
 * smc_rmb_free_all - free all RMBs; the group has no users any more
 * @lgr: group
 */
void smc_rmb_free_all(struct smc_lgr *lgr)
{
	struct smc_rmb *rmb, *next;

	list_for_each_entry_safe(rmb, next, &lgr->rmbs.list, list)
		rmb_drop(lgr, rmb);
}

/**
 * smc_rmb_open - let the peer write to the first RMB, after smc_link_start()
 * @lgr: group; does nothing if it has none, because in-host bytes move by
 *	reference
 * @link: first link of the group
 */
int smc_rmb_open(struct smc_lgr *lgr, struct smc_link *link)
{
	struct smc_rmb *rmb = list_first_entry_or_null(&lgr->rmbs.list,
						       struct smc_rmb, list);
	int err;

	if (!rmb)
		return 0;
	err = smc_rmb_register(lgr, rmb, link->slot);
	if (err)
		return err;
	/* Accept or Confirm tells this key */
	smc_rmb_tell(lgr, rmb, BIT(link->slot));
	rmb_event(lgr, rmb, SMC_RMB_EV_OPEN);
	return 0;
}

/* ---- growing ---- */

/* The worker asks a device that is busy again after this time. */
#define GROW_AGAIN_MS	50

static u32 rmb_max_pages(struct smc_lgr *lgr)
{
	struct smc_link *link;
	u32 max = U32_MAX;
	int i;

	smc_link_for_each(lgr, i, link)
		max = min(max, smc_mr_max_pages(link->ep));
	return max;
}

static unsigned int rmb_growth(struct smc_lgr *lgr, u8 code)
{
	unsigned int n;

	spin_lock_bh(&lgr->lock);
	n = max(lgr->rmbs.total[code],
		smc_waiters_count(lgr, code, SMC_RMBES_PER_RMB_MAX));
	spin_unlock_bh(&lgr->lock);
	return smc_rmb_size_growth(SMC_RMBE_MIN_BYTES << code, n,
				   rmb_max_pages(lgr), PAGE_SIZE);
}

/*
 * Notifies as many waiting handshakes as there are free elements, and orders
 * more elements for the others. A failure concerns only handshakes that want
 * this size. Orders for other sizes remain.
 */
void smc_rmb_grown(struct smc_lgr *lgr, u8 code, int err)
{
	if (err) {
		smc_waiters_fail(lgr, code, err);
		return;
	}
	if (!smc_waiters_offer(lgr, code))
		return;
	spin_lock_bh(&lgr->lock);
	__set_bit(code, &lgr->rmbs.wanted);
	spin_unlock_bh(&lgr->lock);
}

/*
 * The device works but has not been asked, so the waiting handshakes go on
 * waiting. They have a deadline of their own. Without them nobody needs the
 * RMB.
 */
static void rmb_grow_later(struct smc_lgr *lgr, u8 code)
{
	spin_lock_bh(&lgr->lock);
	if (smc_waiters_count(lgr, code, 1)) {
		__set_bit(code, &lgr->rmbs.wanted);
		smc_lgr_deadline_locked(lgr, SMC_LGR_DL_RKEY_AGAIN,
					GROW_AGAIN_MS);
	}
	spin_unlock_bh(&lgr->lock);
}

/*
 * Has a device too much to do? Then the worker should not wait for it: many
 * groups may grow at once, and their workers share a queue.
 */
static bool rmb_device_is_crowded(struct smc_lgr *lgr)
{
	struct smc_link *link;
	int i;

	smc_link_for_each(lgr, i, link)
		if (smc_call_crowded(link->choice.port))
			return true;
	return false;
}

void smc_rmb_grow(struct smc_lgr *lgr, u8 code)
{
	struct smc_rmb *rmb = ERR_PTR(-ENOMEM);
	unsigned int n;

	/*
	 * The limit was reached after the order. The waiting handshakes look
	 * for a group again: a server takes another group, and a client
	 * declines.
	 */
	if (READ_ONCE(lgr->rmbs.n) >= SMC_RMBS_PER_LGR_MAX) {
		smc_waiters_wake_all(lgr);
		return;
	}
	if (rmb_device_is_crowded(lgr)) {
		rmb_grow_later(lgr, code);
		return;
	}
	for (n = rmb_growth(lgr, code); n; n /= 2) {
		rmb = smc_rmb_alloc(lgr, code, n);
		if (!IS_ERR(rmb) || smc_rmb_may_pass(PTR_ERR(rmb)))
			break;
	}
	if (PTR_ERR(rmb) == -EAGAIN) {
		rmb_grow_later(lgr, code);
		return;
	}
	if (IS_ERR(rmb)) {
		smc_rmb_grown(lgr, code, -ENOMEM);
		return;
	}
	smc_rmb_insert(lgr, rmb);
	rmb_event(lgr, rmb, SMC_RMB_EV_ANNOUNCE);
}

/**
 * smc_rmb_announced - the peer has answered CONFIRM RKEY, or the message cannot
 * be sent
 * @lgr: group
 * @rmb: RMB
 * @ok: the peer took the keys
 *
 * Context: worker.
 */
void smc_rmb_announced(struct smc_lgr *lgr, struct smc_rmb *rmb, bool ok)
{
	bool fresh = rmb->state == SMC_RMB_ANNOUNCING;
	u8 code = rmb->code;

	/* R-A.3.5-07 */
	rmb_event(lgr, rmb, ok ? SMC_RMB_EV_TAKEN : SMC_RMB_EV_REFUSED);
	if (fresh)
		smc_rmb_grown(lgr, code, ok ? 0 : -ENOMEM);
	/* the announcement was only about keys on a new link: the RMB is
	 * already in use
	 */
	else
		smc_waiters_wake_all(lgr);
}

/* ---- freeing unused RMBs ---- */

/**
 * smc_rmb_revoked - the peer has answered DELETE RKEY; runs in the worker
 * @lgr: group
 * @rmb: RMB
 *
 * The RMB is freed even if the answer is negative (R-A.3.7-04).
 */
void smc_rmb_revoked(struct smc_lgr *lgr, struct smc_rmb *rmb)
{
	rmb_event(lgr, rmb, SMC_RMB_EV_REVOKED);
}

static bool rmb_unused(const struct smc_rmb *rmb)
{
	return rmb->state == SMC_RMB_READY && !rmb->n_used;
}

/** smc_rmb_idle_max - ms until an idle RMB is freed; lgr->lock held */
unsigned int smc_rmb_idle_max(const struct smc_lgr *lgr)
{
	lockdep_assert_held(&lgr->lock);
	return lgr->members.n ? SMC_RMB_IDLE_MS : SMC_RMB_LEFT_MS;
}

/** smc_rmb_alone - the last connection has left; lgr->lock held */
void smc_rmb_alone(struct smc_lgr *lgr)
{
	lockdep_assert_held(&lgr->lock);
	if (lgr->mail.deadline[SMC_LGR_DL_RMB_IDLE])
		smc_lgr_deadline_locked(lgr, SMC_LGR_DL_RMB_IDLE,
					smc_rmb_idle_max(lgr));
}

/* Returns the milliseconds until @rmb may be freed as idle, 0 for now. */
static unsigned int rmb_idle_left(const struct smc_lgr *lgr,
				  const struct smc_rmb *rmb)
{
	unsigned int idle = jiffies_to_msecs(jiffies - rmb->idle_since);
	unsigned int max = smc_rmb_idle_max(lgr);

	return idle < max ? max - idle : 0;
}

/*
 * Returns the RMB that an idle group keeps: the smallest one, if it has one
 * element. The value of SMC_LGR_IDLE_MAX assumes this size.
 */
static struct smc_rmb *rmb_to_keep(struct smc_lgr *lgr)
{
	struct smc_rmb *rmb, *keep = NULL;

	lockdep_assert_held(&lgr->lock);
	list_for_each_entry(rmb, &lgr->rmbs.list, list)
		if (rmb->n_elems == 1 && (!keep || rmb->code < keep->code))
			keep = rmb;
	return keep;
}

/*
 * Finds an RMB to free. Either all elements that were used are quarantined, or
 * the RMB has been idle for long enough and is not the one to keep.
 */
struct smc_rmb *smc_rmb_find_unused(struct smc_lgr *lgr)
{
	struct smc_rmb *rmb, *keep, *found = NULL;
	unsigned int left, next = 0;

	spin_lock_bh(&lgr->lock);
	keep = rmb_to_keep(lgr);
	list_for_each_entry(rmb, &lgr->rmbs.list, list) {
		if (!rmb_unused(rmb) || (!rmb->n_dirty && rmb == keep))
			continue;
		left = rmb->n_dirty ? 0 : rmb_idle_left(lgr, rmb);
		if (!left) {
			found = rmb;
			break;
		}
		next = next ? min(next, left) : left;
	}
	if (found) {
		rmb_step(lgr, found, SMC_RMB_EV_UNUSED);
	} else if (next) {
		/* the deadline that expired belonged to another RMB */
		smc_lgr_deadline_locked(lgr, SMC_LGR_DL_RMB_IDLE, next);
	}
	spin_unlock_bh(&lgr->lock);
	return found;
}

int smc_rmb_take_wanted(struct smc_lgr *lgr)
{
	unsigned long wanted;
	int code;

	spin_lock_bh(&lgr->lock);
	wanted = lgr->rmbs.wanted;
	code = wanted ? __ffs(wanted) : -1;
	if (wanted)
		__clear_bit(code, &lgr->rmbs.wanted);
	spin_unlock_bh(&lgr->lock);
	return code;
}

/* Must a key of @rmb still be announced to the peer, on at least one link? */
bool smc_rmb_untold(struct smc_lgr *lgr, const struct smc_rmb *rmb)
{
	struct smc_link *link;
	int i;

	if (rmb->state == SMC_RMB_ANNOUNCING)
		return true;
	if (rmb->state != SMC_RMB_READY)
		return false;
	smc_link_for_each(lgr, i, link)
		if (link->state == SMC_LINK_ACTIVE &&
		    !(rmb->told & BIT(link->slot)))
			return true;
	return false;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * RMBs of a group (RFC 7609 2.1, 4.1 to 4.4; D5): their memory, its
 * registration on each link, and the elements, which are handed out under
 * lgr->lock. The first RMB of a group is made by the first contact and announced
 * by its Accept or Confirm.
 */
#include <linux/bitmap.h>
#include <linux/highmem.h>
#include <linux/log2.h>
#include <linux/slab.h>
#include "../base/mib.h"
#include "lgr_priv.h"

u32 smc_rmb_round(u32 bytes)
{
	u32 max = SMC_RMBE_MIN_BYTES << SMC_RMBE_CODE_SENT_MAX;

	if (bytes <= SMC_RMBE_MIN_BYTES)
		return SMC_RMBE_MIN_BYTES;
	return bytes >= max ? max : roundup_pow_of_two(bytes);
}

u8 smc_rmb_size_code(u32 size)
{
	return ilog2(size / SMC_RMBE_MIN_BYTES);
}

/** smc_rmb_elem_size - bytes of one element */
u32 smc_rmb_elem_size(const struct smc_rmb *rmb)
{
	return SMC_RMBE_MIN_BYTES << rmb->code;
}

/* ---- memory ---- */

static void mem_free(struct smc_mem *mem)
{
	u32 i;

	for (i = 0; i < mem->n_pages; i++)
		__free_page(mem->pages[i]);
	kvfree(mem->pages);
}

static int mem_alloc(struct smc_mem *mem, u64 len)
{
	u32 n = PAGE_ALIGN(len) >> PAGE_SHIFT;

	mem->pages = kvcalloc(n, sizeof(*mem->pages), GFP_KERNEL);
	if (!mem->pages)
		return -ENOMEM;
	mem->len = len;
	for (mem->n_pages = 0; mem->n_pages < n; mem->n_pages++) {
		struct page *page = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO |
					       __GFP_NOWARN);

		if (!page) {
			mem_free(mem);
			return -ENOMEM;
		}
		mem->pages[mem->n_pages] = page;
	}
	return 0;
}

/** smc_rmb_free - an RMB in no list; may sleep */
void smc_rmb_free(struct smc_rmb *rmb)
{
	int i;

	for (i = 0; i < SMC_LINK_SLOTS; i++)
		if (rmb->tok[i].mr)
			smc_mr_free(rmb->tok[i].mr);
	mem_free(&rmb->mem);
	kfree(rmb);
	smc_mib_inc(NULL, SMC_MIB_RMB_FREE);
}

/**
 * smc_rmb_map - reserve keys of an RMB on a link, if it has none there
 * @rmb: RMB
 * @link: link; not usable by the peer before smc_mr_register()
 *
 * R-2.1-06: each link has its own registration. Context: worker or creator, may
 * sleep. Return: 0 or negative errno.
 */
int smc_rmb_map(struct smc_rmb *rmb, struct smc_link *link)
{
	struct smc_mr *mr;

	if (rmb->tok[link->slot].mr)
		return 0;
	mr = smc_mr_alloc(link->ep, &rmb->mem);
	if (IS_ERR(mr))
		return PTR_ERR(mr);
	rmb->tok[link->slot].mr = mr;
	rmb->tok[link->slot].rkey = smc_mr_rkey(mr);
	rmb->tok[link->slot].addr = smc_mr_addr(mr);
	return 0;
}

/**
 * smc_rmb_register - let the peer write by the key on a link
 * @lgr: group
 * @rmb: RMB with a key there, see smc_rmb_map()
 * @slot: of the link
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

/** smc_rmb_tell - the peer knows the keys on these slots; worker or creator */
void smc_rmb_tell(struct smc_lgr *lgr, struct smc_rmb *rmb, u8 slots)
{
	spin_lock_bh(&lgr->lock);
	rmb->told |= slots;
	spin_unlock_bh(&lgr->lock);
}

/** smc_rmbs_forget - another link gets this slot; lgr->lock held */
void smc_rmbs_forget(struct smc_lgr *lgr, u8 slot)
{
	struct smc_rmb *rmb;

	lockdep_assert_held(&lgr->lock);
	list_for_each_entry(rmb, &lgr->rmbs.list, list) {
		rmb->opened &= ~BIT(slot);
		rmb->told &= ~BIT(slot);
		/* the device may give these to somebody else */
		rmb->tok[slot].rkey = 0;
		rmb->tok[slot].addr = 0;
	}
}

static int map_all(struct smc_lgr *lgr, struct smc_rmb *rmb)
{
	struct smc_link *link;
	int err = 0;
	int i;

	smc_links_for_each(lgr, i, link)
		if (!err && link->state <= SMC_LINK_ACTIVE)
			err = smc_rmb_map(rmb, link);
	return err;
}

/**
 * smc_rmb_alloc - memory with keys on all links, in no list
 * @lgr: group
 * @code: size code
 * @n_elems: elements
 *
 * Context: worker or creator, may sleep. Return: RMB or NULL.
 */
struct smc_rmb *smc_rmb_alloc(struct smc_lgr *lgr, u8 code,
			      unsigned int n_elems)
{
	struct smc_rmb *rmb = kzalloc(sizeof(*rmb), GFP_KERNEL);

	if (!rmb)
		return NULL;
	rmb->code = code;
	rmb->n_elems = n_elems;
	rmb->idle_since = jiffies;
	INIT_LIST_HEAD(&rmb->list);
	if (mem_alloc(&rmb->mem, (u64)smc_rmb_elem_size(rmb) * n_elems)) {
		kfree(rmb);
		return NULL;
	}
	smc_mib_inc(NULL, SMC_MIB_RMB_ALLOC);
	if (map_all(lgr, rmb)) {
		smc_rmb_free(rmb);
		return NULL;
	}
	return rmb;
}

/** smc_rmb_insert - into the group's list */
void smc_rmb_insert(struct smc_lgr *lgr, struct smc_rmb *rmb)
{
	spin_lock_bh(&lgr->lock);
	list_add_tail(&rmb->list, &lgr->rmbs.list);
	lgr->rmbs.n++;
	spin_unlock_bh(&lgr->lock);
}

/** smc_rmb_remove - out of the group's list, and freed; worker */
void smc_rmb_remove(struct smc_lgr *lgr, struct smc_rmb *rmb)
{
	spin_lock_bh(&lgr->lock);
	list_del(&rmb->list);
	lgr->rmbs.n--;
	rmb->state = SMC_RMB_GONE;
	spin_unlock_bh(&lgr->lock);
	smc_rmb_free(rmb);
}

/** smc_rmb_ready - its elements may be handed out; lgr->lock held */
void smc_rmb_ready(struct smc_lgr *lgr, struct smc_rmb *rmb)
{
	lockdep_assert_held(&lgr->lock);
	rmb->state = SMC_RMB_READY;
	/* the first RMB's element may have been given back already, unclean */
	lgr->rmbs.free[rmb->code] += rmb->n_elems - rmb->n_used - rmb->n_dirty;
	lgr->rmbs.total[rmb->code] += rmb->n_elems;
}

void smc_rmbs_init(struct smc_rmbs *r)
{
	INIT_LIST_HEAD(&r->list);
}

/**
 * smc_rmbs_drop_link - the link is closed: its keys open nothing any more
 * @lgr: group
 * @link: link
 *
 * Context: worker, may sleep.
 */
void smc_rmbs_drop_link(struct smc_lgr *lgr, struct smc_link *link)
{
	struct smc_rmb *rmb;

	/* an answer under way tells nothing of who takes the place */
	lgr->rkey.told &= ~BIT(link->slot);
	/* only the worker changes the list, and it is here */
	list_for_each_entry(rmb, &lgr->rmbs.list, list) {
		if (rmb->tok[link->slot].mr)
			smc_mr_free(rmb->tok[link->slot].mr);
		rmb->tok[link->slot].mr = NULL;
	}
	/* who waits for a key there waits in vain */
	smc_contact_wake_all(lgr);
}

/**
 * smc_rmbs_destroy - free everything; the group has no users any more
 * @lgr: group
 */
void smc_rmbs_destroy(struct smc_lgr *lgr)
{
	struct smc_rmb *rmb, *next;

	list_for_each_entry_safe(rmb, next, &lgr->rmbs.list, list)
		smc_rmb_free(rmb);
}

/* ---- elements ---- */

static void take_elem(struct smc_rmb *rmb, const struct smc_link *link,
		      unsigned int bit, struct smc_rmbe *e)
{
	__set_bit(bit, rmb->used);
	rmb->n_used++;
	e->rmb = rmb;
	e->idx = bit + 1;
	e->size = smc_rmb_elem_size(rmb);
	e->pages = rmb->mem.pages;
	e->first = bit * (e->size >> PAGE_SHIFT);
	e->rkey = rmb->tok[link->slot].rkey;
	e->addr = rmb->tok[link->slot].addr;
}

/**
 * smc_rmb_first - the group's first RMB, for the connection of first contact
 * @lgr: group
 * @link: its link
 * @size: bytes
 * @e: element
 *
 * One element: never larger than needed (D5). Context: creator, may sleep.
 */
int smc_rmb_first(struct smc_lgr *lgr, const struct smc_link *link, u32 size,
		  struct smc_rmbe *e)
{
	u8 code = smc_rmb_size_code(smc_rmb_round(size));
	struct smc_rmb *rmb = smc_rmb_alloc(lgr, code, 1);

	if (!rmb)
		return -ENOMEM;
	rmb->state = SMC_RMB_NEW;
	take_elem(rmb, link, 0, e);
	smc_rmb_insert(lgr, rmb);
	return 0;
}

/**
 * smc_rmb_open - let the peer write to the first RMB; after smc_link_start()
 * @lgr: group
 * @link: its first link
 */
int smc_rmb_open(struct smc_lgr *lgr, struct smc_link *link)
{
	struct smc_rmb *rmb = list_first_entry(&lgr->rmbs.list, struct smc_rmb,
					       list);
	int err = smc_rmb_register(lgr, rmb, link->slot);

	if (err)
		return err;
	smc_rmb_tell(lgr, rmb, BIT(link->slot));	/* by Accept or Confirm */
	spin_lock_bh(&lgr->lock);
	smc_rmb_ready(lgr, rmb);
	spin_unlock_bh(&lgr->lock);
	return 0;
}

/**
 * smc_rmbs_full - no element of @size bytes is left and there will be none
 * @lgr: group, its lock held
 * @size: bytes
 */
bool smc_rmbs_full(const struct smc_lgr *lgr, u32 size)
{
	u8 code = smc_rmb_size_code(smc_rmb_round(size));

	lockdep_assert_held(&lgr->lock);
	return !lgr->rmbs.free[code] && lgr->rmbs.n >= SMC_RMBS_PER_LGR_MAX;
}

static bool has_free(const struct smc_rmb *rmb, u8 code)
{
	return rmb->state == SMC_RMB_READY && rmb->code == code &&
	       rmb->n_used + rmb->n_dirty < rmb->n_elems;
}

/* Its keys on this slot are told, or were as long as the link was there. */
static bool usable(const struct smc_rmb *rmb, u8 slot)
{
	return rmb->told & rmb->opened & BIT(slot);
}

/** smc_rmbs_free - is there a free element that any link may name? worker */
bool smc_rmbs_free(struct smc_lgr *lgr, u8 code)
{
	struct smc_link *link;
	struct smc_rmb *rmb;
	bool found = false;
	bool all;
	int i;

	spin_lock_bh(&lgr->lock);
	list_for_each_entry(rmb, &lgr->rmbs.list, list) {
		all = has_free(rmb, code);
		smc_links_for_each(lgr, i, link)
			if (link->state == SMC_LINK_ACTIVE && !usable(rmb, i))
				all = false;
		found |= all;
	}
	spin_unlock_bh(&lgr->lock);
	return found;
}

/*
 * Take an element whose key on @link can be named. Return: 0, -EAGAIN: there
 * will be one, -ENOBUFS: none is left, -ENOLINK: the link went before there was
 * a key.
 */
static int find_elem(struct smc_lgr *lgr, const struct smc_link *link, u8 code,
		     struct smc_rmbe *e)
{
	struct smc_rmb *rmb;
	int err = -ENOBUFS;

	lockdep_assert_held(&lgr->lock);
	list_for_each_entry(rmb, &lgr->rmbs.list, list) {
		if (!has_free(rmb, code))
			continue;
		if (usable(rmb, link->slot)) {
			take_elem(rmb, link, find_first_zero_bit(rmb->used,
								 rmb->n_elems),
				  e);
			return 0;
		}
		if (READ_ONCE(link->state) > SMC_LINK_ACTIVE)
			err = -ENOLINK;
		else if (!(rmb->told & BIT(link->slot)))
			err = -EAGAIN;	/* the link is new */
	}
	return err;
}

/**
 * smc_rmbe_get - take a free element of @size bytes
 * @lgr: group
 * @link: that Accept or Confirm will name
 * @size: bytes
 * @e: element
 *
 * Context: BH safe. Return: 0, -EAGAIN: none is free: wait on the group, order
 * one with smc_rmb_want() and send event RMB (a group that is ending refuses
 * that: find another), -ENOSPC: the group may not have more RMBs, -ENOLINK: the
 * link has gone.
 */
int smc_rmbe_get(struct smc_lgr *lgr, const struct smc_link *link, u32 size,
		 struct smc_rmbe *e)
{
	u8 code = smc_rmb_size_code(smc_rmb_round(size));
	struct smc_rmbs *r = &lgr->rmbs;
	bool low = false;
	int err = -EAGAIN;

	spin_lock_bh(&lgr->lock);
	if (!smc_lgr_usable(lgr))	/* its keys are going */
		goto out;
	if (!smc_links_owns(lgr, link->slot, link->uid)) {
		err = -ENOLINK;
		goto out;
	}
	err = find_elem(lgr, link, code, e);
	/* in use for a while: have the next ones before they lack */
	if (!err)
		low = !--r->free[code] && r->total[code] > 1;
	if (err == -ENOBUFS)
		err = r->n < SMC_RMBS_PER_LGR_MAX ? -EAGAIN : -ENOSPC;
	if (low)
		__set_bit(code, &r->wanted);
out:
	spin_unlock_bh(&lgr->lock);
	if (low)
		smc_lgr_event(lgr, SMC_LGR_EVB_RMB);
	return err;
}

/**
 * smc_rmb_want - order an element for one who waits; event RMB has to follow
 * @lgr: group, its lock held since the contact was queued
 * @size: bytes
 *
 * Who is queued without an order of his own may wait in vain: the worker may
 * have answered all orders between his look for an element and his queueing.
 */
void smc_rmb_want(struct smc_lgr *lgr, u32 size)
{
	lockdep_assert_held(&lgr->lock);
	__set_bit(smc_rmb_size_code(smc_rmb_round(size)), &lgr->rmbs.wanted);
}

static void wipe(const struct smc_rmbe *e, u32 used)
{
	u32 i = e->first;

	for (used = min(used, e->size); used; i++) {
		u32 n = min_t(u32, used, PAGE_SIZE);

		memzero_page(e->pages[i], 0, n);
		used -= n;
	}
}

void smc_rmbe_put(struct smc_lgr *lgr, struct smc_rmbe *e, u32 used, bool clean)
{
	struct smc_rmb *rmb = e->rmb;
	bool idle, retire, wake;
	u8 code = rmb->code;

	if (clean)	/* R-4.4.1-03: before it can be taken again */
		wipe(e, used);
	spin_lock_bh(&lgr->lock);
	rmb->n_used--;
	if (clean) {
		__clear_bit(e->idx - 1, rmb->used);
		if (rmb->state == SMC_RMB_READY)
			lgr->rmbs.free[rmb->code]++;
	} else {
		rmb->n_dirty++;
	}
	/* the worker may be busy for long before it answers their orders */
	wake = clean && rmb->state == SMC_RMB_READY &&
	       !list_empty(&lgr->waiters);
	idle = !rmb->n_used;
	retire = idle && rmb->n_dirty;
	if (idle)
		rmb->idle_since = jiffies;
	/* the first that is idle sets the time: others must not put it off */
	if (idle && !lgr->deadline[SMC_LGR_DL_RMB_IDLE])
		smc_lgr_deadline_locked(lgr, SMC_LGR_DL_RMB_IDLE,
					SMC_RMB_IDLE_MS);
	spin_unlock_bh(&lgr->lock);
	if (!clean)
		smc_mib_inc(NULL, SMC_MIB_RMBE_QUARANTINE);
	e->rmb = NULL;
	if (wake)
		smc_contact_wake_one(lgr, code);
	if (retire)
		smc_lgr_event(lgr, SMC_LGR_EVB_RMB);
}

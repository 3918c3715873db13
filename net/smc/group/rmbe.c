// SPDX-License-Identifier: GPL-2.0
/*
 * Elements of RMBs (RFC 7609 2.1, 4.4): connections take elements under
 * lgr->lock. When a connection returns an element, this file wipes or
 * quarantines it.
 */
#include <linux/bitmap.h>
#include <linux/highmem.h>
#include <linux/log2.h>
#include <linux/slab.h>
#include "../base/mib.h"
#include "quarantine.h"
#include "lgr.h"
#include "lgr_types.h"
#include "link.h"
#include "link_types.h"
#include "rmb.h"
#include "rmb_size.h"
#include "rmb_types.h"
#include "rmbe.h"
#include "waiters.h"

u32 smc_rmbe_round(u32 bytes)
{
	static_assert(SMC_RMBE_MIN_BYTES << SMC_RMBE_CODE_SENT_MAX >= PAGE_SIZE);
	return smc_rmb_size_round(bytes, PAGE_SIZE);
}

u8 smc_rmbe_size_code(u32 size)
{
	return ilog2(size / SMC_RMBE_MIN_BYTES);
}

static void rmbe_take(struct smc_rmb *rmb, const struct smc_link *link,
		      unsigned int bit, struct smc_rmbe *e)
{
	__set_bit(bit, rmb->used);
	rmb->n_used++;
	e->rmb = rmb;
	e->idx = bit + 1;
	e->size = smc_rmb_elem_size(rmb);
	e->pages = rmb->mem->pages;
	e->first = smc_rmb_size_pages(e->size, bit, PAGE_SIZE);
	e->rkey = rmb->tok[link->slot].rkey;
	e->addr = rmb->tok[link->slot].addr;
}

/** smc_rmbe_offset - offset of an element in its RMB, in bytes */
u64 smc_rmbe_offset(const struct smc_rmbe *e)
{
	return (u64)(e->idx - 1) * e->size;
}

/*
 * Writes the eye catcher if the group has one (R-4.4.1-04). The peer does not
 * know the element yet.
 */
static void rmbe_mark(struct smc_lgr *lgr, const struct smc_rmbe *e)
{
	u8 len = smc_lgr_eye_len(lgr);

	lockdep_assert_held(&lgr->lock);
	if (!len)
		return;
	memcpy_to_page(e->pages[e->first], 0, SMC_RMBE_EYE, len);
	smc_rmb_written(lgr, e->rmb, smc_rmbe_offset(e), len);
}

/**
 * smc_rmbe_first - create the group's first RMB, for the connection of first
 * contact
 * @lgr: group
 * @link: first link of the group
 * @size: bytes
 * @e: element
 *
 * The RMB has one element, because more may never be needed. Context: creator,
 * may sleep.
 */
int smc_rmbe_first(struct smc_lgr *lgr, const struct smc_link *link, u32 size,
		   struct smc_rmbe *e)
{
	u8 code = smc_rmbe_size_code(smc_rmbe_round(size));
	struct smc_rmb *rmb = smc_rmb_alloc(lgr, code, 1);

	if (IS_ERR(rmb))
		return -ENOMEM;
	rmbe_take(rmb, link, 0, e);
	smc_rmb_insert(lgr, rmb);
	spin_lock_bh(&lgr->lock);
	rmbe_mark(lgr, e);
	spin_unlock_bh(&lgr->lock);
	return 0;
}

/**
 * smc_rmbe_full - is every element of @size bytes in use, and a further RMB not
 * allowed?
 * @lgr: group, its lock held
 * @size: bytes
 */
bool smc_rmbe_full(const struct smc_lgr *lgr, u32 size)
{
	u8 code = smc_rmbe_size_code(smc_rmbe_round(size));

	lockdep_assert_held(&lgr->lock);
	return !lgr->rmbs.free[code] && lgr->rmbs.n >= SMC_RMBS_PER_LGR_MAX;
}

static bool rmb_has_free(const struct smc_rmb *rmb, u8 code)
{
	return rmb->state == SMC_RMB_READY && rmb->code == code &&
	       rmb->n_used + rmb->n_dirty < rmb->n_elems;
}

/*
 * Returns true if the peer knows, or knew, the key of @rmb on the link that
 * uses this slot or used it last.
 */
static bool rmb_usable(const struct smc_rmb *rmb, u8 slot)
{
	return rmb->told & rmb->opened & BIT(slot);
}

/** smc_rmbe_any_free - is an element free that all links can use? Worker */
bool smc_rmbe_any_free(struct smc_lgr *lgr, u8 code)
{
	struct smc_link *link;
	struct smc_rmb *rmb;
	bool found = false;
	bool all;
	int i;

	spin_lock_bh(&lgr->lock);
	/* promised elements are not available */
	if (lgr->rmbs.free[code] <= lgr->rmbs.promised[code])
		goto out;
	list_for_each_entry(rmb, &lgr->rmbs.list, list) {
		all = rmb_has_free(rmb, code);
		smc_link_for_each(lgr, i, link)
			if (link->state == SMC_LINK_ACTIVE && !rmb_usable(rmb, i))
				all = false;
		found |= all;
	}
out:
	spin_unlock_bh(&lgr->lock);
	return found;
}

/*
 * Takes an element whose key on @link the peer knows. Return: 0; -EAGAIN: an
 * exchange will announce such a key; -ENOBUFS: no element is free; -ENOLINK:
 * the link failed before the peer knew the key.
 */
static int rmbe_find(struct smc_lgr *lgr, const struct smc_link *link, u8 code,
		     struct smc_rmbe *e)
{
	struct smc_rmb *rmb;
	int err = -ENOBUFS;

	lockdep_assert_held(&lgr->lock);
	list_for_each_entry(rmb, &lgr->rmbs.list, list) {
		if (!rmb_has_free(rmb, code))
			continue;
		if (rmb_usable(rmb, link->slot)) {
			rmbe_take(rmb, link, find_first_zero_bit(rmb->used,
								 rmb->n_elems),
				  e);
			return 0;
		}
		if (READ_ONCE(link->state) > SMC_LINK_ACTIVE)
			err = -ENOLINK;
		else if (!(rmb->told & BIT(link->slot)))
			/* the link is new, and an exchange will announce the
			 * key
			 */
			err = -EAGAIN;
	}
	return err;
}

/**
 * smc_rmbe_get - take a free element of @size bytes
 * @lgr: group
 * @link: link that Accept or Confirm will name
 * @size: bytes
 * @e: element
 *
 * Context: BH safe. Return: 0. -EAGAIN: no element is free: the caller queues
 * the contact, orders an element with smc_rmbe_want() and sends event RMB; if
 * the group is ending, it finds another group. -ENOSPC: the group may not have
 * more RMBs. -ENOLINK: the link is down.
 */
int smc_rmbe_get(struct smc_lgr *lgr, const struct smc_link *link, u32 size,
		 struct smc_rmbe *e)
{
	u8 code = smc_rmbe_size_code(smc_rmbe_round(size));
	struct smc_rmbs *r = &lgr->rmbs;
	bool low = false;
	int err = -EAGAIN;

	spin_lock_bh(&lgr->lock);
	/* the group ends, and its keys end with it */
	if (!smc_lgr_usable(lgr))
		goto out;
	if (!smc_link_owns(lgr, link->slot, link->uid)) {
		err = -ENOLINK;
		goto out;
	}
	err = rmbe_find(lgr, link, code, e);
	/* the caller takes the last free element: order more for the next
	 * handshake
	 */
	if (!err) {
		low = !--r->free[code] && r->total[code] > 1;
		rmbe_mark(lgr, e);
	}
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
 * smc_rmbe_want - order an element for a waiting contact, before the caller
 * sends event RMB
 * @lgr: group, its lock held since the contact was queued
 * @size: bytes
 *
 * Every contact that waits needs an order of its own. The worker may have
 * served all earlier orders between the contact's search for an element and its
 * place in the queue.
 */
void smc_rmbe_want(struct smc_lgr *lgr, u32 size)
{
	lockdep_assert_held(&lgr->lock);
	__set_bit(smc_rmbe_size_code(smc_rmbe_round(size)), &lgr->rmbs.wanted);
}

/**
 * smc_rmbe_borrow - take a free element, or order one
 * @lgr: group
 * @link: link over which the peer will get the key
 * @size: bytes
 * @e: output: element
 *
 * Context: BH safe. Return: false if there is no element yet.
 */
bool smc_rmbe_borrow(struct smc_lgr *lgr, const struct smc_link *link, u32 size,
		     struct smc_rmbe *e)
{
	int err = smc_rmbe_get(lgr, link, size, e);

	if (err == -EAGAIN) {
		spin_lock_bh(&lgr->lock);
		smc_rmbe_want(lgr, size);
		spin_unlock_bh(&lgr->lock);
		smc_lgr_event(lgr, SMC_LGR_EVB_RMB);
	}
	return !err;
}

/*
 * Returns the region of the element on @link, or NULL. The endpoint of @link
 * calls this function, so a region of @link that needs syncs exists until the
 * function returns. If another link has the slot by now, the region in the slot
 * may be freed during the call, and the bytes did not arrive through it. Then
 * the function returns NULL.
 */
static struct smc_mr *rmbe_region(const struct smc_link *link,
				  const struct smc_rmbe *e)
{
	/* partner: smc_rmb_map(); before the load of the owner */
	struct smc_mr *mr = smp_load_acquire(&e->rmb->tok[link->slot].mr);

	/* partner: smc_links_add(), before the new owner maps */
	return READ_ONCE(link->lgr->owner[link->slot]) == link->uid ? mr : NULL;
}

/**
 * smc_rmbe_key - get the key of an element's RMB on a link
 * @link: link that carries the message with the key; the caller keeps it
 * @e: element
 * @rkey: output: the key
 *
 * A key stays until another link takes the slot. Context: any. Return: false if
 * the peer does not know the key.
 */
bool smc_rmbe_key(const struct smc_link *link, const struct smc_rmbe *e,
		  u32 *rkey)
{
	/* partners: smc_rmb_map() and others in rmb.c; both bits are set after
	 * the key, and the peer has confirmed that it knows the key
	 */
	if (!(READ_ONCE(e->rmb->told) & READ_ONCE(e->rmb->opened) &
	      BIT(link->slot)))
		return false;
	*rkey = e->rmb->tok[link->slot].rkey;
	/* partner: smc_links_add() */
	return READ_ONCE(link->lgr->owner[link->slot]) == link->uid;
}

/**
 * smc_rmbe_needs_sync - must the receiver call smc_rmbe_received()?
 * @link: link over which bytes have arrived; its endpoint calls this function
 * @e: element
 *
 * Context: softirq. Return: false where DMA is coherent.
 */
bool smc_rmbe_needs_sync(const struct smc_link *link, const struct smc_rmbe *e)
{
	struct smc_mr *mr = rmbe_region(link, e);

	return mr && smc_mr_needs_sync(mr);
}

/**
 * smc_rmbe_received - let the CPU see bytes that the peer has written
 * @link: link over which the bytes have arrived; its endpoint calls this
 *	function
 * @e: element
 * @off: offset in the element
 * @len: number of bytes, up to the end of the element
 *
 * Context: softirq.
 */
void smc_rmbe_received(const struct smc_link *link, const struct smc_rmbe *e,
		       u32 off, u32 len)
{
	struct smc_mr *mr = rmbe_region(link, e);

	if (mr)
		smc_mr_sync_for_cpu(mr, smc_rmbe_offset(e) + off, len);
}

static void rmbe_wipe(const struct smc_rmbe *e, u32 used)
{
	u32 i = e->first;

	for (used = min(used, e->size); used; i++) {
		u32 n = min_t(u32, used, PAGE_SIZE);

		memzero_page(e->pages[i], 0, n);
		used -= n;
	}
}

/*
 * An element whose first @used bytes were wiped is free. Return: true if a
 * handshake waits for an element. The caller tells it at once, because the
 * worker may be busy for a long time.
 */
static bool rmbe_free(struct smc_lgr *lgr, const struct smc_rmbe *e, u32 used)
{
	struct smc_rmb *rmb = e->rmb;

	lockdep_assert_held(&lgr->lock);
	smc_rmb_written(lgr, rmb, smc_rmbe_offset(e), min(used, e->size));
	__clear_bit(e->idx - 1, rmb->used);
	if (rmb->state != SMC_RMB_READY)
		return false;
	lgr->rmbs.free[rmb->code]++;
	return !list_empty(&lgr->waiters);
}

/**
 * smc_rmbe_reclaim - end the quarantine of elements with which the peer has
 * finished
 * @lgr: group
 *
 * Context: worker, may sleep.
 */
void smc_rmbe_reclaim(struct smc_lgr *lgr)
{
	struct smc_quarantine *q;
	bool wake;

	while ((q = smc_quarantine_next(lgr))) {
		rmbe_wipe(&q->e, q->e.size);
		spin_lock_bh(&lgr->lock);
		q->e.rmb->n_dirty--;
		wake = rmbe_free(lgr, &q->e, q->e.size);
		spin_unlock_bh(&lgr->lock);
		smc_mib_inc(NULL, SMC_MIB_RMBE_RECLAIM);
		if (wake)
			smc_waiters_offer(lgr, q->e.rmb->code);
		kfree(q);
	}
}

void smc_rmbe_put(struct smc_lgr *lgr, struct smc_rmbe *e, u32 used, bool clean,
		  u32 token)
{
	struct smc_quarantine *q = clean ? NULL : smc_quarantine_new(e, token);
	struct smc_rmb *rmb = e->rmb;
	bool idle, retire, wake = false;
	u8 code = rmb->code;

	/* R-4.4.1-03: wipe it before another connection takes it */
	if (clean)
		rmbe_wipe(e, used);
	spin_lock_bh(&lgr->lock);
	rmb->n_used--;
	if (clean)
		wake = rmbe_free(lgr, e, used);
	else
		rmb->n_dirty++;
	if (q)
		smc_quarantine_add(lgr, q);
	idle = !rmb->n_used;
	retire = idle && rmb->n_dirty;
	if (idle)
		rmb->idle_since = jiffies;
	/*
	 * the first idle RMB sets the deadline, and later RMBs do not postpone
	 * it
	 */
	if (idle && !lgr->mail.deadline[SMC_LGR_DL_RMB_IDLE])
		smc_lgr_deadline_locked(lgr, SMC_LGR_DL_RMB_IDLE,
					smc_rmb_idle_max(lgr));
	spin_unlock_bh(&lgr->lock);
	if (!clean)
		smc_mib_inc(NULL, SMC_MIB_RMBE_QUARANTINE);
	e->rmb = NULL;
	if (wake)
		smc_waiters_offer(lgr, code);
	if (retire)
		smc_lgr_event(lgr, SMC_LGR_EVB_RMB);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * RMBs of a group (RFC 7609 2.1, 4.1 to 4.4, 3.5.5.2; D5).
 *
 * Elements are handed out under lgr->lock. RMBs are added and removed by the
 * group's worker, one at a time: announce or revoke, wait for the answer, go
 * on. The first RMB of a group is made by the first contact and announced by
 * its Accept or Confirm.
 */
#include <linux/bitmap.h>
#include <linux/highmem.h>
#include <linux/log2.h>
#include <linux/slab.h>
#include "../base/mib.h"
#include "../transport/mr.h"
#include "../wire/clc.h"
#include "lgr_priv.h"

/**
 * struct smc_rmb - one buffer; lgr->lock unless constant
 * @list:	lgr->rmbs.list
 * @state:	enum smc_rmb_state
 * @code:	size code of the elements; constant
 * @n_elems:	elements; constant
 * @mem:	pages; constant
 * @rkey:	RToken of the registration; constant
 * @addr:	see @rkey
 * @mr:		registration on the group's link; NULL once revoked, worker
 * @used:	bit per element that is handed out or quarantined
 * @n_used:	handed out
 * @n_dirty:	quarantined: the peer may still write there
 * @idle_since:	jiffies when @n_used became 0
 */
struct smc_rmb {
	struct list_head list;
	u8 state;
	u8 code;
	unsigned int n_elems;
	struct smc_mem mem;
	struct smc_mr *mr;
	u32 rkey;
	u64 addr;
	DECLARE_BITMAP(used, SMC_RMBES_PER_RMB_MAX);
	unsigned int n_used;
	unsigned int n_dirty;
	unsigned long idle_since;
};

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

static u32 elem_size(const struct smc_rmb *rmb)
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

static void rmb_free(struct smc_rmb *rmb)
{
	if (rmb->mr)
		smc_mr_free(rmb->mr);
	mem_free(&rmb->mem);
	kfree(rmb);
	smc_mib_inc(NULL, SMC_MIB_RMB_FREE);
}

static struct smc_rmb *rmb_alloc(struct smc_lgr *lgr, u8 code,
				 unsigned int n_elems)
{
	struct smc_rmb *rmb = kzalloc(sizeof(*rmb), GFP_KERNEL);

	if (!rmb)
		return NULL;
	rmb->code = code;
	rmb->n_elems = n_elems;
	rmb->idle_since = jiffies;
	INIT_LIST_HEAD(&rmb->list);
	if (mem_alloc(&rmb->mem, (u64)elem_size(rmb) * n_elems)) {
		kfree(rmb);
		return NULL;
	}
	rmb->mr = smc_mr_alloc(lgr->link.ep, &rmb->mem);
	if (IS_ERR(rmb->mr)) {
		mem_free(&rmb->mem);
		kfree(rmb);
		return NULL;
	}
	rmb->rkey = smc_mr_rkey(rmb->mr);
	rmb->addr = smc_mr_addr(rmb->mr);
	smc_mib_inc(NULL, SMC_MIB_RMB_ALLOC);
	return rmb;
}

static void rmb_add(struct smc_lgr *lgr, struct smc_rmb *rmb)
{
	spin_lock_bh(&lgr->lock);
	list_add_tail(&rmb->list, &lgr->rmbs.list);
	lgr->rmbs.n++;
	spin_unlock_bh(&lgr->lock);
}

static void rmb_ready(struct smc_lgr *lgr, struct smc_rmb *rmb)
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
 * smc_rmbs_revoke - the link is closed: no key is valid any more; worker
 * @lgr: group
 */
void smc_rmbs_revoke(struct smc_lgr *lgr)
{
	struct smc_rmb *rmb;

	/* only the worker changes the list, and it is here */
	list_for_each_entry(rmb, &lgr->rmbs.list, list) {
		if (rmb->mr)
			smc_mr_free(rmb->mr);
		rmb->mr = NULL;
	}
}

/**
 * smc_rmbs_destroy - free everything; the group has no users any more
 * @lgr: group
 */
void smc_rmbs_destroy(struct smc_lgr *lgr)
{
	struct smc_rmb *rmb, *next;

	list_for_each_entry_safe(rmb, next, &lgr->rmbs.list, list)
		rmb_free(rmb);
	kfree(lgr->rmbs.peer);
}

/* ---- elements ---- */

static void take_elem(struct smc_rmb *rmb, unsigned int bit,
		      struct smc_rmbe *e)
{
	__set_bit(bit, rmb->used);
	rmb->n_used++;
	e->rmb = rmb;
	e->idx = bit + 1;
	e->size = elem_size(rmb);
	e->pages = rmb->mem.pages;
	e->first = bit * (e->size >> PAGE_SHIFT);
}

/**
 * smc_rmb_first - the group's first RMB, for the connection of first contact
 * @lgr: group
 * @size: bytes
 * @e: element
 *
 * One element: never larger than needed (D5). Context: creator, may sleep.
 */
int smc_rmb_first(struct smc_lgr *lgr, u32 size, struct smc_rmbe *e)
{
	u8 code = smc_rmb_size_code(smc_rmb_round(size));
	struct smc_rmb *rmb = rmb_alloc(lgr, code, 1);

	if (!rmb)
		return -ENOMEM;
	rmb->state = SMC_RMB_NEW;
	take_elem(rmb, 0, e);
	rmb_add(lgr, rmb);
	return 0;
}

/**
 * smc_rmb_open - let the peer write to the first RMB; after smc_link_start()
 * @lgr: group
 */
int smc_rmb_open(struct smc_lgr *lgr)
{
	struct smc_rmb *rmb = list_first_entry(&lgr->rmbs.list, struct smc_rmb,
					       list);
	int err = smc_mr_register(rmb->mr);

	if (err)
		return err;
	spin_lock_bh(&lgr->lock);
	rmb_ready(lgr, rmb);
	spin_unlock_bh(&lgr->lock);
	return 0;
}

/**
 * smc_rmbe_get - take a free element of @size bytes
 * @lgr: group
 * @size: bytes
 * @e: element
 *
 * Context: BH safe. Return: 0, -EAGAIN: none is free, one was ordered: wait on
 * the group and send event RMB (a group that is ending refuses that: find
 * another), -ENOSPC: the group may not have more RMBs.
 */
int smc_rmbe_get(struct smc_lgr *lgr, u32 size, struct smc_rmbe *e)
{
	u8 code = smc_rmb_size_code(smc_rmb_round(size));
	struct smc_rmbs *r = &lgr->rmbs;
	struct smc_rmb *rmb;
	int err = -EAGAIN;
	bool low = false;

	spin_lock_bh(&lgr->lock);
	if (!smc_lgr_usable(lgr)) {	/* its keys are going */
		spin_unlock_bh(&lgr->lock);
		return -EAGAIN;
	}
	list_for_each_entry(rmb, &r->list, list) {
		unsigned int bit;

		if (rmb->state != SMC_RMB_READY || rmb->code != code)
			continue;
		bit = find_first_zero_bit(rmb->used, rmb->n_elems);
		if (bit >= rmb->n_elems)
			continue;
		take_elem(rmb, bit, e);
		/* in use for a while: have the next ones before they lack */
		low = !--r->free[code] && r->total[code] > 1;
		err = 0;
		break;
	}
	if (err && r->n >= SMC_RMBS_PER_LGR_MAX)
		err = -ENOSPC;
	if (err == -EAGAIN || low)
		__set_bit(code, &r->wanted);
	spin_unlock_bh(&lgr->lock);
	if (low)
		smc_lgr_event(lgr, SMC_LGR_EVB_RMB);
	return err;
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
	bool idle, retire;

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
	if (retire)
		smc_lgr_event(lgr, SMC_LGR_EVB_RMB);
}

/**
 * smc_rmbe_describe - RToken of the element's RMB
 * @e: element
 * @rkey: key on the link
 * @addr: address on the link
 */
void smc_rmbe_describe(const struct smc_rmbe *e, u32 *rkey, u64 *addr)
{
	*rkey = e->rmb->rkey;
	*addr = e->rmb->addr;
}

/* ---- growing and shrinking; worker ---- */

static unsigned int growth(struct smc_lgr *lgr, u8 code)
{
	u32 pages = (SMC_RMBE_MIN_BYTES << code) >> PAGE_SHIFT;
	u32 limit = smc_mr_max_pages(lgr->link.ep) / pages;
	unsigned int n, waiting = 0;
	struct list_head *pos;

	spin_lock_bh(&lgr->lock);
	list_for_each(pos, &lgr->waiters)
		waiting++;
	n = max(lgr->rmbs.total[code], waiting);
	spin_unlock_bh(&lgr->lock);
	return clamp_t(u32, n, 1, min_t(u32, limit, SMC_RMBES_PER_RMB_MAX));
}

static int send_confirm_rkey(struct smc_lgr *lgr, struct smc_rmb *rmb)
{
	struct smc_llc_confirm_rkey m = {
		.rkey = rmb->rkey,
		.addr = rmb->addr,
	};
	u8 out[SMC_LLC_LEN];
	int err = smc_llc_encode_confirm_rkey(out, &m);

	return err ?: smc_link_send(&lgr->link, out);
}

static int send_delete_rkey(struct smc_lgr *lgr, struct smc_rmb *rmb)
{
	struct smc_llc_delete_rkey m = {
		.num = 1,
		.rkey = { rmb->rkey },
	};
	u8 out[SMC_LLC_LEN];
	int err = smc_llc_encode_delete_rkey(out, &m);

	return err ?: smc_link_send(&lgr->link, out);
}

static void set_busy(struct smc_lgr *lgr, struct smc_rmb *rmb)
{
	lgr->rmbs.busy = rmb;
	if (rmb)
		smc_lgr_set_deadline(lgr, SMC_LGR_DL_RKEY, SMC_LLC_WAIT_MS);
	else
		smc_lgr_clear_deadline(lgr, SMC_LGR_DL_RKEY);
}

static void rmb_remove(struct smc_lgr *lgr, struct smc_rmb *rmb)
{
	spin_lock_bh(&lgr->lock);
	list_del(&rmb->list);
	lgr->rmbs.n--;
	rmb->state = SMC_RMB_GONE;
	spin_unlock_bh(&lgr->lock);
	rmb_free(rmb);
}

/*
 * Handshakes that wait get their element, or wait for the next growth. A
 * failure concerns those who want this size; the others' orders stand.
 */
static void grown(struct smc_lgr *lgr, u8 code, int err)
{
	if (err)
		smc_contact_fail_code(lgr, code, err);
	else
		smc_contact_wake_all(lgr);
}

static void grow(struct smc_lgr *lgr, u8 code)
{
	struct smc_rmb *rmb = NULL;
	unsigned int n = 0;
	int err;

	/* ordered when there was room for one more; only the worker adds */
	if (READ_ONCE(lgr->rmbs.n) < SMC_RMBS_PER_LGR_MAX)
		n = growth(lgr, code);
	for (; n && !rmb; n /= 2)
		rmb = rmb_alloc(lgr, code, n);
	if (!rmb) {
		grown(lgr, code, -ENOMEM);
		return;
	}
	rmb->state = SMC_RMB_ANNOUNCING;
	rmb_add(lgr, rmb);
	/* registration is in force before the peer sees the message */
	err = smc_mr_register(rmb->mr);
	if (!err)
		err = send_confirm_rkey(lgr, rmb);
	if (err) {
		rmb_remove(lgr, rmb);
		grown(lgr, code, err);
		return;
	}
	set_busy(lgr, rmb);
}

static void retire(struct smc_lgr *lgr, struct smc_rmb *rmb)
{
	/*
	 * DL_RKEY runs also if the message found no room to be kept: the peer
	 * has not taken one for long, and what waits for it ends with the link.
	 */
	send_delete_rkey(lgr, rmb);
	set_busy(lgr, rmb);
}

static bool unused(const struct smc_rmb *rmb)
{
	return rmb->state == SMC_RMB_READY && !rmb->n_used;
}

/* Milliseconds until @rmb has been idle for long enough, 0: it has. */
static unsigned int idle_left(const struct smc_rmb *rmb)
{
	unsigned int idle = jiffies_to_msecs(jiffies - rmb->idle_since);

	return idle < SMC_RMB_IDLE_MS ? SMC_RMB_IDLE_MS - idle : 0;
}

/*
 * An RMB to give back: all that is left of it is quarantined, or nobody used
 * it for long while others have free elements.
 */
static struct smc_rmb *find_unused(struct smc_lgr *lgr)
{
	struct smc_rmb *rmb, *found = NULL;
	unsigned int left, next = 0;

	spin_lock_bh(&lgr->lock);
	list_for_each_entry(rmb, &lgr->rmbs.list, list) {
		if (!unused(rmb) || (!rmb->n_dirty && lgr->rmbs.n == 1))
			continue;
		left = rmb->n_dirty ? 0 : idle_left(rmb);
		if (!left) {
			found = rmb;
			break;
		}
		next = next ? min(next, left) : left;
	}
	if (found) {
		found->state = SMC_RMB_REVOKING;
		lgr->rmbs.free[found->code] -= found->n_elems - found->n_dirty;
		lgr->rmbs.total[found->code] -= found->n_elems;
	} else if (next) {
		/* the time that brought us here was another RMB's */
		smc_lgr_deadline_locked(lgr, SMC_LGR_DL_RMB_IDLE, next);
	}
	spin_unlock_bh(&lgr->lock);
	return found;
}

static int take_wanted(struct smc_lgr *lgr)
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

/**
 * smc_rmb_work - add or give back an RMB if that is due; worker
 * @lgr: group
 */
void smc_rmb_work(struct smc_lgr *lgr)
{
	struct smc_rmb *rmb;
	int code;

	/*
	 * Until an exchange runs or nothing is left: what is put off here comes
	 * up again only when that exchange ends.
	 */
	while (!lgr->rmbs.busy && smc_lgr_usable(lgr)) {
		code = take_wanted(lgr);
		if (code < 0) {
			rmb = find_unused(lgr);
			if (rmb)
				retire(lgr, rmb);
			return;
		}
		/* somebody may have put an element back meanwhile */
		if (READ_ONCE(lgr->rmbs.free[code]))
			grown(lgr, code, 0);
		else
			grow(lgr, code);
	}
}

/* ---- what the peer announces ---- */

/**
 * smc_rmbs_peer_add - the peer announced an RMB
 * @lgr: group
 * @rkey: key on the link
 *
 * Again the same: fine (R-A.3.5-08). Return: 0, -ENOSPC (more than 255,
 * R-A.3.5-09), -ENOMEM. Context: may sleep.
 */
int smc_rmbs_peer_add(struct smc_lgr *lgr, u32 rkey)
{
	struct smc_rmbs *r = &lgr->rmbs;
	unsigned int i;
	int err = 0;

	if (!r->peer) {
		u32 *peer = kcalloc(SMC_RMBS_PER_LGR_MAX, sizeof(*peer),
				    GFP_KERNEL);

		if (!peer)
			return -ENOMEM;
		r->peer = peer;
	}
	for (i = 0; i < r->n_peer && r->peer[i] != rkey; i++)
		;
	if (i < r->n_peer)
		return 0;
	if (r->n_peer < SMC_RMBS_PER_LGR_MAX)
		r->peer[r->n_peer++] = rkey;
	else
		err = -ENOSPC;
	return err;
}

static bool peer_del(struct smc_rmbs *r, u32 rkey)
{
	unsigned int i;

	for (i = 0; i < r->n_peer; i++) {
		if (r->peer[i] != rkey)
			continue;
		r->peer[i] = r->peer[--r->n_peer];
		return true;
	}
	return false;
}

static void announced(struct smc_lgr *lgr, struct smc_llc_confirm_rkey *m)
{
	struct smc_rmb *rmb = lgr->rmbs.busy;
	u8 code;

	if (!rmb || rmb->state != SMC_RMB_ANNOUNCING ||
	    m->rkey != rmb->rkey) {
		smc_lgr_violation(lgr);	/* nobody asked */
		return;
	}
	set_busy(lgr, NULL);
	code = rmb->code;
	if (m->negative) {	/* R-A.3.5-07 */
		rmb_remove(lgr, rmb);
		grown(lgr, code, -ENOMEM);
	} else {
		spin_lock_bh(&lgr->lock);
		rmb_ready(lgr, rmb);
		spin_unlock_bh(&lgr->lock);
		grown(lgr, code, 0);
	}
	smc_rmb_work(lgr);
}

static void on_confirm_rkey(struct smc_lgr *lgr, const u8 *msg)
{
	struct smc_llc_confirm_rkey m;
	u8 out[SMC_LLC_LEN];

	if (smc_llc_decode_confirm_rkey(msg, &m)) {
		smc_lgr_violation(lgr);
		return;
	}
	if (m.reply) {
		announced(lgr, &m);
		return;
	}
	/* at once, even while an own exchange runs (Y-04, R-3.5.5.3-04) */
	m.reply = true;
	m.negative = smc_rmbs_peer_add(lgr, m.rkey);
	if (!smc_llc_encode_confirm_rkey(out, &m))
		smc_link_send(&lgr->link, out);
}

static void revoked(struct smc_lgr *lgr, struct smc_llc_delete_rkey *m)
{
	struct smc_rmb *rmb = lgr->rmbs.busy;

	/* in version 2 the reply names no key */
	if (!rmb || rmb->state != SMC_RMB_REVOKING ||
	    (m->rkey[0] != rmb->rkey && lgr->terms.version == SMC_CLC_V1)) {
		smc_lgr_violation(lgr);
		return;
	}
	/* negative or not (R-A.3.7-04): the keys go now */
	set_busy(lgr, NULL);
	rmb_remove(lgr, rmb);
	smc_rmb_work(lgr);
}

static void on_delete_rkey(struct smc_lgr *lgr, const u8 *msg)
{
	struct smc_llc_delete_rkey m;
	u8 out[SMC_LLC_LEN];
	int i;

	if (smc_llc_decode_delete_rkey(msg, &m)) {
		smc_lgr_violation(lgr);
		return;
	}
	if (m.reply) {
		revoked(lgr, &m);
		return;
	}
	m.reply = true;
	m.err_mask = 0;
	for (i = 0; i < m.num; i++)	/* R-A.3.7-03, -05 */
		if (!peer_del(&lgr->rmbs, m.rkey[i]))
			m.err_mask |= 0x80 >> i;
	m.negative = m.err_mask;
	if (!smc_llc_encode_delete_rkey(out, &m))
		smc_link_send(&lgr->link, out);
}

/**
 * smc_rmb_llc - CONFIRM RKEY or DELETE RKEY arrived; worker
 * @lgr: group
 * @msg: SMC_LLC_LEN bytes
 */
void smc_rmb_llc(struct smc_lgr *lgr, const u8 *msg)
{
	if (smc_llc_opcode(msg) == SMC_LLC_CONFIRM_RKEY)
		on_confirm_rkey(lgr, msg);
	else
		on_delete_rkey(lgr, msg);
}

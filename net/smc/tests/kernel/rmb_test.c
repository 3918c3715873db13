// SPDX-License-Identifier: GPL-2.0
/*
 * Tests RMBs and their elements: how many waiting contacts are told after a
 * growth, which RMB an idle group keeps, what ends a quarantine, and the count
 * of the memory of all groups.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../../transport/ep.h"

/* Other suites of this module have functions with these names. */
#define smc_rmbe_full	own_rmbe_full
#include "../../base/deadline.h"
#include "../../base/mem_limits.c"
#include "../../group/quarantine.c"
#include "../../group/rmb.c"
#include "../../group/rmb_fsm.c"
#include "../../group/rmbe.c"
#include "../../group/waiters.c"

/* ---- functions that these files call ---- */

bool smc_lgr_usable(const struct smc_lgr *lgr)
{
	return true;
}

bool smc_link_owns(const struct smc_lgr *lgr, u8 slot, u32 uid)
{
	return true;
}

bool smc_link_stopped(const struct smc_link *link)
{
	return test_bit(SMC_LINK_STOPPED, &link->grave);
}

bool smc_link_has_other(const struct smc_link *link)
{
	return false;
}

void smc_link_give_up(struct smc_link *link, enum smc_link_fate fate, int err,
		      u32 reason)
{
	link->fate.how = fate;
}

static int map_error;

struct smc_mr *smc_device_map(struct smc_link *link, struct smc_mem *mem)
{
	return map_error ? ERR_PTR(map_error) : smc_mr_alloc(link->ep, mem);
}

u8 smc_lgr_eye_len(const struct smc_lgr *lgr)
{
	return lgr->terms.eye;
}

void smc_lgr_deadline_locked(struct smc_lgr *lgr, enum smc_lgr_deadline d,
			     unsigned int ms)
{
	lgr->mail.deadline[d] = smc_deadline_in(msecs_to_jiffies(ms));
}

/* ---- a group with one link at a time, without an adapter ---- */

enum {
	WAITING	= SMC_RMBES_PER_RMB_MAX + 45,
	TOKEN	= 0x1234,
};

struct world {
	struct smc_idle idle;
	struct smc_lgr lgr;
	struct smc_link link;
	struct smc_link old;		/* had the slot before */
	struct smc_ep ep;
	struct smc_contact c[WAITING];
};

static unsigned int told, failed;

static void notify(struct smc_contact *c, enum smc_contact_event ev)
{
	told += ev == SMC_CONTACT_READY;
	failed += ev == SMC_CONTACT_FAILED;
}

static int init(struct kunit *test)
{
	struct world *w = kvzalloc(sizeof(*w), GFP_KERNEL);

	if (!w)
		return -ENOMEM;
	spin_lock_init(&w->lgr.lock);
	w->link.lgr = &w->lgr;
	INIT_LIST_HEAD(&w->lgr.waiters);
	smc_rmb_init(&w->lgr.rmbs);
	w->lgr.idle.of_net = &w->idle;
	w->lgr.idle.mem_share = 50;
	smc_mem_limits_init();
	told = 0;
	test->priv = w;
	return 0;
}

static void tidy(struct kunit *test)
{
	struct world *w = test->priv;

	if (!w)
		return;
	smc_rmb_free_all(&w->lgr);
	KUNIT_EXPECT_TRUE(test, RB_EMPTY_ROOT(&w->lgr.rmbs.quarantine));
	KUNIT_EXPECT_EQ(test, atomic_long_read(&w->idle.rmb_bytes), 0);
	kvfree(w);
}

/* Returns the bytes of the smallest element that a connection gets: at least a
 * page.
 */
static u32 least(void)
{
	return smc_rmbe_round(SMC_RMBE_MIN_BYTES);
}

/* Returns the code of this size. */
static u8 smallest(void)
{
	return smc_rmbe_size_code(least());
}

/* Adds an RMB with @n elements, which the peer knows. */
static struct smc_rmb *grow(struct kunit *test, u8 code, unsigned int n)
{
	struct world *w = test->priv;
	struct smc_rmb *rmb = smc_rmb_alloc(&w->lgr, code, n);

	KUNIT_ASSERT_FALSE(test, IS_ERR(rmb));
	smc_rmb_insert(&w->lgr, rmb);
	rmb_event(&w->lgr, rmb, SMC_RMB_EV_ANNOUNCE);
	rmb->told = 1;
	rmb->opened = 1;
	smc_rmb_announced(&w->lgr, rmb, true);
	return rmb;
}

static void wait(struct kunit *test, int n)
{
	struct world *w = test->priv;
	int i;

	for (i = 0; i < n; i++) {
		w->c[i].notify = notify;
		w->c[i].code = smallest();
		list_add_tail(&w->c[i].wait, &w->lgr.waiters);
	}
}

static bool leave(struct world *w, struct smc_contact *c)
{
	bool promised;

	spin_lock_bh(&w->lgr.lock);
	promised = smc_waiters_leave(&w->lgr, c);
	spin_unlock_bh(&w->lgr.lock);
	return promised;
}

static struct smc_rmbe take(struct kunit *test)
{
	struct world *w = test->priv;
	struct smc_rmbe e = {};

	KUNIT_EXPECT_EQ(test, smc_rmbe_get(&w->lgr, &w->link,
					   SMC_RMBE_MIN_BYTES, &e), 0);
	return e;
}

/* ---- waiting ---- */

/* Contacts wait on if a device that works has had no time. */
static void busy_device_is_asked_again(struct kunit *test)
{
	static const struct {
		int err;
		bool again;
	} t[] = { { -EAGAIN, true }, { -EBUSY, false }, { -ETIMEDOUT, false },
		  { -ENOMEM, false } };
	struct world *w = test->priv;
	int i;

	grow(test, smallest(), 1);	/* the first RMB is made by the creator */
	w->lgr.links[0] = &w->link;
	w->link.ep = &w->ep;
	w->ep.max.mr_pages = 512;
	wait(test, 1);
	for (i = 0; i < ARRAY_SIZE(t); i++) {
		w->lgr.rmbs.wanted = 0;
		w->lgr.mail.deadline[SMC_LGR_DL_RKEY_AGAIN] = 0;
		failed = 0;
		map_error = t[i].err;
		smc_rmb_grow(&w->lgr, smallest());
		map_error = 0;
		KUNIT_EXPECT_EQ_MSG(test, failed, !t[i].again, "row %d", i);
		KUNIT_EXPECT_EQ_MSG(test, !!w->lgr.rmbs.wanted, t[i].again,
				    "row %d", i);
		KUNIT_EXPECT_EQ_MSG(test,
				    !!w->lgr.mail.deadline[SMC_LGR_DL_RKEY_AGAIN],
				    t[i].again, "row %d", i);
		if (list_empty(&w->lgr.waiters))
			wait(test, 1);
	}
	/* who has waited is gone */
	INIT_LIST_HEAD(&w->lgr.waiters);
	w->lgr.rmbs.wanted = 0;
	map_error = -EAGAIN;
	smc_rmb_grow(&w->lgr, smallest());
	map_error = 0;
	KUNIT_EXPECT_EQ(test, w->lgr.rmbs.wanted, 0);
	w->lgr.links[0] = NULL;
}

static void growth_tells_as_many(struct kunit *test)
{
	struct world *w = test->priv;

	wait(test, WAITING);
	grow(test, smallest(), 8);
	KUNIT_EXPECT_EQ(test, told, 8);
	/* the other contacts still wait, and these 8 are not told again */
	KUNIT_EXPECT_EQ(test, smc_rmb_take_wanted(&w->lgr), smallest());
	KUNIT_EXPECT_FALSE(test, smc_rmbe_any_free(&w->lgr, smallest()));
	grow(test, smallest(), 16);
	KUNIT_EXPECT_EQ(test, told, 24);
	grow(test, smallest(), SMC_RMBES_PER_RMB_MAX);
	KUNIT_EXPECT_EQ(test, told, 24 + SMC_RMBES_PER_RMB_MAX);
	grow(test, smallest(), WAITING - 24 - SMC_RMBES_PER_RMB_MAX + 1);
	KUNIT_EXPECT_EQ(test, told, WAITING);
	KUNIT_EXPECT_TRUE(test, list_empty(&w->lgr.waiters));
	/* the third new RMB was too small for all, and the last one was not */
	smc_rmb_take_wanted(&w->lgr);
	KUNIT_EXPECT_EQ(test, smc_rmb_take_wanted(&w->lgr), -1);
	KUNIT_EXPECT_TRUE(test, smc_rmbe_any_free(&w->lgr, smallest()));
}

static void promises(struct kunit *test)
{
	struct world *w = test->priv;
	struct smc_rmbe e;

	wait(test, 4);
	grow(test, smallest(), 2);
	KUNIT_EXPECT_EQ(test, told, 2);
	/* the first contact takes an element, and the second contact leaves */
	KUNIT_EXPECT_TRUE(test, leave(w, &w->c[0]));
	e = take(test);
	KUNIT_EXPECT_TRUE(test, leave(w, &w->c[1]));
	KUNIT_EXPECT_TRUE(test, smc_waiters_offer(&w->lgr, smallest()));
	KUNIT_EXPECT_EQ(test, told, 3);
	KUNIT_EXPECT_TRUE(test, w->c[2].promised);
	/* a connection ends, and the last contact gets its element */
	smc_rmbe_put(&w->lgr, &e, 0, true, 0);
	KUNIT_EXPECT_EQ(test, told, 4);
	KUNIT_EXPECT_EQ(test, w->lgr.rmbs.promised[smallest()], 2);
	leave(w, &w->c[2]);
	KUNIT_EXPECT_TRUE(test, leave(w, &w->c[3]));
	KUNIT_EXPECT_FALSE(test, leave(w, &w->c[3]));
	KUNIT_EXPECT_EQ(test, w->lgr.rmbs.promised[smallest()], 0);
}

/* ---- idle RMBs ---- */

static void rest(struct smc_rmb *rmb)
{
	rmb->idle_since = jiffies - msecs_to_jiffies(SMC_RMB_IDLE_MS) - 1;
}

static void keeps_the_smallest(struct kunit *test)
{
	struct world *w = test->priv;
	struct smc_rmb *large = grow(test, smallest() + 2, 1);
	struct smc_rmb *many = grow(test, smallest(), 8);
	struct smc_rmb *small = grow(test, smallest(), 1), *found;
	int i;

	rest(large);
	rest(many);
	rest(small);
	for (i = 0; i < 2; i++) {
		found = smc_rmb_find_unused(&w->lgr);
		KUNIT_EXPECT_TRUE(test, found == large || found == many);
	}
	KUNIT_EXPECT_NULL(test, smc_rmb_find_unused(&w->lgr));
	KUNIT_EXPECT_EQ(test, small->state, SMC_RMB_READY);
}

/* Checks that an idle group keeps no large RMB, even if it has no other.
 */
static void keeps_no_large_one(struct kunit *test)
{
	struct world *w = test->priv;
	struct smc_rmb *many = grow(test, smallest(), 8);

	KUNIT_EXPECT_NULL(test, smc_rmb_find_unused(&w->lgr));
	rest(many);
	KUNIT_EXPECT_PTR_EQ(test, smc_rmb_find_unused(&w->lgr), many);
}

/* ---- quarantine ---- */

static void late_word(struct kunit *test)
{
	struct world *w = test->priv;
	struct smc_rmb *rmb = grow(test, smallest(), 2);
	struct smc_rmbe used = take(test), e = take(test), copy = e;
	u8 *first = page_address(e.pages[e.first]);

	memset(first, 0x5a, PAGE_SIZE);
	smc_rmbe_put(&w->lgr, &e, least(), false, TOKEN);
	KUNIT_EXPECT_EQ(test, rmb->n_dirty, 1);
	KUNIT_EXPECT_EQ(test, w->lgr.rmbs.free[smallest()], 0);
	KUNIT_EXPECT_FALSE(test, smc_quarantine_heard(&w->lgr, TOKEN + 1));
	KUNIT_EXPECT_TRUE(test, smc_quarantine_heard(&w->lgr, TOKEN));
	KUNIT_EXPECT_FALSE(test, smc_quarantine_heard(&w->lgr, TOKEN));
	wait(test, 1);
	smc_rmbe_reclaim(&w->lgr);
	KUNIT_EXPECT_EQ(test, rmb->n_dirty, 0);
	KUNIT_EXPECT_EQ(test, told, 1);
	KUNIT_EXPECT_NULL(test, memchr_inv(first, 0, PAGE_SIZE));
	leave(w, &w->c[0]);
	e = take(test);
	KUNIT_EXPECT_EQ(test, e.idx, copy.idx);
	smc_rmbe_put(&w->lgr, &e, 0, true, 0);
	smc_rmbe_put(&w->lgr, &used, 0, true, 0);
	KUNIT_EXPECT_EQ(test, w->lgr.rmbs.free[smallest()], 2);
}

/* Frees the RMB before the last message arrives. The message must then have no
 * effect.
 */
static void word_too_late(struct kunit *test)
{
	struct world *w = test->priv;
	struct smc_rmb *rmb = grow(test, smallest(), 2);
	struct smc_rmbe e = take(test), other = take(test);

	smc_rmbe_put(&w->lgr, &e, 0, false, TOKEN);
	smc_rmbe_put(&w->lgr, &other, 0, false, TOKEN + 1);
	KUNIT_EXPECT_PTR_EQ(test, smc_rmb_find_unused(&w->lgr), rmb);
	/* the message has arrived, but the worker has not acted yet */
	KUNIT_EXPECT_TRUE(test, smc_quarantine_heard(&w->lgr, TOKEN));
	smc_rmb_revoked(&w->lgr, rmb);
	KUNIT_EXPECT_FALSE(test, smc_quarantine_heard(&w->lgr, TOKEN + 1));
	KUNIT_EXPECT_NULL(test, smc_quarantine_next(&w->lgr));
	KUNIT_EXPECT_EQ(test, w->lgr.rmbs.n, 0);
}

/* ---- regions ---- */

static unsigned int synced;
static u64 told_at;

static void count_sync(struct smc_mr *mr, u64 off, u32 len, bool for_cpu)
{
	synced += for_cpu;
	if (!for_cpu)
		told_at = off;
}

static unsigned int freed;

static bool count_free(struct smc_mr *mr)
{
	freed++;
	return false;
}

static const struct smc_ep_ops bouncing = {
	.mr_sync = count_sync,
	.mr_free = count_free,
};

/* Checks that the eye catcher is synced for the device before the peer knows
 * the element.
 */
static void eye_catcher(struct kunit *test)
{
	struct world *w = test->priv;
	struct smc_rmb *rmb = grow(test, smallest(), 2);
	struct smc_mr mr = { .needs_sync = true, .ep = &w->ep };
	struct smc_rmbe plain = take(test), e;
	u8 *first = page_address(plain.pages[plain.first]);

	w->ep.ops = &bouncing;
	w->lgr.terms.eye = SMC_RMBE_EYE_LEN;
	KUNIT_EXPECT_EQ(test, *first, 0);
	rmb->tok[0].mr = &mr;
	told_at = 0;
	e = take(test);
	first = page_address(e.pages[e.first]);
	KUNIT_EXPECT_MEMEQ(test, first, SMC_RMBE_EYE, SMC_RMBE_EYE_LEN);
	KUNIT_EXPECT_EQ(test, told_at, least());
	rmb->tok[0].mr = NULL;
	smc_rmbe_put(&w->lgr, &e, SMC_RMBE_EYE_LEN, true, 0);
	KUNIT_EXPECT_EQ(test, *first, 0);
	smc_rmbe_put(&w->lgr, &plain, 0, true, 0);
}

/* Receives a message over the link that had the slot before, and is not quiet
 * yet.
 */
static void slot_of_another(struct kunit *test)
{
	struct world *w = test->priv;
	struct smc_rmb *rmb = grow(test, smallest(), 1);
	struct smc_mr mr = { .needs_sync = true, .ep = &w->ep };
	struct smc_rmbe e = take(test);

	w->ep.ops = &bouncing;
	w->old.lgr = &w->lgr;
	w->link.uid = 8;
	w->lgr.owner[0] = 8;
	rmb->tok[0].mr = &mr;
	synced = 0;
	KUNIT_EXPECT_FALSE(test, smc_rmbe_needs_sync(&w->old, &e));
	smc_rmbe_received(&w->old, &e, 0, 64);
	KUNIT_EXPECT_EQ(test, synced, 0);
	KUNIT_EXPECT_TRUE(test, smc_rmbe_needs_sync(&w->link, &e));
	smc_rmbe_received(&w->link, &e, 0, 64);
	KUNIT_EXPECT_EQ(test, synced, 1);
	rmb->tok[0].mr = NULL;
	smc_rmbe_put(&w->lgr, &e, 0, true, 0);
}

/* Until a removed link has stopped, messages may still arrive over it. */
static void stays_until_stopped(struct kunit *test)
{
	struct world *w = test->priv;
	struct smc_rmb *rmb = grow(test, smallest(), 1);
	struct smc_mr bounced = { .needs_sync = true, .ep = &w->ep };
	struct smc_mr plain = { .ep = &w->ep };

	w->ep.ops = &bouncing;
	freed = 0;
	rmb->tok[0].mr = &bounced;
	smc_rmb_drop_link(&w->lgr, &w->link);
	KUNIT_EXPECT_PTR_EQ(test, rmb->tok[0].mr, &bounced);
	KUNIT_EXPECT_EQ(test, freed, 0);
	set_bit(SMC_LINK_STOPPED, &w->link.grave);
	smc_rmb_drop_link(&w->lgr, &w->link);
	KUNIT_EXPECT_NULL(test, rmb->tok[0].mr);
	KUNIT_EXPECT_EQ(test, freed, 1);
	clear_bit(SMC_LINK_STOPPED, &w->link.grave);
	rmb->tok[0].mr = &plain;
	smc_rmb_drop_link(&w->lgr, &w->link);
	KUNIT_EXPECT_NULL(test, rmb->tok[0].mr);
	KUNIT_EXPECT_EQ(test, freed, 2);
}

/* ---- total of the namespace ---- */

static void total_of_rmbs(struct kunit *test)
{
	struct world *w = test->priv;
	struct smc_rmb *large = grow(test, smallest() + 2, 2);
	atomic_long_t *total = &w->idle.rmb_bytes;

	KUNIT_EXPECT_EQ(test, atomic_long_read(total), 8 * least());
	grow(test, smallest(), 8);
	KUNIT_EXPECT_EQ(test, atomic_long_read(total), 16 * least());
	rest(large);
	KUNIT_EXPECT_PTR_EQ(test, smc_rmb_find_unused(&w->lgr), large);
	/* the peer may still write */
	KUNIT_EXPECT_EQ(test, atomic_long_read(total), 16 * least());
	smc_rmb_revoked(&w->lgr, large);
	KUNIT_EXPECT_EQ(test, atomic_long_read(total), 8 * least());
}

/* The limit also counts elements that no connection uses. */
static void memory_has_a_limit(struct kunit *test)
{
	struct world *w = test->priv;
	atomic_long_t *total = &w->idle.rmb_bytes;
	struct smc_idle other = {};
	struct smc_rmb *rmb;

	/* half of this is the share of the namespace: 8 smallest elements */
	smc_mem_limits[1] = 16 * least() >> PAGE_SHIFT;
	grow(test, smallest(), 4);
	rmb = smc_rmb_alloc(&w->lgr, smallest(), 8);
	KUNIT_EXPECT_PTR_EQ(test, rmb, ERR_PTR(-ENOMEM));
	KUNIT_EXPECT_EQ(test, atomic_long_read(total), 4 * least());
	/* a smaller one fits */
	wait(test, 8);
	__set_bit(smallest(), &w->lgr.rmbs.wanted);
	smc_rmb_grow(&w->lgr, smallest());
	KUNIT_EXPECT_EQ(test, atomic_long_read(total), 8 * least());
	/* a group of another namespace may not exceed the limit of the host */
	w->lgr.idle.of_net = &other;
	w->lgr.idle.mem_share = 100;
	rmb = smc_rmb_alloc(&w->lgr, smallest(), 16);
	KUNIT_EXPECT_PTR_EQ(test, rmb, ERR_PTR(-ENOMEM));
	KUNIT_EXPECT_EQ(test, atomic_long_read(&other.rmb_bytes), 0);
	w->lgr.idle.of_net = &w->idle;
	smc_mem_limits[1] = LONG_MAX;
	grow(test, smallest(), 16);
}

/* A contact that waits for another size is no reason for more elements. */
static void growth_counts_one_size(struct kunit *test)
{
	struct world *w = test->priv;

	wait(test, 6);
	KUNIT_EXPECT_EQ(test, rmb_growth(&w->lgr, smallest() + 1),
			smc_rmb_size_growth(2 * least(), 0, U32_MAX, PAGE_SIZE));
	KUNIT_EXPECT_EQ(test, rmb_growth(&w->lgr, smallest()),
			smc_rmb_size_growth(least(), 6, U32_MAX, PAGE_SIZE));
	INIT_LIST_HEAD(&w->lgr.waiters);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(busy_device_is_asked_again),
	KUNIT_CASE(growth_tells_as_many),
	KUNIT_CASE(promises),
	KUNIT_CASE(keeps_the_smallest),
	KUNIT_CASE(keeps_no_large_one),
	KUNIT_CASE(late_word),
	KUNIT_CASE(word_too_late),
	KUNIT_CASE(eye_catcher),
	KUNIT_CASE(slot_of_another),
	KUNIT_CASE(stays_until_stopped),
	KUNIT_CASE(total_of_rmbs),
	KUNIT_CASE(memory_has_a_limit),
	KUNIT_CASE(growth_counts_one_size),
	{}
};

static struct kunit_suite smc_rmb_suite = {
	.name = "smc-rmb",
	.init = init,
	.exit = tidy,
	.test_cases = cases,
};

kunit_test_suite(smc_rmb_suite);

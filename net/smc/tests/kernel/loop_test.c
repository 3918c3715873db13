// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the in-host transport, and of the code that both transports share:
 * placement, order, slots, failures and the close of endpoints.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include "../../base/limits.h"
#include "../../base/mib.h"
#include "../../transport/ep.h"
#include "../../transport/loop.h"

enum {
	N_PAGES		= 8,
	AREA		= N_PAGES * PAGE_SIZE,
	SOURCE		= 2 * PAGE_SIZE > SZ_64K ? 2 * PAGE_SIZE : SZ_64K,
	/* long for an emulated host that looks for data races */
	WAIT_MS		= 60000,
	FLOOD_MSGS	= 20000,
};

/* One end of a pair. It has an endpoint, memory, and counts of callbacks. */
struct side {
	struct smc_ep *ep;
	struct smc_ep_addr addr;
	struct page *pages[N_PAGES];
	struct page *source;		/* compound, SOURCE bytes */
	struct smc_mem mem;
	struct smc_mr *mr;
	u32 peer_rkey;
	u64 peer_addr;
	wait_queue_head_t wait;
	spinlock_t lock;		/* order of posting, sent */
	u32 sent;
	u32 received;
	u32 done;
	u32 failed;
	u32 room;
	u32 down;
	int down_err;
	bool disorder;
	bool late;			/* a callback ran after the close */
	bool closed;
};

struct pair {
	struct side a;
	struct side b;
};

/* ---- callbacks; the endpoint serialises all of them except room() ---- */

static void message(void *ctx, const u8 *buf, u32 len)
{
	struct side *s = ctx;
	u32 seq;

	memcpy(&seq, buf, sizeof(seq));
	if (seq != s->received + 1 || len != SMC_EP_MSG_LEN)
		s->disorder = true;
	s->late |= s->closed;
	WRITE_ONCE(s->received, seq);
	wake_up(&s->wait);
}

static void room(void *ctx)
{
	struct side *s = ctx;

	s->late |= s->closed;
	WRITE_ONCE(s->room, s->room + 1);
	wake_up(&s->wait);
}

static void went_down(void *ctx, int err)
{
	struct side *s = ctx;

	s->late |= s->closed;
	s->down_err = err;
	WRITE_ONCE(s->down, s->down + 1);
	wake_up(&s->wait);
}

static const struct smc_ep_user user = {
	.message = message,
	.room = room,
	.down = went_down,
};

static void done(struct smc_ep_slot *slot, int err)
{
	struct side *s = slot->cookie;

	if (slot->end_pos != s->done + 1)
		s->disorder = true;
	if (err)
		s->failed++;
	s->late |= s->closed;
	WRITE_ONCE(s->done, s->done + 1);
	wake_up(&s->wait);
}

/* ---- helpers ---- */

#define WAIT(test, s, cond)						\
	KUNIT_EXPECT_TRUE(test, wait_event_timeout((s)->wait, cond,	\
					msecs_to_jiffies(WAIT_MS)))

static struct smc_ep_slot *take(struct side *s)
{
	return smc_ep_slot_get(s->ep, SMC_EP_DATA);
}

/* Caller holds s->lock. */
static int post(struct side *s, struct smc_ep_slot *slot)
{
	u32 seq = s->sent + 1;
	int err;

	memcpy(slot->msg, &seq, sizeof(seq));
	slot->end_pos = seq;
	slot->cookie = s;
	slot->done = done;
	err = smc_ep_slot_post(s->ep, slot);
	if (!err)
		s->sent = seq;
	return err;
}

/* Sends one bundle with one write of @len bytes from the start of
 * the source.
 */
static int send_to(struct side *s, u32 rkey, u64 addr, u32 len)
{
	struct smc_ep_slot *slot;
	int err = -EAGAIN;

	spin_lock_bh(&s->lock);
	slot = take(s);
	if (slot && len) {
		smc_ep_write_begin(s->ep, slot, rkey, addr);
		smc_ep_write_page(s->ep, slot, s->source, 0, len);
	}
	if (slot)
		err = post(s, slot);
	spin_unlock_bh(&s->lock);
	return err;
}

static int send_at(struct side *s, u32 off, u32 len)
{
	return send_to(s, s->peer_rkey, s->peer_addr + off, len);
}

static u8 byte_at(const struct side *s, u32 off)
{
	return ((u8 *)page_address(s->pages[off >> PAGE_SHIFT]))
		[offset_in_page(off)];
}

static u8 pattern(u32 i)
{
	return i * 7 + (i >> 8) + 1;
}

static void fill(struct side *s)
{
	u8 *p = page_address(s->source);
	u32 i;

	for (i = 0; i < SOURCE; i++)
		p[i] = pattern(i);
}

static void open_side(struct kunit *test, struct side *s)
{
	u32 i;

	init_waitqueue_head(&s->wait);
	spin_lock_init(&s->lock);
	for (i = 0; i < N_PAGES; i++) {
		s->pages[i] = alloc_page(GFP_KERNEL | __GFP_ZERO);
		KUNIT_ASSERT_NOT_NULL(test, s->pages[i]);
	}
	s->source = alloc_pages(GFP_KERNEL | __GFP_COMP, get_order(SOURCE));
	KUNIT_ASSERT_NOT_NULL(test, s->source);
	fill(s);
	s->ep = smc_ep_open_loop(&user, s);
	KUNIT_ASSERT_FALSE(test, IS_ERR(s->ep));
	smc_ep_describe(s->ep, &s->addr);
}

static void close_side(struct side *s)
{
	smc_ep_close(s->ep);
	s->closed = true;
}

static void free_side(struct kunit *test, struct side *s)
{
	u32 i;

	close_side(s);
	if (s->mr)
		smc_mr_free(s->mr);
	KUNIT_EXPECT_EQ(test, s->done, s->sent);
	KUNIT_EXPECT_LE(test, s->down, 1);
	KUNIT_EXPECT_FALSE(test, s->disorder);
	KUNIT_EXPECT_FALSE(test, s->late);
	KUNIT_EXPECT_EQ(test, s->ep->n_free, SMC_EP_SLOTS);
	smc_ep_put(s->ep, SMC_EP_REF_OWNER);
	__free_pages(s->source, get_order(SOURCE));
	for (i = 0; i < N_PAGES; i++)
		__free_page(s->pages[i]);
}

/* The test holds its reference until the end. */
static void not_released(struct kref *ref)
{
	WARN_ON(1);
}

static void give_memory(struct kunit *test, struct side *s, struct side *peer)
{
	kref_init(&s->mem.ref);
	s->mem.release = not_released;
	s->mem.pages = s->pages;
	s->mem.n_pages = N_PAGES;
	s->mem.len = AREA;
	s->mr = smc_mr_alloc(s->ep, &s->mem);
	KUNIT_ASSERT_FALSE(test, IS_ERR(s->mr));
	peer->peer_rkey = smc_mr_rkey(s->mr);
	peer->peer_addr = smc_mr_addr(s->mr);
}

static void connect_pair(struct kunit *test, struct pair *p)
{
	KUNIT_ASSERT_EQ(test, smc_ep_accept(p->a.ep, &p->b.addr), 0);
	KUNIT_ASSERT_EQ(test, smc_ep_accept(p->b.ep, &p->a.addr), 0);
	KUNIT_ASSERT_EQ(test, smc_ep_start(p->a.ep), 0);
	KUNIT_ASSERT_EQ(test, smc_ep_start(p->b.ep), 0);
	give_memory(test, &p->a, &p->b);
	give_memory(test, &p->b, &p->a);
}

static void start_pair(struct kunit *test, struct pair *p)
{
	connect_pair(test, p);
	KUNIT_ASSERT_EQ(test, smc_mr_register(p->a.mr), 0);
	KUNIT_ASSERT_EQ(test, smc_mr_register(p->b.mr), 0);
}

static int setup(struct kunit *test)
{
	struct pair *p = kunit_kzalloc(test, sizeof(*p), GFP_KERNEL);

	if (!p)
		return -ENOMEM;
	test->priv = p;
	open_side(test, &p->a);
	open_side(test, &p->b);
	return 0;
}

static void teardown(struct kunit *test)
{
	struct pair *p = test->priv;

	free_side(test, &p->a);
	free_side(test, &p->b);
}

/* ---- cases ---- */

static void table_is_complete(struct kunit *test)
{
	struct smc_fsm_fault fault;

	KUNIT_EXPECT_EQ(test, smc_fsm_check(&smc_ep_fsm, &fault), 0);
}

/* R-1.2-04: when the message arrives, the bytes are already at the address of
 * the RToken.
 */
static void write_then_message(struct kunit *test)
{
	struct pair *p = test->priv;
	u32 off = 3 * PAGE_SIZE - 100;
	u32 i;

	start_pair(test, p);
	KUNIT_EXPECT_EQ(test, send_at(&p->a, off, 2 * PAGE_SIZE), 0);
	WAIT(test, &p->b, READ_ONCE(p->b.received) == 1);
	WAIT(test, &p->a, READ_ONCE(p->a.done) == 1);
	KUNIT_EXPECT_EQ(test, p->a.failed, 0);
	/* R-1.2-04 */
	for (i = 0; i < 2 * PAGE_SIZE; i++)
		KUNIT_ASSERT_EQ(test, byte_at(&p->b, off + i), pattern(i));
	KUNIT_EXPECT_EQ(test, byte_at(&p->b, off - 1), 0);
	KUNIT_EXPECT_EQ(test, byte_at(&p->b, off + i), 0);
}

/* Sends data that wraps around the end of the element, and expects two writes,
 * one message and one doorbell.
 */
static void two_writes_one_doorbell(struct kunit *test)
{
	struct pair *p = test->priv;
	struct side *a = &p->a;
	struct smc_ep_slot *slot;
	u64 bells;

	start_pair(test, p);
	bells = smc_mib_read(NULL, SMC_MIB_DOORBELLS);
	slot = take(a);
	KUNIT_ASSERT_NOT_NULL(test, slot);
	smc_ep_write_begin(a->ep, slot, a->peer_rkey, a->peer_addr + AREA - 10);
	/* two adjacent runs become one */
	KUNIT_EXPECT_EQ(test, smc_ep_write_page(a->ep, slot, a->source, 0, 4), 4);
	KUNIT_EXPECT_EQ(test, smc_ep_write_page(a->ep, slot, a->source, 4, 6), 6);
	smc_ep_write_begin(a->ep, slot, a->peer_rkey, a->peer_addr);
	KUNIT_EXPECT_EQ(test, smc_ep_write_page(a->ep, slot, a->source, 10, 5),
			5);
	KUNIT_EXPECT_EQ(test, post(a, slot), 0);
	WAIT(test, &p->b, READ_ONCE(p->b.received) == 1);
	KUNIT_EXPECT_EQ(test, byte_at(&p->b, AREA - 1), pattern(9));
	KUNIT_EXPECT_EQ(test, byte_at(&p->b, 0), pattern(10));
	KUNIT_EXPECT_EQ(test, byte_at(&p->b, 5), 0);
	KUNIT_EXPECT_EQ(test, smc_mib_read(NULL, SMC_MIB_DOORBELLS) - bells, 1);
}

static void gather_list_has_an_end(struct kunit *test)
{
	struct pair *p = test->priv;
	struct smc_ep_slot *slot;
	u32 i;

	start_pair(test, p);
	slot = take(&p->a);
	KUNIT_ASSERT_NOT_NULL(test, slot);
	smc_ep_write_begin(p->a.ep, slot, 1, 0);
	for (i = 0; i < 100; i++)
		if (!smc_ep_write_page(p->a.ep, slot, p->a.source, 2 * i, 1))
			break;
	KUNIT_EXPECT_EQ(test, i, SMC_EP_MAX_PIECES);
	smc_ep_write_begin(p->a.ep, slot, 1, 0);
	KUNIT_EXPECT_EQ(test, smc_ep_write_page(p->a.ep, slot, p->a.source, 0,
						smc_ep_max_write(p->a.ep) + 1),
			0);
	smc_ep_slot_cancel(p->a.ep, slot);
}

/* Checks that some slots are reserved for control messages, and that ->room()
 * is called when a slot is free after a caller got none.
 */
static void slots_are_kept_for_control(struct kunit *test)
{
	struct smc_ep_slot *slot[SMC_EP_SLOTS];
	struct pair *p = test->priv;
	u32 i;

	KUNIT_EXPECT_NULL(test, take(&p->a));
	start_pair(test, p);
	/* an early request: room() is called when sending is allowed */
	WAIT(test, &p->a, READ_ONCE(p->a.room) == 1);
	for (i = 0; i < SMC_EP_SLOTS; i++) {
		slot[i] = take(&p->a);
		if (!slot[i])
			break;
	}
	KUNIT_EXPECT_EQ(test, i, SMC_EP_DATA_SLOTS);
	for (; i < SMC_EP_SLOTS; i++) {
		slot[i] = smc_ep_slot_get(p->a.ep, SMC_EP_CTRL);
		KUNIT_ASSERT_NOT_NULL(test, slot[i]);
	}
	KUNIT_EXPECT_NULL(test, smc_ep_slot_get(p->a.ep, SMC_EP_CTRL));
	while (i--)
		smc_ep_slot_cancel(p->a.ep, slot[i]);
	WAIT(test, &p->a, READ_ONCE(p->a.room) >= 2);
}

/*
 * Checks that bytes move while another poster has the lock of the endpoint, so
 * that connections of an endpoint do not copy one after the other.
 */
static void copies_beside_other_posters(struct kunit *test)
{
	struct pair *p = test->priv;
	struct side *a = &p->a;
	struct smc_ep_slot *slot;
	int err;

	start_pair(test, p);
	slot = take(a);
	KUNIT_ASSERT_NOT_NULL(test, slot);
	smc_ep_write_begin(a->ep, slot, a->peer_rkey, a->peer_addr);
	smc_ep_write_page(a->ep, slot, a->source, 0, PAGE_SIZE);
	spin_lock_bh(&a->ep->post_lock);
	err = a->ep->ops->map(a->ep, container_of(slot, struct smc_ep_bundle,
						  pub));
	spin_unlock_bh(&a->ep->post_lock);
	KUNIT_EXPECT_EQ(test, err, 0);
	KUNIT_EXPECT_EQ(test, byte_at(&p->b, 0), pattern(0));
	KUNIT_EXPECT_EQ(test, byte_at(&p->b, PAGE_SIZE - 1),
			pattern(PAGE_SIZE - 1));
	KUNIT_EXPECT_EQ(test, p->b.received, 0);
	smc_ep_slot_cancel(a->ep, slot);
}

/* Number of mappings that will fail. */
static atomic_t map_fails;

static int (*real_map)(struct smc_ep *ep, struct smc_ep_bundle *b);

static int fail_to_map(struct smc_ep *ep, struct smc_ep_bundle *b)
{
	/* other callers must not wait until a mapping is done */
	lockdep_assert_not_held(&ep->post_lock);
	return atomic_dec_if_positive(&map_fails) < 0 ? real_map(ep, b) : -EIO;
}

/*
 * Checks that the link does not fail if the device cannot map memory now.
 * Senders must get no slot for a while, and then ->room() must be called.
 */
static void waits_for_mapping(struct kunit *test)
{
	/* the endpoint uses it until it is freed */
	static struct smc_ep_ops ops;
	struct pair *p = test->priv;
	struct side *a = &p->a;
	u64 failed;
	u32 room;

	start_pair(test, p);
	ops = *a->ep->ops;
	real_map = ops.map;
	ops.map = fail_to_map;
	a->ep->ops = &ops;
	failed = smc_mib_read(NULL, SMC_MIB_TX_MAP_FAILED);
	for (atomic_set(&map_fails, 3); atomic_read(&map_fails);) {
		room = READ_ONCE(a->room);
		KUNIT_EXPECT_EQ(test, send_at(a, 0, 10), -EAGAIN);
		/* the slot is free again, and nothing is posted */
		KUNIT_EXPECT_EQ(test, a->ep->n_free, SMC_EP_SLOTS);
		WAIT(test, a, READ_ONCE(a->room) > room);
	}
	KUNIT_EXPECT_EQ(test, smc_mib_read(NULL, SMC_MIB_TX_MAP_FAILED) - failed,
			3);
	KUNIT_EXPECT_EQ(test, send_at(a, 0, 10), 0);
	WAIT(test, &p->b, READ_ONCE(p->b.received) == 1);
	WAIT(test, a, READ_ONCE(a->done) == 1);
	KUNIT_EXPECT_EQ(test, byte_at(&p->b, 9), pattern(9));
	KUNIT_EXPECT_EQ(test, a->down, 0);
	/* the timer ends with the endpoint */
	atomic_set(&map_fails, 1);
	KUNIT_EXPECT_EQ(test, send_at(a, 0, 10), -EAGAIN);
	KUNIT_EXPECT_NULL(test, take(a));
	close_side(a);
	KUNIT_EXPECT_FALSE(test, timer_pending(&a->ep->room.retry));
}

/* An adapter that fails to map for long is reported, and the link remains. */
static void mapping_fails_for_long(struct kunit *test)
{
	static struct smc_ep_ops ops;
	struct pair *p = test->priv;
	struct side *a = &p->a;

	start_pair(test, p);
	ops = *a->ep->ops;
	real_map = ops.map;
	ops.map = fail_to_map;
	a->ep->ops = &ops;
	a->ep->room.failures = SMC_EP_RETRIES - 2;
	atomic_set(&map_fails, 1);
	KUNIT_EXPECT_EQ(test, send_at(a, 0, 10), -EAGAIN);
	KUNIT_EXPECT_EQ(test, a->ep->room.failures, SMC_EP_RETRIES - 1);
	/* a message without memory to map says nothing about the adapter */
	WAIT(test, a, send_at(a, 0, 0) == 0);
	KUNIT_EXPECT_EQ(test, a->ep->room.failures, SMC_EP_RETRIES - 1);
	KUNIT_EXPECT_FALSE(test, smc_ep_cannot_map(a->ep));
	atomic_set(&map_fails, 1);
	KUNIT_EXPECT_EQ(test, send_at(a, 0, 10), -EAGAIN);
	KUNIT_EXPECT_TRUE(test, smc_ep_cannot_map(a->ep));
	KUNIT_EXPECT_EQ(test, a->down, 0);
	WAIT(test, a, send_at(a, 0, 10) == 0);
	KUNIT_EXPECT_FALSE(test, smc_ep_cannot_map(a->ep));
	KUNIT_EXPECT_EQ(test, a->ep->room.failures, 0);
}

static int swallow(struct smc_ep *ep, struct smc_ep_bundle *b)
{
	return 0;
}

static void complete_oldest(struct smc_ep *ep)
{
	struct smc_ep_bundle *b = list_first_entry(&ep->posted,
						   struct smc_ep_bundle, list);

	local_bh_disable();
	smc_ep_complete(ep, b, 0);
	local_bh_enable();
}

/* F-06: an endpoint detects a peer that takes no message. */
static void peer_takes_nothing(struct kunit *test)
{
	const unsigned long stuck = msecs_to_jiffies(SMC_EP_STUCK_MS);
	static struct smc_ep_ops ops;
	struct pair *p = test->priv;
	struct smc_ep *ep = p->a.ep;

	start_pair(test, p);
	ops = *ep->ops;
	ops.post = swallow;
	ep->ops = &ops;
	ep->room.moved = jiffies - 2 * stuck;
	KUNIT_EXPECT_FALSE(test, smc_ep_stuck(ep));	/* nothing is posted */
	KUNIT_EXPECT_EQ(test, send_at(&p->a, 0, 0), 0);
	KUNIT_EXPECT_FALSE(test, smc_ep_stuck(ep));
	ep->room.moved = jiffies - stuck;
	KUNIT_EXPECT_TRUE(test, smc_ep_stuck(ep));
	/* a later message does not help, but a completion does */
	KUNIT_EXPECT_EQ(test, send_at(&p->a, 0, 0), 0);
	KUNIT_EXPECT_TRUE(test, smc_ep_stuck(ep));
	complete_oldest(ep);
	KUNIT_EXPECT_FALSE(test, smc_ep_stuck(ep));
	ep->room.moved = jiffies - stuck;
	KUNIT_EXPECT_TRUE(test, smc_ep_stuck(ep));
	complete_oldest(ep);
	KUNIT_EXPECT_FALSE(test, smc_ep_stuck(ep));
}

/* Makes a write that a NIC would refuse. Both ends must fail, and earlier
 * messages must arrive nevertheless.
 */
static void refused(struct kunit *test, u32 rkey, u64 addr, u32 len)
{
	struct pair *p = test->priv;
	u32 i;

	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, send_at(&p->a, 0, 1), 0);
	KUNIT_EXPECT_EQ(test, send_to(&p->a, rkey, addr, len), 0);
	WAIT(test, &p->a, READ_ONCE(p->a.done) == 4);
	WAIT(test, &p->a, READ_ONCE(p->a.down));
	WAIT(test, &p->b, READ_ONCE(p->b.down));
	KUNIT_EXPECT_EQ(test, p->a.failed, 1);
	KUNIT_EXPECT_EQ(test, p->a.down_err, -EACCES);
	KUNIT_EXPECT_EQ(test, p->b.down_err, -EACCES);
	KUNIT_EXPECT_EQ(test, p->b.received, 3);
	for (i = 1; i < AREA; i++)
		KUNIT_ASSERT_EQ(test, byte_at(&p->b, i), 0);
	KUNIT_EXPECT_NULL(test, smc_ep_slot_get(p->a.ep, SMC_EP_CTRL));
}

static void refuses_foreign_key(struct kunit *test)
{
	struct pair *p = test->priv;

	start_pair(test, p);
	refused(test, p->a.peer_rkey ^ 1, p->a.peer_addr, 10);
}

static void refuses_past_the_end(struct kunit *test)
{
	struct pair *p = test->priv;

	start_pair(test, p);
	refused(test, p->a.peer_rkey, p->a.peer_addr + AREA - 9, 10);
}

static void refuses_before_the_start(struct kunit *test)
{
	struct pair *p = test->priv;

	start_pair(test, p);
	refused(test, p->a.peer_rkey, p->a.peer_addr - 1, 10);
}

static void refuses_overflow(struct kunit *test)
{
	struct pair *p = test->priv;

	start_pair(test, p);
	refused(test, p->a.peer_rkey, U64_MAX - 4, 10);
}

static void refuses_unregistered(struct kunit *test)
{
	struct pair *p = test->priv;

	connect_pair(test, p);
	KUNIT_EXPECT_EQ(test, send_at(&p->a, 0, 10), 0);
	WAIT(test, &p->a, READ_ONCE(p->a.down));
	KUNIT_EXPECT_EQ(test, byte_at(&p->b, 0), 0);
}

/* Checks that a revoked key gives no access to its memory. */
static void refuses_revoked(struct kunit *test)
{
	struct pair *p = test->priv;

	start_pair(test, p);
	KUNIT_EXPECT_EQ(test, send_at(&p->a, 0, 10), 0);
	WAIT(test, &p->b, READ_ONCE(p->b.received) == 1);
	smc_mr_free(p->b.mr);
	p->b.mr = NULL;
	KUNIT_EXPECT_EQ(test, send_at(&p->a, 100, 10), 0);
	WAIT(test, &p->a, READ_ONCE(p->a.down));
	KUNIT_EXPECT_EQ(test, byte_at(&p->b, 100), 0);
}

static void binds_only_whom_it_was_told(struct kunit *test)
{
	struct pair *p = test->priv;
	struct smc_ep_addr wrong = p->b.addr;
	struct side *third = kunit_kzalloc(test, sizeof(*third), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, third);
	open_side(test, third);
	wrong.psn ^= 1;
	KUNIT_EXPECT_EQ(test, smc_ep_accept(p->a.ep, &wrong), -ECONNREFUSED);
	KUNIT_EXPECT_EQ(test, smc_ep_accept(p->a.ep, &p->a.addr),
			-ECONNREFUSED);
	KUNIT_EXPECT_FALSE(test, smc_ep_peer_same(p->a.ep, &p->b.addr));
	KUNIT_EXPECT_EQ(test, smc_ep_accept(p->a.ep, &p->b.addr), 0);
	KUNIT_EXPECT_TRUE(test, smc_ep_peer_same(p->a.ep, &p->b.addr));
	KUNIT_EXPECT_FALSE(test, smc_ep_peer_same(p->a.ep, &wrong) &&
			   wrong.qpn != p->b.addr.qpn);
	/* the other end already has a peer */
	KUNIT_EXPECT_EQ(test, smc_ep_accept(third->ep, &p->b.addr),
			-ECONNREFUSED);
	close_side(third);
	wrong = third->addr;
	free_side(test, third);
	/* the other end is closed */
	KUNIT_EXPECT_EQ(test, smc_ep_accept(p->b.ep, &wrong), -ECONNREFUSED);
}

/* Checks that an endpoint that was not accepted cannot send to us. */
static void one_side_bound(struct kunit *test)
{
	struct pair *p = test->priv;

	KUNIT_ASSERT_EQ(test, smc_ep_accept(p->a.ep, &p->b.addr), 0);
	KUNIT_ASSERT_EQ(test, smc_ep_start(p->a.ep), 0);
	KUNIT_EXPECT_EQ(test, send_to(&p->a, 0, 0, 0), -ECONNREFUSED);
	WAIT(test, &p->a, READ_ONCE(p->a.down) == 1);
	KUNIT_EXPECT_EQ(test, p->b.received, 0);
	KUNIT_EXPECT_EQ(test, p->b.down, 0);
}

/* Checks that messages posted before the close arrive, and that the peer sees
 * the close after them.
 */
static void close_delivers_and_tells(struct kunit *test)
{
	struct pair *p = test->priv;
	u32 i;

	start_pair(test, p);
	local_bh_disable();
	for (i = 0; i < SMC_EP_DATA_SLOTS; i++)
		KUNIT_EXPECT_EQ(test, send_at(&p->a, i, 1), 0);
	local_bh_enable();
	close_side(&p->a);
	KUNIT_EXPECT_EQ(test, p->a.done, SMC_EP_DATA_SLOTS);
	KUNIT_EXPECT_EQ(test, p->a.failed, 0);
	KUNIT_EXPECT_EQ(test, p->b.received, SMC_EP_DATA_SLOTS);
	WAIT(test, &p->b, READ_ONCE(p->b.down) == 1);
	KUNIT_EXPECT_EQ(test, p->b.down_err, -ECONNRESET);
	KUNIT_EXPECT_EQ(test, send_at(&p->b, 0, 1), -EAGAIN);
	KUNIT_EXPECT_EQ(test, p->a.down, 0);
}

/* ---- both directions at once ---- */

struct sender {
	struct side *s;
	u32 left;
	struct completion over;
};

static int sender(void *arg)
{
	struct sender *t = arg;
	struct side *s = t->s;
	u32 seen;

	while (t->left && !READ_ONCE(s->closed)) {
		seen = READ_ONCE(s->room);
		switch (send_at(s, t->left % AREA / 2, t->left % 300)) {
		case 0:
			t->left--;
			break;
		case -EAGAIN:
			wait_event_timeout(s->wait, READ_ONCE(s->room) != seen ||
					   READ_ONCE(s->closed) ||
					   READ_ONCE(s->down), HZ);
			if (!READ_ONCE(s->down))
				break;
			fallthrough;
		default:
			goto out;
		}
		cond_resched();
	}
out:
	complete(&t->over);
	return 0;
}

static void start_sender(struct kunit *test, struct sender *t, struct side *s)
{
	t->s = s;
	t->left = FLOOD_MSGS;
	init_completion(&t->over);
	KUNIT_ASSERT_FALSE(test, IS_ERR(kthread_run(sender, t, "smc-test")));
}

static void flood(struct kunit *test)
{
	struct pair *p = test->priv;
	struct sender t[4];
	u32 i;

	start_pair(test, p);
	for (i = 0; i < 4; i++)
		start_sender(test, &t[i], i & 1 ? &p->a : &p->b);
	for (i = 0; i < 4; i++)
		wait_for_completion(&t[i].over);
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_EQ(test, t[i].left, 0);
	WAIT(test, &p->a, READ_ONCE(p->a.done) == 2 * FLOOD_MSGS);
	WAIT(test, &p->b, READ_ONCE(p->b.done) == 2 * FLOOD_MSGS);
	KUNIT_EXPECT_EQ(test, p->a.received, 2 * FLOOD_MSGS);
	KUNIT_EXPECT_EQ(test, p->b.received, 2 * FLOOD_MSGS);
	KUNIT_EXPECT_EQ(test, p->a.failed + p->b.failed, 0);
}

static void close_under_flood(struct kunit *test)
{
	struct pair *p = test->priv;
	struct sender t[2];

	start_pair(test, p);
	start_sender(test, &t[0], &p->a);
	start_sender(test, &t[1], &p->b);
	WAIT(test, &p->a, READ_ONCE(p->a.received) > FLOOD_MSGS / 10);
	close_side(&p->a);
	KUNIT_EXPECT_EQ(test, p->a.failed, 0);
	wake_up(&p->a.wait);
	wait_for_completion(&t[0].over);
	wait_for_completion(&t[1].over);
	WAIT(test, &p->b, READ_ONCE(p->b.down) == 1);
}

/*
 * Checks that no write is under way to a region that was freed, although the
 * peer writes all the time. R-2.3-06
 */
static void free_ends_writes(struct kunit *test)
{
	struct pair *p = test->priv;
	struct sender t[2];
	u32 i;

	start_pair(test, p);
	start_sender(test, &t[0], &p->a);
	start_sender(test, &t[1], &p->a);
	WAIT(test, &p->b, READ_ONCE(p->b.received) > FLOOD_MSGS / 10);
	smc_mr_free(p->b.mr);
	p->b.mr = NULL;
	for (i = 0; i < N_PAGES; i++)
		clear_page(page_address(p->b.pages[i]));
	WAIT(test, &p->a, READ_ONCE(p->a.down) == 1);
	wake_up(&p->a.wait);
	wait_for_completion(&t[0].over);
	wait_for_completion(&t[1].over);
	for (i = 0; i < AREA; i++)
		KUNIT_ASSERT_EQ(test, byte_at(&p->b, i), 0);
}

static int suite_init(struct kunit_suite *suite)
{
	return smc_ep_workers_init();
}

static void suite_exit(struct kunit_suite *suite)
{
	smc_loop_exit();
	smc_ep_workers_exit();
}

static struct kunit_case cases[] = {
	KUNIT_CASE(table_is_complete),
	KUNIT_CASE(write_then_message),
	KUNIT_CASE(two_writes_one_doorbell),
	KUNIT_CASE(gather_list_has_an_end),
	KUNIT_CASE(slots_are_kept_for_control),
	KUNIT_CASE(copies_beside_other_posters),
	KUNIT_CASE(waits_for_mapping),
	KUNIT_CASE(mapping_fails_for_long),
	KUNIT_CASE(peer_takes_nothing),
	KUNIT_CASE(refuses_foreign_key),
	KUNIT_CASE(refuses_past_the_end),
	KUNIT_CASE(refuses_before_the_start),
	KUNIT_CASE(refuses_overflow),
	KUNIT_CASE(refuses_unregistered),
	KUNIT_CASE(refuses_revoked),
	KUNIT_CASE(binds_only_whom_it_was_told),
	KUNIT_CASE(one_side_bound),
	KUNIT_CASE(close_delivers_and_tells),
	KUNIT_CASE(flood),
	KUNIT_CASE(close_under_flood),
	KUNIT_CASE(free_ends_writes),
	{}
};

static struct kunit_suite smc_loop_suite = {
	.name = "smc-in-host",
	.suite_init = suite_init,
	.suite_exit = suite_exit,
	.init = setup,
	.exit = teardown,
	.test_cases = cases,
};

kunit_test_suite(smc_loop_suite);

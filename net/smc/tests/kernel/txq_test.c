// SPDX-License-Identifier: GPL-2.0
/*
 * Tests the totals of queued bytes, which views show without a visit to a
 * connection: one of the namespace and one of the group. A total must follow
 * each change of a queue, and be 0 at the end. Memory of all kinds is freed.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include "../../conn/txq.c"

/* ---- functions that the queue calls ---- */

static s64 total, of_group;

void smc_stat_queued(struct net *net, s64 change)
{
	total += change;
}

void smc_member_queued(struct smc_lgr *lgr, s64 change)
{
	of_group += change;
}

/* ---- a connection that only queues ---- */

enum {
	LIMIT	= 65536,
	LEN	= 1000,
	ROOM	= 500,
};

static int init(struct kunit *test)
{
	struct smc_conn *conn = kunit_kzalloc(test, sizeof(*conn), GFP_KERNEL);

	if (!conn)
		return -ENOMEM;
	spin_lock_init(&conn->lock);
	INIT_LIST_HEAD(&conn->tx.segs);
	INIT_LIST_HEAD(&conn->tx.parked);
	INIT_LIST_HEAD(&conn->news.noticed);
	conn->tx.limit = LIMIT;
	conn->tx.cap = U32_MAX;
	conn->life.place = SMC_PLACE_IN;
	total = 0;
	of_group = 0;
	test->priv = conn;
	return 0;
}

static void append(struct kunit *test, struct smc_conn *conn)
{
	struct smc_seg *seg = kzalloc(sizeof(*seg), GFP_KERNEL);
	struct page *page = alloc_page(GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, seg);
	KUNIT_ASSERT_NOT_NULL(test, page);
	seg->kind = SMC_SEG_LENT;
	seg->page = page;
	seg->len = LEN;
	seg->charge = PAGE_SIZE;
	spin_lock_bh(&conn->lock);
	smc_txq_append(conn, seg);
	spin_unlock_bh(&conn->lock);
}

/* Appends a segment whose descriptor is in front of its bytes. */
static void append_bytes(struct kunit *test, struct smc_conn *conn,
			 enum smc_seg_kind kind)
{
	struct smc_seg *seg = kind == SMC_SEG_SMALL ?
			      kmalloc(2048, GFP_KERNEL) :
			      (struct smc_seg *)__get_free_page(GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, seg);
	seg->kind = kind;
	seg->notice = NULL;
	seg->page = virt_to_page(seg);
	seg->off = offset_in_page(seg) + sizeof(*seg);
	seg->len = LEN;
	seg->room = ROOM;
	seg->charge = kind == SMC_SEG_SMALL ? 2048 : PAGE_SIZE;
	spin_lock_bh(&conn->lock);
	smc_txq_append(conn, seg);
	spin_unlock_bh(&conn->lock);
}

static void expect(struct kunit *test, struct smc_conn *conn, s64 bytes)
{
	KUNIT_EXPECT_EQ(test, total, bytes);
	KUNIT_EXPECT_EQ(test, of_group, bytes);
	KUNIT_EXPECT_EQ(test, conn->tx.prep - conn->tx.fin, (u64)bytes);
}

static void delivered(struct smc_conn *conn, u64 end)
{
	spin_lock_bh(&conn->lock);
	smc_txq_delivered(conn, end);
	spin_unlock_bh(&conn->lock);
}

static void shrink(struct smc_conn *conn)
{
	spin_lock_bh(&conn->lock);
	smc_txq_shrink(conn);
	spin_unlock_bh(&conn->lock);
}

static void follows(struct kunit *test)
{
	struct smc_conn *conn = test->priv;

	append(test, conn);
	append(test, conn);
	expect(test, conn, 2 * LEN);
	conn->tx.sent = 2 * LEN;
	conn->tx.next = NULL;
	delivered(conn, LEN + 10);
	expect(test, conn, LEN - 10);
	/* an old message */
	delivered(conn, LEN);
	expect(test, conn, LEN - 10);
	delivered(conn, 2 * LEN);
	expect(test, conn, 0);
}

/*
 * A delivery frees segments of each kind, and counts their memory as freed.
 * Only a small segment at the end of the queue stays.
 */
static void kinds(struct kunit *test)
{
	struct smc_conn *conn = test->priv;

	append_bytes(test, conn, SMC_SEG_SMALL);
	append_bytes(test, conn, SMC_SEG_COPIED);
	append(test, conn);
	append_bytes(test, conn, SMC_SEG_SMALL);
	KUNIT_EXPECT_EQ(test, conn->tx.charged, 2 * 2048 + 2 * PAGE_SIZE);
	conn->tx.sent = 4 * LEN;
	conn->tx.next = NULL;
	delivered(conn, LEN);
	KUNIT_EXPECT_EQ(test, conn->tx.charged, 2048 + 2 * PAGE_SIZE);
	delivered(conn, 3 * LEN);
	KUNIT_EXPECT_EQ(test, conn->tx.charged, 2048);
	delivered(conn, 4 * LEN);
	KUNIT_EXPECT_EQ(test, conn->tx.charged, 2048);
	KUNIT_EXPECT_EQ(test, conn->news.freed, 2048 + 2 * PAGE_SIZE);
	expect(test, conn, 0);
	shrink(conn);
	KUNIT_EXPECT_EQ(test, conn->tx.charged, 0);
	KUNIT_EXPECT_EQ(test, conn->news.freed, 2 * 2048 + 2 * PAGE_SIZE);
	KUNIT_EXPECT_TRUE(test, list_empty(&conn->tx.segs));
	expect(test, conn, 0);
}

/*
 * A connection uses its last small segment for the next message after the peer
 * has received all bytes of the segment.
 */
static void small_is_used_again(struct kunit *test)
{
	struct smc_conn *conn = test->priv;
	struct smc_seg *seg;

	append_bytes(test, conn, SMC_SEG_SMALL);
	seg = conn->tx.next;
	conn->tx.sent = LEN;
	conn->tx.next = NULL;
	delivered(conn, LEN);
	spin_lock_bh(&conn->lock);
	KUNIT_EXPECT_PTR_EQ(test, smc_txq_tail(conn), seg);
	KUNIT_EXPECT_TRUE(test, smc_txq_keeps(conn));
	KUNIT_EXPECT_EQ(test, seg->room, LEN + ROOM);
	KUNIT_EXPECT_EQ(test, seg->start, LEN);
	smc_txq_grow(conn, seg, 10, 0);
	KUNIT_EXPECT_FALSE(test, smc_txq_keeps(conn));
	KUNIT_EXPECT_PTR_EQ(test, smc_txq_at(conn, LEN), seg);
	spin_unlock_bh(&conn->lock);
	KUNIT_EXPECT_PTR_EQ(test, conn->tx.next, seg);
	expect(test, conn, 10);
	shrink(conn);	/* too late */
	KUNIT_EXPECT_EQ(test, conn->tx.charged, 2048);
	/* bytes in a segment of their own replace the empty one */
	conn->tx.sent = LEN + 10;
	conn->tx.next = NULL;
	delivered(conn, LEN + 10);
	append_bytes(test, conn, SMC_SEG_SMALL);
	KUNIT_EXPECT_EQ(test, conn->tx.charged, 2048);
	KUNIT_EXPECT_TRUE(test, list_is_singular(&conn->tx.segs));
	conn->tx.sent = 2 * LEN + 10;
	conn->tx.next = NULL;
	delivered(conn, 2 * LEN + 10);
	KUNIT_EXPECT_EQ(test, conn->tx.charged, 2048);
	conn->tx.pinned = list_first_entry(&conn->tx.segs, struct smc_seg,
					   list);
	shrink(conn);	/* a sender fills the segment */
	KUNIT_EXPECT_EQ(test, conn->tx.charged, 2048);
	conn->tx.pinned = NULL;
	smc_txq_destroy(conn);
}

static void purge(struct kunit *test)
{
	struct smc_conn *conn = test->priv;

	append(test, conn);
	append(test, conn);
	conn->tx.sent = 300;
	spin_lock_bh(&conn->lock);
	smc_txq_purge(conn);
	spin_unlock_bh(&conn->lock);
	expect(test, conn, 300);
	delivered(conn, 300);
	expect(test, conn, 0);
}

/*
 * Ends a connection whose bytes are never acknowledged, or acknowledged too
 * late.
 */
static void end(struct kunit *test)
{
	struct smc_conn *conn = test->priv;

	append(test, conn);
	append(test, conn);
	conn->tx.sent = 2 * LEN;
	delivered(conn, LEN);
	spin_lock_bh(&conn->lock);
	smc_txq_uncharge(conn);
	conn->life.place = SMC_PLACE_DONE;
	spin_unlock_bh(&conn->lock);
	KUNIT_EXPECT_EQ(test, total, 0);
	/* the namespace may be gone */
	delivered(conn, 2 * LEN);
	KUNIT_EXPECT_EQ(test, total, 0);
	smc_txq_destroy(conn);
}

/*
 * The application keeps its socket after the end of a connection with bytes in
 * flight that are never acknowledged: no segment stays, except one that a
 * sender still fills.
 */
static void nothing_stays(struct kunit *test)
{
	struct smc_conn *conn = test->priv;
	struct smc_seg *tail;
	LIST_HEAD(noticed);

	append(test, conn);
	append_bytes(test, conn, SMC_SEG_SMALL);
	append_bytes(test, conn, SMC_SEG_COPIED);
	conn->tx.sent = 2 * LEN + 10;
	spin_lock_bh(&conn->lock);
	tail = smc_txq_tail(conn);
	conn->tx.pinned = tail;
	smc_txq_purge(conn);
	smc_txq_uncharge(conn);
	smc_txq_give_up(conn, &noticed);
	conn->life.place = SMC_PLACE_DONE;
	spin_unlock_bh(&conn->lock);
	KUNIT_EXPECT_TRUE(test, list_empty(&noticed));
	KUNIT_EXPECT_TRUE(test, list_is_singular(&conn->tx.segs));
	KUNIT_EXPECT_PTR_EQ(test, conn->tx.segs.prev, &tail->list);
	spin_lock_bh(&conn->lock);
	conn->tx.pinned = NULL;
	smc_txq_trim(conn);
	spin_unlock_bh(&conn->lock);
	KUNIT_EXPECT_TRUE(test, list_empty(&conn->tx.segs));
	KUNIT_EXPECT_EQ(test, total, 0);
	smc_txq_destroy(conn);
}

/*
 * Checks that a connection that leaves its group takes its bytes along, and
 * that bytes that are delivered later count only for the namespace.
 */
static void leaves(struct kunit *test)
{
	struct smc_conn *conn = test->priv;

	append(test, conn);
	append(test, conn);
	conn->tx.sent = 2 * LEN;
	conn->tx.next = NULL;
	delivered(conn, 300);
	conn->life.place = SMC_PLACE_LEAVING;
	delivered(conn, LEN);
	expect(test, conn, LEN);
	spin_lock_bh(&conn->lock);
	smc_txq_leave(conn);
	conn->life.place = SMC_PLACE_LEFT;
	spin_unlock_bh(&conn->lock);
	KUNIT_EXPECT_EQ(test, of_group, 0);
	KUNIT_EXPECT_EQ(test, total, LEN);
	delivered(conn, 2 * LEN);
	KUNIT_EXPECT_EQ(test, of_group, 0);
	KUNIT_EXPECT_EQ(test, total, 0);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(follows),
	KUNIT_CASE(kinds),
	KUNIT_CASE(small_is_used_again),
	KUNIT_CASE(purge),
	KUNIT_CASE(end),
	KUNIT_CASE(nothing_stays),
	KUNIT_CASE(leaves),
	{}
};

static struct kunit_suite smc_txq_suite = {
	.name = "smc-txq",
	.init = init,
	.test_cases = cases,
};

kunit_test_suite(smc_txq_suite);

// SPDX-License-Identifier: GPL-2.0
/*
 * Tests when a connection asks its group for an element, and when it returns
 * the element and the charge.
 */
#include <kunit/test.h>
#include <linux/sizes.h>
#include <linux/slab.h>

/* Other suites of this module have functions with these names. */
#define smc_framed_element_limit	own_framed_element_limit
#define smc_framed_element_offer	own_framed_element_offer
#define smc_framed_element_release	own_framed_element_release
#define smc_framed_element_rmbe		own_framed_element_rmbe
#define smc_framed_element_size		own_framed_element_size
#define smc_framed_element_wanted	own_framed_element_wanted
#define smc_framed_element_written	own_framed_element_written
#define smc_rmbe_put			own_rmbe_put
#include "../../conn/framed_element.c"

/* ---- functions that this file calls ---- */

bool smc_contact_elastic(const struct smc_contact *c)
{
	return true;
}

static unsigned int returned;

void smc_rmbe_put(struct smc_lgr *lgr, struct smc_rmbe *e, u32 used, bool clean,
		  u32 token)
{
	returned++;
}

static struct smc_conn *new_conn(struct kunit *test)
{
	struct smc_conn *conn = kunit_kzalloc(test, sizeof(*conn), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, conn);
	spin_lock_init(&conn->lock);
	smc_frames_in_init(&conn->framed.f.in, 1, 0);
	conn->framed.element.elastic = true;
	return conn;
}

/* ---- a connection whose peer always wants an element ---- */

static bool asks(struct smc_conn *conn)
{
	u32 size;

	spin_lock_bh(&conn->lock);
	size = own_framed_element_wanted(conn);
	spin_unlock_bh(&conn->lock);
	return size;
}

/*
 * After moves, a withdrawn element stays until the peer can no longer write to
 * it over an old link. A connection that has SMC_FRAMES_ELEMENTS elements does
 * not ask for another one, because no slot is free for its offer.
 */
static void no_entry_is_free(struct kunit *test)
{
	struct smc_conn *conn = new_conn(test);
	struct smc_framed_own own[SMC_FRAMES_ELEMENTS] = {};
	int i;

	conn->framed.mem.cap = SZ_256K;
	conn->framed.f.in.heard = SMC_FRAME_W;
	for (i = 0; i < SMC_FRAMES_ELEMENTS; i++) {
		KUNIT_EXPECT_TRUE(test, asks(conn));
		element_add(conn, &own[i]);
	}
	KUNIT_EXPECT_FALSE(test, asks(conn));
	own[1].back = true;
	conn->framed.element.returns = 1;
	KUNIT_EXPECT_PTR_EQ(test, element_take_back(conn), &own[1]);
	KUNIT_EXPECT_NULL(test, element_take_back(conn));
	KUNIT_EXPECT_TRUE(test, asks(conn));
}

/* ---- a connection with an element that it has to return ---- */

static unsigned int runs;

static void count_run(struct work_struct *work)
{
	runs++;
}

static void check(struct smc_conn *conn)
{
	spin_lock_bh(&conn->lock);
	smc_framed_element_check(conn);
	spin_unlock_bh(&conn->lock);
	flush_delayed_work(&conn->timers.work);
}

/*
 * First contact gives the connection an element. The connection returns it to
 * the group without having offered it to the peer. The work item cannot take
 * the element while a reader copies. So it must run again when the reader has
 * finished.
 */
static void named_returns_late(struct kunit *test)
{
	struct smc_conn *conn = new_conn(test);
	struct smc_framed_own own = {};

	INIT_DELAYED_WORK(&conn->timers.work, count_run);
	conn->life.place = SMC_PLACE_IN;
	smc_conn_wq = system_wq;
	runs = 0;
	element_add(conn, &own);
	check(conn);
	KUNIT_EXPECT_EQ(test, runs, 0);
	own.back = true;
	conn->framed.element.returns = 1;
	check(conn);
	KUNIT_EXPECT_EQ(test, runs, 1);
}

/*
 * The owner has paid for an element that the connection took from the group,
 * but not for the one of first contact.
 */
static void repays_what_was_paid(struct kunit *test)
{
	struct smc_conn *conn = new_conn(test);
	struct smc_framed_own *own;
	int i;

	for (i = 0; i < 3; i++) {
		own = kzalloc(sizeof(*own), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, own);
		own->rmbe.size = SZ_64K;
		own->paid = i ? SZ_64K : 0;
		own->back = i < 2;
		element_add(conn, own);
	}
	conn->framed.element.returns = 2;
	conn->framed.element.paid = 2 * SZ_64K;
	returned = 0;
	element_return_all(conn);
	KUNIT_EXPECT_EQ(test, returned, 2);
	KUNIT_EXPECT_EQ(test, conn->framed.element.paid, SZ_64K);
	KUNIT_EXPECT_EQ(test, conn->news.shrunk, SZ_64K);
	KUNIT_EXPECT_EQ(test, conn->framed.element.n, 1);
	smc_framed_element_free(conn);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(no_entry_is_free),
	KUNIT_CASE(named_returns_late),
	KUNIT_CASE(repays_what_was_paid),
	{}
};

static struct kunit_suite smc_element_suite = {
	.name = "smc-element",
	.test_cases = cases,
};

kunit_test_suite(smc_element_suite);

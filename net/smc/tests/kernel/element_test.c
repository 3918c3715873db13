// SPDX-License-Identifier: GPL-2.0
/*
 * Tests when a connection asks its group for an element, and when it returns
 * the element.
 */
#include <kunit/test.h>
#include <linux/sizes.h>
#include <linux/slab.h>

/* Other suites of this module have functions with these names. */
#define smc_framed_element_check	own_framed_element_check
#define smc_framed_element_grown	own_framed_element_grown
#define smc_framed_element_limit	own_framed_element_limit
#define smc_framed_element_of		own_framed_element_of
#define smc_framed_element_offer	own_framed_element_offer
#define smc_framed_element_size		own_framed_element_size
#define smc_framed_element_wanted	own_framed_element_wanted
#define smc_framed_element_written	own_framed_element_written
#include "../../conn/framed_element.c"

/* ---- functions that this file calls ---- */

bool smc_contact_elastic(const struct smc_contact *c)
{
	return true;
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
 * it over an old link. With no entry left the connection does not ask for
 * another element, which it could not offer.
 */
static void no_entry_is_free(struct kunit *test)
{
	struct smc_conn *conn = kunit_kzalloc(test, sizeof(*conn), GFP_KERNEL);
	struct smc_framed_own own = {};
	int i;

	KUNIT_ASSERT_NOT_NULL(test, conn);
	spin_lock_init(&conn->lock);
	smc_frames_in_init(&conn->framed.f.in, 1, 0);
	conn->framed.element.elastic = true;
	conn->framed.mem.cap = SZ_256K;
	conn->framed.f.in.heard = SMC_FRAME_W;
	for (i = 0; i < SMC_FRAMES_ELEMENTS; i++) {
		KUNIT_EXPECT_TRUE(test, asks(conn));
		conn->framed.element.own[i] = &own;
	}
	KUNIT_EXPECT_FALSE(test, asks(conn));
	conn->framed.element.own[1] = NULL;
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
	own_framed_element_check(conn);
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
	struct smc_conn *conn = kunit_kzalloc(test, sizeof(*conn), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, conn);
	spin_lock_init(&conn->lock);
	smc_frames_in_init(&conn->framed.f.in, 1, 0);
	INIT_DELAYED_WORK(&conn->timers.work, count_run);
	conn->framed.element.elastic = true;
	conn->life.place = SMC_PLACE_IN;
	smc_conn_wq = system_wq;
	runs = 0;
	check(conn);
	KUNIT_EXPECT_EQ(test, runs, 0);
	conn->framed.element.returns = 1;
	check(conn);
	KUNIT_EXPECT_EQ(test, runs, 1);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(no_entry_is_free),
	KUNIT_CASE(named_returns_late),
	{}
};

static struct kunit_suite smc_element_suite = {
	.name = "smc-element",
	.test_cases = cases,
};

kunit_test_suite(smc_element_suite);

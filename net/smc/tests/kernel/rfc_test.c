// SPDX-License-Identifier: GPL-2.0
/*
 * Tests the start of a connection of RFC 7609: a connection that has left its
 * group does not look at a link, because the link may be freed.
 */
#include <kunit/test.h>
#include <linux/slab.h>
#include "../../conn/rfc.c"

/* ---- functions that this file calls ---- */

static unsigned int resolved;

bool smc_rfc_failover_resolve(struct smc_conn *conn)
{
	resolved++;
	return true;
}

void smc_rfc_failover_switch(struct smc_conn *conn)
{
}

int smc_member_peer_rmb(struct smc_lgr_member *m, u32 rkey, u64 addr, u32 *id)
{
	*id = 1;
	return 0;
}

bool smc_member_may_move(struct smc_lgr_member *m, u32 id,
			 const struct smc_link *from, const struct smc_link *to)
{
	return false;
}

void smc_close_group_ended(struct smc_lgr_member *m, int err)
{
}

u64 smc_info_cursor(u64 pos, u32 size)
{
	return pos;
}

int smc_rfc_element_init(void)
{
	return 0;
}

void smc_rfc_element_exit(void)
{
}

int smc_rfc_element_claim(struct smc_conn *conn)
{
	return 0;
}

void smc_rfc_element_drop(struct smc_conn *conn)
{
}

void smc_rfc_tx_push(struct smc_conn *conn, bool may_wait)
{
}

bool smc_rfc_tx_flying(const struct smc_conn *conn)
{
	return false;
}

bool smc_rfc_tx_settled(const struct smc_conn *conn)
{
	return true;
}

void smc_rfc_urgent_prepare(struct smc_conn *conn)
{
}

static unsigned int n_freed;

void smc_rfc_urgent_free(struct smc_conn *conn)
{
	n_freed++;
}

/* ---- a connection that gets Accept or Confirm ---- */

/* Returns the result of set_peer() for a connection with this place. */
static int set_peer(struct kunit *test, u8 place)
{
	struct smc_conn *conn = kunit_kzalloc(test, sizeof(*conn), GFP_KERNEL);
	const struct smc_clc_accept accept = {
		.rmbe_idx = 1,
		.rkey = 0x1234,
		.token = 1,
	};

	KUNIT_ASSERT_NOT_NULL(test, conn);
	spin_lock_init(&conn->lock);
	conn->life.place = place;
	resolved = 0;
	return rfc_set_peer(conn, &accept);
}

static void member_uses_its_link(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, set_peer(test, SMC_PLACE_IN), 0);
	KUNIT_EXPECT_EQ(test, resolved, 1);
}

static void freed_link_is_not_used(struct kunit *test)
{
	u8 place;

	for (place = SMC_PLACE_OUT; place <= SMC_PLACE_DONE; place++) {
		if (place == SMC_PLACE_IN)
			continue;
		KUNIT_EXPECT_EQ(test, set_peer(test, place), -ENOLINK);
		KUNIT_EXPECT_EQ(test, resolved, 0);
	}
}

/*
 * A socket may stay after its connection, but not the copy before urgent data.
 */
static void copy_ends_with_connection(struct kunit *test)
{
	struct smc_conn *conn = kunit_kzalloc(test, sizeof(*conn), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, conn);
	spin_lock_init(&conn->lock);
	INIT_LIST_HEAD(&conn->news.noticed);
	conn->life.place = SMC_PLACE_LEFT;
	conn->close.state = SMC_CONN_CLOSED;
	n_freed = 0;
	smc_rfc_dialect.reap(conn);
	KUNIT_EXPECT_EQ(test, n_freed, 1);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(member_uses_its_link),
	KUNIT_CASE(freed_link_is_not_used),
	KUNIT_CASE(copy_ends_with_connection),
	{}
};

static struct kunit_suite smc_rfc_suite = {
	.name = "smc-rfc",
	.test_cases = cases,
};

kunit_test_suite(smc_rfc_suite);

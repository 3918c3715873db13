// SPDX-License-Identifier: GPL-2.0
/*
 * Tests members of a group: a key of the peer belongs to a link, not to the
 * slot of the link. And tests the number of a group.
 */
#include <kunit/test.h>
#include <linux/slab.h>

/* Other suites of this module have functions with these names. */
#define smc_member_faces	own_member_faces
#define smc_member_heard	own_member_heard
#define smc_member_keepalive	own_member_keepalive
#define smc_member_may_move	own_member_may_move
#define smc_member_offered_rmb	own_member_offered_rmb
#define smc_member_peer_rmb	own_member_peer_rmb
#define smc_member_queued	own_member_queued
#define smc_member_seen		own_member_seen
#define smc_member_unread	own_member_unread
#include "../../group/member.c"
#include "../../group/rtok.c"

/* ---- functions that these files call ---- */

void smc_lgr_put(struct smc_lgr *lgr, enum smc_lgr_ref why)
{
}

void smc_lgr_user_put(struct smc_lgr *lgr)
{
}

void smc_link_put(struct smc_link *link, enum smc_link_ref why)
{
}

void smc_link_uncount(struct smc_link *link)
{
}

struct smc_link *smc_links_pick(struct smc_lgr *lgr, const struct smc_link *not)
{
	return NULL;
}

/* ---- a group whose links take the same slot one after the other ---- */

enum {
	SLOT	= 1,
	RKEY	= 0x1234,
};

struct world {
	struct smc_lgr lgr;
	struct smc_link old;
	struct smc_link new;
};

static void keys_of_another_link(struct kunit *test)
{
	struct world *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);
	struct smc_lgr_member m = {};
	u32 set, id = 0;

	KUNIT_ASSERT_NOT_NULL(test, w);
	KUNIT_ASSERT_EQ(test, smc_rtok_init(&w->lgr.rtoks), 0);
	m.lgr = &w->lgr;
	w->old.slot = SLOT;
	w->old.uid = 1;
	w->new.slot = SLOT;
	w->new.uid = 2;

	w->lgr.owner[SLOT] = w->old.uid;
	KUNIT_EXPECT_EQ(test, smc_rtok_learn(&w->lgr.rtoks, SLOT, RKEY, 0, &set), 0);
	KUNIT_EXPECT_EQ(test, own_member_offered_rmb(&m, &w->old, RKEY, &id), 0);
	KUNIT_EXPECT_EQ(test, id, set);

	/* the new link has a key of the same value */
	w->lgr.owner[SLOT] = w->new.uid;
	KUNIT_EXPECT_EQ(test, own_member_offered_rmb(&m, &w->old, RKEY, &id),
			-ENOENT);
	KUNIT_EXPECT_EQ(test, own_member_offered_rmb(&m, &w->new, RKEY, &id), 0);
	smc_rtok_destroy(&w->lgr.rtoks);
}

/* Views append 8 bits to the number. */
static void numbers_of_groups(struct kunit *test)
{
	static const u32 t[] = { 1, 0xfffffe, 0xffffff, 1, 2 };
	atomic_t last = ATOMIC_INIT(0);
	u32 id;
	int i;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		if (i == 1)
			atomic_set(&last, 0xfffffd);
		id = smc_lgr_next_id(&last);
		KUNIT_EXPECT_EQ_MSG(test, id, t[i], "row %d", i);
		KUNIT_EXPECT_EQ_MSG(test, (id << 8) >> 8, id, "row %d", i);
	}
	/* the count itself wraps */
	atomic_set(&last, -1);
	KUNIT_EXPECT_EQ(test, smc_lgr_next_id(&last), 1);
}

/* The next probe is due one idle time after the last message of the link. */
static void keepalive_of_a_link_in_use(struct kunit *test)
{
	enum { IDLE = 100 * HZ, PASSED = HZ };
	struct world *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);
	struct smc_lgr_member m = {};
	unsigned long last;

	KUNIT_ASSERT_NOT_NULL(test, w);
	m.link = &w->old;
	w->old.lgr = &w->lgr;
	last = jiffies - PASSED;
	w->old.probe.last_rx = last;
	KUNIT_EXPECT_EQ(test, own_member_keepalive(&m, IDLE), last);
	KUNIT_EXPECT_FALSE(test, w->old.probe.asked);

	last = jiffies - IDLE;
	w->old.probe.last_rx = last;
	KUNIT_EXPECT_TRUE(test, time_after_eq(own_member_keepalive(&m, IDLE),
					      last + IDLE));
	KUNIT_EXPECT_TRUE(test, w->old.probe.asked);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(numbers_of_groups),
	KUNIT_CASE(keys_of_another_link),
	KUNIT_CASE(keepalive_of_a_link_in_use),
	{}
};

static struct kunit_suite smc_member_suite = {
	.name = "smc-member",
	.test_cases = cases,
};

kunit_test_suite(smc_member_suite);

// SPDX-License-Identifier: GPL-2.0
/* Tests of the counts of reasons for TCP. */
#include <kunit/test.h>

/* Other suites of this module define functions with these names. */
#define smc_pernet_of_init	own_stats_pernet
#define smc_pernet_id		own_stats_pernet_id
#define smc_stat_inc		own_stat_inc
#define smc_stat_call		own_stat_call
#define smc_stat_size		own_stat_size
#define smc_stat_buf		own_stat_buf
#define smc_stat_queued		own_stat_queued
#define smc_stats_read		own_stats_read
#define smc_stats_fallback	own_stats_fallback
#define smc_stats_fallbacks_read own_stats_fallbacks_read
#include "../../base/stats.c"

static struct smc_pernet here;

struct smc_pernet *smc_pernet_of_init = &here;
unsigned int smc_pernet_id;

static int init(struct kunit *test)
{
	memset(&here, 0, sizeof(here));
	spin_lock_init(&here.fallbacks.lock);
	return 0;
}

/* A busy server exceeds 16 bits within a day. */
static void many(struct kunit *test)
{
	struct smc_fallbacks *out;
	unsigned int i;

	out = kunit_kzalloc(test, sizeof(*out), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, out);
	for (i = 0; i < 70000; i++)
		smc_stats_fallback(&init_net, true, 1);
	smc_stats_fallback(&init_net, true, 2);
	smc_stats_fallback(&init_net, false, 1);
	smc_stats_fallbacks_read(&init_net, out);
	KUNIT_EXPECT_EQ(test, out->total[1], 70001);
	KUNIT_EXPECT_EQ(test, out->total[0], 1);
	KUNIT_EXPECT_EQ(test, out->reason[1][0].code, 1);
	KUNIT_EXPECT_EQ(test, out->reason[1][0].n, 70000);
	KUNIT_EXPECT_EQ(test, out->reason[1][1].n, 1);
	KUNIT_EXPECT_EQ(test, out->reason[0][0].n, 1);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(many),
	{}
};

static struct kunit_suite smc_stats_suite = {
	.name = "smc-stats",
	.init = init,
	.test_cases = cases,
};

kunit_test_suite(smc_stats_suite);

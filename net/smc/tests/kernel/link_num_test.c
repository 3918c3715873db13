// SPDX-License-Identifier: GPL-2.0
/*
 * Tests the choice of link numbers (RFC 7609 2.2.4). symmetry_test.c has the
 * smc_link_next() that this test uses.
 */
#include <kunit/test.h>
#include "../../group/link_num.h"

static struct smc_lgr *lgr_with(struct kunit *test, int slot, u8 num)
{
	struct smc_lgr *lgr = kunit_kzalloc(test, sizeof(*lgr), GFP_KERNEL);
	struct smc_link *link = kunit_kzalloc(test, sizeof(*link), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, lgr);
	KUNIT_ASSERT_NOT_NULL(test, link);
	link->num = num;
	lgr->links[slot] = link;
	lgr->numbers.last_num = SMC_LINK_NUM_FIRST;
	return lgr;
}

/* 300 links come and go one after the other, and the link with 200 stays. */
static void numbers_ascend(struct kunit *test)
{
	struct smc_lgr *lgr = lgr_with(test, SMC_LINK_SLOTS - 1, 200);
	unsigned int want = SMC_LINK_NUM_FIRST, n;

	for (n = 0; n < 300; n++) {
		want = want % 255 + 1;
		if (want == 200)
			want++;
		/* R-2.2.4-02, R-2.2.4-03 */
		KUNIT_ASSERT_EQ(test, smc_link_num_next(lgr), want);
	}
}

/* A number is in use, whichever slot the link with this number has. */
static void numbers_of_links(struct kunit *test)
{
	int slot;

	for (slot = 0; slot < SMC_LINK_SLOTS; slot++) {
		struct smc_lgr *lgr = lgr_with(test, slot, 2);

		/* R-2.2.4-02 */
		KUNIT_EXPECT_EQ(test, smc_link_num_next(lgr), 3);
		lgr->links[slot]->num = 1;
		lgr->numbers.last_num = 255;
		/* R-2.2.4-02, R-2.2.4-03 */
		KUNIT_EXPECT_EQ(test, smc_link_num_next(lgr), 2);
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE(numbers_ascend),
	KUNIT_CASE(numbers_of_links),
	{}
};

static struct kunit_suite smc_link_num_suite = {
	.name = "smc-link-num",
	.test_cases = cases,
};

kunit_test_suite(smc_link_num_suite);

// SPDX-License-Identifier: GPL-2.0
/* Tests which GIDs of a port count as new since the last look. */
#include <kunit/test.h>
#include "../../transport/gid_set.c"

enum {
	ROCE_V1,
	ROCE_V2,
	HOST	= 1,
	GUEST	= 2,
};

static const u8 first[16] = { [10] = 0xff, 0xff, 10, 77, 0, 1 };
static const u8 other[16] = { 0xfd, 0x77, [15] = 1 };

static bool has(const struct smc_gid_set *s, const u8 *gid, u8 type,
		u64 net_cookie)
{
	return smc_gid_set_has(s, smc_gid_set_hash(gid, type, net_cookie));
}

static void tells_what_is_new(struct kunit *test)
{
	struct smc_gid_set *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);
	u32 known = smc_gid_set_hash(first, ROCE_V2, HOST);

	KUNIT_ASSERT_NOT_NULL(test, s);
	KUNIT_EXPECT_FALSE(test, smc_gid_set_has(s, known));
	s->hash[SMC_GID_SET_MAX - 1] = known;
	/* the same GID at another index, because an earlier entry was
	 * removed
	 */
	KUNIT_EXPECT_TRUE(test, smc_gid_set_has(s, known));
	/* another address, type or namespace */
	KUNIT_EXPECT_FALSE(test, has(s, other, ROCE_V2, HOST));
	KUNIT_EXPECT_FALSE(test, has(s, first, ROCE_V1, HOST));
	KUNIT_EXPECT_FALSE(test, has(s, first, ROCE_V2, GUEST));
	KUNIT_EXPECT_FALSE(test, has(s, first, ROCE_V2, HOST | 1ULL << 32));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(tells_what_is_new),
	{}
};

static struct kunit_suite smc_gid_set_suite = {
	.name = "smc-gid-set",
	.test_cases = cases,
};

kunit_test_suite(smc_gid_set_suite);

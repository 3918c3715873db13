// SPDX-License-Identifier: GPL-2.0
/* LLC messages of either version as one struct: the same in, the same out. */
#include <kunit/test.h>
#include <linux/errno.h>
#include <linux/string.h>

#include "tests.h"
#include "../wire/llc_msg.c"

static const struct smc_llc_msg msgs[] = {
	{ .type = SMC_LLC_CONFIRM_LINK,
	  .confirm_link = { .no_eyecatcher = true, .qpn = 0x123456,
			    .link_num = 1, .link_uid = 7, .max_links = 2 } },
	{ .type = SMC_LLC_ADD_LINK,
	  .add_link = { .qpn = 0x234567, .link_num = 2, .mtu_code = 3,
			.psn = 0x345678 } },
	{ .type = SMC_LLC_DELETE_LINK,
	  .delete_link = { .all = true, .orderly = true,
			   .reason = SMC_LLC_DEL_PROGRAM } },
	{ .type = SMC_LLC_CONFIRM_RKEY,
	  .confirm_rkey = { .num_other = 1, .rkey = 5, .addr = 6,
			    .other = { { 2, 8, 9 } } } },
	{ .type = SMC_LLC_DELETE_RKEY,
	  .delete_rkey = { .num = 1, .rkey = { 5 } } },
	{ .type = SMC_LLC_TEST_LINK, .test_link = { .data = { 1, 2, 3 } } },
};

static void round_trip(struct kunit *test)
{
	u8 one[SMC_LLC_LEN], two[SMC_LLC_LEN];
	struct smc_llc_msg m;
	u8 version;
	size_t i;

	for (version = 1; version <= 2; version++)
		for (i = 0; i < ARRAY_SIZE(msgs); i++) {
			KUNIT_ASSERT_EQ(test, smc_llc_msg_encode(version, one,
								 &msgs[i]), 0);
			KUNIT_EXPECT_EQ(test, smc_llc_is_v2(one[0]),
					version > 1);
			KUNIT_EXPECT_EQ(test,
					smc_llc_msg_classify(version, one,
							     sizeof(one)),
					SMC_LLC_CLASS_LLC);
			KUNIT_ASSERT_EQ(test,
					smc_llc_msg_decode(version, one,
							   sizeof(one), &m),
					0);
			KUNIT_EXPECT_EQ(test, m.type, msgs[i].type);
			KUNIT_EXPECT_FALSE(test, m.lists_keys);
			KUNIT_ASSERT_EQ(test, smc_llc_msg_encode(version, two,
								 &m), 0);
			KUNIT_EXPECT_MEMEQ(test, one, two, sizeof(one));
		}
}

/* A group of version 1 knows no message of version 2. */
static void versions_apart(struct kunit *test)
{
	u8 buf[SMC_LLC_LEN];

	KUNIT_ASSERT_EQ(test, smc_llc_msg_encode(2, buf, &msgs[0]), 0);
	KUNIT_EXPECT_NE(test, smc_llc_msg_classify(1, buf, sizeof(buf)),
			SMC_LLC_CLASS_LLC);
	KUNIT_ASSERT_EQ(test, smc_llc_msg_encode(1, buf, &msgs[0]), 0);
	KUNIT_EXPECT_EQ(test, smc_llc_msg_classify(2, buf, sizeof(buf)),
			SMC_LLC_CLASS_LLC);
}

static void answer_names_no_key(struct kunit *test)
{
	struct smc_llc_msg m = {
		.type = SMC_LLC_DELETE_RKEY,
		.delete_rkey = { .reply = true, .num = 1, .rkey = { 5 } },
	};
	u8 buf[SMC_LLC_LEN];

	KUNIT_ASSERT_EQ(test, smc_llc_msg_encode(2, buf, &m), 0);
	KUNIT_ASSERT_EQ(test, smc_llc_msg_decode(2, buf, sizeof(buf), &m), 0);
	KUNIT_EXPECT_TRUE(test, m.names_no_key);
	KUNIT_ASSERT_EQ(test, smc_llc_msg_encode(1, buf, &m), 0);
	KUNIT_ASSERT_EQ(test, smc_llc_msg_decode(1, buf, sizeof(buf), &m), 0);
	KUNIT_EXPECT_FALSE(test, m.names_no_key);
}

static void keys_in_add(struct kunit *test)
{
	const struct smc_llc_rtok_pair pair[] = { { 1, 2, 3 }, { 4, 5, 6 } };
	const struct smc_llc_v2_add more = { .n = ARRAY_SIZE(pair) };
	struct smc_llc_rtok_pair got;
	struct smc_llc_msg m;
	u8 buf[128];
	int len;

	len = smc_llc_msg_encode_add(buf, sizeof(buf), &msgs[1], &more, pair);
	KUNIT_ASSERT_EQ(test, len > SMC_LLC_LEN, true);
	KUNIT_ASSERT_EQ(test, smc_llc_msg_decode(2, buf, (size_t)len, &m), 0);
	KUNIT_EXPECT_TRUE(test, m.lists_keys);
	KUNIT_ASSERT_EQ(test, m.n_pairs, ARRAY_SIZE(pair));
	KUNIT_ASSERT_EQ(test, smc_llc_msg_pair(buf, (size_t)len, 1, &got), 0);
	KUNIT_EXPECT_EQ(test, got.new_addr, 6);
	KUNIT_EXPECT_EQ(test, smc_llc_msg_pair(buf, (size_t)len, 2, &got),
			-EBADMSG);
	/* what was received without the rest lists none */
	KUNIT_ASSERT_EQ(test, smc_llc_msg_decode(2, buf, SMC_LLC_LEN, &m), 0);
	KUNIT_EXPECT_FALSE(test, m.lists_keys);
}

static void wishes(struct kunit *test)
{
	struct smc_llc_msg m = {
		.type = SMC_LLC_REQ_ADD_LINK,
		.request = { .reply = true },
	};
	u8 buf[SMC_LLC_LEN];

	KUNIT_EXPECT_EQ(test, smc_llc_msg_encode(1, buf, &m), -EINVAL);
	KUNIT_ASSERT_EQ(test, smc_llc_msg_encode(2, buf, &m), 0);
	KUNIT_ASSERT_EQ(test, smc_llc_msg_decode(2, buf, sizeof(buf), &m), 0);
	KUNIT_EXPECT_EQ(test, m.type, SMC_LLC_REQ_ADD_LINK);
	KUNIT_EXPECT_TRUE(test, m.request.reply);
	KUNIT_EXPECT_EQ(test, smc_llc_msg_decode(2, buf, sizeof(buf) - 1, &m),
			-EBADMSG);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(round_trip),
	KUNIT_CASE(versions_apart),
	KUNIT_CASE(answer_names_no_key),
	KUNIT_CASE(keys_in_add),
	KUNIT_CASE(wishes),
	{}
};

struct kunit_suite smc_llc_msg_suite = {
	.name = "smc_llc_msg",
	.test_cases = cases,
};

// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the struct that holds LLC messages of both versions. A message that
 * is encoded and decoded again has the same content.
 */
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
	  .revoke = { .n = 8, .rkey = { 5, 6, 7, 8, 9, 10, 11, 12 } } },
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

/* Checks that a group of version 1 accepts no message of version 2. */
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

/* An answer of version 1 has a mask and the keys; an answer of version 2 has a
 * number.
 */
static void revoke_answers(struct kunit *test)
{
	const struct smc_llc_msg m = {
		.type = SMC_LLC_DELETE_RKEY,
		.revoke = { .reply = true, .n = 3, .rkey = { 5, 6, 7 },
			    .unknown = 0x5, .n_unknown = 2 },
	};
	struct smc_llc_msg out;
	u8 buf[SMC_LLC_LEN];

	KUNIT_ASSERT_EQ(test, smc_llc_msg_encode(2, buf, &m), 0);
	KUNIT_ASSERT_EQ(test, smc_llc_msg_decode(2, buf, sizeof(buf), &out), 0);
	KUNIT_EXPECT_TRUE(test, out.revoke.reply);
	KUNIT_EXPECT_TRUE(test, out.revoke.names_none);
	KUNIT_EXPECT_EQ(test, out.revoke.n_unknown, 2);
	KUNIT_ASSERT_EQ(test, smc_llc_msg_encode(1, buf, &m), 0);
	KUNIT_ASSERT_EQ(test, smc_llc_msg_decode(1, buf, sizeof(buf), &out), 0);
	KUNIT_EXPECT_FALSE(test, out.revoke.names_none);
	KUNIT_EXPECT_EQ(test, out.revoke.rkey[2], 7);
	KUNIT_EXPECT_EQ(test, out.revoke.unknown, 0x5);
	KUNIT_EXPECT_EQ(test, out.revoke.n_unknown, 2);
}

static void revoke_many(struct kunit *test)
{
	const struct smc_llc_v2_delete_rkey many = { .n = 20 };
	u32 rkey[20], got;
	struct smc_llc_msg m;
	u8 buf[128];
	u32 i;
	int len;

	for (i = 0; i < ARRAY_SIZE(rkey); i++)
		rkey[i] = 100 + i;
	len = smc_llc_v2_encode_delete_rkey(buf, sizeof(buf), &many, rkey);
	KUNIT_ASSERT_EQ(test, len > SMC_LLC_LEN, true);
	KUNIT_EXPECT_TRUE(test, smc_llc_msg_list_matters(smc_llc_msg_type(buf)));
	KUNIT_ASSERT_EQ(test, smc_llc_msg_decode(2, buf, (size_t)len, &m), 0);
	KUNIT_ASSERT_EQ(test, m.revoke.n, 20);
	KUNIT_EXPECT_EQ(test, m.revoke.rkey[7], 107);
	for (i = 0; i < 20; i++) {
		KUNIT_ASSERT_EQ(test, smc_llc_msg_rkey(buf, (size_t)len, i,
						       &got), 0);
		KUNIT_EXPECT_EQ(test, got, 100 + i);
	}
	KUNIT_EXPECT_EQ(test, smc_llc_msg_decode(2, buf, SMC_LLC_LEN, &m),
			-EBADMSG);
	/* the answer fits into 44 bytes in version 2, but not in version 1 */
	m = (struct smc_llc_msg) {
		.type = SMC_LLC_DELETE_RKEY,
		.revoke = { .reply = true, .n = 20, .n_unknown = 12 },
	};
	KUNIT_EXPECT_EQ(test, smc_llc_msg_encode(1, buf, &m), -EINVAL);
	KUNIT_ASSERT_EQ(test, smc_llc_msg_encode(2, buf, &m), 0);
	KUNIT_ASSERT_EQ(test, smc_llc_msg_decode(2, buf, SMC_LLC_LEN, &m), 0);
	KUNIT_EXPECT_EQ(test, m.revoke.n, 20);
	KUNIT_EXPECT_EQ(test, m.revoke.n_unknown, 12);
	/* the encoder refuses a request with too many keys */
	m.revoke.reply = false;
	KUNIT_EXPECT_EQ(test, smc_llc_msg_encode(2, buf, &m), -EINVAL);
}

static void no_continuations(struct kunit *test)
{
	static const struct smc_llc_msg conts[] = {
		{ .type = SMC_LLC_ADD_LINK_CONT,
		  .add_link_cont = { .link_num = 2, .num_left = 1 } },
		{ .type = SMC_LLC_CONFIRM_RKEY_CONT,
		  .confirm_rkey_cont = { .num_left = 1,
					 .entry = { { 3, 4, 5 } } } },
	};
	u8 buf[SMC_LLC_LEN];
	struct smc_llc_msg m;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(conts); i++) {
		KUNIT_EXPECT_EQ(test, smc_llc_msg_encode(2, buf, &conts[i]),
				-EINVAL);
		KUNIT_ASSERT_EQ(test, smc_llc_msg_encode(1, buf, &conts[i]), 0);
		KUNIT_EXPECT_EQ(test, smc_llc_msg_decode(1, buf, sizeof(buf),
							 &m), 0);
		KUNIT_EXPECT_EQ(test, m.type, conts[i].type);
		KUNIT_EXPECT_EQ(test, smc_llc_msg_decode(2, buf, sizeof(buf),
							 &m), -EBADMSG);
	}
}

static void keys_in_add(struct kunit *test)
{
	const struct smc_llc_rtok_pair pair[] = { { 1, 2, 3 }, { 4, 5, 6 } };
	struct smc_llc_rtok_pair got;
	struct smc_llc_msg m = msgs[1];
	u8 buf[128];
	int len;

	m.lists_keys = true;
	m.n_pairs = ARRAY_SIZE(pair);
	KUNIT_EXPECT_EQ(test, smc_llc_msg_long_len(1, &m), 0);
	KUNIT_EXPECT_EQ(test, smc_llc_msg_long_len(2, &msgs[1]), 0);
	KUNIT_EXPECT_EQ(test, smc_llc_msg_encode_long(1, buf, sizeof(buf), &m,
						      pair), -EINVAL);
	len = smc_llc_msg_encode_long(2, buf, sizeof(buf), &m, pair);
	KUNIT_ASSERT_EQ(test, len, (int)smc_llc_msg_long_len(2, &m));
	KUNIT_ASSERT_EQ(test, smc_llc_msg_decode(2, buf, (size_t)len, &m), 0);
	KUNIT_EXPECT_TRUE(test, m.lists_keys);
	KUNIT_ASSERT_EQ(test, m.n_pairs, ARRAY_SIZE(pair));
	KUNIT_ASSERT_EQ(test, smc_llc_msg_pair(buf, (size_t)len, 1, &got), 0);
	KUNIT_EXPECT_EQ(test, got.new_addr, 6);
	KUNIT_EXPECT_EQ(test, smc_llc_msg_pair(buf, (size_t)len, 2, &got),
			-EBADMSG);
	/* a truncated message has no keys */
	KUNIT_ASSERT_EQ(test, smc_llc_msg_decode(2, buf, SMC_LLC_LEN, &m), 0);
	KUNIT_EXPECT_FALSE(test, m.lists_keys);
}

static void requests(struct kunit *test)
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

/* A client that asks for a link sends either a notice, or a request with two
 * GIDs.
 */
static void asks(struct kunit *test)
{
	const struct smc_llc_msg m = {
		.type = SMC_LLC_REQ_ADD_LINK,
		.request = { .n = 2, .mac = { 1, 2, 3, 4, 5, 6 },
			     .gid = { { 7 }, { 8 } } },
	};
	struct smc_llc_msg out;
	u8 buf[128];
	int len;

	KUNIT_ASSERT_EQ(test, smc_llc_msg_long_len(1, &m), 0);
	KUNIT_ASSERT_EQ(test, smc_llc_msg_encode(1, buf, &m), 0);
	KUNIT_ASSERT_EQ(test, smc_llc_msg_decode(1, buf, SMC_LLC_LEN, &out), 0);
	KUNIT_EXPECT_EQ(test, out.type, SMC_LLC_ADD_LINK);
	KUNIT_EXPECT_FALSE(test, out.add_link.reply);
	KUNIT_EXPECT_EQ(test, out.add_link.qpn, 0);
	KUNIT_EXPECT_EQ(test, out.add_link.gid[0], 7);
	KUNIT_EXPECT_EQ(test, out.add_link.mac[5], 6);

	len = smc_llc_msg_encode_long(2, buf, sizeof(buf), &m, NULL);
	KUNIT_ASSERT_EQ(test, len, 28 + 2 * SMC_GID_LEN);
	KUNIT_ASSERT_EQ(test, smc_llc_msg_decode(2, buf, (size_t)len, &out), 0);
	KUNIT_EXPECT_EQ(test, out.type, SMC_LLC_REQ_ADD_LINK);
	KUNIT_EXPECT_FALSE(test, out.request.reply);
	KUNIT_EXPECT_EQ(test, buf[28], 7);
	KUNIT_EXPECT_EQ(test, buf[28 + SMC_GID_LEN], 8);

	/* The shortest list message is not shorter than a message without a
	 * list.
	 */
	out = m;
	out.request.n = 1;
	len = (int)smc_llc_msg_long_len(2, &out);
	KUNIT_EXPECT_EQ(test, len, SMC_LLC_LEN);
	KUNIT_EXPECT_EQ(test, len,
			smc_llc_msg_encode_long(2, buf, (size_t)len, &out, NULL));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(round_trip),
	KUNIT_CASE(versions_apart),
	KUNIT_CASE(revoke_answers),
	KUNIT_CASE(revoke_many),
	KUNIT_CASE(no_continuations),
	KUNIT_CASE(keys_in_add),
	KUNIT_CASE(requests),
	KUNIT_CASE(asks),
	{}
};

struct kunit_suite smc_llc_msg_suite = {
	.name = "smc_llc_msg",
	.test_cases = cases,
};

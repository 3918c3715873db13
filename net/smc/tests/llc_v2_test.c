// SPDX-License-Identifier: GPL-2.0
/* Tests of version 2 LLC messages. The vectors are written by hand, in both
 * byte orders.
 */
#include <kunit/test.h>
#include <linux/errno.h>
#include <linux/string.h>

#include "clc_vectors.h"
#include "tests.h"
#include "../wire/llc_v2.c"

/* Returns a message of @len bytes, with the length field in one of the byte
 * orders.
 */
static u8 *message(struct kunit *test, u8 type, size_t len, bool big)
{
	u8 *b = kunit_kmalloc(test, len, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, b);
	memset(b, 0, len);
	b[0] = type;
	b[big ? 1 : 2] = (u8)(len >> 8);
	b[big ? 2 : 1] = (u8)len;
	return b;
}

static void put16(u8 *p, u16 v, bool big)
{
	p[big ? 0 : 1] = (u8)(v >> 8);
	p[big ? 1 : 0] = (u8)v;
}

static void classes(struct kunit *test)
{
	static const u8 known[] = { 1, 2, 4, 5, 6, 7, 9 };
	unsigned int type, i;
	u8 *b;

	for (type = 0; type < 16; type++) {
		enum smc_llc_class want = SMC_LLC_CLASS_VIOLATION;

		for (i = 0; i < ARRAY_SIZE(known); i++)
			if (known[i] == type)
				want = SMC_LLC_CLASS_LLC;
		b = message(test, (u8)(0x20 | type), 44, type & 1);
		KUNIT_EXPECT_EQ_MSG(test, smc_llc_v2_classify(b, 44), want,
				    "type %u", type);
	}
	b = message(test, 0x27, 44, false);
	KUNIT_EXPECT_EQ(test, smc_llc_v2_classify(b, 43),
			SMC_LLC_CLASS_BAD_LEN);
	KUNIT_EXPECT_EQ(test, smc_llc_v2_classify(b, 8193),
			SMC_LLC_CLASS_BAD_LEN);
	b[1] = 43;
	KUNIT_EXPECT_EQ(test, smc_llc_v2_classify(b, 44),
			SMC_LLC_CLASS_BAD_LEN);
	b[1] = 0;
	b[2] = 0;
	KUNIT_EXPECT_EQ(test, smc_llc_v2_classify(b, 44),
			SMC_LLC_CLASS_BAD_LEN);
	b[1] = 0xff;
	b[2] = 0xff;
	KUNIT_EXPECT_EQ(test, smc_llc_v2_classify(b, 44),
			SMC_LLC_CLASS_BAD_LEN);
	b[0] = 0x07;
	KUNIT_EXPECT_EQ(test, smc_llc_v2_classify(b, 44),
			SMC_LLC_CLASS_BAD_LEN);
	KUNIT_EXPECT_TRUE(test, smc_llc_is_v2(0x21));
	KUNIT_EXPECT_FALSE(test, smc_llc_is_v2(0x01));
	KUNIT_EXPECT_FALSE(test, smc_llc_is_v2(0xfe));
	KUNIT_EXPECT_FALSE(test, smc_llc_is_v2(0x31));
}

/*
 * Converts in both directions; the decoders of version 1 accept the result.
 */
static void forms(struct kunit *test)
{
	struct smc_llc_confirm_link m = {
		.no_eyecatcher = true, .mac = MAC, .gid = GID, .qpn = 0x123456,
		.link_num = 1, .link_uid = 5, .max_links = 2,
	}, out;
	u8 one[SMC_LLC_LEN], two[SMC_LLC_LEN], back[SMC_LLC_LEN];
	bool big;

	KUNIT_ASSERT_EQ(test, smc_llc_encode_confirm_link(one, &m), 0);
	memcpy(two, one, sizeof(two));
	smc_llc_v2_from_v1(two);
	KUNIT_EXPECT_EQ(test, two[0], 0x21);
	KUNIT_EXPECT_EQ(test, two[1] + two[2], 44);
	KUNIT_EXPECT_EQ(test, two[3], 0x03);
	KUNIT_EXPECT_MEMEQ(test, two + 4, one + 4, 40);
	for (big = false; ; big = true) {
		put16(two + 1, 44, big);
		KUNIT_EXPECT_EQ(test, smc_llc_v2_classify(two, 44),
				SMC_LLC_CLASS_LLC);
		smc_llc_v2_to_v1(back, two);
		KUNIT_EXPECT_MEMEQ(test, back, one, 44);
		KUNIT_EXPECT_EQ(test, smc_llc_decode_confirm_link(back, &out),
				0);
		KUNIT_EXPECT_EQ(test, out.qpn, 0x123456);
		if (big)
			break;
	}
}

/* The reply has a count instead of a mask, and no keys. */
static void delete_rkey_forms(struct kunit *test)
{
	struct smc_llc_v2_delete_rkey m = {
		.reply = true, .negative = true, .n = 3, .n_bad = 2,
	}, out;
	const u32 rkey[] = { 1, 2, 3 };
	u8 one[SMC_LLC_LEN], zero[36] = {};

	KUNIT_ASSERT_EQ(test, smc_llc_v2_encode_delete_rkey(one, 44, &m, rkey),
			44);
	KUNIT_EXPECT_EQ(test, one[0], 0x29);
	KUNIT_EXPECT_EQ(test, one[3], 0xa0);
	KUNIT_EXPECT_EQ(test, one[4], 3);
	KUNIT_EXPECT_EQ(test, one[5], 2);
	KUNIT_EXPECT_MEMEQ(test, one + 8, zero, 36);
	one[4] = 0;		/* the decoder ignores this byte */
	KUNIT_EXPECT_EQ(test, smc_llc_v2_decode_delete_rkey(one, 44, &out), 0);
	KUNIT_EXPECT_TRUE(test, out.reply);
	KUNIT_EXPECT_TRUE(test, out.negative);
}

/* A message with two pairs, from a peer of each byte order. */
static u8 *add_link(struct kunit *test, size_t len, u16 n, bool big)
{
	static const u8 pairs[] =
		"\x00\x00\x00\x0a\x00\x00\x00\x0b\x01\x02\x03\x04\x05\x06\x07\x08"
		"\x00\x00\x00\x1a\x00\x00\x00\x1b\x11\x12\x13\x14\x15\x16\x17\x18";
	u8 *b = message(test, 0x22, len, big);
	size_t room = len - 72;

	memcpy(b + 4, MAC, 6);
	b[44] = 0x80;
	memcpy(b + 46, GID, 16);
	put16(b + 70, n, big);
	memcpy(b + 72, pairs, room < 32 ? room : 32);
	return b;
}

static void add_link_golden(struct kunit *test)
{
	struct smc_llc_rtok_pair p;
	struct smc_llc_v2_add m;
	bool big;
	u8 *b;

	for (big = false; ; big = true) {
		b = add_link(test, 104, 2, big);
		KUNIT_ASSERT_EQ(test, smc_llc_v2_decode_add(b, 104, &m), 0);
		KUNIT_EXPECT_TRUE(test, m.direct);
		KUNIT_EXPECT_MEMEQ(test, m.gid, GID, 16);
		KUNIT_EXPECT_EQ(test, m.n, 2);
		KUNIT_EXPECT_EQ(test, smc_llc_v2_add_pair(b, 104, 1, &p), 0);
		KUNIT_EXPECT_EQ(test, p.ref_rkey, 0x1a);
		KUNIT_EXPECT_EQ(test, p.new_rkey, 0x1b);
		KUNIT_EXPECT_EQ(test, p.new_addr, 0x1112131415161718LL);
		KUNIT_EXPECT_EQ(test, smc_llc_v2_add_pair(b, 104, 2, &p),
				-EBADMSG);
		if (big)
			break;
	}
}

/* If the count exceeds the message, the decoder reduces the count. */
static void add_link_bounds(struct kunit *test)
{
	static const struct {
		size_t len;
		u16 n;
		u16 want;
	} t[] = {
		{ 72, 0, 0 }, { 72, 1, 0 }, { 72, 65535, 0 }, { 87, 1, 0 },
		{ 88, 1, 1 }, { 88, 255, 1 }, { 104, 1, 1 }, { 104, 300, 2 },
		{ 280, 13, 13 }, { 280, 14, 13 }, { 4152, 255, 255 },
		{ 8192, 507, 507 }, { 8192, 508, 507 },
	};
	struct smc_llc_v2_add m;
	size_t i;
	u8 *b;

	for (i = 0; i < 2 * ARRAY_SIZE(t); i++) {
		b = add_link(test, t[i / 2].len, t[i / 2].n, i & 1);
		KUNIT_ASSERT_EQ_MSG(test, smc_llc_v2_decode_add(b, t[i / 2].len,
								&m), 0,
				    "row %zu", i);
		KUNIT_EXPECT_EQ_MSG(test, m.n, t[i / 2].want, "row %zu", i);
	}
	/*
	 * the length field exceeds the received length, but the decoder still
	 * finds the sender's byte order
	 */
	b = message(test, 0x22, 104, false);
	put16(b + 1, 200, false);
	put16(b + 70, 8, false);
	KUNIT_EXPECT_EQ(test, smc_llc_v2_decode_add(b, 104, &m), 0);
	KUNIT_EXPECT_EQ(test, m.n, 2);
	/* a rejection has the short or the long length, and no length in
	 * between
	 */
	b = message(test, 0x22, 44, false);
	KUNIT_EXPECT_EQ(test, smc_llc_v2_decode_add(b, 44, &m), 0);
	KUNIT_EXPECT_EQ(test, m.n, 0);
	b = message(test, 0x22, 71, false);
	KUNIT_EXPECT_EQ(test, smc_llc_v2_decode_add(b, 71, &m), -EBADMSG);
	b = message(test, 0x21, 104, false);
	KUNIT_EXPECT_EQ(test, smc_llc_v2_decode_add(b, 104, &m), -EBADMSG);
}

static void add_link_encode(struct kunit *test)
{
	struct smc_llc_add_link a = {
		.mac = MAC, .gid = GID, .qpn = 0x123456, .link_num = 2,
		.mtu_code = 3, .psn = 7,
	};
	struct smc_llc_rtok_pair pair[2] = {
		{ 0x0a, 0x0b, 0x0102030405060708ULL },
		{ 0x1a, 0x1b, 0x1112131415161718ULL },
	}, p;
	struct smc_llc_v2_add m = { .direct = true, .gid = GID, .n = 2 }, out;
	u8 buf[104];

	KUNIT_EXPECT_EQ(test, smc_llc_v2_encode_add(buf, 103, &a, &m, pair),
			-ENOSPC);
	KUNIT_ASSERT_EQ(test, smc_llc_v2_encode_add(buf, 104, &a, &m, pair),
			104);
	KUNIT_EXPECT_EQ(test, smc_llc_v2_decode_add(buf, 104, &out), 0);
	KUNIT_EXPECT_EQ(test, out.n, 2);
	KUNIT_EXPECT_TRUE(test, out.direct);
	KUNIT_EXPECT_EQ(test, smc_llc_v2_add_pair(buf, 104, 1, &p), 0);
	KUNIT_EXPECT_MEMEQ(test, &p, &pair[1], sizeof(p));
	m.n = 600;
	KUNIT_EXPECT_EQ(test, smc_llc_v2_encode_add(buf, 104, &a, &m, pair),
			-ENOSPC);
	m.n = 0;
	memset(&a, 0, sizeof(a));
	KUNIT_EXPECT_EQ(test, smc_llc_v2_encode_add(buf, 104, &a, &m, pair),
			-EINVAL);
}

static void request_add_link(struct kunit *test)
{
	static const u8 gids[32] = GID MAC;
	struct smc_llc_v2_req m = { .n = 2 };
	u8 buf[60];

	KUNIT_EXPECT_EQ(test, smc_llc_v2_encode_req(buf, 59, &m, gids),
			-ENOSPC);
	KUNIT_ASSERT_EQ(test, smc_llc_v2_encode_req(buf, 60, &m, gids), 60);
	KUNIT_EXPECT_EQ(test, buf[0], 0x25);
	KUNIT_EXPECT_EQ(test, buf[24], 2);
	KUNIT_EXPECT_MEMEQ(test, buf + 28, gids, sizeof(gids));
	m.reply = true;
	KUNIT_ASSERT_EQ(test, smc_llc_v2_encode_req(buf, 60, &m, gids), 44);
	KUNIT_EXPECT_EQ(test, buf[3], 0x80);
	KUNIT_EXPECT_EQ(test, buf[24], 0);
}

static void delete_rkey_many(struct kunit *test)
{
	struct smc_llc_v2_delete_rkey m = { .n = 255 }, out;
	u32 rkey[255], got;
	static u8 buf[8 + 255 * 4];
	unsigned int i;

	for (i = 0; i < 255; i++)
		rkey[i] = 1000 + i;
	KUNIT_ASSERT_EQ(test, smc_llc_v2_encode_delete_rkey(buf, sizeof(buf),
							    &m, rkey), 1028);
	KUNIT_ASSERT_EQ(test, smc_llc_v2_decode_delete_rkey(buf, 1028, &out),
			0);
	KUNIT_EXPECT_EQ(test, out.n, 255);
	KUNIT_EXPECT_EQ(test, smc_llc_v2_rkey(buf, 1028, 254, &got), 0);
	KUNIT_EXPECT_EQ(test, got, 1254);
	KUNIT_EXPECT_EQ(test, smc_llc_v2_rkey(buf, 1028, 255, &got), -EBADMSG);
	KUNIT_EXPECT_EQ(test, smc_llc_v2_decode_delete_rkey(buf, 1027, &out),
			-EBADMSG);
	m.n = 9;
	KUNIT_ASSERT_EQ(test, smc_llc_v2_encode_delete_rkey(buf, 44, &m, rkey),
			44);
	KUNIT_EXPECT_EQ(test, smc_llc_v2_decode_delete_rkey(buf, 44, &out), 0);
	buf[4] = 10;
	KUNIT_EXPECT_EQ(test, smc_llc_v2_decode_delete_rkey(buf, 44, &out),
			-EBADMSG);
	buf[4] = 0;
	KUNIT_EXPECT_EQ(test, smc_llc_v2_decode_delete_rkey(buf, 44, &out),
			-EBADMSG);
	m.reply = true;
	m.negative = true;
	m.n_bad = 4;
	KUNIT_ASSERT_EQ(test, smc_llc_v2_encode_delete_rkey(buf, 44, &m, rkey),
			44);
	KUNIT_EXPECT_EQ(test, smc_llc_v2_decode_delete_rkey(buf, 44, &out), 0);
	KUNIT_EXPECT_TRUE(test, out.negative);
	KUNIT_EXPECT_EQ(test, out.n_bad, 4);
	m.reply = false;
	m.n = 0;
	KUNIT_EXPECT_EQ(test, smc_llc_v2_encode_delete_rkey(buf, 44, &m, rkey),
			-EINVAL);
}

static struct kunit_case llc_v2_cases[] = {
	KUNIT_CASE(classes),
	KUNIT_CASE(forms),
	KUNIT_CASE(delete_rkey_forms),
	KUNIT_CASE(add_link_golden),
	KUNIT_CASE(add_link_bounds),
	KUNIT_CASE(add_link_encode),
	KUNIT_CASE(request_add_link),
	KUNIT_CASE(delete_rkey_many),
	{}
};

struct kunit_suite smc_llc_v2_suite = {
	.name = "smc_llc_v2",
	.test_cases = llc_v2_cases,
};

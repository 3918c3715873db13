// SPDX-License-Identifier: GPL-2.0
/* Tests of the CDC message (RFC 7609 A.4) and its sequence numbers. */
#include <kunit/test.h>

#include "tests.h"
#include "../wire/cdc.c"

static const struct smc_cdc cdc1 = {
	.seq = 0x1234, .token = 0xcafef00d,
	.prod_wrap = 0xfffe, .prod = 0x00012345,
	.cons_wrap = 0x0102, .cons = 0x0fedcba9,
	.prod_flags = SMC_CDC_B | SMC_CDC_U, .conn_flags = SMC_CDC_D,
};

/* R-A.4-01, -02 */
static const u8 cdc1_bytes[SMC_CDC_LEN] = {
	0xfe, 44, 0x12, 0x34,
	0xca, 0xfe, 0xf0, 0x0d,
	0, 0, 0xff, 0xfe,
	0x00, 0x01, 0x23, 0x45,
	0, 0, 0x01, 0x02,
	0x0f, 0xed, 0xcb, 0xa9,
	0xa0, 0x80,
};

static void golden(struct kunit *test)
{
	u8 buf[SMC_CDC_LEN];
	struct smc_cdc c;

	memset(buf, 0xff, sizeof(buf));
	smc_cdc_encode(buf, &cdc1);
	/* R-A.4-01, -02 */
	KUNIT_EXPECT_MEMEQ(test, buf, cdc1_bytes, SMC_CDC_LEN);
	KUNIT_ASSERT_EQ(test, smc_cdc_decode(buf, sizeof(buf), &c), 0);
	KUNIT_EXPECT_EQ(test, c.seq, cdc1.seq);
	KUNIT_EXPECT_EQ(test, c.token, cdc1.token);
	KUNIT_EXPECT_EQ(test, c.prod_wrap, cdc1.prod_wrap);
	KUNIT_EXPECT_EQ(test, c.prod, cdc1.prod);
	KUNIT_EXPECT_EQ(test, c.cons_wrap, cdc1.cons_wrap);
	KUNIT_EXPECT_EQ(test, c.cons, cdc1.cons);
	KUNIT_EXPECT_EQ(test, c.prod_flags, cdc1.prod_flags);
	KUNIT_EXPECT_EQ(test, c.conn_flags, cdc1.conn_flags);
}

/* Checks that each flag is one bit on the wire, at its place in the RFC. */
static void flags(struct kunit *test)
{
	static const struct {
		u8 prod;
		u8 conn;
		u8 byte24;
		u8 byte25;
	} t[] = {
		{ SMC_CDC_B, 0, 0x80, 0 }, { SMC_CDC_P, 0, 0x40, 0 },
		{ SMC_CDC_U, 0, 0x20, 0 }, { SMC_CDC_R, 0, 0x10, 0 },
		{ SMC_CDC_F, 0, 0x08, 0 }, { 0, SMC_CDC_D, 0, 0x80 },
		{ 0, SMC_CDC_C, 0, 0x40 }, { 0, SMC_CDC_A, 0, 0x20 },
		{ 0x07, 0x1f, 0, 0 },		/* reserved bits are not sent */
	};
	u8 buf[SMC_CDC_LEN];
	struct smc_cdc c;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		c = (struct smc_cdc){ .prod_flags = t[i].prod,
				      .conn_flags = t[i].conn };
		smc_cdc_encode(buf, &c);
		/* R-4.3-05, R-A.4-02, -14..16 */
		KUNIT_EXPECT_EQ_MSG(test, buf[24], t[i].byte24, "row %zu", i);
		/* R-4.3-01, R-A.4-02, -17 */
		KUNIT_EXPECT_EQ_MSG(test, buf[25], t[i].byte25, "row %zu", i);
		KUNIT_ASSERT_EQ(test, smc_cdc_decode(buf, sizeof(buf), &c), 0);
		KUNIT_EXPECT_EQ(test, c.prod_flags, t[i].byte24);
		KUNIT_EXPECT_EQ(test, c.conn_flags, t[i].byte25);
	}
}

/* R-A.2-01 for CDC: the values of reserved bytes and bits do not matter. */
static void reserved(struct kunit *test)
{
	static const u8 at[] = { 8, 9, 16, 17, 26, 43 };
	u8 buf[SMC_CDC_LEN];
	struct smc_cdc c;
	size_t i;

	memcpy(buf, cdc1_bytes, sizeof(buf));
	for (i = 0; i < ARRAY_SIZE(at); i++)
		buf[at[i]] = 0xff;
	buf[24] |= 0x07;
	buf[25] |= 0x1f;
	KUNIT_ASSERT_EQ(test, smc_cdc_decode(buf, sizeof(buf), &c), 0);
	smc_cdc_encode(buf, &c);
	/* R-A.2-01 */
	KUNIT_EXPECT_MEMEQ(test, buf, cdc1_bytes, SMC_CDC_LEN);
}

/* R-4.6.1-04, -08: in a message with F, only the sequence number and the token
 * have a meaning.
 */
static void validation(struct kunit *test)
{
	struct smc_cdc c = cdc1;
	u8 buf[SMC_CDC_LEN];
	u64 rest = 0;
	size_t i;

	memcpy(buf, cdc1_bytes, sizeof(buf));
	buf[24] = 0xff;
	buf[25] = 0xff;
	KUNIT_ASSERT_EQ(test, smc_cdc_decode(buf, sizeof(buf), &c), 0);
	KUNIT_EXPECT_EQ(test, c.seq, cdc1.seq);
	KUNIT_EXPECT_EQ(test, c.token, cdc1.token);
	KUNIT_EXPECT_EQ(test, c.prod_flags, SMC_CDC_F);
	rest = c.conn_flags | c.prod_wrap | c.prod | c.cons_wrap | c.cons;
	/* R-4.6.1-08 */
	KUNIT_EXPECT_EQ(test, rest, 0);

	c = cdc1;
	c.prod_flags |= SMC_CDC_F;
	smc_cdc_encode(buf, &c);
	KUNIT_EXPECT_MEMEQ(test, buf, cdc1_bytes, 8);
	KUNIT_EXPECT_EQ(test, buf[24], 0x08);
	for (rest = 0, i = 8; i < SMC_CDC_LEN; i++)
		rest |= i == 24 ? 0 : buf[i];
	/* R-4.6.1-04 */
	KUNIT_EXPECT_EQ(test, rest, 0);
}

/*
 * checks that a message has exactly the length of RFC 7609, and that a
 * shorter one is refused.
 */
static void refuses(struct kunit *test)
{
	struct smc_cdc c;
	u8 buf[48];
	size_t n;

	for (n = 1; n < SMC_CDC_LEN; n++) {
		u8 *p = kunit_kmalloc(test, n, GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, p);
		memcpy(p, cdc1_bytes, n);
		KUNIT_EXPECT_EQ_MSG(test, smc_cdc_decode(p, n, &c), -EBADMSG,
				    "%zu bytes", n);
	}
	memset(buf, 0, sizeof(buf));
	memcpy(buf, cdc1_bytes, SMC_CDC_LEN);
	KUNIT_EXPECT_EQ(test, smc_cdc_decode(buf, 0, &c), -EBADMSG);
	KUNIT_EXPECT_EQ(test, smc_cdc_decode(buf, sizeof(buf), &c), 0);
	buf[1] = 43;
	KUNIT_EXPECT_EQ(test, smc_cdc_decode(buf, sizeof(buf), &c), -EBADMSG);
	buf[1] = 44;
	buf[0] = 0xff;
	KUNIT_EXPECT_EQ(test, smc_cdc_decode(buf, sizeof(buf), &c), -EBADMSG);
}

/* R-A.4-04, R-4.3-02, Y-18 */
static void sequence(struct kunit *test)
{
	static const struct {
		u16 a;
		u16 b;
		bool newer;
	} t[] = {
		{ 1, 0, true }, { 0, 1, false }, { 5, 5, false },
		{ 1, 65535, true }, { 65535, 1, false },
		{ 0, 65535, true }, { 32767, 0, true },
		{ 32768, 0, false }, { 0, 32768, false },
		{ 0, 32769, true }, { 100, 65530, true },
	};
	u16 seq = 0, last = 0;
	u32 n;
	size_t i;

	/* R-A.4-04 */
	for (i = 0; i < ARRAY_SIZE(t); i++)
		KUNIT_EXPECT_EQ_MSG(test, smc_cdc_seq_newer(t[i].a, t[i].b),
				    t[i].newer, "row %zu", i);
	for (n = 0; n < 70000; n++) {
		last = seq++;
		if (!smc_cdc_seq_newer(seq, last) ||
		    smc_cdc_seq_newer(last, seq))
			break;
	}
	/* R-A.4-04 */
	KUNIT_EXPECT_EQ(test, n, 70000);
}

/* R-4.6.1-06, -07 */
static void covers(struct kunit *test)
{
	/* R-4.6.1-06 */
	KUNIT_EXPECT_TRUE(test, smc_cdc_seq_covers(5, 5));
	KUNIT_EXPECT_TRUE(test, smc_cdc_seq_covers(6, 5));
	/* R-4.6.1-06 */
	KUNIT_EXPECT_TRUE(test, smc_cdc_seq_covers(0, 65535));
	KUNIT_EXPECT_TRUE(test, smc_cdc_seq_covers(2, 65530));
	/* R-4.6.1-07 */
	KUNIT_EXPECT_FALSE(test, smc_cdc_seq_covers(4, 5));
	/* R-4.6.1-07 */
	KUNIT_EXPECT_FALSE(test, smc_cdc_seq_covers(65535, 0));
	KUNIT_EXPECT_TRUE(test, smc_cdc_seq_covers(32767, 0));
	KUNIT_EXPECT_FALSE(test, smc_cdc_seq_covers(32768, 0));
}

static struct kunit_case cdc_cases[] = {
	KUNIT_CASE(golden),
	KUNIT_CASE(flags),
	KUNIT_CASE(reserved),
	KUNIT_CASE(validation),
	KUNIT_CASE(refuses),
	KUNIT_CASE(sequence),
	KUNIT_CASE(covers),
	{}
};

struct kunit_suite smc_cdc_suite = {
	.name = "smc_cdc",
	.test_cases = cdc_cases,
};

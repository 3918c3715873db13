// SPDX-License-Identifier: GPL-2.0
/* Tests of the bounded reader and writer: byte order, bounds, and errors that
 * stay set.
 */
#include <kunit/test.h>

#include "tests.h"
#include "../wire/bytes.h"

static const u8 ramp[18] = {
	0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0x10,
	0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe, 0x0f, 0xf0,
};

static void read_order(struct kunit *test)
{
	struct smc_rd r;

	smc_rd_init(&r, ramp, sizeof(ramp));
	KUNIT_EXPECT_EQ(test, smc_rd_u8(&r), 0x01);
	KUNIT_EXPECT_EQ(test, smc_rd_be16(&r), 0x2345);
	KUNIT_EXPECT_EQ(test, smc_rd_be24(&r), 0x6789ab);
	KUNIT_EXPECT_EQ(test, smc_rd_be32(&r), 0xcdef1032);
	KUNIT_EXPECT_EQ(test, smc_rd_be64(&r), 0x547698badcfe0ff0ULL);
	KUNIT_EXPECT_EQ(test, smc_rd_left(&r), 0);
	KUNIT_EXPECT_FALSE(test, r.bad);
}

static void read_bounds(struct kunit *test)
{
	struct smc_rd r;
	u8 out[4];
	u64 v;

	smc_rd_init(&r, ramp, 3);
	memset(out, 0x77, sizeof(out));
	smc_rd_bytes(&r, out, 4);
	KUNIT_EXPECT_TRUE(test, r.bad);
	v = (u64)out[0] | out[1] | out[2] | out[3];
	KUNIT_EXPECT_EQ(test, v, 0);

	/* A cursor that has an error keeps it, even if bytes are left. */
	KUNIT_EXPECT_EQ(test, smc_rd_u8(&r), 0);
	KUNIT_EXPECT_EQ(test, smc_rd_left(&r), 0);

	smc_rd_init(&r, ramp, 3);
	smc_rd_skip(&r, 2);
	KUNIT_EXPECT_EQ(test, smc_rd_be16(&r), 0);
	KUNIT_EXPECT_TRUE(test, r.bad);

	/* This length would make the position overflow. */
	smc_rd_init(&r, ramp, 3);
	smc_rd_skip(&r, 1);
	smc_rd_skip(&r, (size_t)-1);
	KUNIT_EXPECT_TRUE(test, r.bad);

	smc_rd_init(&r, NULL, 0);
	KUNIT_EXPECT_EQ(test, smc_rd_u8(&r), 0);
	KUNIT_EXPECT_TRUE(test, r.bad);
}

static void write_order(struct kunit *test)
{
	struct smc_wr w;
	u8 buf[18];

	smc_wr_init(&w, buf, sizeof(buf));
	smc_wr_u8(&w, 0x01);
	smc_wr_be16(&w, 0x2345);
	smc_wr_be24(&w, 0x6789ab);
	smc_wr_be32(&w, 0xcdef1032);
	smc_wr_be64(&w, 0x547698badcfe0ff0ULL);
	KUNIT_EXPECT_FALSE(test, w.bad);
	KUNIT_EXPECT_EQ(test, w.pos, 18);
	KUNIT_EXPECT_MEMEQ(test, buf, ramp, 18);

	smc_wr_init(&w, buf, sizeof(buf));
	smc_wr_zero(&w, 2);
	smc_wr_bytes(&w, ramp, 2);
	KUNIT_EXPECT_EQ(test, buf[0] | buf[1], 0);
	KUNIT_EXPECT_EQ(test, buf[3], 0x23);
}

static void write_bounds(struct kunit *test)
{
	struct smc_wr w;
	u8 buf[4] = { 9, 9, 9, 9 };

	smc_wr_init(&w, buf, 3);
	smc_wr_be32(&w, 0);
	KUNIT_EXPECT_TRUE(test, w.bad);
	KUNIT_EXPECT_EQ(test, buf[0], 9);
	smc_wr_u8(&w, 1);
	smc_wr_zero(&w, 1);
	smc_wr_bytes(&w, ramp, 1);
	KUNIT_EXPECT_EQ(test, buf[0], 9);
	KUNIT_EXPECT_EQ(test, w.pos, 0);

	smc_wr_init(&w, buf, 4);
	smc_wr_be24(&w, 0xffffff);
	KUNIT_EXPECT_FALSE(test, w.bad);
	smc_wr_init(&w, buf, 4);
	smc_wr_be24(&w, 0x1000000);
	KUNIT_EXPECT_TRUE(test, w.bad);
}

static struct kunit_case bytes_cases[] = {
	KUNIT_CASE(read_order),
	KUNIT_CASE(read_bounds),
	KUNIT_CASE(write_order),
	KUNIT_CASE(write_bounds),
	{}
};

struct kunit_suite smc_bytes_suite = {
	.name = "smc_bytes",
	.test_cases = bytes_cases,
};

// SPDX-License-Identifier: GPL-2.0
/* Frames of the extension: their bytes (frames.rst, F-01 to F-05). */
#include <kunit/test.h>

#include "tests.h"
#include "../wire/frame.c"

/* A record with all parts. A record with the part move has no data. */
static const struct smc_frame_record moved = {
	.token = 0xcafef00d, .flags = SMC_FRAME_B | SMC_FRAME_A,
	.parts = SMC_FRAME_PARTS,
	.prod = 0x0102030405060708, .cons = 0x1112131415161718,
	.window = 0x21222324, .heard = 0x31323334,
	.offer = { 5, 0x41424344, 0x00010000, 0x00020000 },
	.move = 7, .answer = 9, .arrived = 0x0122334455667788,
	.urgent = 0x0a0b0c0d0e0f0102,
};

static const struct smc_frame_record short_one = {
	.token = 1, .flags = SMC_FRAME_W | SMC_FRAME_D, .len = 3, .prod = 3,
};

static const u8 two_records[] = {
	0xfa, 2, 0, 8 + 72 + 32 + 3, 0x80, 0, 0, 1,
	/* moved */
	0xca, 0xfe, 0xf0, 0x0d, 0x88, 0xf0, 0, 0,
	1, 2, 3, 4, 5, 6, 7, 8,
	0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18,
	0x21, 0x22, 0x23, 0x24, 0x31, 0x32, 0x33, 0x34,
	0, 0, 0, 5, 0x41, 0x42, 0x43, 0x44, 0, 1, 0, 0, 0, 2, 0, 0,
	0, 0, 0, 7,
	0, 0, 0, 9, 1, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,
	0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 1, 2,
	/* short_one */
	0, 0, 0, 1, 0x60, 0, 0, 3,
	0, 0, 0, 0, 0, 0, 0, 3,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	'a', 'b', 'c',
};

/* This record has the largest values that fit in a short head. */
static const struct smc_frame_record short_max = {
	.token = 0xcafef00d, .flags = SMC_FRAME_B,
	.parts = SMC_FRAME_SHORT | SMC_FRAME_URGENT, .len = 2,
	.prod = SMC_FRAME_SHORT_POS, .cons = SMC_FRAME_SHORT_POS - 1,
	.window = SMC_FRAME_SHORT_WINDOW, .heard = SMC_FRAME_SHORT_HEARD,
	.urgent = 9,
};

static const u8 short_record[] = {
	0xfa, 1, 0, 8 + 23 + 8 + 2, 0, 0, 0, 1,
	0xca, 0xfe, 0xf0, 0x0d, 0x80, 0x18, 0, 2,
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe,
	0xff, 0xff, 0xff, 0xff, 0xff,
	0, 0, 0, 0, 0, 0, 0, 9,
	'a', 'b',
};

/* All parts. No two bytes of the head are equal. */
static const struct smc_frame_record short_parts = {
	.token = 0xcafef00d, .flags = SMC_FRAME_A,
	.parts = SMC_FRAME_SHORT | SMC_FRAME_PARTS,
	.prod = 0x0102030405, .cons = 0x1112131415,
	.window = 0x212223, .heard = 0x3132,
	.offer = { 5, 0x41424344, 0x00010000, 0x00020000 },
	.move = 7, .answer = 9, .arrived = 6, .urgent = 8,
};

static const u8 short_with_parts[] = {
	0xfa, 1, 0, 8 + 23 + 40, 0, 0, 0, 1,
	0xca, 0xfe, 0xf0, 0x0d, 0x08, 0xf8, 0, 0,
	1, 2, 3, 4, 5, 0x11, 0x12, 0x13, 0x14, 0x15,
	0x21, 0x22, 0x23, 0x31, 0x32,
	0, 0, 0, 5, 0x41, 0x42, 0x43, 0x44, 0, 1, 0, 0, 0, 2, 0, 0,
	0, 0, 0, 7,
	0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 6,
	0, 0, 0, 0, 0, 0, 0, 8,
};

static size_t write_two(u8 *buf, size_t n)
{
	struct smc_frame_out f;
	u8 *data;

	smc_frame_begin(&f, buf, n);
	smc_frame_add(&f, &moved);
	data = smc_frame_add(&f, &short_one);
	if (data)
		memcpy(data, "abc", 3);
	return smc_frame_end(&f, 0x80000001, false);
}

/* Compares the members, because the padding of two equal records may differ. */
static bool same_record(const struct smc_frame_record *a,
			const struct smc_frame_record *b)
{
	return a->token == b->token && a->flags == b->flags &&
	       a->parts == b->parts && a->len == b->len &&
	       a->prod == b->prod && a->cons == b->cons &&
	       a->window == b->window && a->heard == b->heard &&
	       !memcmp(&a->offer, &b->offer, sizeof(a->offer)) &&
	       a->move == b->move && a->answer == b->answer &&
	       a->arrived == b->arrived && a->urgent == b->urgent;
}

static void frame_bytes(struct kunit *test)
{
	u8 buf[256];

	memset(buf, 0xff, sizeof(buf));
	/* F-01, F-02, F-03 */
	KUNIT_ASSERT_EQ(test, write_two(buf, sizeof(buf)), sizeof(two_records));
	/* F-01, F-02, F-03 */
	KUNIT_EXPECT_MEMEQ(test, buf, two_records, sizeof(two_records));
	KUNIT_EXPECT_EQ(test, buf[sizeof(two_records)], 0xff);
}

static void frame_is_read(struct kunit *test)
{
	struct smc_frame_record rec;
	struct smc_frame_hdr hdr;
	struct smc_frame_in f;

	KUNIT_ASSERT_EQ(test, smc_frame_open(&f, two_records,
					     sizeof(two_records), &hdr), 0);
	/* F-01 */
	KUNIT_EXPECT_FALSE(test, hdr.waited);
	/* F-02 */
	KUNIT_EXPECT_EQ(test, hdr.records, 2);
	/* F-02 */
	KUNIT_EXPECT_EQ(test, hdr.taken, 0x80000001);
	KUNIT_ASSERT_EQ(test, smc_frame_next(&f, &rec), true);
	/* F-03 */
	KUNIT_EXPECT_TRUE(test, same_record(&rec, &moved));
	KUNIT_ASSERT_EQ(test, smc_frame_next(&f, &rec), true);
	/* F-03 */
	KUNIT_EXPECT_TRUE(test, same_record(&rec, &short_one));
	KUNIT_EXPECT_MEMEQ(test, rec.data, "abc", 3);
	KUNIT_EXPECT_FALSE(test, smc_frame_next(&f, &rec));
}

/* F-38: the codec writes @rec as @frame, and reads it again. */
static void short_head(struct kunit *test, const struct smc_frame_record *rec,
		       const u8 *frame, size_t len)
{
	struct smc_frame_record got;
	struct smc_frame_hdr hdr;
	struct smc_frame_out out;
	struct smc_frame_in in;
	u8 buf[128], *data;

	smc_frame_begin(&out, buf, sizeof(buf));
	data = smc_frame_add(&out, rec);
	KUNIT_ASSERT_NOT_NULL(test, data);
	memcpy(data, "ab", rec->len);
	KUNIT_ASSERT_EQ(test, smc_frame_end(&out, 1, false), len);
	/* F-38 */
	KUNIT_EXPECT_MEMEQ(test, buf, frame, len);
	KUNIT_ASSERT_EQ(test, smc_frame_open(&in, frame, len, &hdr), 0);
	KUNIT_ASSERT_EQ(test, smc_frame_next(&in, &got), true);
	/* F-38 */
	KUNIT_EXPECT_TRUE(test, same_record(&got, rec));
	KUNIT_EXPECT_MEMEQ(test, got.data, "ab", rec->len);
}

static void frame_short_head(struct kunit *test)
{
	short_head(test, &short_max, short_record, sizeof(short_record));
	short_head(test, &short_parts, short_with_parts,
		   sizeof(short_with_parts));
}

static bool fits_short(const struct smc_frame_record *rec)
{
	return smc_frame_fits_short(rec->prod, rec->cons, rec->window,
				    rec->heard);
}

/* F-38: a value that is too large for its field is not written. */
static void frame_short_limits(struct kunit *test)
{
	struct smc_frame_record over[] = {
		short_max, short_max, short_max, short_max,
	};
	struct smc_frame_out out;
	u8 buf[64];
	size_t i;

	over[0].prod++;
	over[1].cons += 2;
	over[2].window++;
	over[3].heard++;
	smc_frame_begin(&out, buf, sizeof(buf));
	for (i = 0; i < ARRAY_SIZE(over); i++) {
		/* F-38 */
		KUNIT_EXPECT_FALSE_MSG(test, fits_short(&over[i]), "row %zu",
				       i);
		KUNIT_EXPECT_TRUE_MSG(test, !smc_frame_add(&out, &over[i]),
				      "row %zu", i);
		over[i].parts ^= SMC_FRAME_SHORT;
		/* the value fits in a long head */
		KUNIT_EXPECT_TRUE_MSG(test, !!smc_frame_add(&out, &over[i]),
				      "row %zu", i);
		smc_frame_begin(&out, buf, sizeof(buf));
	}
	KUNIT_EXPECT_TRUE(test, fits_short(&short_max));
}

/*
 * F-02: a frame without records carries only the credit count. F-01: its sender
 * has waited for credits.
 */
static void frame_without_records(struct kunit *test)
{
	static const u8 want[] = { 0xfb, 0, 0, 8, 0, 0, 1, 0 };
	struct smc_frame_record rec;
	struct smc_frame_out out;
	struct smc_frame_hdr hdr;
	struct smc_frame_in in;
	u8 buf[SMC_FRAME_HDR_LEN];

	smc_frame_begin(&out, buf, sizeof(buf));
	KUNIT_EXPECT_EQ(test, smc_frame_room(&out, 0), -ENOSPC);
	KUNIT_ASSERT_EQ(test, smc_frame_end(&out, 256, true), sizeof(buf));
	/* F-02 */
	KUNIT_EXPECT_MEMEQ(test, buf, want, sizeof(want));
	KUNIT_ASSERT_EQ(test, smc_frame_open(&in, buf, sizeof(buf), &hdr), 0);
	/* F-01 */
	KUNIT_EXPECT_TRUE(test, hdr.waited);
	KUNIT_EXPECT_FALSE(test, smc_frame_next(&in, &rec));
	buf[0] = 0xfc;
	/* F-01 */
	KUNIT_EXPECT_EQ(test, smc_frame_open(&in, buf, sizeof(buf), &hdr),
			-EBADMSG);
}

/* Tests each length of a frame, in memory that ends where the frame ends. */
static void cut_short(struct kunit *test, const u8 *frame, size_t len)
{
	struct smc_frame_hdr hdr;
	struct smc_frame_in f;
	u8 *end, *p;
	size_t n;

	p = kunit_kmalloc(test, len, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, p);
	end = p + len;
	for (n = 1; n < len; n++) {
		p = end - n;
		memcpy(p, frame, n);
		/* F-04 */
		KUNIT_EXPECT_EQ_MSG(test, smc_frame_open(&f, p, n, &hdr),
				    -EBADMSG, "%zu bytes", n);
		if (n < SMC_FRAME_HDR_LEN)
			continue;
		/* the header agrees with the length, the records do not */
		p[3] = (u8)n;
		/* F-04 */
		KUNIT_EXPECT_EQ_MSG(test, smc_frame_open(&f, p, n, &hdr),
				    -EBADMSG, "%zu bytes in the header", n);
	}
	KUNIT_EXPECT_EQ(test, smc_frame_open(&f, frame, 0, &hdr), -EBADMSG);
}

static void frame_cut_short(struct kunit *test)
{
	cut_short(test, two_records, sizeof(two_records));
	cut_short(test, short_record, sizeof(short_record));
	cut_short(test, short_with_parts, sizeof(short_with_parts));
}

static void frame_refuses(struct kunit *test)
{
	static const struct {
		u8 at;
		u8 value;
		const char *id;
	} t[] = {
		{ 0, 0xfe, "F-01: another type" },
		{ 1, 1, "F-04: bytes behind the last record" },
		{ 1, 3, "F-04: fewer records than announced" },
		{ 3, 114, "F-04: another length" },
		{ 13, 0xf4, "F-03: an unknown part" },
		{ 13, 0xf8, "F-04, F-38: a head of another length" },
		{ 13, 0x70, "F-04: another set of parts" },
		{ 87, 4, "F-04: more data than bytes" },
		{ 87, 2, "F-04: less data than bytes" },
	};
	u8 buf[sizeof(two_records) + 1] = {};
	struct smc_frame_hdr hdr;
	struct smc_frame_in f;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		memcpy(buf, two_records, sizeof(two_records));
		buf[t[i].at] = t[i].value;
		/* rows of t */
		KUNIT_EXPECT_EQ_MSG(test,
				    smc_frame_open(&f, buf, sizeof(two_records),
						   &hdr),
				    -EBADMSG, "%s", t[i].id);
	}
	memcpy(buf, two_records, sizeof(two_records));
	/* F-04 */
	KUNIT_EXPECT_EQ(test, smc_frame_open(&f, buf, sizeof(buf), &hdr),
			-EBADMSG);
	memcpy(buf, short_record, sizeof(short_record));
	buf[13] |= 4;
	/* F-03: an unknown part behind a short head */
	KUNIT_EXPECT_EQ(test, smc_frame_open(&f, buf, sizeof(short_record),
					     &hdr), -EBADMSG);
}

/*
 * F-05: a record whose values contradict each other is neither sent nor
 * accepted.
 */
static void frame_sane_values(struct kunit *test)
{
	static const struct {
		struct smc_frame_record rec;
		bool sane;
	} t[] = {
		{ { .len = 3, .prod = 3 }, true },
		{ { .len = 4, .prod = 3 }, false },
		{ { .flags = 1 }, false },
		{ { .parts = 1 }, false },
		{ { .prod = SMC_FRAME_POS_MAX }, true },
		{ { .prod = SMC_FRAME_POS_MAX + 1 }, false },
		{ { .cons = SMC_FRAME_POS_MAX + 1 }, false },
		{ { .parts = SMC_FRAME_OFFER, .offer = { 1 } }, true },
		{ { .parts = SMC_FRAME_OFFER, .offer = { 0, 1, 0, 64 } }, false },
		{ { .parts = SMC_FRAME_OFFER, .offer = { 1, 1, 0, 0 } }, false },
		{ { .parts = SMC_FRAME_OFFER, .offer = { 1, 0, 1, 0 } }, false },
		{ { .parts = SMC_FRAME_OFFER, .offer = { 1, 1, 0, 96 } }, false },
		{ { .parts = SMC_FRAME_OFFER,
		    .offer = { 1, 1, 0xffffffbf, 64 } }, true },
		{ { .parts = SMC_FRAME_OFFER,
		    .offer = { 1, 1, 0xffffffc0, 64 } }, false },
		{ { .parts = SMC_FRAME_MOVE, .move = 1, .prod = 4 }, true },
		{ { .parts = SMC_FRAME_MOVE, .prod = 4 }, false },
		{ { .parts = SMC_FRAME_MOVE, .move = 1, .prod = 4, .len = 1 },
		  false },
		{ { .parts = SMC_FRAME_MOVE, .move = 1,
		    .flags = SMC_FRAME_D }, false },
		{ { .parts = SMC_FRAME_MOVE, .move = 1,
		    .flags = SMC_FRAME_C }, false },
		{ { .parts = SMC_FRAME_MOVE, .move = 1,
		    .flags = SMC_FRAME_A }, true },
		{ { .parts = SMC_FRAME_ANSWER, .answer = 1 }, true },
		{ { .parts = SMC_FRAME_ANSWER }, false },
		{ { .parts = SMC_FRAME_ANSWER, .answer = 1,
		    .arrived = SMC_FRAME_POS_MAX + 1 }, false },
		{ { .parts = SMC_FRAME_URGENT, .urgent = 1 }, true },
		{ { .parts = SMC_FRAME_URGENT }, false },
		{ { .parts = SMC_FRAME_URGENT,
		    .urgent = SMC_FRAME_POS_MAX + 1 }, false },
	};
	struct smc_frame_out f;
	u8 buf[256];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		/* F-05 */
		KUNIT_EXPECT_EQ_MSG(test, smc_frame_sane(&t[i].rec), t[i].sane,
				    "row %zu", i);
		smc_frame_begin(&f, buf, sizeof(buf));
		/* F-05 */
		KUNIT_EXPECT_EQ_MSG(test, !!smc_frame_add(&f, &t[i].rec),
				    t[i].sane, "row %zu", i);
		KUNIT_EXPECT_EQ_MSG(test, f.records, t[i].sane, "row %zu", i);
	}
}

/* A record is added whole or not at all, and the room is exact. */
static void frame_room(struct kunit *test)
{
	struct smc_frame_record rec = { .prod = 1000 };
	struct smc_frame_out f;
	u8 buf[SMC_FRAME_HDR_LEN + 2 * SMC_FRAME_LONG_LEN + 12 + 5];
	u8 *data, *big;
	unsigned int i;

	memset(buf, 0, sizeof(buf));
	smc_frame_begin(&f, buf, sizeof(buf));
	KUNIT_EXPECT_EQ(test, smc_frame_room(&f, 0),
			SMC_FRAME_LONG_LEN + 12 + 5);
	KUNIT_EXPECT_EQ(test, smc_frame_room(&f, SMC_FRAME_PARTS), 9);
	/* F-38 */
	KUNIT_EXPECT_EQ(test, smc_frame_room(&f, SMC_FRAME_PARTS |
						 SMC_FRAME_SHORT), 18);
	rec.len = SMC_FRAME_LONG_LEN + 12 + 6;
	KUNIT_EXPECT_TRUE(test, !smc_frame_add(&f, &rec));
	rec.len = 0;
	KUNIT_EXPECT_TRUE(test, !!smc_frame_add(&f, &rec));
	KUNIT_EXPECT_EQ(test, smc_frame_room(&f, SMC_FRAME_PARTS), -ENOSPC);
	KUNIT_EXPECT_EQ(test, smc_frame_room(&f, SMC_FRAME_ANSWER), 5);
	rec.parts = SMC_FRAME_ANSWER;
	rec.answer = 1;
	rec.len = 5;
	data = smc_frame_add(&f, &rec);
	KUNIT_EXPECT_TRUE(test, data == buf + sizeof(buf) - 5);
	KUNIT_EXPECT_EQ(test, smc_frame_end(&f, 0, false), sizeof(buf));

	/* F-02: the number of records is one byte */
	big = kunit_kmalloc(test, 16384, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, big);
	smc_frame_begin(&f, big, 16384);
	rec = (struct smc_frame_record){};
	for (i = 0; smc_frame_add(&f, &rec); i++)
		;
	/* F-02 */
	KUNIT_EXPECT_EQ(test, i, 255);
}

static struct kunit_case frame_cases[] = {
	KUNIT_CASE(frame_bytes),
	KUNIT_CASE(frame_is_read),
	KUNIT_CASE(frame_short_head),
	KUNIT_CASE(frame_short_limits),
	KUNIT_CASE(frame_without_records),
	KUNIT_CASE(frame_cut_short),
	KUNIT_CASE(frame_refuses),
	KUNIT_CASE(frame_sane_values),
	KUNIT_CASE(frame_room),
	{}
};

struct kunit_suite smc_frame_suite = {
	.name = "smc_frame",
	.test_cases = frame_cases,
};

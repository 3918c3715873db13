// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of stream positions, and of the rule for window updates. A fixed
 * pseudo-random sequence makes failures reproducible.
 */
#include <kunit/test.h>

#include "tests.h"
#include "../wire/stream.c"

#define ROUNDS 20000

/*
 * Sizes of the window: powers of two, 10,000 as in the RFC with and without the
 * eye catcher, and odd sizes.
 */
static const u32 sizes[] = {
	1, 2, 3, 7, 4096, 9996, 10000, 16384, 16380, 65536, 524288, 524284,
	1u << 29, 1u << 31, 0xffffffff,
};

/* xorshift64 */
static u64 rnd(u64 *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/* Returns a random number from 0 to @max. Both bounds are frequent results. */
static u64 at_most(u64 *seed, u32 max)
{
	u32 rem;

	if (!max)
		return 0;
	switch (rnd(seed) & 7) {
	case 0:
		return 0;
	case 1:
		return max;
	default:
		div_u64_rem(rnd(seed) >> 8, max, &rem);
		return rem;
	}
}

/*
 * Returns a position in the first 2^17 laps. Often the wrap count is about to
 * overflow there.
 */
static u64 anywhere(u64 *seed, u32 size)
{
	u64 lap = rnd(seed) & 0x1ffff;

	if (rnd(seed) & 1)
		lap = 0xffff + (lap & 1);
	return lap * size + at_most(seed, size - 1);
}

/* R-4.7-01: the cursor stays in range, and the wrap count grows only when the
 * cursor reaches the end.
 */
static void advance(struct kunit *test)
{
	static const u32 base[] = { 0, 4 };
	u64 seed = 0x1234567;
	size_t b, n;

	for (b = 0; b < ARRAY_SIZE(base); b++) {
		const u32 len = 10000, size = len - base[b];
		u32 curs = base[b], wrap = 0, got;
		u64 pos = 0;
		u16 w;

		for (n = 0; n < ROUNDS; n++) {
			u32 k = (u32)at_most(&seed, size);

			pos += k;
			curs += k;
			if (curs >= len) {
				curs -= size;
				wrap++;
			}
			smc_stream_to_wire(pos, size, &w, &got);
			if (got + base[b] != curs || w != (u16)wrap ||
			    got + base[b] >= len)
				break;
		}
		/* R-4.7-01 */
		KUNIT_EXPECT_EQ_MSG(test, n, ROUNDS, "base %u", base[b]);
		KUNIT_EXPECT_TRUE(test, wrap > 0);
	}
}

/* R-A.4-13: the decoder restores the position from a cursor inside the window,
 * and refuses all other cursors.
 */
static void expand_inverse(struct kunit *test)
{
	u64 seed = 0xabcdef01;
	size_t i, n;

	for (n = 0; n < ROUNDS; n++) {
		for (i = 0; i < ARRAY_SIZE(sizes); i++) {
			u32 size = sizes[i], curs, allowed;
			u64 ref = anywhere(&seed, size), pos = 0;
			u64 ahead = at_most(&seed, size);
			u16 wrap;
			int ret, want;

			smc_stream_to_wire(ref + ahead, size, &wrap, &curs);
			allowed = (u32)at_most(&seed, size);
			want = ahead <= allowed ? 0 : -ERANGE;
			ret = smc_stream_expand(ref, size, wrap, curs, allowed,
						&pos);
			if (ret == want && pos == (ret ? 0 : ref + ahead))
				continue;
			/* R-A.4-13 */
			KUNIT_FAIL(test, "size %u ref %llu ahead %llu of %u: %d",
				   size, (unsigned long long)ref,
				   (unsigned long long)ahead, allowed, ret);
			return;
		}
	}
}

/*
 * The decoder refuses a cursor that has moved back, by 1 byte or by up to a
 * whole element.
 */
static void expand_behind(struct kunit *test)
{
	u64 seed = 0x77777;
	size_t i, n;

	for (n = 0; n < ROUNDS; n++) {
		for (i = 0; i < ARRAY_SIZE(sizes); i++) {
			u32 size = sizes[i], curs;
			u64 ref = size + anywhere(&seed, size), pos = 42;
			u64 back = 1 + at_most(&seed, size - 1);
			u16 wrap;
			int ret;

			smc_stream_to_wire(ref - back, size, &wrap, &curs);
			ret = smc_stream_expand(ref, size, wrap, curs, size,
						&pos);
			if (ret == -ERANGE && pos == 42)
				continue;
			/* R-A.4-13 */
			KUNIT_FAIL(test, "size %u ref %llu back %llu: %d",
				   size, (unsigned long long)ref,
				   (unsigned long long)back, ret);
			return;
		}
	}
}

/* Compares the decoder with a different formula, for each cursor of a small
 * element.
 */
static void expand_model(struct kunit *test)
{
	static const u64 refs[] = { 0, 1, 2, 3, 5, 196606, 196607, 196608,
				    196609, 1000003 };
	const u32 size = 3, period = 3 << 16;
	u64 want, pos = 0;
	u32 id, rem;
	size_t r;

	for (r = 0; r < ARRAY_SIZE(refs); r++) {
		for (id = 0; id < period; id++) {
			div_u64_rem(refs[r], period, &rem);
			want = refs[r] + (id + period - rem) % period;
			if (smc_stream_expand(refs[r], size, (u16)(id / size),
					      id % size, period, &pos) ||
			    pos != want)
				break;
		}
		KUNIT_EXPECT_EQ_MSG(test, id, period, "ref %llu",
				    (unsigned long long)refs[r]);
	}
}

/* R-A.4-13: tests cursors outside the element, and the limits around
 * the wrap.
 */
static void expand_bounds(struct kunit *test)
{
	static const struct {
		u64 ref;
		u32 size;
		u16 wrap;
		u32 curs;
		u64 max_ahead;
		int ret;
		u64 pos;
	} t[] = {
		{ 0, 10000, 0, 0, 10000, 0, 0 },		/* nothing new */
		{ 0, 10000, 0, 9999, 10000, 0, 9999 },
		{ 0, 10000, 1, 0, 10000, 0, 10000 },		/* full */
		{ 0, 10000, 1, 1, 10000, -ERANGE, 0 },		/* overfull */
		{ 0, 10000, 0, 10000, 10000, -ERANGE, 0 },	/* = size */
		{ 0, 10000, 0, 0xffffffff, 10000, -ERANGE, 0 },
		{ 0, 10000, 2, 0, 10000, -ERANGE, 0 },		/* wrap +2 */
		{ 5000, 10000, 0, 4999, 10000, -ERANGE, 0 },	/* back */
		{ 5000, 10000, 0xffff, 5000, 10000, -ERANGE, 0 },
		{ 5000, 10000, 0, 5000, 0, 0, 5000 },		/* no window */
		{ 5000, 10000, 0, 5001, 0, -ERANGE, 0 },
		/* the wrap count overflows: R-4.7-03 */
		{ 65535ULL * 10000 + 9999, 10000, 0, 0, 1, 0, 655360000 },
		{ 65536ULL * 10000, 10000, 65535, 9999, 9999, -ERANGE, 0 },
		{ 65535ULL << 14, 16384, 0, 0, 16384, 0, 65536ULL << 14 },
		{ 0, 1, 1, 0, 1, 0, 1 },
		{ 0, 0, 0, 0, 10, -ERANGE, 0 },			/* no element */
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		u64 pos = 0;
		int ret = smc_stream_expand(t[i].ref, t[i].size, t[i].wrap,
					    t[i].curs, t[i].max_ahead, &pos);

		/* R-4.7-03, R-A.4-13 */
		KUNIT_EXPECT_EQ_MSG(test, ret, t[i].ret, "row %zu", i);
		KUNIT_EXPECT_EQ_MSG(test, pos, t[i].pos, "row %zu", i);
	}
}

/* R-4.7-04, R-4.5.1-10 */
static void pieces(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, smc_stream_offset(0, 10000), 0);
	KUNIT_EXPECT_EQ(test, smc_stream_offset(29999, 10000), 9999);
	KUNIT_EXPECT_EQ(test, smc_stream_offset((1ULL << 40) + 5, 16384), 5);
	/* R-4.7-04 */
	KUNIT_EXPECT_EQ(test, smc_stream_contig(1000, 10000, 20000), 9000);
	KUNIT_EXPECT_EQ(test, smc_stream_contig(1000, 10000, 9000), 9000);
	KUNIT_EXPECT_EQ(test, smc_stream_contig(1000, 10000, 8999), 8999);
	KUNIT_EXPECT_EQ(test, smc_stream_contig(1000, 10000, 0), 0);
	KUNIT_EXPECT_EQ(test, smc_stream_contig(10000, 10000, 1ULL << 33),
			10000);

	KUNIT_EXPECT_EQ(test, smc_stream_window(10000, 0, 0), 10000);
	/* R-4.5.1-10 */
	KUNIT_EXPECT_EQ(test, smc_stream_window(10000, 7000, 0), 3000);
	KUNIT_EXPECT_EQ(test, smc_stream_window(10000, 17000, 7000), 0);
	/* impossible positions must not open the window */
	KUNIT_EXPECT_EQ(test, smc_stream_window(10000, 17001, 7000), 0);
	KUNIT_EXPECT_EQ(test, smc_stream_window(10000, 7000, 7001), 0);
}

/*
 * R-4.5.1-01..05, -07, -08. Each row has two windows: the one that the peer
 * sees now, and the one that it would see after an update. The data began at
 * position 0.
 */
static void update_due(struct kunit *test)
{
	enum { K = 1024, BUF = 64 * K };
	static const struct {
		u32 size;
		u32 view;
		u32 real;
		bool blocked;
		bool requested;
		bool due;
	} t[] = {
		{ BUF, 50 * K, 64 * K, false, false, false },	/* example a */
		{ BUF, 30 * K, 31 * K, false, false, false },	/* example b */
		{ BUF, 30 * K, 64 * K, false, false, true },	/* example c */
		/* an update is due if the window is less than half, and
		 * not if it is exactly half
		 */
		{ BUF, 32 * K, 64 * K, false, false, false },
		{ BUF, 32 * K - 1, 64 * K, false, false, true },
		{ 9999, 5000, 9999, false, false, false },
		{ 9999, 4999, 9999, false, false, true },
		/* an update of 10 percent is due, a smaller one is not */
		{ 10000, 0, 1000, false, false, true },
		{ 10000, 0, 999, false, false, false },
		{ BUF, 0, 6554, false, false, true },
		{ BUF, 0, 6553, false, false, false },
		{ BUF, 0, 1, false, false, false },
		/* R-4.5.1-07: the peer is blocked, so an update is due as soon
		 * as one byte was read
		 */
		{ BUF, 0, 1, true, false, true },
		{ BUF, 50 * K, 50 * K + 1, true, false, true },
		{ BUF, 0, 0, true, false, false },
		/* R-4.5.1-08: the peer has asked for an update, but no byte was
		 * read since the last one
		 */
		{ BUF, 50 * K, 50 * K + 1, false, true, true },
		{ BUF, 64 * K, 64 * K, false, true, false },
		{ BUF, 0, 0, true, true, false },
		/* the products must not be truncated to 32 bits */
		{ 0xffffffff, 0, 0x80000000, false, false, true },
		{ 0x80000000, 0x40000000, 0x80000000, false, false, false },
		{ 0x80000000, 0, 1, false, false, false },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		u64 told = 12345678901ULL, now, produced;

		produced = told + t[i].size - t[i].view;
		now = told + t[i].real - t[i].view;
		/* R-4.5.1-01..05, -07, -08 */
		KUNIT_EXPECT_EQ_MSG(test,
				    smc_stream_update_due(t[i].size, produced,
							  told, now,
							  t[i].blocked,
							  t[i].requested),
				    t[i].due, "row %zu", i);
	}
}

static struct kunit_case stream_cases[] = {
	KUNIT_CASE(advance),
	KUNIT_CASE(expand_inverse),
	KUNIT_CASE(expand_behind),
	KUNIT_CASE(expand_model),
	KUNIT_CASE(expand_bounds),
	KUNIT_CASE(pieces),
	KUNIT_CASE(update_due),
	{}
};

struct kunit_suite smc_stream_suite = {
	.name = "smc_stream",
	.test_cases = stream_cases,
};

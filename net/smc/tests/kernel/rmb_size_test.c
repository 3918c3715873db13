// SPDX-License-Identifier: GPL-2.0
/* Tests the sizes of elements and RMBs on kernels with pages of 4, 16 and 64
 * KiB.
 */
#include <kunit/test.h>
#include <linux/sizes.h>
#include "../../group/rmb_size.c"

static const u32 page_sizes[] = { SZ_4K, SZ_16K, SZ_64K };

#define for_each_page_size(page)					\
	for (int __i = 0; __i < ARRAY_SIZE(page_sizes) &&		\
	     ((page) = page_sizes[__i], true); __i++)

struct row {
	u32 bytes;
	u32 size[ARRAY_SIZE(page_sizes)];
};

static const struct row rows[] = {
	{ 0,		{ SZ_16K,  SZ_16K,  SZ_64K } },
	{ SZ_16K,	{ SZ_16K,  SZ_16K,  SZ_64K } },
	{ SZ_16K + 1,	{ SZ_32K,  SZ_32K,  SZ_64K } },
	{ SZ_32K,	{ SZ_32K,  SZ_32K,  SZ_64K } },
	{ SZ_64K,	{ SZ_64K,  SZ_64K,  SZ_64K } },
	{ SZ_64K + 1,	{ SZ_128K, SZ_128K, SZ_128K } },
	{ SZ_256K,	{ SZ_256K, SZ_256K, SZ_256K } },
	{ SZ_512K,	{ SZ_512K, SZ_512K, SZ_512K } },
	{ U32_MAX,	{ SZ_512K, SZ_512K, SZ_512K } },
};

/* R-A.2.3-06: 16 KiB << n */
static void rounds_to_whole_pages(struct kunit *test)
{
	int i, p;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		for (p = 0; p < ARRAY_SIZE(page_sizes); p++)
			KUNIT_EXPECT_EQ_MSG(test, rows[i].size[p],
					    smc_rmb_size_round(rows[i].bytes,
							       page_sizes[p]),
					    "%u bytes, pages of %u",
					    rows[i].bytes, page_sizes[p]);
}

/* Checks that no two elements share a page, and that the pages of an element
 * hold all its bytes.
 */
static void elements_share_no_page(struct kunit *test)
{
	u32 page, code, size, n;

	for_each_page_size(page) {
		for (code = 0; code <= SMC_RMBE_CODE_SENT_MAX; code++) {
			size = smc_rmb_size_round(SMC_RMBE_MIN_BYTES << code,
						  page);
			for (n = 0; n < SMC_RMBES_PER_RMB_MAX; n++)
				KUNIT_ASSERT_EQ(test, (u64)n * size,
						(u64)page *
						smc_rmb_size_pages(size, n,
								   page));
		}
	}
}

/* Checks that the device can register each new RMB, and that there is a new RMB
 * if the device can register one element.
 */
static void growth_fits_the_device(struct kunit *test)
{
	static const u32 limits[] = { 1, 2, 7, 8, 64, 511, 512, 1024, U32_MAX };
	u32 page, code, size, want, n;
	int i;

	for_each_page_size(page) {
		for (i = 0; i < ARRAY_SIZE(limits) * (SMC_RMBE_CODE_SENT_MAX + 1);
		     i++) {
			code = i / ARRAY_SIZE(limits);
			size = smc_rmb_size_round(SMC_RMBE_MIN_BYTES << code,
						  page);
			for (want = 0; want < 1000; want += 37) {
				u32 max = limits[i % ARRAY_SIZE(limits)];

				n = smc_rmb_size_growth(size, want, max, page);
				KUNIT_ASSERT_LE(test, n, SMC_RMBES_PER_RMB_MAX);
				KUNIT_ASSERT_LE(test, n, max_t(u32, want, 1));
				KUNIT_ASSERT_LE(test,
						smc_rmb_size_pages(size, n, page),
						max);
				KUNIT_ASSERT_EQ(test, !n,
						max < size / page);
			}
		}
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE(rounds_to_whole_pages),
	KUNIT_CASE(elements_share_no_page),
	KUNIT_CASE(growth_fits_the_device),
	{}
};

static struct kunit_suite smc_rmb_size_suite = {
	.name = "smc-rmb-size",
	.test_cases = cases,
};

kunit_test_suite(smc_rmb_size_suite);

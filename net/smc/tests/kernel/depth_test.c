// SPDX-License-Identifier: GPL-2.0
/* Tests the choice of queue sizes within the limits of a device, and the choice
 * of completion vectors.
 */
#include <kunit/test.h>
#include <linux/limits.h>
#include "../../transport/roce_depth.c"
#include "../../transport/roce_ep.h"

enum {
	BIG	= 32768,
	/* bytes that an idle endpoint may need, without queues of the device */
	IDLE	= 64 << 10,
};

/* Checks that a device that allows only small queues gets small queues, or is
 * not used.
 */
static void fits(struct kunit *test, bool frames)
{
	struct smc_roce_depth d;
	u32 slots = 0;
	int max;

	for (max = -1; max <= 1024; max++) {
		if (!smc_roce_depth_fit(&d, max, frames)) {
			KUNIT_EXPECT_LE(test, max, 32);
			continue;
		}
		KUNIT_ASSERT_GE(test, max, (int)SMC_ROCE_ENTRIES_MIN);
		KUNIT_EXPECT_LE(test, smc_roce_depth_sends(&d), (u32)max);
		KUNIT_EXPECT_LE(test, smc_roce_depth_recvs(&d), (u32)max);
		KUNIT_EXPECT_GT(test, d.slots, (u32)SMC_EP_CTRL_SLOTS);
		KUNIT_EXPECT_GE(test, d.slots, slots);
		KUNIT_EXPECT_GE(test, d.regs, (u32)SMC_ROCE_REGS_MIN);
		slots = d.slots;
	}
	KUNIT_EXPECT_FALSE(test, smc_roce_depth_fit(&d, INT_MIN, frames));
}

static void fits_every_device(struct kunit *test)
{
	fits(test, false);
}

static void frames_fit_every_device(struct kunit *test)
{
	fits(test, true);
}

/* Checks that a device without such limits gets the largest queues that the
 * endpoint can use, and that rounding wastes no memory.
 */
static void large_device(struct kunit *test)
{
	struct smc_roce_depth d;

	KUNIT_ASSERT_TRUE(test, smc_roce_depth_fit(&d, BIG, false));
	KUNIT_EXPECT_EQ(test, d.slots, (u32)SMC_EP_SLOTS);
	KUNIT_EXPECT_EQ(test, d.regs, (u32)SMC_ROCE_REGS_MAX);
	KUNIT_EXPECT_EQ(test, d.receives, (u32)SMC_ROCE_RECEIVES_MAX);
	KUNIT_EXPECT_EQ(test, smc_roce_depth_recvs(&d), 255);
	KUNIT_ASSERT_TRUE(test, smc_roce_depth_fit(&d, BIG, true));
	KUNIT_EXPECT_EQ(test, d.slots, (u32)SMC_ROCE_FRAMES_SLOTS);
	KUNIT_EXPECT_EQ(test, smc_roce_depth_sends(&d), 127);
	KUNIT_EXPECT_EQ(test, smc_roce_depth_recvs(&d), 127);
}

/* Checks the memory of an endpoint that carries little. */
static void idle_is_small(struct kunit *test)
{
	size_t slot = sizeof(struct smc_roce_bundle) + SMC_EP_MSG_STRIDE;
	size_t small = sizeof(struct smc_roce) + SMC_EP_SLOTS * slot +
		       SMC_ROCE_RX_AREAS * SMC_ROCE_RX_AREA_BYTES + 2 * SMC_EP_MSG_MAX +
		       sizeof(struct smc_roce_rx_chain);
	size_t frames = sizeof(struct smc_roce) + SMC_ROCE_FRAMES_SLOTS * slot +
			PAGE_ALIGN(SMC_ROCE_FRAMES_INITIAL * SMC_EP_FRAME_MAX);

	KUNIT_EXPECT_LE(test, small, (size_t)IDLE);
	KUNIT_EXPECT_LE(test, frames, (size_t)IDLE);
	kunit_info(test, "small %zu, frames %zu, slot %zu\n", small, frames,
		   sizeof(struct smc_roce_bundle));
}

/* Checks that endpoints use all vectors equally often, but not more vectors
 * than there are CPUs.
 */
static void vectors_are_spread(struct kunit *test)
{
	u32 used[8] = {};
	u32 i;

	for (i = 0; i < 8 * ARRAY_SIZE(used); i++)
		used[smc_roce_depth_vector(i, ARRAY_SIZE(used), 64)]++;
	for (i = 0; i < ARRAY_SIZE(used); i++)
		KUNIT_EXPECT_EQ(test, used[i], 8);
	for (i = 0; i < 100; i++) {
		KUNIT_EXPECT_LT(test, smc_roce_depth_vector(i, 64, 2), 2);
		KUNIT_EXPECT_EQ(test, smc_roce_depth_vector(i, 1, 64), 0);
	}
	KUNIT_EXPECT_LT(test, smc_roce_depth_vector(U32_MAX, 7, 64), 7);
}

/* Checks how many vectors of a device are used, at most one for each CPU. */
static void vectors_of_the_device(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, smc_roce_depth_vectors(8, 64), 8);
	KUNIT_EXPECT_EQ(test, smc_roce_depth_vectors(64, 2), 2);
	KUNIT_EXPECT_EQ(test, smc_roce_depth_vectors(1, 64), 1);
	KUNIT_EXPECT_EQ(test, smc_roce_depth_vectors(0, 64), 1);
	KUNIT_EXPECT_EQ(test, smc_roce_depth_vectors(-1, 64), 1);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(fits_every_device),
	KUNIT_CASE(frames_fit_every_device),
	KUNIT_CASE(large_device),
	KUNIT_CASE(idle_is_small),
	KUNIT_CASE(vectors_are_spread),
	KUNIT_CASE(vectors_of_the_device),
	{}
};

static struct kunit_suite smc_depth_suite = {
	.name = "smc-depth",
	.test_cases = cases,
};

kunit_test_suite(smc_depth_suite);

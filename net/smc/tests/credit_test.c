// SPDX-License-Identifier: GPL-2.0
/* Credits of a link that carries frames (frames.rst, F-06 to F-08). */
#include <kunit/test.h>

#include "tests.h"
#include "../group/credit.c"

/* F-06, F-07: of 4 credits frames use 2, LLC messages 3. */
static void credit_reserves(struct kunit *test)
{
	struct smc_credit c;
	unsigned int n;

	smc_credit_init(&c);
	for (n = 0; smc_credit_may_send(&c, SMC_CREDIT_FRAME); n++)
		smc_credit_sent(&c);
	/* F-06, F-07 */
	KUNIT_EXPECT_EQ(test, n, SMC_CREDIT_INITIAL - SMC_CREDIT_RESERVE);
	for (; smc_credit_may_send(&c, SMC_CREDIT_LLC); n++)
		smc_credit_sent(&c);
	/* F-07 */
	KUNIT_EXPECT_EQ(test, n, 3);
	/* F-07: the last credit is for a frame that raises the count */
	KUNIT_EXPECT_FALSE(test, smc_credit_may_send(&c, SMC_CREDIT_RAISE));
	smc_credit_posted(&c, 1);
	/* F-07 */
	KUNIT_EXPECT_TRUE(test, smc_credit_may_send(&c, SMC_CREDIT_RAISE));
	smc_credit_sent(&c);
	KUNIT_EXPECT_FALSE(test, smc_credit_may_send(&c, SMC_CREDIT_RAISE));
}

static void credit_counts(struct kunit *test)
{
	struct smc_credit c;

	smc_credit_init(&c);
	smc_credit_posted(&c, 5);
	/* F-06 */
	KUNIT_EXPECT_EQ(test, smc_credit_tell(&c), 9);
	/* F-06 */
	KUNIT_EXPECT_EQ(test, smc_credit_heard(&c, 16), 0);
	KUNIT_EXPECT_EQ(test, smc_credit_heard(&c, 48), 0);
	/* F-06: the count must neither decrease nor be impossibly high */
	KUNIT_EXPECT_EQ(test, smc_credit_heard(&c, 47), -EPROTO);
	/* F-06 */
	KUNIT_EXPECT_EQ(test, smc_credit_heard(&c, 48 + 65537), -EPROTO);
	KUNIT_EXPECT_EQ(test, c.allowed, 48);
}

/* Counts pass 2^32. */
static void credit_wraps(struct kunit *test)
{
	struct smc_credit c;

	smc_credit_init(&c);
	c.sent = 0xfffffff0;
	c.allowed = 0xfffffffc;
	c.taken = 0xfffffffe;
	c.told = 0xfffffffe;
	c.arrived = 0xfffffff0;
	/* F-07 */
	KUNIT_EXPECT_TRUE(test, smc_credit_may_send(&c, SMC_CREDIT_FRAME));
	/* F-06 */
	KUNIT_EXPECT_EQ(test, smc_credit_heard(&c, 2), 0);
	KUNIT_EXPECT_EQ(test, c.allowed - c.sent, 18);
	smc_credit_posted(&c, 20);
	/* F-08 */
	KUNIT_EXPECT_TRUE(test, smc_credit_raise_due(&c));
	/* F-06 */
	KUNIT_EXPECT_EQ(test, smc_credit_tell(&c), 18);
	KUNIT_EXPECT_FALSE(test, smc_credit_raise_due(&c));
}

/* F-06: a receive is posted, but the peer has not heard of it. */
static void credit_without(struct kunit *test)
{
	struct smc_credit c;
	unsigned int n;

	smc_credit_init(&c);
	smc_credit_posted(&c, 3);
	for (n = 0; n < 100 && !smc_credit_arrived(&c); n++)
		;
	/* F-06 */
	KUNIT_EXPECT_EQ(test, n, SMC_CREDIT_INITIAL);
	smc_credit_tell(&c);
	/* F-06 */
	KUNIT_EXPECT_EQ(test, smc_credit_arrived(&c), 0);
	KUNIT_EXPECT_EQ(test, c.told - c.arrived, 2);
}

static void credit_one_arrives(struct smc_credit *c, u32 repost)
{
	smc_credit_arrived(c);
	smc_credit_posted(c, repost);
}

/*
 * F-08: a frame raises the count after half of the receives, or when only
 * credits are left that frames with records may not use.
 */
static void credit_raise_is_due(struct kunit *test)
{
	struct smc_credit c;
	unsigned int n;

	smc_credit_init(&c);
	for (n = 0; !smc_credit_raise_due(&c); n++)
		credit_one_arrives(&c, 1);
	/* F-08 */
	KUNIT_EXPECT_EQ(test, n, 2);

	/*
	 * 16 receives, and memory is short: the first 12 are not posted again
	 */
	smc_credit_init(&c);
	smc_credit_posted(&c, 12);
	smc_credit_tell(&c);
	for (n = 0; !smc_credit_raise_due(&c); n++)
		credit_one_arrives(&c, n >= 12);
	/* F-08: the sender of frames stops at 14 */
	KUNIT_EXPECT_EQ(test, n, 14);

	/* frames without records do not answer each other */
	smc_credit_init(&c);
	smc_credit_tell(&c);
	credit_one_arrives(&c, 1);
	/* F-08 */
	KUNIT_EXPECT_FALSE(test, smc_credit_raise_due(&c));
}

/* A frame arrives, and tells whether the peer has waited. */
static u32 credit_frame(struct smc_credit *c, u32 depth, bool waited)
{
	smc_credit_arrived(c);
	c->peer_waits = waited;
	depth = smc_credit_depth(c, depth);
	if (c->taken - c->arrived < depth)
		smc_credit_posted(c, depth - (c->taken - c->arrived));
	return depth;
}

/* A peer that has waited for credits gets more receives, up to a limit. */
static void credit_receives(struct kunit *test)
{
	u32 depth = SMC_CREDIT_INITIAL, want = SMC_CREDIT_INITIAL;
	struct smc_credit c;
	unsigned int n;

	smc_credit_init(&c);
	for (n = 0; n < 3; n++) {
		depth = credit_frame(&c, depth, false);
		smc_credit_tell(&c);
	}
	KUNIT_EXPECT_EQ(test, depth, SMC_CREDIT_INITIAL);
	for (; want < SMC_CREDIT_RECEIVES; want *= 2) {
		depth = credit_frame(&c, depth, true);
		smc_credit_tell(&c);
		KUNIT_EXPECT_EQ(test, depth,
				(want > 63 ? SMC_CREDIT_RECEIVES : 2 * want));
		/* the peer has sent these before it heard of the new number */
		for (n = 0; n < want; n++) {
			KUNIT_EXPECT_EQ(test, credit_frame(&c, depth, true),
					depth);
			smc_credit_tell(&c);
		}
	}
	KUNIT_EXPECT_EQ(test, depth, SMC_CREDIT_RECEIVES);
	for (n = 0; n < 1000; n++) {
		depth = credit_frame(&c, depth, true);
		smc_credit_tell(&c);
	}
	KUNIT_EXPECT_EQ(test, depth, SMC_CREDIT_RECEIVES);
}

/*
 * @burst SENDs arrive between two announcements, @rounds times. The peer waits
 * when it has used all credits that frames may use. Return: the number wanted.
 */
static u32 credit_bursts(struct smc_credit *c, u32 depth, u32 burst, u32 rounds)
{
	bool waited;
	u32 n;

	while (rounds--) {
		waited = burst > c->told - c->arrived - SMC_CREDIT_RESERVE;
		for (n = 0; n < burst && c->told != c->arrived; n++)
			depth = credit_frame(c, depth, waited);
		smc_credit_tell(c);
	}
	return depth;
}

/* The number of receives follows the bursts of the peer, up and down. */
static void credit_follows_use(struct kunit *test)
{
	u32 depth = SMC_CREDIT_INITIAL, was;
	struct smc_credit c;

	smc_credit_init(&c);
	depth = credit_bursts(&c, depth, 2, 1000);
	KUNIT_EXPECT_EQ(test, depth, SMC_CREDIT_INITIAL);
	depth = credit_bursts(&c, depth, 64, 100);
	KUNIT_EXPECT_EQ(test, depth, SMC_CREDIT_RECEIVES);
	/* bursts of one size: the number does not swing */
	for (was = 64; was; was /= 2) {
		depth = credit_bursts(&c, depth, was, 5000);
		KUNIT_EXPECT_TRUE(test, depth >= was + SMC_CREDIT_RESERVE);
		KUNIT_EXPECT_TRUE(test, depth <= 4 * (was + 3));
		KUNIT_EXPECT_EQ(test, credit_bursts(&c, depth, was, 5000),
				depth);
	}
	KUNIT_EXPECT_TRUE(test, depth <= 2 * SMC_CREDIT_INITIAL);
	KUNIT_EXPECT_TRUE(test, c.taken - c.arrived <= 2 * SMC_CREDIT_INITIAL);
}

static struct kunit_case credit_cases[] = {
	KUNIT_CASE(credit_reserves),
	KUNIT_CASE(credit_counts),
	KUNIT_CASE(credit_wraps),
	KUNIT_CASE(credit_without),
	KUNIT_CASE(credit_raise_is_due),
	KUNIT_CASE(credit_receives),
	KUNIT_CASE(credit_follows_use),
	{}
};

struct kunit_suite smc_credit_suite = {
	.name = "smc_credit",
	.test_cases = credit_cases,
};

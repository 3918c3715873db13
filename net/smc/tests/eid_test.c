// SPDX-License-Identifier: GPL-2.0
/* Tests of the table of enterprise IDs: names, limits and order. */
#include <kunit/test.h>

#include "tests.h"
#include "../base/eid.c"

#define EID(s) ((const u8 *)(s))
#define ONE	"ONE                             "
#define TWO	"TWO                             "
#define THREE	"THREE                           "
#define FOUR	"FOUR                            "
#define FIVE	"FIVE                            "

static void names(struct kunit *test)
{
	static const struct {
		const char *eid;
		bool ok;
	} t[] = {
		{ ONE, true },
		{ "A                               ", true },
		{ "ABCDEFGHIJKLMNOPQRSTUVWXYZ.-0123", true },
		{ "456789                          ", true },
		{ "                                ", false },
		{ " ONE                            ", false },
		{ ".ONE                            ", false },
		{ "-ONE                            ", false },
		{ "one                             ", false },
		{ "ON E                            ", false },
		{ "ONE\0                            ", false },
		{ "ONE                            \0", false },
		{ "ONE_                            ", false },
		{ "ONE\xff                            ", false },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(t); i++)
		KUNIT_EXPECT_EQ_MSG(test, eid_valid(EID(t[i].eid)),
				    t[i].ok, "entry %u", i);
	KUNIT_EXPECT_TRUE(test, eid_valid(smc_eid_default));
}

static void default_can_go(struct kunit *test)
{
	struct smc_eids t;

	smc_eids_init(&t);
	KUNIT_EXPECT_EQ(test, t.n, 1);
	KUNIT_EXPECT_MEMEQ(test, t.eid[0], "SMCV2-DEFAULT-UEID              ",
			   32);
	KUNIT_EXPECT_EQ(test, smc_eids_add(&t, smc_eid_default), -EEXIST);
	KUNIT_EXPECT_EQ(test, smc_eids_remove(&t, smc_eid_default), 0);
	KUNIT_EXPECT_EQ(test, t.n, 0);
	KUNIT_EXPECT_FALSE(test, smc_eids_has(&t, smc_eid_default));
	KUNIT_EXPECT_EQ(test, smc_eids_remove(&t, smc_eid_default), -ENOENT);
	KUNIT_EXPECT_EQ(test, smc_eids_add(&t, smc_eid_default), 0);
	KUNIT_EXPECT_TRUE(test, smc_eids_has(&t, smc_eid_default));
}

/* Checks that an administrator can add four EIDs, whether or not the table has
 * the default EID.
 */
static void four_fit(struct kunit *test)
{
	struct smc_eids t;

	smc_eids_init(&t);
	KUNIT_EXPECT_EQ(test, smc_eids_add(&t, EID(ONE)), 0);
	KUNIT_EXPECT_EQ(test, smc_eids_add(&t, EID(TWO)), 0);
	KUNIT_EXPECT_EQ(test, smc_eids_add(&t, EID(ONE)), -EEXIST);
	KUNIT_EXPECT_EQ(test, smc_eids_add(&t, EID(THREE)), 0);
	KUNIT_EXPECT_EQ(test, smc_eids_add(&t, EID(FOUR)), 0);
	KUNIT_EXPECT_EQ(test, smc_eids_add(&t, EID(FIVE)), -ERANGE);
	KUNIT_EXPECT_EQ(test, smc_eids_add(&t, EID("x" ONE)), -EINVAL);
	KUNIT_EXPECT_EQ(test, t.n, 5);
	KUNIT_EXPECT_EQ(test, smc_eids_remove(&t, smc_eid_default), 0);
	KUNIT_EXPECT_EQ(test, smc_eids_add(&t, EID(FIVE)), -ERANGE);
	KUNIT_EXPECT_EQ(test, smc_eids_add(&t, smc_eid_default), 0);
	KUNIT_EXPECT_EQ(test, t.n, 5);
}

/*
 * Checks that the EIDs of the administrator precede the default EID. They have
 * the order in which they were added.
 */
static void order(struct kunit *test)
{
	struct smc_eids t;

	smc_eids_init(&t);
	smc_eids_add(&t, EID(ONE));
	smc_eids_add(&t, EID(TWO));
	smc_eids_add(&t, EID(THREE));
	KUNIT_EXPECT_MEMEQ(test, t.eid[0], ONE, 32);
	KUNIT_EXPECT_MEMEQ(test, t.eid[1], TWO, 32);
	KUNIT_EXPECT_MEMEQ(test, t.eid[2], THREE, 32);
	KUNIT_EXPECT_MEMEQ(test, t.eid[3], smc_eid_default, 32);
	KUNIT_EXPECT_EQ(test, smc_eids_remove(&t, EID(TWO)), 0);
	KUNIT_EXPECT_EQ(test, smc_eids_remove(&t, EID(TWO)), -ENOENT);
	KUNIT_EXPECT_EQ(test, smc_eids_remove(&t, EID("x" TWO)), -EINVAL);
	KUNIT_EXPECT_EQ(test, t.n, 3);
	KUNIT_EXPECT_MEMEQ(test, t.eid[1], THREE, 32);
	KUNIT_EXPECT_MEMEQ(test, t.eid[2], smc_eid_default, 32);
}

static struct kunit_case eid_cases[] = {
	KUNIT_CASE(names),
	KUNIT_CASE(default_can_go),
	KUNIT_CASE(four_fit),
	KUNIT_CASE(order),
	{}
};

struct kunit_suite smc_eid_suite = {
	.name = "smc_eid",
	.test_cases = eid_cases,
};

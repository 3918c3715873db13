// SPDX-License-Identifier: GPL-2.0
/*
 * Tests which GIDs of an adapter the two versions use. The GID tables look like
 * those of real adapters: they have each address of the net device twice, once
 * for RoCEv1 and once for RoCEv2.
 */
#include <kunit/test.h>
#include "../../transport/gid_pick.c"

#define V4(last)	{ [10] = 0xff, 0xff, 10, 77, 0, last }
#define LOCAL		{ 0xfe, 0x80, [15] = 1 }
#define V6(last)	{ 0xfd, 0x77, [15] = last }

struct entry {
	u8 gid[16];
	bool v1;
	bool there;
};

#define ROCE1(...)	{ __VA_ARGS__, true, true }
#define ROCE2(...)	{ __VA_ARGS__, false, true }
#define EMPTY		{ }

enum {
	TABLE_ENTRIES	= 8,
	NONE		= -1,
};

struct row {
	const char *name;
	/* only the family of the connection's address matters */
	bool any;
	u8 own[16];
	struct entry entry[TABLE_ENTRIES];
	int v1, v2;
	bool exact;
};

static const struct row rows[] = {
	{ "no entry", false, V4(1), {}, NONE, NONE },
	{ "RoCEv2 alone, as rxe", false, V4(1),
	  { ROCE2(LOCAL), ROCE2(V4(1)), ROCE2(V6(1)) }, 1, 1, true },
	{ "RoCEv2 alone, IPv6", false, V6(1),
	  { ROCE2(LOCAL), ROCE2(V4(1)), ROCE2(V6(1)) }, 2, 2, true },
	{ "both types, IPv6", false, V6(1),
	  { ROCE1(LOCAL), ROCE2(LOCAL), ROCE1(V6(1)), ROCE2(V6(1)) },
	  0, 3, true },
	/* F-35: without an interface a link-local address has no route */
	{ "link-local connection", false, LOCAL,
	  { ROCE2(V4(1)), ROCE2(LOCAL), ROCE2(V6(1)) }, 1, NONE, true },
	/* the first RoCEv1 GID, usually the link-local one */
	{ "both types", false, V4(1),
	  { ROCE1(LOCAL), ROCE2(LOCAL), ROCE1(V4(1)), ROCE2(V4(1)) },
	  0, 3, true },
	{ "both types, RoCEv2 first", false, V4(1),
	  { ROCE2(LOCAL), ROCE1(LOCAL), ROCE2(V4(1)), ROCE1(V4(1)) },
	  1, 2, true },
	{ "RoCEv1 behind the own address", false, V4(1),
	  { ROCE2(V4(1)), EMPTY, EMPTY, ROCE1(V4(1)) }, 3, 0, true },
	{ "RoCEv1 alone", false, V4(1), { ROCE1(LOCAL), ROCE1(V4(1)) },
	  0, NONE, false },
	{ "address of another net device", false, V4(1),
	  { ROCE2(LOCAL), ROCE2(V6(1)), ROCE2(V4(2)), ROCE2(V4(3)) }, 2, 2 },
	{ "of the other family", false, V4(1),
	  { ROCE2(LOCAL), ROCE2(V6(1)) }, 0, NONE },
	{ "of the other family, IPv6", false, V6(1),
	  { ROCE2(LOCAL), ROCE2(V4(1)) }, 0, NONE },
	{ "address of another net device, IPv6", false, V6(1),
	  { ROCE2(LOCAL), ROCE2(V4(2)), ROCE2(V6(3)) }, 2, 2 },
	{ "any network", true, V4(1),
	  { ROCE1(LOCAL), ROCE2(LOCAL), ROCE2(V4(9)), ROCE2(V4(1)) }, 0, 2 },
	{ "any network, IPv6 first", true, V4(1),
	  { ROCE2(LOCAL), ROCE2(V6(1)), ROCE2(V4(9)) }, 2, 2 },
	{ "any network, IPv6", true, V6(1),
	  { ROCE2(LOCAL), ROCE2(V4(9)), ROCE2(V6(9)), ROCE2(V6(1)) }, 2, 2 },
	{ "any network, link-local alone", true, V4(1), { ROCE2(LOCAL) },
	  0, NONE },
};

static void look_at_all(struct kunit *test, const struct row *row, bool stop)
{
	bool has_v1 = false;
	struct smc_gid_pick p;
	int i;

	for (i = 0; i < TABLE_ENTRIES; i++)
		has_v1 |= row->entry[i].there && row->entry[i].v1;
	smc_gid_pick_init(&p, row->own, row->any);
	for (i = 0; i < TABLE_ENTRIES; i++) {
		if (!row->entry[i].there)
			continue;
		smc_gid_pick_look(&p, i, row->entry[i].gid, row->entry[i].v1);
		if (stop && smc_gid_pick_best(&p, has_v1))
			break;
	}
	KUNIT_EXPECT_EQ_MSG(test, smc_gid_pick_v1(&p), row->v1, "%s", row->name);
	KUNIT_EXPECT_EQ_MSG(test, smc_gid_pick_v2(&p), row->v2, "%s", row->name);
}

static void one_gid_of_each_version(struct kunit *test)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		look_at_all(test, &rows[i], false);
}

/* Checks that a search that ends early has the same result. */
static void stops_early(struct kunit *test)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		look_at_all(test, &rows[i], true);
}

static void knows_the_own_address(struct kunit *test)
{
	struct smc_gid_pick p;
	int i, j;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		smc_gid_pick_init(&p, rows[i].own, rows[i].any);
		for (j = 0; j < TABLE_ENTRIES; j++)
			if (rows[i].entry[j].there)
				smc_gid_pick_look(&p, j, rows[i].entry[j].gid,
						  rows[i].entry[j].v1);
		KUNIT_EXPECT_EQ_MSG(test, smc_gid_pick_exact(&p), rows[i].exact,
				    "%s", rows[i].name);
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE(one_gid_of_each_version),
	KUNIT_CASE(stops_early),
	KUNIT_CASE(knows_the_own_address),
	{}
};

static struct kunit_suite smc_gid_pick_suite = {
	.name = "smc-gid-pick",
	.test_cases = cases,
};

kunit_test_suite(smc_gid_pick_suite);

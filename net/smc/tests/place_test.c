// SPDX-License-Identifier: GPL-2.0
/* Tests of a connection's membership in its group. */
#include <kunit/test.h>

#include "tests.h"
#include "fsm_walk.h"
#include "../conn/place_fsm.c"

static void place_complete(struct kunit *test)
{
	smc_test_table_valid(test, &smc_place_fsm);
}

#define TO(e, s) \
	{ SMC_PLACE_EV_##e, SMC_PLACE_##s, SMC_TEST_ANY_ACTION }

static const struct smc_test_walk place_walks[] = {
	{ "a connection joins, closes and is freed", 4, {
		TO(JOIN, IN), TO(CLOSED, LEAVING), TO(LEFT, LEFT),
		TO(REAPED, DONE) } },
	{ "the group ends first", 4, {
		TO(JOIN, IN), TO(ENDED, CUT), TO(CLOSED, LEAVING),
		TO(LEFT, LEFT) } },
	{ "the group ends before the connection joins", 2, {
		TO(ENDED, CUT), TO(REFUSED, OUT) } },
	{ "a closed connection does not join", 1, { TO(REFUSED, OUT) } },
	{ "the group ends while the connection leaves", 6, {
		TO(JOIN, IN), TO(CLOSED, LEAVING), TO(ENDED, LEAVING),
		TO(LEFT, LEFT), TO(ENDED, LEFT), TO(REAPED, DONE) } },
	{ "a reader delays the end", 6, {
		TO(JOIN, IN), TO(CLOSED, LEAVING), TO(LEFT, LEFT),
		TO(READING, HELD), TO(READ, LEFT), TO(REAPED, DONE) } },
};

static void place_walk_all(struct kunit *test)
{
	smc_test_walk_all(test, &smc_place_fsm, SMC_PLACE_OUT, place_walks,
			  ARRAY_SIZE(place_walks));
}

/* A connection is reaped only after it has left, and while no reader copies. */
static void place_reaped_last(struct kunit *test)
{
	const struct smc_fsm_cell *cell;
	u8 from, state;

	for (from = 0; from < SMC_PLACE_NR_STATES; from++) {
		state = from;
		cell = smc_fsm_step(&smc_place_fsm, &state, SMC_PLACE_EV_REAPED);
		KUNIT_EXPECT_EQ(test, cell->kind != SMC_FSM_VIOLATION,
				from == SMC_PLACE_LEFT);
	}
}

static struct kunit_case place_cases[] = {
	KUNIT_CASE(place_complete),
	KUNIT_CASE(place_walk_all),
	KUNIT_CASE(place_reaped_last),
	{}
};

struct kunit_suite smc_place_suite = {
	.name = "smc_place",
	.test_cases = place_cases,
};

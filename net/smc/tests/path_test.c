// SPDX-License-Identifier: GPL-2.0
/*
 * Tests which messages a sender must send after a change of links (RFC 7609
 * 4.6).
 */
#include <kunit/test.h>

#include "tests.h"
#include "fsm_walk.h"
#include "../conn/rfc_path_fsm.c"

static void path_complete(struct kunit *test)
{
	smc_test_table_valid(test, &smc_rfc_path_fsm);
}

#define TO(e, s) \
	{ SMC_PATH_EV_##e, SMC_PATH_##s, SMC_TEST_ANY_ACTION }

static const struct smc_test_walk path_walks[] = {
	{ "R-4.6.1-04: the link is left in order", 3, {
		TO(POSTED, GOOD), TO(MOVED, VALIDATE), TO(POSTED_F, GOOD) } },
	{ "R-4.6.1-09: what was lost is repeated behind F", 6, {
		TO(POSTED, GOOD), TO(FAILED, LOST), TO(FAILED, LOST),
		TO(MOVED_UNSURE, VALIDATE_REPEAT), TO(POSTED_F, REPEAT),
		TO(POSTED, GOOD) } },
	{ "the next link fails before F was posted", 5, {
		TO(FAILED, LOST), TO(MOVED_UNSURE, VALIDATE_REPEAT),
		TO(MOVED_UNSURE, VALIDATE_REPEAT), TO(POSTED_F, REPEAT),
		TO(POSTED, GOOD) } },
	{ "F is lost: the repetition is owed as before", 6, {
		TO(FAILED, LOST), TO(MOVED_UNSURE, VALIDATE_REPEAT),
		TO(POSTED_F, REPEAT), TO(FAILED, LOST),
		TO(MOVED_UNSURE, VALIDATE_REPEAT), TO(POSTED_F, REPEAT) } },
	{ "F is lost, and nothing else", 4, {
		TO(MOVED, VALIDATE), TO(POSTED_F, GOOD), TO(FAILED, LOST),
		TO(MOVED, VALIDATE) } },
	{ "the repetition is lost", 6, {
		TO(FAILED, LOST), TO(MOVED_UNSURE, VALIDATE_REPEAT),
		TO(POSTED_F, REPEAT), TO(POSTED, GOOD), TO(FAILED, LOST),
		TO(MOVED_UNSURE, VALIDATE_REPEAT) } },
	{ "no key on the new link: only flags are repeated", 3, {
		TO(FAILED, LOST), TO(NO_KEY_UNSURE, REPEAT),
		TO(POSTED, GOOD) } },
	{ "no key, and nothing was lost: F stays owed if it was", 4, {
		TO(NO_KEY, GOOD), TO(MOVED, VALIDATE), TO(NO_KEY, VALIDATE),
		TO(POSTED_F, GOOD) } },
};

static void path_walk_all(struct kunit *test)
{
	smc_test_walk_all(test, &smc_rfc_path_fsm, SMC_PATH_GOOD, path_walks,
			  ARRAY_SIZE(path_walks));
}

/* Only the first message on a new link has flag F (R-4.6.1-04). */
static void path_f_first(struct kunit *test)
{
	u8 from;

	for (from = 0; from < SMC_PATH_NR_STATES; from++) {
		bool owed = from == SMC_PATH_VALIDATE ||
			    from == SMC_PATH_VALIDATE_REPEAT;
		const struct smc_fsm_cell *cell;
		u8 state = from;

		cell = smc_fsm_step(&smc_rfc_path_fsm, &state,
				    SMC_PATH_EV_POSTED_F);
		/* R-4.6.1-04 */
		KUNIT_EXPECT_EQ(test, cell->kind != SMC_FSM_VIOLATION, owed);
		state = from;
		cell = smc_fsm_step(&smc_rfc_path_fsm, &state,
				    SMC_PATH_EV_POSTED);
		/* R-4.6.1-04 */
		KUNIT_EXPECT_EQ(test, cell->kind == SMC_FSM_VIOLATION, owed);
	}
}

static struct kunit_case path_cases[] = {
	KUNIT_CASE(path_complete),
	KUNIT_CASE(path_walk_all),
	KUNIT_CASE(path_f_first),
	{}
};

struct kunit_suite smc_path_suite = {
	.name = "smc_path",
	.test_cases = path_cases,
};

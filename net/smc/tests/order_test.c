// SPDX-License-Identifier: GPL-2.0
/* Tests the order of CDC messages after the peer has moved to another link (RFC
 * 7609 4.6.1).
 */
#include <kunit/test.h>

#include "tests.h"
#include "fsm_walk.h"
#include "../conn/rfc_order_fsm.c"

static void order_complete(struct kunit *test)
{
	smc_test_table_valid(test, &smc_rfc_order_fsm);
}

#define AT(e, s, a) \
	{ SMC_ORDER_EV_##e, SMC_ORDER_##s, SMC_ORDER_DO_##a }

static const struct smc_test_walk order_walks[] = {
	{ "R-4.6.1-05: the old link delivers what was missing", 2, {
		AT(MISSING, GAP, WAIT), AT(FILLED, KEPT, NOTHING) } },
	{ "messages of the new link wait, the newest counts", 4, {
		AT(MISSING, GAP, WAIT), AT(BEYOND, HELD, HOLD),
		AT(BEYOND, HELD, HOLD_NEWER), AT(FILLED, KEPT, TAKE) } },
	{ "R-4.6.1-07: it never delivers", 3, {
		AT(MISSING, GAP, WAIT), AT(BEYOND, HELD, HOLD),
		AT(TIMEOUT, KEPT, LOST) } },
	{ "R-4.6.1-07: nor does anything follow", 2, {
		AT(MISSING, GAP, WAIT), AT(TIMEOUT, KEPT, LOST) } },
	{ "the peer moves again before the gap is closed", 5, {
		AT(MISSING, GAP, WAIT), AT(MISSING, GAP, WAIT),
		AT(BEYOND, HELD, HOLD), AT(MISSING, HELD, WAIT),
		AT(FILLED, KEPT, TAKE) } },
	{ "a timer that fires late finds nothing", 3, {
		AT(MISSING, GAP, WAIT), AT(FILLED, KEPT, NOTHING),
		AT(TIMEOUT, KEPT, NOTHING) } },
};

static void order_walk_all(struct kunit *test)
{
	smc_test_walk_all(test, &smc_rfc_order_fsm, SMC_ORDER_KEPT, order_walks,
			  ARRAY_SIZE(order_walks));
}

static struct kunit_case order_cases[] = {
	KUNIT_CASE(order_complete),
	KUNIT_CASE(order_walk_all),
	{}
};

struct kunit_suite smc_order_suite = {
	.name = "smc_order",
	.test_cases = order_cases,
};

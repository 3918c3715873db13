// SPDX-License-Identifier: GPL-2.0
/*
 * Checks every state table of the module: it is complete and consistent, and
 * each state is reachable. The Makefile makes the list of tables from the
 * SMC_FSM_DEFINE lines of all *_fsm.c.
 */
#include <kunit/test.h>

#include "../../../net/smc/base/fsm.h"

#include "fsm_list.h"

/* Lengths of the strings in the trace event; longer ones would be cut. */
enum { MACHINE_NAME_MAX = 15, STATE_NAME_MAX = 23 };

static const char *word(enum smc_fsm_fault_kind kind)
{
	static const char *const words[] = {
		[SMC_FSM_FAULT_NONE]		= "nothing",
		[SMC_FSM_FAULT_SHAPE]		= "shape",
		[SMC_FSM_FAULT_STATE_NAME]	= "state without a name",
		[SMC_FSM_FAULT_EVENT_NAME]	= "event without a name",
		[SMC_FSM_FAULT_EMPTY]		= "empty cell",
		[SMC_FSM_FAULT_KIND]		= "cell of no kind",
		[SMC_FSM_FAULT_NEXT]		= "leads nowhere",
		[SMC_FSM_FAULT_UNREACHABLE]	= "not reachable",
	};

	return words[kind];
}

static void there_are_some(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, ARRAY_SIZE(tables) > 0);
}

static void complete(struct kunit *test)
{
	struct smc_fsm_fault fault;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tables); i++) {
		const struct smc_fsm *f = tables[i];

		if (!smc_fsm_check(f, &fault))
			continue;
		KUNIT_FAIL(test, "%s, state %s, event %s: %s",
			   f->name ? f->name : "?",
			   smc_fsm_state_name(f, fault.state),
			   smc_fsm_event_name(f, fault.event),
			   word(fault.kind));
	}
}

static void names_fit_trace(struct kunit *test)
{
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(tables); i++) {
		const struct smc_fsm *f = tables[i];

		KUNIT_EXPECT_LE(test, strlen(f->name), MACHINE_NAME_MAX);
		for (k = 0; k < f->n_states; k++)
			KUNIT_EXPECT_LE(test, strlen(f->state_names[k]),
					STATE_NAME_MAX);
		for (k = 0; k < f->n_events; k++)
			KUNIT_EXPECT_LE(test, strlen(f->event_names[k]),
					STATE_NAME_MAX);
	}
}

/* A duplicate name means that somebody copied a row and did not rename it. */
static void names_differ(struct kunit *test)
{
	size_t i, j, k;

	for (i = 0; i < ARRAY_SIZE(tables); i++) {
		const struct smc_fsm *f = tables[i];

		for (k = 0; k < f->n_states; k++)
			for (j = 0; j < k; j++)
				KUNIT_EXPECT_TRUE(test,
						  strcmp(f->state_names[j],
							 f->state_names[k]));
		for (k = 0; k < f->n_events; k++)
			for (j = 0; j < k; j++)
				KUNIT_EXPECT_TRUE(test,
						  strcmp(f->event_names[j],
							 f->event_names[k]));
	}
}

static struct kunit_case table_cases[] = {
	KUNIT_CASE(there_are_some),
	KUNIT_CASE(complete),
	KUNIT_CASE(names_fit_trace),
	KUNIT_CASE(names_differ),
	{}
};

static struct kunit_suite table_suite = {
	.name = "fsm_tables",
	.test_cases = table_cases,
};

kunit_test_suites(&table_suite);

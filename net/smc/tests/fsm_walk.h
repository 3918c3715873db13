/* SPDX-License-Identifier: GPL-2.0 */
/* Checks of a state table, for the suites of tables. fsm_test.c defines the
 * functions.
 */
#ifndef SMC_TESTS_FSM_WALK_H
#define SMC_TESTS_FSM_WALK_H

#include <linux/types.h>

enum {
	SMC_TEST_STEPS_MAX	= 8,
	SMC_TEST_ANY_ACTION	= 0xff,
};

struct kunit;
struct smc_fsm;

/**
 * struct smc_test_step - one step of a walk
 * @event: event of the step
 * @state: expected state after the step
 * @action: expected action, or SMC_TEST_ANY_ACTION
 */
struct smc_test_step {
	u8 event;
	u8 state;
	u8 action;
};

/**
 * struct smc_test_walk - events in order, with the expected results
 * @id: name of the walk in error messages
 * @steps: used entries of @step
 * @step: the steps
 */
struct smc_test_walk {
	const char *id;
	unsigned int steps;
	struct smc_test_step step[SMC_TEST_STEPS_MAX];
};

void smc_test_table_valid(struct kunit *test, const struct smc_fsm *f);
void smc_test_walk_all(struct kunit *test, const struct smc_fsm *f, u8 start,
		       const struct smc_test_walk *walks, unsigned int n);

#endif /* SMC_TESTS_FSM_WALK_H */

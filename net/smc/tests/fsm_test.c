// SPDX-License-Identifier: GPL-2.0
/* Tests of the state machine driver. The check of tables must find each kind of
 * fault.
 */
#include <kunit/test.h>

#include "tests.h"
#include "fsm_walk.h"
#include "../base/fsm.c"

/**
 * smc_test_table_valid() - check that a table has no fault
 * @test: running test
 * @f: the machine
 */
void smc_test_table_valid(struct kunit *test, const struct smc_fsm *f)
{
	struct smc_fsm_fault fault;

	KUNIT_EXPECT_EQ(test, smc_fsm_check(f, &fault), 0);
	KUNIT_EXPECT_EQ(test, fault.kind, SMC_FSM_FAULT_NONE);
}

/**
 * smc_test_walk_all() - check each step of some walks through a table
 * @test: running test
 * @f: the machine
 * @start: state at the start of each walk
 * @walks: the walks
 * @n: number of walks
 *
 * No step may be a violation.
 */
void smc_test_walk_all(struct kunit *test, const struct smc_fsm *f, u8 start,
		       const struct smc_test_walk *walks, unsigned int n)
{
	const struct smc_test_walk *w;
	unsigned int k;

	for (w = walks; w < walks + n; w++) {
		u8 state = start;

		for (k = 0; k < w->steps; k++) {
			const struct smc_test_step *s = &w->step[k];
			const struct smc_fsm_cell *cell;

			cell = smc_fsm_step(f, &state, s->event);
			KUNIT_EXPECT_TRUE_MSG(test, cell->kind !=
					      SMC_FSM_VIOLATION,
					      "%s, step %u", w->id, k);
			KUNIT_EXPECT_EQ_MSG(test, state, s->state,
					    "%s, step %u", w->id, k);
			if (s->action != SMC_TEST_ANY_ACTION)
				KUNIT_EXPECT_EQ_MSG(test, cell->action,
						    s->action, "%s, step %u",
						    w->id, k);
		}
	}
}

enum { DOOR_SHUT, DOOR_OPEN, DOOR_GONE, DOOR_NR };
enum { EV_PUSH, EV_PULL, EV_BURN, EV_NR };
enum { DO_NOTHING, DO_RING, DO_SQUEAK };

static const char *const door_states[] = { "SHUT", "OPEN", "GONE" };
static const char *const door_events[] = { "PUSH", "PULL", "BURN" };

static const struct smc_fsm_cell door_cells[DOOR_NR][EV_NR] = {
	[DOOR_SHUT] = {
		[EV_PUSH]	= SMC_FSM_GO(DOOR_OPEN, DO_RING),
		[EV_PULL]	= SMC_FSM_IGNORED,
		[EV_BURN]	= SMC_FSM_GO(DOOR_GONE, DO_NOTHING),
	},
	[DOOR_OPEN] = {
		[EV_PUSH]	= SMC_FSM_DO(DO_SQUEAK),
		[EV_PULL]	= SMC_FSM_GO(DOOR_SHUT, DO_NOTHING),
		[EV_BURN]	= SMC_FSM_GO(DOOR_GONE, DO_NOTHING),
	},
	[DOOR_GONE] = {
		[EV_PUSH]	= SMC_FSM_BAD,
		[EV_PULL]	= SMC_FSM_BAD,
		[EV_BURN]	= SMC_FSM_IGNORED,
	},
};

static SMC_FSM_DEFINE(door, "door", door_cells, door_states, door_events);

static void step_rows(struct kunit *test)
{
	static const struct {
		u8 from;
		u8 event;
		u8 kind;
		u8 to;
		u16 action;
	} t[] = {
		{ DOOR_SHUT, EV_PUSH, SMC_FSM_MOVE, DOOR_OPEN, DO_RING },
		{ DOOR_SHUT, EV_PULL, SMC_FSM_IGNORE, DOOR_SHUT, 0 },
		{ DOOR_OPEN, EV_PUSH, SMC_FSM_KEEP, DOOR_OPEN, DO_SQUEAK },
		{ DOOR_OPEN, EV_PULL, SMC_FSM_MOVE, DOOR_SHUT, 0 },
		{ DOOR_GONE, EV_PUSH, SMC_FSM_VIOLATION, DOOR_GONE, 0 },
		{ DOOR_GONE, EV_BURN, SMC_FSM_IGNORE, DOOR_GONE, 0 },
		/* an unknown event is a violation; the driver does not read
		 * beyond the table
		 */
		{ DOOR_SHUT, EV_NR, SMC_FSM_VIOLATION, DOOR_SHUT, 0 },
		{ DOOR_SHUT, 255, SMC_FSM_VIOLATION, DOOR_SHUT, 0 },
		{ DOOR_NR, EV_PUSH, SMC_FSM_VIOLATION, DOOR_NR, 0 },
		{ 255, 255, SMC_FSM_VIOLATION, 255, 0 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		const struct smc_fsm_cell *cell;
		u8 state = t[i].from;

		cell = smc_fsm_step(&door, &state, t[i].event);
		KUNIT_EXPECT_EQ_MSG(test, cell->kind, t[i].kind, "row %zu", i);
		KUNIT_EXPECT_EQ_MSG(test, cell->action, t[i].action,
				    "row %zu", i);
		KUNIT_EXPECT_EQ_MSG(test, state, t[i].to, "row %zu", i);
	}
}

static struct {
	const struct smc_fsm *f;
	const u8 *obj;
	u8 from;
	u8 event;
	u8 kind;
	unsigned int calls;
} seen;

static void spy(const struct smc_fsm *f, const u8 *state, u8 from, u8 event,
		const struct smc_fsm_cell *cell)
{
	seen.f = f;
	seen.obj = state;
	seen.from = from;
	seen.event = event;
	seen.kind = cell->kind;
	seen.calls++;
}

static void trace_hook(struct kunit *test)
{
	u8 state = DOOR_SHUT;

	memset(&seen, 0, sizeof(seen));
	smc_fsm_set_trace(spy);
	smc_fsm_step(&door, &state, EV_BURN);
	KUNIT_EXPECT_EQ(test, seen.calls, 1);
	KUNIT_EXPECT_PTR_EQ(test, seen.f, &door);
	KUNIT_EXPECT_PTR_EQ(test, seen.obj, &state);
	KUNIT_EXPECT_EQ(test, seen.from, DOOR_SHUT);
	KUNIT_EXPECT_EQ(test, seen.event, EV_BURN);
	KUNIT_EXPECT_EQ(test, seen.kind, SMC_FSM_MOVE);
	smc_fsm_step(&door, &state, EV_PUSH);
	KUNIT_EXPECT_EQ(test, seen.kind, SMC_FSM_VIOLATION);
	smc_fsm_set_trace(NULL);
	smc_fsm_step(&door, &state, EV_PUSH);
	KUNIT_EXPECT_EQ(test, seen.calls, 2);
}

static void names(struct kunit *test)
{
	KUNIT_EXPECT_STREQ(test, smc_fsm_state_name(&door, DOOR_OPEN), "OPEN");
	KUNIT_EXPECT_STREQ(test, smc_fsm_state_name(&door, DOOR_NR), "?");
	KUNIT_EXPECT_STREQ(test, smc_fsm_event_name(&door, EV_BURN), "BURN");
	KUNIT_EXPECT_STREQ(test, smc_fsm_event_name(&door, 255), "?");
}

static void check_good(struct kunit *test)
{
	smc_test_table_valid(test, &door);
	KUNIT_EXPECT_EQ(test, smc_fsm_check(&door, NULL), 0);
}

static void expect_fault(struct kunit *test, const struct smc_fsm *f,
			 enum smc_fsm_fault_kind kind, u8 state, u8 event)
{
	struct smc_fsm_fault fault;

	KUNIT_EXPECT_EQ(test, smc_fsm_check(f, &fault), -EINVAL);
	KUNIT_EXPECT_EQ(test, fault.kind, kind);
	KUNIT_EXPECT_EQ(test, fault.state, state);
	KUNIT_EXPECT_EQ(test, fault.event, event);
	KUNIT_EXPECT_EQ(test, smc_fsm_check(f, NULL), -EINVAL);
}

/* Puts each possible fault into one cell of a valid table. */
static void check_cell_faults(struct kunit *test)
{
	static const struct {
		u8 state;
		u8 event;
		struct smc_fsm_cell cell;
		enum smc_fsm_fault_kind kind;
	} t[] = {
		{ DOOR_SHUT, EV_PUSH, {}, SMC_FSM_FAULT_EMPTY },
		{ DOOR_GONE, EV_BURN, {}, SMC_FSM_FAULT_EMPTY },
		{ DOOR_OPEN, EV_PULL, SMC_FSM_GO(DOOR_NR, 0),
		  SMC_FSM_FAULT_NEXT },
		{ DOOR_OPEN, EV_PULL, { .kind = 99 }, SMC_FSM_FAULT_KIND },
		{ DOOR_OPEN, EV_PULL, { .kind = SMC_FSM_IGNORE, .action = 1 },
		  SMC_FSM_FAULT_KIND },
		{ DOOR_OPEN, EV_PULL, { .kind = SMC_FSM_VIOLATION, .next = 1 },
		  SMC_FSM_FAULT_KIND },
		{ DOOR_OPEN, EV_PULL, { .kind = SMC_FSM_KEEP, .next = 1 },
		  SMC_FSM_FAULT_KIND },
	};
	struct smc_fsm_cell cells[DOOR_NR][EV_NR];
	struct smc_fsm f = door;
	size_t i;

	f.cells = &cells[0][0];
	for (i = 0; i < ARRAY_SIZE(t); i++) {
		memcpy(cells, door_cells, sizeof(cells));
		cells[t[i].state][t[i].event] = t[i].cell;
		expect_fault(test, &f, t[i].kind, t[i].state, t[i].event);
	}
}

static void check_unreachable(struct kunit *test)
{
	struct smc_fsm_cell cells[DOOR_NR][EV_NR];
	struct smc_fsm f = door;
	const struct smc_fsm_cell ignored = SMC_FSM_IGNORED;

	f.cells = &cells[0][0];
	memcpy(cells, door_cells, sizeof(cells));
	cells[DOOR_SHUT][EV_BURN] = ignored;
	KUNIT_EXPECT_EQ(test, smc_fsm_check(&f, NULL), 0);
	cells[DOOR_OPEN][EV_BURN] = ignored;
	expect_fault(test, &f, SMC_FSM_FAULT_UNREACHABLE, DOOR_GONE, 0);
	cells[DOOR_SHUT][EV_PUSH] = ignored;
	expect_fault(test, &f, SMC_FSM_FAULT_UNREACHABLE, DOOR_OPEN, 0);
}

static void check_shape(struct kunit *test)
{
	static const char *const two_states[] = { NULL, "OPEN", "GONE" };
	static const char *const two_events[] = { NULL, "PULL", "BURN" };
	static const char *const last_event[] = { "PUSH", "PULL", NULL };
	struct smc_fsm f = door;

	f.state_names = two_states;
	expect_fault(test, &f, SMC_FSM_FAULT_STATE_NAME, DOOR_SHUT, 0);
	f = door;
	f.event_names = two_events;
	expect_fault(test, &f, SMC_FSM_FAULT_EVENT_NAME, 0, EV_PUSH);
	f.event_names = last_event;
	expect_fault(test, &f, SMC_FSM_FAULT_EVENT_NAME, 0, EV_BURN);
	KUNIT_EXPECT_STREQ(test, smc_fsm_event_name(&f, EV_BURN), "?");
	f.event_names = NULL;
	expect_fault(test, &f, SMC_FSM_FAULT_SHAPE, 0, 0);
	f = door;
	f.state_names = NULL;
	expect_fault(test, &f, SMC_FSM_FAULT_SHAPE, 0, 0);
	f = door;
	f.cells = NULL;
	expect_fault(test, &f, SMC_FSM_FAULT_SHAPE, 0, 0);
	f = door;
	f.n_states = 0;
	expect_fault(test, &f, SMC_FSM_FAULT_SHAPE, 0, 0);
	f = door;
	f.name = NULL;
	expect_fault(test, &f, SMC_FSM_FAULT_SHAPE, 0, 0);
	f = door;
	f.n_states = SMC_FSM_STATES_MAX + 1;
	expect_fault(test, &f, SMC_FSM_FAULT_SHAPE, 0, 0);
	f = door;
	f.n_events = 0;
	expect_fault(test, &f, SMC_FSM_FAULT_SHAPE, 0, 0);
}

/* Checks that a table with the maximum number of states is valid if each state
 * leads to the next one.
 */
static void check_long_chain(struct kunit *test)
{
	static struct smc_fsm_cell cells[SMC_FSM_STATES_MAX][1];
	static const char *state_names[SMC_FSM_STATES_MAX];
	static const char *const event_names[] = { "NEXT" };
	const struct smc_fsm f = {
		.name = "chain", .n_states = SMC_FSM_STATES_MAX, .n_events = 1,
		.state_names = state_names, .event_names = event_names,
		.cells = &cells[0][0],
	};
	u8 i, state = 0;

	for (i = 0; i < SMC_FSM_STATES_MAX; i++) {
		state_names[i] = "LINK";
		cells[i][0] = (struct smc_fsm_cell)SMC_FSM_GO(i, 0);
		if (i + 1 < SMC_FSM_STATES_MAX)
			cells[i][0].next++;
	}
	KUNIT_EXPECT_EQ(test, smc_fsm_check(&f, NULL), 0);
	for (i = 0; i < SMC_FSM_STATES_MAX; i++)
		smc_fsm_step(&f, &state, 0);
	KUNIT_EXPECT_EQ(test, state, SMC_FSM_STATES_MAX - 1);
	cells[SMC_FSM_STATES_MAX - 2][0].next = 0;
	expect_fault(test, &f, SMC_FSM_FAULT_UNREACHABLE,
		     SMC_FSM_STATES_MAX - 1, 0);
}

static struct kunit_case fsm_cases[] = {
	KUNIT_CASE(step_rows),
	KUNIT_CASE(trace_hook),
	KUNIT_CASE(names),
	KUNIT_CASE(check_good),
	KUNIT_CASE(check_cell_faults),
	KUNIT_CASE(check_unreachable),
	KUNIT_CASE(check_shape),
	KUNIT_CASE(check_long_chain),
	{}
};

struct kunit_suite smc_fsm_suite = {
	.name = "smc_fsm",
	.test_cases = fsm_cases,
};

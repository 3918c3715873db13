/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A state machine is a table with a row per state and a column per event. A
 * cell holds the next state and an action, or says that the event is ignored or
 * is a violation. Every cell must be filled: smc_fsm_check() refuses a table
 * with an empty cell.
 *
 * Each machine has its own pair of files, <noun>_fsm.[ch], which uses no object
 * of the kernel. So the user-space tests can compile every
 * table separately (check_floors.py refuses SMC_FSM_DEFINE elsewhere). A new
 * object is in state 0. A table looks like this:
 *
 *	static const struct smc_fsm_cell door_cells[DOOR_NR][DOOR_EV_NR] = {
 *		[DOOR_SHUT] = {
 *			[DOOR_EV_PUSH]	= SMC_FSM_GO(DOOR_OPEN, DOOR_DO_RING),
 *			[DOOR_EV_PULL]	= SMC_FSM_IGNORED,
 *		},
 *		[DOOR_OPEN] = {
 *			[DOOR_EV_PUSH]	= SMC_FSM_BAD,
 *			[DOOR_EV_PULL]	= SMC_FSM_GO(DOOR_SHUT, 0),
 *		},
 *	};
 *	SMC_FSM_DEFINE(door_fsm, "door", door_cells, door_states, door_events);
 *
 * One function of the owner drives the machine: it calls smc_fsm_step() and
 * then runs cell->action. No other code writes the state. This code does not
 * depend on the kernel and also builds in user space.
 */
#ifndef SMC_BASE_FSM_H
#define SMC_BASE_FSM_H

#include <linux/build_bug.h>
#include <linux/kernel.h>
#include <linux/types.h>

/* smc_fsm_check() keeps the set of reachable states in 64 bits. */
#define SMC_FSM_STATES_MAX	64

enum smc_fsm_kind {
	SMC_FSM_EMPTY = 0,	/* the table does not define this cell: an error */
	/* the state becomes @next, the owner runs @action */
	SMC_FSM_MOVE,
	/* the state does not change, the owner runs @action */
	SMC_FSM_KEEP,
	SMC_FSM_IGNORE,		/* the event is legal and has no effect */
	/* the event is impossible or forbidden: the owner ends the object */
	SMC_FSM_VIOLATION,
};

/**
 * struct smc_fsm_cell - effect of one event in one state
 * @kind: enum smc_fsm_kind
 * @next: the next state, if @kind is SMC_FSM_MOVE
 * @action: number of the action that the owner runs, 0 for no action; always 0
 *	for SMC_FSM_IGNORE and SMC_FSM_VIOLATION
 */
struct smc_fsm_cell {
	u8 kind;
	u8 next;
	u16 action;
};

/* These macros fill a cell of a table. */
#define SMC_FSM_GO(_next, _action) \
	{ .kind = SMC_FSM_MOVE, .next = (_next), .action = (_action) }
#define SMC_FSM_DO(_action)	{ .kind = SMC_FSM_KEEP, .action = (_action) }
#define SMC_FSM_IGNORED		{ .kind = SMC_FSM_IGNORE }
#define SMC_FSM_BAD		{ .kind = SMC_FSM_VIOLATION }

/**
 * struct smc_fsm - one machine
 * @name: name of the machine in traces and tests
 * @n_states: number of rows of @cells
 * @n_events: number of columns of @cells
 * @state_names: @n_states strings
 * @event_names: @n_events strings
 * @cells: @n_states rows of @n_events cells
 */
struct smc_fsm {
	const char *name;
	u8 n_states;
	u8 n_events;
	const char *const *state_names;
	const char *const *event_names;
	const struct smc_fsm_cell *cells;
};

/* @_cells is a two-dimensional array. @_state_names needs a name per row, and
 * @_event_names a name per column.
 */
#define SMC_FSM_DEFINE(_var, _name, _cells, _state_names, _event_names)	\
	const struct smc_fsm _var = {					\
		.name = (_name),					\
		.n_states = ARRAY_SIZE(_cells),				\
		.n_events = ARRAY_SIZE((_cells)[0]),			\
		.state_names = (_state_names),				\
		.event_names = (_event_names),				\
		.cells = &(_cells)[0][0],				\
	};								\
	static_assert(ARRAY_SIZE(_state_names) == ARRAY_SIZE(_cells));	\
	static_assert(ARRAY_SIZE(_event_names) == ARRAY_SIZE((_cells)[0])); \
	static_assert(ARRAY_SIZE(_cells) <= SMC_FSM_STATES_MAX)

enum smc_fsm_fault_kind {
	SMC_FSM_FAULT_NONE,
	/* the machine has no name, no state, or too many states */
	SMC_FSM_FAULT_SHAPE,
	SMC_FSM_FAULT_STATE_NAME,	/* a state without a name */
	SMC_FSM_FAULT_EVENT_NAME,	/* an event without a name */
	SMC_FSM_FAULT_EMPTY,		/* a cell is empty */
	/* a cell has an unknown kind, or an action that its kind does
	 * not allow
	 */
	SMC_FSM_FAULT_KIND,
	SMC_FSM_FAULT_NEXT,		/* the next state does not exist */
	/* no path leads from state 0 to this state */
	SMC_FSM_FAULT_UNREACHABLE,
};

/**
 * struct smc_fsm_fault - first fault that smc_fsm_check() has found
 * @kind: kind of the fault
 * @state: state of the fault, if the fault is in one row
 * @event: event of the fault, if the fault is in one column
 */
struct smc_fsm_fault {
	enum smc_fsm_fault_kind kind;
	u8 state;
	u8 event;
};

/**
 * typedef smc_fsm_trace_fn - observer of every step
 * @f: the machine
 * @state: address of the object's state, which identifies the object
 * @from: state before
 * @event: the event
 * @cell: cell of the table for @from and @event
 *
 * smc_fsm_step() calls the observer while the caller holds its locks. So the
 * observer must not sleep.
 */
typedef void smc_fsm_trace_fn(const struct smc_fsm *f, const u8 *state, u8 from,
			      u8 event, const struct smc_fsm_cell *cell);

const struct smc_fsm_cell *smc_fsm_step(const struct smc_fsm *f, u8 *state,
					u8 event);
int smc_fsm_check(const struct smc_fsm *f, struct smc_fsm_fault *fault);
void smc_fsm_set_trace(smc_fsm_trace_fn *fn);

const char *smc_fsm_state_name(const struct smc_fsm *f, u8 state);
const char *smc_fsm_event_name(const struct smc_fsm *f, u8 event);

#endif /* SMC_BASE_FSM_H */

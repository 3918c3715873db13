/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State machines as tables: state x event -> (next state, action), ignore, or
 * violation.  Every cell is written down; an empty one fails smc_fsm_check().
 *
 * Each machine has its own pair of files, <noun>_fsm.[ch], which includes only
 * linux/types.h and this header. So the user-space tests can compile every
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
 * then runs cell->action. No other code writes the state. Pure code, which also
 * builds in user space.
 */
#ifndef SMC_BASE_FSM_H
#define SMC_BASE_FSM_H

#include <linux/build_bug.h>
#include <linux/kernel.h>
#include <linux/types.h>

/* The check of reachability uses one 64-bit set. */
#define SMC_FSM_STATES_MAX	64

enum smc_fsm_kind {
	SMC_FSM_EMPTY = 0,	/* the table does not define this cell: an error */
	SMC_FSM_MOVE,		/* take @next, run @action */
	SMC_FSM_KEEP,		/* state unchanged, run @action */
	SMC_FSM_IGNORE,		/* legal and without effect */
	SMC_FSM_VIOLATION,	/* impossible or forbidden: the owner ends the object */
};

/**
 * struct smc_fsm_cell - what an event does in a state
 * @kind: enum smc_fsm_kind
 * @next: state to take (SMC_FSM_MOVE)
 * @action: the owner's number for what to do; 0 is nothing.  Always 0 for
 *	SMC_FSM_IGNORE and SMC_FSM_VIOLATION
 */
struct smc_fsm_cell {
	u8 kind;
	u8 next;
	u16 action;
};

/* Contents of a cell. */
#define SMC_FSM_GO(_next, _action) \
	{ .kind = SMC_FSM_MOVE, .next = (_next), .action = (_action) }
#define SMC_FSM_DO(_action)	{ .kind = SMC_FSM_KEEP, .action = (_action) }
#define SMC_FSM_IGNORED		{ .kind = SMC_FSM_IGNORE }
#define SMC_FSM_BAD		{ .kind = SMC_FSM_VIOLATION }

/**
 * struct smc_fsm - one machine
 * @name: for traces and tests
 * @n_states: rows of @cells
 * @n_events: columns of @cells
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

/* @_cells is a two-dimensional array; the names must match its shape. */
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
	SMC_FSM_FAULT_SHAPE,		/* no name, no states, or too many states */
	SMC_FSM_FAULT_STATE_NAME,	/* a state without a name */
	SMC_FSM_FAULT_EVENT_NAME,	/* an event without a name */
	SMC_FSM_FAULT_EMPTY,		/* an unfilled cell */
	SMC_FSM_FAULT_KIND,		/* unknown kind, or an action in a cell that allows none */
	SMC_FSM_FAULT_NEXT,		/* next state does not exist */
	SMC_FSM_FAULT_UNREACHABLE,	/* no path from state 0 to this state */
};

/**
 * struct smc_fsm_fault - first fault that smc_fsm_check() has found
 * @kind: what
 * @state: row, where that applies
 * @event: column, where that applies
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
 * @cell: what the table says
 *
 * Runs in the context of the step, under its locks: must not sleep.
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

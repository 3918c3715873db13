// SPDX-License-Identifier: GPL-2.0
/* This file drives state machines and checks their tables. See fsm.h. */
#include <linux/compiler.h>
#include <linux/errno.h>

#include "fsm.h"

/* smc_fsm_step() returns this cell for a state or an event that does
 * not exist.
 */
static const struct smc_fsm_cell outside = SMC_FSM_BAD;

/* The pointer is set once while the module starts, before the first object
 * exists.
 */
static smc_fsm_trace_fn *trace;

/**
 * smc_fsm_set_trace() - set the function that observes every step of every
 * machine
 * @fn: the function, called after each step; NULL: no function
 *
 * Call this before the first object exists and after the last one is gone,
 * because a concurrent step may still call the old function.
 */
void smc_fsm_set_trace(smc_fsm_trace_fn *fn)
{
	WRITE_ONCE(trace, fn);		/* pairs with smc_fsm_step() */
}

static const struct smc_fsm_cell *cell_of(const struct smc_fsm *f, u8 state,
					  u8 event)
{
	if (state >= f->n_states || event >= f->n_events)
		return &outside;
	return &f->cells[(size_t)state * f->n_events + event];
}

/**
 * smc_fsm_step() - feed one event to one object
 * @f: the machine
 * @state: state of the object; only this function writes it
 * @event: the event
 *
 * Writes the new state before it returns. The caller then runs the action. A
 * violation, or an unknown event, does not change the state.
 *
 * Context: any; the caller holds the lock that protects @state. Other code may
 * read the state without the lock, with READ_ONCE().
 *
 * Return: the cell of the table for this state and event, never NULL.
 */
const struct smc_fsm_cell *smc_fsm_step(const struct smc_fsm *f, u8 *state,
					u8 event)
{
	u8 from = *state;
	const struct smc_fsm_cell *cell = cell_of(f, from, event);
	smc_fsm_trace_fn *fn = READ_ONCE(trace);

	if (cell->kind == SMC_FSM_MOVE)
		/* partner: readers of the state without the lock */
		WRITE_ONCE(*state, cell->next);
	if (fn)
		fn(f, state, from, event, cell);
	return cell;
}

static const char *name_in(const char *const *names, u8 n, u8 i)
{
	return i < n && names[i] ? names[i] : "?";
}

/**
 * smc_fsm_state_name() - name of a state
 * @f: the machine
 * @state: the state
 *
 * Return: a constant string, "?" for a state that does not exist.
 */
const char *smc_fsm_state_name(const struct smc_fsm *f, u8 state)
{
	return name_in(f->state_names, f->n_states, state);
}

/**
 * smc_fsm_event_name() - name of an event
 * @f: the machine
 * @event: the event
 *
 * Return: a constant string, "?" for an event that does not exist.
 */
const char *smc_fsm_event_name(const struct smc_fsm *f, u8 event)
{
	return name_in(f->event_names, f->n_events, event);
}

static enum smc_fsm_fault_kind judge_cell(const struct smc_fsm *f,
					  const struct smc_fsm_cell *cell)
{
	switch (cell->kind) {
	case SMC_FSM_EMPTY:
		return SMC_FSM_FAULT_EMPTY;
	case SMC_FSM_MOVE:
		return cell->next < f->n_states ? SMC_FSM_FAULT_NONE :
						  SMC_FSM_FAULT_NEXT;
	case SMC_FSM_KEEP:
		return cell->next ? SMC_FSM_FAULT_KIND : SMC_FSM_FAULT_NONE;
	case SMC_FSM_IGNORE:
	case SMC_FSM_VIOLATION:
		return cell->next || cell->action ? SMC_FSM_FAULT_KIND :
						    SMC_FSM_FAULT_NONE;
	default:
		return SMC_FSM_FAULT_KIND;
	}
}

static int fsm_fail(struct smc_fsm_fault *fault, enum smc_fsm_fault_kind kind,
		    u8 state, u8 event)
{
	if (fault) {
		fault->kind = kind;
		fault->state = state;
		fault->event = event;
	}
	return -EINVAL;
}

static int check_names(const struct smc_fsm *f, struct smc_fsm_fault *fault)
{
	u8 i;

	for (i = 0; i < f->n_states; i++)
		if (!f->state_names[i])
			return fsm_fail(fault, SMC_FSM_FAULT_STATE_NAME, i, 0);
	for (i = 0; i < f->n_events; i++)
		if (!f->event_names[i])
			return fsm_fail(fault, SMC_FSM_FAULT_EVENT_NAME, 0, i);
	return 0;
}

static int check_cells(const struct smc_fsm *f, struct smc_fsm_fault *fault)
{
	enum smc_fsm_fault_kind kind;
	u8 s, e;

	for (s = 0; s < f->n_states; s++) {
		for (e = 0; e < f->n_events; e++) {
			kind = judge_cell(f, cell_of(f, s, e));
			if (kind != SMC_FSM_FAULT_NONE)
				return fsm_fail(fault, kind, s, e);
		}
	}
	return 0;
}

/* Adds to @set all states that one step from a state of @set reaches. */
static u64 spread_reach(const struct smc_fsm *f, u64 set)
{
	const struct smc_fsm_cell *cell;
	u64 out = set;
	u8 s, e;

	for (s = 0; s < f->n_states; s++) {
		if (!(set >> s & 1))
			continue;
		for (e = 0; e < f->n_events; e++) {
			cell = cell_of(f, s, e);
			if (cell->kind == SMC_FSM_MOVE)
				out |= 1ULL << cell->next;
		}
	}
	return out;
}

static int check_reach(const struct smc_fsm *f, struct smc_fsm_fault *fault)
{
	u64 seen = 1;
	u8 s;

	/* The longest path has n_states - 1 steps. */
	for (s = 0; s < f->n_states; s++)
		seen = spread_reach(f, seen);
	for (s = 0; s < f->n_states; s++)
		if (!(seen >> s & 1))
			return fsm_fail(fault, SMC_FSM_FAULT_UNREACHABLE, s, 0);
	return 0;
}

/**
 * smc_fsm_check() - is a table complete and valid?
 * @f: the machine
 * @fault: output: describes the first fault; may be NULL
 *
 * Tests call this function. In a valid table every state and every event has a
 * name, every cell is filled and leads to a state that exists, and a path leads
 * from state 0 to every state.
 *
 * Return: 0, or -EINVAL with @fault filled.
 */
int smc_fsm_check(const struct smc_fsm *f, struct smc_fsm_fault *fault)
{
	int ret;

	if (fault)
		*fault = (struct smc_fsm_fault){ SMC_FSM_FAULT_NONE, 0, 0 };
	if (!f->name || !f->n_states || !f->n_events || !f->cells ||
	    !f->state_names || !f->event_names ||
	    f->n_states > SMC_FSM_STATES_MAX)
		return fsm_fail(fault, SMC_FSM_FAULT_SHAPE, 0, 0);

	ret = check_names(f, fault);
	if (!ret)
		ret = check_cells(f, fault);
	if (!ret)
		ret = check_reach(f, fault);
	return ret;
}

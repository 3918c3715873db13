// SPDX-License-Identifier: GPL-2.0
/*
 * Prints Documentation/networking/smc/state-machines.rst from the tables, so
 * that the page always matches the code.
 */
#include <stdio.h>
#include <string.h>

#include "../../../net/smc/base/fsm.h"

#include "fsm_list.h"

static void line(char c, size_t n)
{
	while (n--)
		putchar(c);
	putchar('\n');
}

static const struct smc_fsm_cell *cell_of(const struct smc_fsm *f, int s, int e)
{
	return &f->cells[s * f->n_events + e];
}

static void print_events(const struct smc_fsm *f, int state, int kind)
{
	const char *sep = "";
	int e;

	for (e = 0; e < f->n_events; e++) {
		if (cell_of(f, state, e)->kind != kind)
			continue;
		printf("%s%s", sep, f->event_names[e]);
		sep = ", ";
	}
	putchar('\n');
}

static int has_kind(const struct smc_fsm *f, int state, int kind)
{
	int e;

	for (e = 0; e < f->n_events; e++)
		if (cell_of(f, state, e)->kind == kind)
			return 1;
	return 0;
}

static void print_state(const struct smc_fsm *f, int state)
{
	int e;

	printf("**%s**\n\n", f->state_names[state]);
	for (e = 0; e < f->n_events; e++) {
		const struct smc_fsm_cell *c = cell_of(f, state, e);

		if (c->kind == SMC_FSM_MOVE)
			printf("* %s: to **%s**\n", f->event_names[e],
			       f->state_names[c->next]);
		else if (c->kind == SMC_FSM_KEEP)
			printf("* %s: acts, stays\n", f->event_names[e]);
	}
	if (has_kind(f, state, SMC_FSM_IGNORE)) {
		printf("* without effect: ");
		print_events(f, state, SMC_FSM_IGNORE);
	}
	if (has_kind(f, state, SMC_FSM_VIOLATION)) {
		printf("* violation: ");
		print_events(f, state, SMC_FSM_VIOLATION);
	}
	putchar('\n');
}

int main(void)
{
	size_t i;
	int s;

	printf(".. SPDX-%s: GPL-2.0\n", "License-Identifier");
	printf(".. Made from the tables: make -C tools/testing/smc doc\n\n"
	       "==============\nState machines\n==============\n\n"
	       "Every machine is a table of state and event (``*_fsm.c``), driven by one\n"
	       "function of its owner. Each step is traced (``smc:smc_fsm``). A violation\n"
	       "ends the object; a machine starts in the state that is listed first.\n\n");
	for (i = 0; i < ARRAY_SIZE(tables); i++) {
		printf("%s\n", tables[i]->name);
		line('=', strlen(tables[i]->name));
		putchar('\n');
		for (s = 0; s < tables[i]->n_states; s++)
			print_state(tables[i], s);
	}
	return 0;
}

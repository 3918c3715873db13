// SPDX-License-Identifier: GPL-2.0
/*
 * Prints Documentation/networking/smc/state-machines.rst from the tables, so
 * that the page always matches the code.
 *
 *	fsm_doc			the page
 *	fsm_doc --names		the names of the machines
 *	fsm_doc NAME		the graph of a machine, for dot(1)
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

/* Events that lead from one state to another share an edge. A line of its label
 * has two events.
 */
static void print_edge(const struct smc_fsm *f, int from, int to)
{
	const char *sep = "";
	int e, n = 0;

	for (e = 0; e < f->n_events; e++) {
		const struct smc_fsm_cell *c = cell_of(f, from, e);

		if (c->kind != SMC_FSM_MOVE || c->next != to)
			continue;
		if (!n)
			printf("\t\"%s\" -> \"%s\" [label=\"", f->state_names[from],
			       f->state_names[to]);
		printf("%s%s", sep, f->event_names[e]);
		sep = ++n % 2 ? ", " : ",\\n";
	}
	if (n)
		printf("\"];\n");
}

/* The first state is dark. A state that no event leaves has a double border. */
static void print_node(const struct smc_fsm *f, int s)
{
	int moves = has_kind(f, s, SMC_FSM_MOVE);

	printf("\t\"%s\" [%s%s];\n", f->state_names[s],
	       moves ? "" : "peripheries=2",
	       s ? "" : "fillcolor=\"#1f6fb2\", fontcolor=white");
}

static int print_graph(const char *name)
{
	const struct smc_fsm *f = NULL;
	size_t i;
	int s, to;

	for (i = 0; i < ARRAY_SIZE(tables); i++)
		if (!strcmp(tables[i]->name, name))
			f = tables[i];
	if (!f) {
		fprintf(stderr, "fsm_doc: no machine %s\n", name);
		return 2;
	}
	printf("digraph \"%s\" {\n\tfontname=\"DejaVu Sans\";\n", f->name);
	printf("\tnode [shape=box, style=\"rounded,filled\", fontsize=11];\n"
	       "\tnode [fontname=\"DejaVu Sans\", color=\"#1f6fb2\"];\n"
	       "\tnode [fillcolor=\"#e3eef8\"];\n"
	       "\tedge [fontname=\"DejaVu Sans\", color=\"#6b7883\"];\n"
	       "\tedge [fontcolor=\"#22303c\", fontsize=9];\n");
	for (s = 0; s < f->n_states; s++)
		print_node(f, s);
	for (s = 0; s < f->n_states; s++)
		for (to = 0; to < f->n_states; to++)
			print_edge(f, s, to);
	printf("}\n");
	return 0;
}

static void print_page(void)
{
	size_t i;
	int s;

	printf(".. SPDX-%s: GPL-2.0\n", "License-Identifier");
	printf(".. Made from the tables: make -C tools/testing/smc doc\n\n"
	       "==============\nState machines\n==============\n\n"
	       "Every machine is a table of state and event (``*_fsm.c``), driven by one\n"
	       "function of its owner. Each step is traced (``smc:smc_fsm``). A violation\n"
	       "ends the object; a machine starts in the state that is listed first.\n"
	       "It is dark in the picture. Events without a change of state are only in the\n"
	       "lists.\n\n");
	for (i = 0; i < ARRAY_SIZE(tables); i++) {
		printf("%s\n", tables[i]->name);
		line('=', strlen(tables[i]->name));
		printf("\n.. image:: pictures/fsm-%s.svg\n   :alt: states of %s\n\n",
		       tables[i]->name, tables[i]->name);
		for (s = 0; s < tables[i]->n_states; s++)
			print_state(tables[i], s);
	}
}

int main(int argc, char **argv)
{
	size_t i;

	if (argc > 1 && strcmp(argv[1], "--names"))
		return print_graph(argv[1]);
	if (argc == 1)
		print_page();
	for (i = 0; argc > 1 && i < ARRAY_SIZE(tables); i++)
		puts(tables[i]->name);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0 */
/* Programs written by hand, and every call in every state of a connection. */
#ifndef SMC_COMPARE_TABLE_H
#define SMC_COMPARE_TABLE_H

#include "op.h"

struct named_program {
	const char *name;
	const char *text;
};

/* A state of the socket in slot c. */
extern const struct named_program states[];
extern const unsigned int nr_states;

/* Calls that matter by their order, and programs that once differed. */
extern const struct named_program programs[];
extern const unsigned int nr_programs;

/* Number of programs that visit a state. */
unsigned int calls_in_state(void);
/* Program number @i of the state: it reaches the state, makes one call or
 * several that change nothing, and then reads and writes.
 */
void call_in_state(const struct named_program *state, unsigned int i,
		   char text[MAX_TEXT]);

#endif

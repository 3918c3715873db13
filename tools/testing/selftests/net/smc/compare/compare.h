/* SPDX-License-Identifier: GPL-2.0 */
/* Runs a program in both worlds, and compares them after each op. */
#ifndef SMC_COMPARE_COMPARE_H
#define SMC_COMPARE_COMPARE_H

#include "world.h"

enum verdict {
	VERDICT_SAME,
	VERDICT_KNOWN,		/* the program ends at a documented difference */
	VERDICT_DIFFERENT,
	VERDICT_STUCK,		/* a call does not end */
};

/* The state around the op after which the worlds differ; index: the world. */
struct difference {
	const struct program *program;
	unsigned int at;
	bool fallback;		/* the mode of the second world is TCP */
	bool reset;		/* an op has reset a connection */
	bool ended[NR_SLOTS];	/* the stream of the slot's peer has ended */
	bool left[NR_SLOTS];	/* had unread bytes at a shutdown() of its own */
	bool in_result;		/* the op returned something else */
	int slot;		/* else the slot whose views differ */
	const char *what;
	const char *known;	/* name of the known difference, or NULL */
	struct result results[NR_WORLDS];
	struct slot_view before[NR_SLOTS];	/* of both worlds */
	struct slot_view after[NR_WORLDS][NR_SLOTS];
};

struct pair {
	struct world worlds[NR_WORLDS];
	unsigned int limit_ms;	/* limit of the wait for equal views */
	unsigned int programs;	/* number of programs that ran */
	bool fallback;		/* the mode of the second world is TCP */
	uint16_t port;
};

enum verdict compare(struct pair *pair, const struct program *p,
		     struct difference *d);
/* Like compare(), but leaves the sockets open. */
enum verdict compare_and_stay(struct pair *pair, const struct program *p,
			      struct difference *d);
void difference_print(const struct difference *d);

/* ---- known.c ---- */

/* Returns the name of the documented difference, or NULL. */
const char *known_difference(const struct difference *d);
/* Counts that a program ended at it. */
void known_count(const char *name);
/* Prints the names, which are entries of socket.rst. */
void known_names(void);
/* Prints how often each known difference has occurred. */
void known_report(void);

#endif

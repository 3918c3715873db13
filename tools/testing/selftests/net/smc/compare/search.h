/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Makes random programs, and reduces a program to the shortest one that still
 * shows a difference.
 */
#ifndef SMC_COMPARE_SEARCH_H
#define SMC_COMPARE_SEARCH_H

#include "compare.h"

/* The program of a seed is always the same. */
void random_program(uint64_t seed, struct program *p);
/* Makes @p as short as it can be while the worlds differ. */
void shrink(struct pair *pair, struct program *p, struct difference *d);

#endif

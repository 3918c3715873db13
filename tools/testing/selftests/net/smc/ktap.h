/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The KTAP library for all C programs. The library is a header, so that
 * programs in other directories can include it without changes. The header
 * needs only the C library.
 */
#ifndef SMC_SELFTESTS_KTAP_H
#define SMC_SELFTESTS_KTAP_H

#include <stdio.h>
#include <stdlib.h>

/* Counters of the results at one depth of nesting; initialise with zeros. */
struct ktap {
	unsigned int depth;	/* 0, or 1 for subtests */
	unsigned int count;
	unsigned int failed;
};

static inline void ktap_indent(const struct ktap *k)
{
	printf("%*s", (int)k->depth * 4, "");
}

/* @name: name of the test whose subtests follow, or NULL */
static inline void ktap_start(const struct ktap *k, const char *name,
			      unsigned int plan)
{
	ktap_indent(k);
	printf("KTAP version 1\n");
	if (name) {
		ktap_indent(k);
		printf("# Subtest: %s\n", name);
	}
	ktap_indent(k);
	printf("1..%u\n", plan);
}

/* @skip: reason why the test was skipped, or NULL */
static inline void ktap_result(struct ktap *k, int passed, const char *name,
			       const char *skip)
{
	k->count++;
	k->failed += !passed;
	ktap_indent(k);
	printf("%sok %u - %s%s%s\n", passed ? "" : "not ", k->count, name,
	       skip ? " # SKIP " : "", skip ? skip : "");
	fflush(stdout);
}

/* Returns the exit status. */
static inline int ktap_finish(const struct ktap *k)
{
	return k->failed || !k->count ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif

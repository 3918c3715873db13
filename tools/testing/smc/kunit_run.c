// SPDX-License-Identifier: GPL-2.0
/*
 * Runs KUnit suites in user space and prints KTAP: one subtest per suite.
 * Exit status 0 if nothing failed.
 */
#include <stdlib.h>

#include <kunit/test.h>

#include "../selftests/net/smc/ktap.h"

/* Fails if there is no test to run. */
#define CASES_MIN 1

void kunit_fail(struct kunit *test, const char *file, int line,
		const char *fmt, ...)
{
	va_list ap;

	test->failures++;
	printf("    # %s:%d: ", file, line);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
}

void kunit_skip_now(struct kunit *test, const char *why)
{
	test->skip = why;
	longjmp(test->stop, 1);
}

void *kunit_kmalloc(struct kunit *test, size_t n, int gfp)
{
	void *p = malloc(n);

	(void)gfp;
	if (!p || test->n_mem == ARRAY_SIZE(test->mem)) {
		fprintf(stderr, "out of test memory\n");
		exit(2);
	}
	test->mem[test->n_mem++] = p;
	return p;
}

static void dump(const char *what, const unsigned char *p, size_t n)
{
	size_t i;

	printf("    # %s:", what);
	for (i = 0; i < n; i++)
		printf(" %02x", p[i]);
	printf("\n");
}

void kunit_mem_eq(struct kunit *test, const char *file, int line,
		  const void *a, const void *b, size_t n)
{
	if (!memcmp(a, b, n))
		return;
	kunit_fail(test, file, line, "bytes differ");
	dump("have", a, n);
	dump("want", b, n);
}

static void free_mem(struct kunit *test)
{
	while (test->n_mem)
		free(test->mem[--test->n_mem]);
}

static void run_case(struct ktap *k, const struct kunit_case *c)
{
	static struct kunit test;	/* survives the longjmp unchanged */

	memset(&test, 0, sizeof(test));
	if (!setjmp(test.stop))
		c->run_case(&test);
	free_mem(&test);
	ktap_result(k, !test.failures, c->name, test.skip);
}

static void run_suite(struct ktap *k, const struct kunit_suite *s)
{
	struct ktap cases = { .depth = 1 };
	unsigned int n = 0, i;

	while (s->test_cases[n].run_case)
		n++;
	ktap_start(&cases, s->name, n);
	for (i = 0; i < n; i++)
		run_case(&cases, &s->test_cases[i]);
	ktap_result(k, !cases.failed && n >= CASES_MIN, s->name, NULL);
}

int main(void)
{
	struct ktap suites = {};
	unsigned int n = 0, i;

	while (kunit_suites[n])
		n++;
	ktap_start(&suites, NULL, n);
	for (i = 0; i < n; i++)
		run_suite(&suites, kunit_suites[i]);
	return ktap_finish(&suites);
}

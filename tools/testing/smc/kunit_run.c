// SPDX-License-Identifier: GPL-2.0
/*
 * Runs KUnit suites in user space and prints KTAP: one subtest per suite.
 * Exit status 0 if nothing failed.
 */
#include <stdlib.h>

#include <kunit/test.h>

/* Fails the build's own test when nothing would be run. */
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

static int run_case(const struct kunit_case *c, unsigned int number)
{
	static struct kunit test;	/* survives the longjmp unchanged */

	memset(&test, 0, sizeof(test));
	if (!setjmp(test.stop))
		c->run_case(&test);
	free_mem(&test);
	printf("    %sok %u %s%s%s\n", test.failures ? "not " : "", number,
	       c->name, test.skip ? " # SKIP " : "",
	       test.skip ? test.skip : "");
	fflush(stdout);
	return test.failures ? 1 : 0;
}

static unsigned int run_suite(const struct kunit_suite *s, unsigned int number)
{
	unsigned int n = 0, i, bad = 0;

	while (s->test_cases[n].run_case)
		n++;
	printf("    KTAP version 1\n    # Subtest: %s\n    1..%u\n", s->name, n);
	for (i = 0; i < n; i++)
		bad += (unsigned int)run_case(&s->test_cases[i], i + 1);
	bad += n < CASES_MIN;
	printf("%sok %u %s\n", bad ? "not " : "", number, s->name);
	return bad;
}

int main(void)
{
	unsigned int n = 0, i, bad = 0;

	while (kunit_suites[n])
		n++;
	printf("KTAP version 1\n1..%u\n", n);
	for (i = 0; i < n; i++)
		bad += run_suite(kunit_suites[i], i + 1);
	return bad ? 1 : 0;
}

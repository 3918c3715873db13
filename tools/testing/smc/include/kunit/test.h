/* SPDX-License-Identifier: GPL-2.0 */
/*
 * User-space stand-in for KUnit: the part that the suites in net/smc/tests use,
 * so that the same files run under ASan and UBSan without a kernel.
 */
#ifndef SMC_SHIM_KUNIT_TEST_H
#define SMC_SHIM_KUNIT_TEST_H

#include <linux/kernel.h>
#include <linux/types.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define GFP_KERNEL 0
#define __printf(a, b) __attribute__((format(printf, a, b)))

struct kunit {
	unsigned int failures;
	/* reason why the case was skipped, NULL if it was not */
	const char *skip;
	jmp_buf stop;
	void *mem[64];		/* freed when the case ends */
	unsigned int n_mem;
};

struct kunit_case {
	void (*run_case)(struct kunit *test);
	const char *name;
};

struct kunit_suite {
	char name[64];
	struct kunit_case *test_cases;
};

#define KUNIT_CASE(f) { .run_case = f, .name = #f }

extern struct kunit_suite *const kunit_suites[];

#define kunit_test_suites(...) \
	struct kunit_suite *const kunit_suites[] = { __VA_ARGS__, NULL }

void *kunit_kmalloc(struct kunit *test, size_t n, int gfp);
void kunit_skip_now(struct kunit *test, const char *why);

__printf(4, 5)
void kunit_fail(struct kunit *test, const char *file, int line,
		const char *fmt, ...);

#define kunit_skip(test, why) kunit_skip_now(test, why)

#define KUNIT_FAIL(test, ...) kunit_fail(test, __FILE__, __LINE__, __VA_ARGS__)

/* Operands are widened to 64 bits: enough for every type the suites compare. */
#define KUNIT_CMP(test, a, op, b, fatal, ...)				\
do {									\
	long long _a = (long long)(a), _b = (long long)(b);		\
									\
	if (!(_a op _b)) {						\
		kunit_fail(test, __FILE__, __LINE__,			\
			   "want %s %s %s, have %lld (%#llx) and %lld (%#llx)", \
			   #a, #op, #b, _a, (unsigned long long)_a,	\
			   _b, (unsigned long long)_b);			\
		KUNIT_NOTE("" __VA_ARGS__);			\
		if (fatal)						\
			longjmp((test)->stop, 1);			\
	}								\
} while (0)

#define KUNIT_NOTE(...)							\
do {									\
	char _note[128];						\
									\
	if (snprintf(_note, sizeof(_note), __VA_ARGS__) > 0)		\
		printf("    # %s\n", _note);				\
} while (0)

#define KUNIT_EXPECT_EQ(test, a, b)	KUNIT_CMP(test, a, ==, b, 0, "%s", "")
#define KUNIT_EXPECT_NE(test, a, b)	KUNIT_CMP(test, a, !=, b, 0, "%s", "")
#define KUNIT_EXPECT_LT(test, a, b)	KUNIT_CMP(test, a, <, b, 0, "%s", "")
#define KUNIT_EXPECT_LE(test, a, b)	KUNIT_CMP(test, a, <=, b, 0, "%s", "")
#define KUNIT_EXPECT_TRUE(test, a)	KUNIT_CMP(test, !!(a), ==, 1, 0, "%s", "")
#define KUNIT_EXPECT_FALSE(test, a)	KUNIT_CMP(test, !!(a), ==, 0, 0, "%s", "")
#define KUNIT_EXPECT_EQ_MSG(test, a, b, ...) \
	KUNIT_CMP(test, a, ==, b, 0, __VA_ARGS__)
#define KUNIT_EXPECT_TRUE_MSG(test, a, ...) \
	KUNIT_CMP(test, !!(a), ==, 1, 0, __VA_ARGS__)
#define KUNIT_EXPECT_FALSE_MSG(test, a, ...) \
	KUNIT_CMP(test, !!(a), ==, 0, 0, __VA_ARGS__)

#define KUNIT_ASSERT_EQ(test, a, b)	KUNIT_CMP(test, a, ==, b, 1, "%s", "")
#define KUNIT_ASSERT_EQ_MSG(test, a, b, ...) \
	KUNIT_CMP(test, a, ==, b, 1, __VA_ARGS__)
#define KUNIT_ASSERT_NOT_NULL(test, p)	KUNIT_CMP(test, (p) != NULL, ==, 1, 1, "%s", "")

#define KUNIT_EXPECT_STREQ(test, a, b)					\
do {									\
	const char *_s = (a), *_t = (b);				\
									\
	if (strcmp(_s, _t))						\
		KUNIT_FAIL(test, "want %s == %s, have \"%s\" and \"%s\"", \
			   #a, #b, _s, _t);				\
} while (0)

#define KUNIT_EXPECT_PTR_EQ(test, a, b)					\
do {									\
	const void *_p = (a), *_q = (b);				\
									\
	if (_p != _q)							\
		KUNIT_FAIL(test, "want %s == %s", #a, #b);		\
} while (0)

void kunit_mem_eq(struct kunit *test, const char *file, int line,
		  const void *a, const void *b, size_t n);

#define KUNIT_EXPECT_MEMEQ(test, a, b, n) \
	kunit_mem_eq(test, __FILE__, __LINE__, a, b, n)

#endif /* SMC_SHIM_KUNIT_TEST_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * Compares <linux/smc.h> and <linux/smc_diag.h> with a table of names, numbers
 * and layouts: TABLE, a file of calls that uapi_test.py writes. Exit status 0
 * if all agree. With OLDER, sizes and counts that grow with new versions may be
 * smaller. C and C++.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <linux/smc.h>
#include <linux/smc_diag.h>

#ifdef OLDER
#define OLDER_HEADERS	1
#else
#define OLDER_HEADERS	0
#endif

static unsigned int seen, wrong;

static void compare(const char *name, const char *what, unsigned long have,
		    unsigned long want, int at_most)
{
	seen++;
	if (have == want || (at_most && have < want))
		return;
	wrong++;
	printf("# %s: %s is %lu, not %lu\n", name, what, have, want);
}

static int ends_in_max(const char *name)
{
	size_t len = strlen(name);

	return len > 4 && !strcmp(name + len - 4, "_MAX");
}

static void number(const char *name, long have, long want)
{
	compare(name, "value", (unsigned long)have, (unsigned long)want,
		OLDER_HEADERS && ends_in_max(name));
}

static void layout(const char *name, size_t have, size_t want)
{
	compare(name, "size", have, want, OLDER_HEADERS);
}

static void field(const char *name, size_t have_offset, size_t want_offset,
		  size_t have_size, size_t want_size)
{
	compare(name, "offset", have_offset, want_offset, 0);
	compare(name, "size", have_size, want_size, 0);
}

/* @text: TEXT(name), which is the name itself if it is not a macro */
static void defined_as(const char *name, const char *text)
{
	if (strcmp(name, text))
		return;
	wrong++;
	printf("# %s: not a macro\n", name);
}

static void string(const char *name, const char *have, const char *want)
{
	seen++;
	if (!strcmp(have, want))
		return;
	wrong++;
	printf("# %s: \"%s\", not \"%s\"\n", name, have, want);
}

#define QUOTE(...)	#__VA_ARGS__
#define TEXT(_name)	QUOTE(_name)	/* with macros replaced */

int main(void)
{
#include TABLE
	printf("# %u comparisons, %u wrong\n", seen, wrong);
	return wrong || !seen;
}

// SPDX-License-Identifier: GPL-2.0
#include "table.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void widen(struct smc_table *t, unsigned int column, const char *text)
{
	int len = strlen(text);

	if (t->column[column].width < len)
		t->column[column].width = len;
}

void smc_table_column(struct smc_table *t, const char *head, int width, int gap)
{
	unsigned int n = t->columns;

	if (n == SMC_TABLE_COLUMNS)
		abort();
	t->column[n].head = head;
	t->column[n].width = abs(width);
	t->column[n].right = width > 0;
	t->column[n].gap = n ? gap : 0;
	t->columns++;
	widen(t, n, head);
}

void smc_table_cell(struct smc_table *t, const char *format, ...)
{
	char **more = reallocarray(t->cell, t->cells + 1, sizeof(*more));
	va_list args;
	int len = -1;

	if (more) {
		t->cell = more;
		va_start(args, format);
		len = vasprintf(&more[t->cells], format, args);
		va_end(args);
	}
	if (len < 0) {
		t->no_memory = true;
		return;
	}
	widen(t, t->cells % t->columns, more[t->cells]);
	t->cells++;
}

/* The last column has no blanks behind its text. */
static void print_cell(const struct smc_table *t, unsigned int n,
		       const char *text)
{
	bool last = n + 1 == t->columns;
	int width = t->column[n].width;

	printf("%*s", t->column[n].gap, "");
	if (t->column[n].right)
		printf("%*s", width, text);
	else
		printf("%-*s", last ? 0 : width, text);
	if (last)
		putchar('\n');
}

int smc_table_print(struct smc_table *t)
{
	unsigned int n;
	size_t i;

	for (n = 0; n < t->columns && !t->no_memory; n++)
		print_cell(t, n, t->column[n].head);
	for (i = 0; i < t->cells; i++) {
		if (!t->no_memory)
			print_cell(t, i % t->columns, t->cell[i]);
		free(t->cell[i]);
	}
	free(t->cell);
	t->cell = NULL;
	t->cells = 0;
	return t->no_memory ? -ENOMEM : 0;
}

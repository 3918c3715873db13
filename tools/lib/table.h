/* SPDX-License-Identifier: GPL-2.0 */
/* Tables whose columns fit their longest cells. */
#ifndef SMC_TOOLS_TABLE_H
#define SMC_TOOLS_TABLE_H

#include <stdbool.h>
#include <stddef.h>

enum {
	SMC_TABLE_COLUMNS = 16,
};

struct smc_table {
	struct {
		const char *head;
		int width;		/* so far */
		int gap;		/* blanks before the column */
		bool right;
	} column[SMC_TABLE_COLUMNS];
	unsigned int columns;
	char **cell;		/* of all rows, one row after the other */
	size_t cells;
	bool no_memory;
};

/**
 * smc_table_column - add a column; all columns come before the first cell
 * @t: table; all zero at first
 * @head: heading, a constant
 * @width: of the narrowest column; negative: cells are left aligned
 * @gap: blanks before the column; without effect for the first one
 */
void smc_table_column(struct smc_table *t, const char *head, int width,
		      int gap);
/* smc_table_cell - add the next cell of a row, or the first cell of the next */
void smc_table_cell(struct smc_table *t, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/*
 * smc_table_print - print headings and rows, and free the cells. Return: 0 or
 * -ENOMEM: then nothing is printed.
 */
int smc_table_print(struct smc_table *t);

#endif

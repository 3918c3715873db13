/* SPDX-License-Identifier: GPL-2.0 */
/* Replaces a file atomically by a new one. */
#ifndef SMC_TOOLS_REPLACE_H
#define SMC_TOOLS_REPLACE_H

#include <limits.h>
#include <stdio.h>

struct smc_replace {
	const char *path;	/* name of the file afterwards */
	char new[PATH_MAX];	/* name until then, beside it */
	FILE *file;
};

/**
 * smc_replace_begin - open a new file in the directory of another one
 * @path: the other one, which need not be there
 *
 * Nobody can have made the new file before, nor a link in its place. Only its
 * owner can read it, until the caller changes that.
 *
 * Return: 0, or -1 with errno.
 */
int smc_replace_begin(struct smc_replace *r, const char *path);
/**
 * smc_replace_end - put the new file in place, or remove it
 * @status: not 0: the caller does not want the new file
 *
 * Return: @status; -1 with errno if something could not be written.
 */
int smc_replace_end(struct smc_replace *r, int status);

#endif

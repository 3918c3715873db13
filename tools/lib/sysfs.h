/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMC_SYSFS_H
#define SMC_SYSFS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Reads the first line of a file in sysfs, whose path has this format. Return:
 * false if the file cannot be opened; then, and if the file is empty, @buf is
 * the empty string.
 */
bool smc_read_line(char *buf, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif

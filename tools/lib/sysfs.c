// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sysfs.h"

enum { PATH_BYTES = 256 };

bool smc_read_line(char *buf, size_t size, const char *format, ...)
{
	char path[PATH_BYTES];
	va_list args;
	FILE *f;

	va_start(args, format);
	vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	buf[0] = '\0';
	f = fopen(path, "re");
	if (!f)
		return false;
	if (!fgets(buf, size, f))
		buf[0] = '\0';
	fclose(f);
	buf[strcspn(buf, "\n")] = '\0';
	return true;
}

// SPDX-License-Identifier: GPL-2.0
#include "usage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void smc_usage_exit(const char *tool, const char *help)
{
	const char *end = strstr(help, "\n\n");

	fprintf(stderr, "%.*s\n%s --help explains the arguments.\n",
		end ? (int)(end - help) : 0, help, tool);
	exit(SMC_EXIT_USAGE);
}

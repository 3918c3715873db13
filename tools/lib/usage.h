/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMC_TOOLS_USAGE_H
#define SMC_TOOLS_USAGE_H

enum {
	SMC_EXIT_USAGE = 2,
};

/*
 * smc_usage_exit - after a message about a wrong argument: print the usage of
 * the tool, which is the first paragraph of @help, and exit
 */
__attribute__((noreturn)) void smc_usage_exit(const char *tool,
					      const char *help);

#endif

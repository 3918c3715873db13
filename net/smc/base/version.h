/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The version of the modules and of the tools: the only place that has it.
 * CHANGELOG.md begins with the same one.
 */
#ifndef SMC_BASE_VERSION_H
#define SMC_BASE_VERSION_H

#define SMC_VERSION "0.9.0"

#endif

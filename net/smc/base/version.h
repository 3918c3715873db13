/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The version of the modules and of the tools. It is defined only here.
 * CHANGELOG.md starts with the same version.
 */
#ifndef SMC_BASE_VERSION_H
#define SMC_BASE_VERSION_H

#define SMC_VERSION "0.9.0"

#endif

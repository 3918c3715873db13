/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Only this file defines the version of the modules and of the tools.
 * CHANGELOG.md starts with the same version.
 */
#ifndef SMC_BASE_VERSION_H
#define SMC_BASE_VERSION_H

#define SMC_VERSION "0.9.0"

#endif

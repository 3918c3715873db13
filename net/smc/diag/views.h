/* SPDX-License-Identifier: GPL-2.0 */
/* Views of the module: net.smc.*, /proc/net and generic netlink. */
#ifndef _SMC_DIAG_VIEWS_H
#define _SMC_DIAG_VIEWS_H

int smc_views_init(void);
void smc_views_exit(void);

#endif

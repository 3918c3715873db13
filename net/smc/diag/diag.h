/* SPDX-License-Identifier: GPL-2.0 */
/* Views of the module, per network namespace: net.smc.* and /proc/net. */
#ifndef _SMC_DIAG_DIAG_H
#define _SMC_DIAG_DIAG_H

struct net;

/* views.c */
int smc_views_init(void);
void smc_views_exit(void);

/* sysctl.c */
int smc_sysctl_net_init(struct net *net);
void smc_sysctl_net_exit(struct net *net);

/* proc.c */
int smc_proc_net_init(struct net *net);
void smc_proc_net_exit(struct net *net);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* The sysctls of a network namespace, net.smc.*. */
#ifndef _SMC_DIAG_SYSCTL_H
#define _SMC_DIAG_SYSCTL_H

struct net;

int smc_sysctl_net_init(struct net *net);
void smc_sysctl_net_exit(struct net *net);

#endif

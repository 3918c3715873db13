/* SPDX-License-Identifier: GPL-2.0 */
/* The files of a network namespace in /proc/net. */
#ifndef _SMC_DIAG_PROC_H
#define _SMC_DIAG_PROC_H

struct net;

int smc_proc_net_init(struct net *net);
void smc_proc_net_exit(struct net *net);

#endif

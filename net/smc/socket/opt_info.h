/* SPDX-License-Identifier: GPL-2.0 */
/* getsockopt(SOL_SMC, SMC_INFO). */
#ifndef _SMC_SOCKET_OPT_INFO_H
#define _SMC_SOCKET_OPT_INFO_H

struct smc_info;
struct smc_sock;

/**
 * smc_opt_info - describe a socket to its application
 * @smc:	socket; the lock is not held
 * @out:	filled in; has zeros for what the socket does not have
 *
 * Context: process. Return: 0 or -ENOMEM.
 */
int smc_opt_info(struct smc_sock *smc, struct smc_info *out);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* Options of SOL_SOCKET that TCP has to know too. */
#ifndef _SMC_SOCKET_OPTIONS_H
#define _SMC_SOCKET_OPTIONS_H

struct smc_sock;

/**
 * smc_options_push - give TCP the SOL_SOCKET options of the application
 * @smc:	socket; its lock does not matter, TCP's is not held
 *
 * For kernels where the core does not show them to us, before a call that TCP
 * serves. Context: process.
 */
void smc_options_push(struct smc_sock *smc);

#endif

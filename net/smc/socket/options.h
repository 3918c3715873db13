/* SPDX-License-Identifier: GPL-2.0 */
/* SOL_SOCKET options that the TCP socket needs, too. */
#ifndef _SMC_SOCKET_OPTIONS_H
#define _SMC_SOCKET_OPTIONS_H

struct smc_sock;

/**
 * smc_options_push - give TCP the SOL_SOCKET options of the application
 * @smc:	socket, with or without its lock; TCP's lock is not held
 *
 * For kernels whose core does not pass these options to us. Call this before a
 * call that TCP serves. Context: process.
 */
void smc_options_push(struct smc_sock *smc);

#endif

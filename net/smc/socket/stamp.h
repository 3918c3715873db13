/* SPDX-License-Identifier: GPL-2.0 */
/* SO_TIMESTAMP and similar options in mode SMC. */
#ifndef _SMC_SOCKET_STAMP_H
#define _SMC_SOCKET_STAMP_H

struct msghdr;
struct smc_sock;

/**
 * smc_stamp_tell - add the time of the last arrival to a received message
 * @smc:	socket in mode SMC with such an option
 * @msg:	message of a receive call of the application
 *
 * Context: process.
 */
void smc_stamp_tell(struct smc_sock *smc, struct msghdr *msg);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* The ioctls of a socket in a mode other than TCP. */
#ifndef _SMC_SOCKET_IOCTL_H
#define _SMC_SOCKET_IOCTL_H

struct proto;
struct smc_sock;

int smc_ioctl_value(struct smc_sock *smc, unsigned int cmd);
void smc_ioctl_offer(struct proto *prot);

#endif

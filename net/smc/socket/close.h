/* SPDX-License-Identifier: GPL-2.0 */
/* close() and shutdown() of AF_SMC. */
#ifndef _SMC_SOCKET_CLOSE_H
#define _SMC_SOCKET_CLOSE_H

struct socket;

int smc_release(struct socket *sock);
int smc_shutdown(struct socket *sock, int how);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* Start and end of AF_SMC. */
#ifndef _SMC_SOCKET_SOCKET_H
#define _SMC_SOCKET_SOCKET_H

int smc_socket_init(void);
void smc_socket_exit(void);

#endif

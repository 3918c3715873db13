/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Limits of the memory of all AF_SMC sockets (net.smc.mem, net.smc.mem_share).
 */
#ifndef _SMC_BASE_MEM_LIMITS_H
#define _SMC_BASE_MEM_LIMITS_H

#include <linux/types.h>

/*
 * In pages, like tcp_mem: [1] is the limit for receive elements, [2] the limit
 * for elements and send queues. Readers take no lock; sysctl handlers write.
 */
extern long smc_mem_limits[3];

void smc_mem_limits_init(void);
/**
 * smc_mem_limits_rmem - limit of the memory for received data
 * @percent:	share of it, 1 to 100
 *
 * Context: any. Return: bytes.
 */
u64 smc_mem_limits_rmem(unsigned int percent);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* Sizes of elements and RMBs in bytes and pages. */
#ifndef _SMC_GROUP_RMB_SIZE_H
#define _SMC_GROUP_RMB_SIZE_H

#include <linux/types.h>

u32 smc_rmb_size_round(u32 bytes, u32 page);
u32 smc_rmb_size_pages(u32 size, u32 n, u32 page);
u32 smc_rmb_size_growth(u32 size, u32 n, u32 max_pages, u32 page);

#endif

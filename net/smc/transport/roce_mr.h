/* SPDX-License-Identifier: GPL-2.0 */
/* Memory regions of a RoCE endpoint: operations of struct smc_ep_ops. */
#ifndef _SMC_TRANSPORT_ROCE_MR_H
#define _SMC_TRANSPORT_ROCE_MR_H

#include <linux/types.h>

struct smc_ep;
struct smc_mem;
struct smc_mr;

struct smc_mr *smc_roce_mr_alloc(struct smc_ep *ep, const struct smc_mem *mem);
int smc_roce_mr_register(struct smc_mr *mr);
int smc_roce_mr_wait(struct smc_mr *mr, unsigned int ms);
void smc_roce_mr_sync(struct smc_mr *mr, u64 off, u32 len, bool for_cpu);
bool smc_roce_mr_free(struct smc_mr *mr);

#endif

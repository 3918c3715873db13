/* SPDX-License-Identifier: GPL-2.0 */
/* Work queues of a RoCE endpoint. */
#ifndef _SMC_TRANSPORT_ROCE_RING_H
#define _SMC_TRANSPORT_ROCE_RING_H

#include <rdma/ib_verbs.h>

struct smc_ep;
struct smc_ep_bundle;
struct smc_roce;

int smc_roce_ring_alloc(struct smc_roce *r);
void smc_roce_ring_free(struct smc_roce *r);
int smc_roce_ring_fill(struct smc_roce *r);
void smc_roce_ring_flush(struct smc_roce *r);
int smc_roce_ring_map(struct smc_ep *ep, struct smc_ep_bundle *b);
void smc_roce_ring_unmap(struct smc_ep *ep, struct smc_ep_bundle *b);
int smc_roce_ring_post(struct smc_ep *ep, struct smc_ep_bundle *b);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* Sizes of the queues of a RoCE endpoint, and the CPU that serves them. */
#ifndef _SMC_TRANSPORT_ROCE_DEPTH_H
#define _SMC_TRANSPORT_ROCE_DEPTH_H

#include <linux/types.h>

enum {
	/*
	 * Number of posted receives; far more than a peer may have under way.
	 */
	SMC_ROCE_RECEIVES_MAX	= 512,
	/* Limits of registrations in the send queue. */
	SMC_ROCE_REGS_MAX	= 64,
	SMC_ROCE_REGS_MIN	= 8,
	/* The smallest usable number of slots. Half of them are for data. */
	SMC_ROCE_SLOTS_MIN	= 8,
};

/**
 * struct smc_roce_depth - sizes of the queues of a queue pair
 * @slots:	send slots
 * @regs:	registrations under way
 * @receives:	posted receives
 */
struct smc_roce_depth {
	u32 slots;
	u32 regs;
	u32 receives;
};

bool smc_roce_depth_fit(struct smc_roce_depth *d, int max);
u32 smc_roce_depth_sends(const struct smc_roce_depth *d);
u32 smc_roce_depth_recvs(const struct smc_roce_depth *d);
u32 smc_roce_depth_vectors(int n_vectors, u32 n_cpus);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* Sizes of the queues of a RoCE endpoint, and the CPU that serves them. */
#ifndef _SMC_TRANSPORT_ROCE_DEPTH_H
#define _SMC_TRANSPORT_ROCE_DEPTH_H

#include <linux/types.h>

/*
 * Adapters and rdma_rxe round the number of entries of a queue up to a power of
 * two, rdma_rxe after adding one. So with one entry to drain the numbers add up
 * to a power of two minus one. The send queue of an owner of small messages is
 * an exception: with 127 entries it would have too few slots.
 */
enum {
	/*
	 * Number of posted receives; far more than a peer may have under way.
	 */
	SMC_ROCE_RECEIVES_MAX	= 254,
	/*
	 * Receives for an owner of large messages: how many are posted when
	 * the endpoint opens, and how many at most.
	 */
	SMC_ROCE_FRAMES_INITIAL	= 4,
	SMC_ROCE_FRAMES_MAX	= 126,
	/*
	 * Slots and registrations of such an owner. One of its messages serves
	 * many connections. The slots fill three pages of 4 KiB.
	 */
	SMC_ROCE_FRAMES_SLOTS	= 22,
	SMC_ROCE_FRAMES_REGS	= 60,
	/* Limits of registrations in the send queue. */
	SMC_ROCE_REGS_MAX	= 64,
	SMC_ROCE_REGS_MIN	= 8,
	/*
	 * The smallest usable limit of entries: SMC_ROCE_REGS_MIN
	 * registrations, eight slots of three entries, half of them for data,
	 * and one entry to drain.
	 */
	SMC_ROCE_ENTRIES_MIN	= 33,
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

bool smc_roce_depth_fit(struct smc_roce_depth *d, int max, bool frames);
u32 smc_roce_depth_sends(const struct smc_roce_depth *d);
u32 smc_roce_depth_recvs(const struct smc_roce_depth *d);
u32 smc_roce_depth_vectors(int n_vectors, u32 n_cpus);
u32 smc_roce_depth_vector(u32 nth, int n_vectors, u32 n_cpus);

#endif

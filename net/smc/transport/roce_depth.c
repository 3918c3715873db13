// SPDX-License-Identifier: GPL-2.0
/*
 * Sizes of the queues of a RoCE endpoint, and the CPU that serves them. Pure
 * arithmetic.
 */
#include <linux/minmax.h>
#include "ep.h"
#include "roce_depth.h"

/**
 * smc_roce_depth_sends - entries of the send queue
 * @d: sizes
 *
 * Return: writes and messages of all slots, and registrations, plus one work
 * request that drains the queue.
 */
u32 smc_roce_depth_sends(const struct smc_roce_depth *d)
{
	return d->slots * (SMC_EP_MAX_WRITES + 1) + d->regs + 1;
}

/**
 * smc_roce_depth_recvs() - get the number of entries of the receive queue
 * @d: sizes
 *
 * Return: number of receives, plus one work request that drains the queue.
 */
u32 smc_roce_depth_recvs(const struct smc_roce_depth *d)
{
	return d->receives + 1;
}

/**
 * smc_roce_depth_fit - choose the sizes of the queues
 * @d:		output
 * @max:	limit of entries of a queue, and of its completion queue
 * @frames:	for an owner of large messages
 *
 * A small queue makes a link slower, but the link still works: connections wait
 * for slots, and a peer that finds no receive tries again. Return: true; false:
 * the device is too small to be of use.
 */
bool smc_roce_depth_fit(struct smc_roce_depth *d, int max, bool frames)
{
	u32 most = frames ? SMC_ROCE_FRAMES_MAX : SMC_ROCE_RECEIVES_MAX;
	int slots;

	if (max < SMC_ROCE_ENTRIES_MIN)
		return false;
	d->regs = clamp(max / 4, SMC_ROCE_REGS_MIN,
			frames ? SMC_ROCE_FRAMES_REGS : SMC_ROCE_REGS_MAX);
	slots = (max - 1 - (int)d->regs) / (SMC_EP_MAX_WRITES + 1);
	d->slots = min_t(u32, slots,
			 frames ? SMC_ROCE_FRAMES_SLOTS : SMC_EP_SLOTS);
	d->receives = min_t(u32, max - 1, most);
	return !frames || d->receives >= SMC_ROCE_FRAMES_INITIAL;
}

/**
 * smc_roce_depth_vectors - number of completion vectors to use
 * @n_vectors:	vectors of the device
 * @n_cpus:	online CPUs
 *
 * A device may have more vectors than CPUs. Return: at least 1.
 */
u32 smc_roce_depth_vectors(int n_vectors, u32 n_cpus)
{
	return clamp_t(int, n_vectors, 1, n_cpus);
}

/**
 * smc_roce_depth_vector - completion vector of an endpoint
 * @nth:	number of the endpoint on its port
 * @n_vectors:	vectors of the device
 * @n_cpus:	online CPUs
 *
 * Return: vector.
 */
u32 smc_roce_depth_vector(u32 nth, int n_vectors, u32 n_cpus)
{
	return nth % smc_roce_depth_vectors(n_vectors, n_cpus);
}

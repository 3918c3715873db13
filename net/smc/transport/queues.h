/* SPDX-License-Identifier: GPL-2.0 */
/* The workqueues of each RDMA device. */
#ifndef _SMC_TRANSPORT_QUEUES_H
#define _SMC_TRANSPORT_QUEUES_H

#include <linux/atomic.h>

struct smc_port;
struct smc_queues;
struct workqueue_struct;

enum {
	/*
	 * Calls of one device at a time. The others wait, and can be cancelled.
	 * The device executes one command after the other. If more calls ran at
	 * a time, each would take longer, and more callers would give up calls
	 * that have begun.
	 */
	SMC_QUEUES_CALLS	= 4,
};

/**
 * struct smc_queues_calls - the calls of a device, see call.c
 * @wq:		their workqueue
 * @waiting:	number of calls that wait for their turn
 * @running:	number of calls that have begun and not ended
 * @progress:	when the last call ended, or began while no other one ran, in
 *		jiffies
 */
struct smc_queues_calls {
	struct workqueue_struct *wq;
	atomic_t waiting;
	atomic_t running;
	unsigned long progress;
};

struct smc_queues *smc_queues_take(void);
void smc_queues_give_back(struct smc_queues *q);
struct workqueue_struct *smc_queues_work(const struct smc_port *port);
struct workqueue_struct *smc_queues_stops(const struct smc_port *port);
struct smc_queues_calls *smc_queues_calls(const struct smc_port *port);
struct workqueue_struct *smc_queues_frees(const struct smc_port *port);
struct workqueue_struct *smc_queues_ends(const struct smc_port *port);
int smc_queues_init(void);
void smc_queues_exit(void);

#endif

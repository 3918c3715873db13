/* SPDX-License-Identifier: GPL-2.0 */
/* Completion queues of a RoCE endpoint, see roce_cq.c. */
#ifndef _SMC_TRANSPORT_ROCE_CQ_H
#define _SMC_TRANSPORT_ROCE_CQ_H

#include <linux/irq_work.h>
#include <rdma/ib_verbs.h>

struct smc_roce;

/**
 * struct smc_roce_cq - completion queue
 * @cq:		queue of the RDMA core
 * @run:	the core's handler of an event of @cq
 * @interrupt:	calls @run in an interrupt
 */
struct smc_roce_cq {
	struct ib_cq *cq;
	ib_comp_handler run;
	struct irq_work interrupt;
};

/**
 * smc_roce_cq_open - allocate both queues of an endpoint
 * @r:		endpoint without a queue pair
 *
 * Context: may sleep. Return: 0; or a negative errno, after which the caller
 * has nothing to free.
 */
int smc_roce_cq_open(struct smc_roce *r);
/**
 * smc_roce_cq_quiesce - wait until no completion is being handled
 * @r:		endpoint
 *
 * Context: may sleep.
 */
void smc_roce_cq_quiesce(struct smc_roce *r);
/**
 * smc_roce_cq_stop - handle no completion any more
 * @r:		endpoint whose queue pair could not be destroyed
 *
 * Context: may sleep.
 */
void smc_roce_cq_stop(struct smc_roce *r);
/**
 * smc_roce_cq_free - free both queues
 * @r:		endpoint whose queue pair is destroyed; if it has carried
 *		messages, smc_roce_cq_quiesce() was called since
 *
 * Context: may sleep.
 */
void smc_roce_cq_free(struct smc_roce *r);

#endif

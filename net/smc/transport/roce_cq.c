// SPDX-License-Identifier: GPL-2.0
/*
 * Completion queues of a RoCE endpoint. The RDMA core polls them in softirq,
 * which an event of the queue raises.
 *
 * An adapter reports an event in an interrupt, at whose end the softirq runs.
 * A software device (rdma_rxe, siw) reports it from a work item, under a lock
 * and with interrupts off. If a task raises a softirq, the kernel wakes
 * ksoftirqd: the message waits until the scheduler runs that thread. So this
 * code lets the CPU interrupt itself. The interrupt comes as soon as the device
 * has released its lock.
 */
#include <linux/irq_work.h>
#include <linux/list.h>		/* irq_poll.h needs it but does not include it */
#include <linux/irq_poll.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include "roce_cq.h"
#include "roce_ep.h"

/*
 * Without such an interrupt irq_work runs at the next tick. On PREEMPT_RT it
 * runs in a thread, as ksoftirqd does. A kernel for 32-bit ARM with one or more
 * CPUs does not tell modules whether it has such an interrupt.
 */
static bool cq_may_interrupt(void)
{
#if defined(CONFIG_IRQ_WORK) && !defined(CONFIG_PREEMPT_RT) && \
	!defined(CONFIG_SMP_ON_UP)
	return arch_irq_work_has_interrupt();
#else
	return false;
#endif
}

static void cq_interrupt(struct irq_work *work)
{
	struct smc_roce_cq *c = container_of(work, struct smc_roce_cq,
					     interrupt);

	c->run(c->cq, c->cq->cq_context);
}

/* Context: any, even with interrupts off. */
static void cq_event(struct ib_cq *cq, void *ctx)
{
	struct smc_roce *r = ctx;
	struct smc_roce_cq *c = cq == r->send.cq ? &r->send : &r->recv;

	/* the same condition as for waking ksoftirqd */
	if (in_interrupt())
		c->run(cq, ctx);
	else
		irq_work_queue(&c->interrupt);
}

/* Both CQs of a queue pair have one vector, so that one CPU serves the link. */
static int cq_alloc(struct smc_roce *r, struct smc_roce_cq *c, u32 depth,
		    u32 vector)
{
	struct ib_cq *cq = ib_alloc_cq(r->ibdev, r, depth, vector,
				       IB_POLL_SOFTIRQ);

	if (IS_ERR(cq))
		return PTR_ERR(cq);
	c->cq = cq;
	c->run = cq->comp_handler;
	init_irq_work(&c->interrupt, cq_interrupt);
	/* no queue pair uses the CQ yet, so there is no event */
	if (cq_may_interrupt())
		cq->comp_handler = cq_event;
	return 0;
}

int smc_roce_cq_open(struct smc_roce *r)
{
	u32 vector = smc_roce_depth_vector(atomic_inc_return(&r->ep.port->n_eps),
					   r->ep.port->n_vectors,
					   num_online_cpus());
	int err;

	err = cq_alloc(r, &r->send, smc_roce_depth_sends(&r->depth), vector);
	if (err)
		return err;
	err = cq_alloc(r, &r->recv, smc_roce_depth_recvs(&r->depth), vector);
	if (err)
		ib_free_cq(r->send.cq);
	return err;
}

static void cq_stop(struct smc_roce_cq *c)
{
	/* a late event does not interrupt; partner: the device */
	WRITE_ONCE(c->cq->comp_handler, c->run);
	irq_poll_disable(&c->cq->iop);
}

/*
 * ib_free_cq() treats a CQ as idle as soon as the poll function has reported
 * that, but that function then still rearms the CQ. The poll function runs in
 * softirq, so this code waits for a grace period. So do devices that report an
 * event, and tasks that poll, see smc_roce_busy_quiesce().
 */
void smc_roce_cq_stop(struct smc_roce *r)
{
	cq_stop(&r->send);
	cq_stop(&r->recv);
	synchronize_rcu();
	if (!cq_may_interrupt())
		return;
	irq_work_sync(&r->send.interrupt);
	irq_work_sync(&r->recv.interrupt);
}

void smc_roce_cq_quiesce(struct smc_roce *r)
{
	smc_roce_cq_stop(r);
	/* ib_free_cq() disables polling once more */
	irq_poll_enable(&r->send.cq->iop);
	irq_poll_enable(&r->recv.cq->iop);
}

void smc_roce_cq_free(struct smc_roce *r)
{
	ib_free_cq(r->recv.cq);
	ib_free_cq(r->send.cq);
}

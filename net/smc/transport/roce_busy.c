// SPDX-License-Identifier: GPL-2.0
/*
 * Busy polling: SO_BUSY_POLL and the sysctls net.core.busy_read and busy_poll.
 *
 * A task that waits for bytes runs the receive queue of its link, instead of
 * sleeping until the adapter interrupts. The core does that for instances of
 * NAPI: recvmsg(), poll() and epoll find the instance by its number. So each
 * endpoint has such an instance. No interrupt schedules it, only tasks run it.
 *
 * Its poll function does not touch the CQ, because the handler of irq_poll may
 * run on another CPU. The function schedules this handler as an interrupt would
 * do. irq_poll runs a handler on one CPU at a time, here in the softirq that
 * starts when the task turns bottom halves on. The handler arms the CQ again,
 * so nothing is lost when the task stops polling.
 */
#include <linux/list.h>		/* irq_poll.h needs it but does not include it */
#include <linux/irq_poll.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/slab.h>
#include "../base/compat.h"
#include "roce_busy.h"
#include "roce_ep.h"

#ifdef CONFIG_NET_RX_BUSY_POLL

/**
 * struct smc_roce_busy - what tasks poll
 * @napi:	instance of NAPI
 * @cq:		the receive queue; NULL: nobody may run it any more
 * @rcu:	frees the object, because the core finds @napi under RCU
 */
struct smc_roce_busy {
	struct napi_struct napi;
	struct ib_cq *cq;
	struct rcu_head rcu;
};

/* NAPI belongs to a network device. This one has no interface. */
static struct net_device *busy_dev;
static DEFINE_MUTEX(busy_lock);	/* protects the list of busy_dev */

static int busy_run(struct napi_struct *napi, int budget)
{
	struct smc_roce_busy *busy = container_of(napi, struct smc_roce_busy,
						  napi);
	/* partner: smc_roce_busy_quiesce(); bottom halves are off */
	struct ib_cq *cq = READ_ONCE(busy->cq);

	if (cq)
		irq_poll_sched(&cq->iop);
	/* does nothing while a task polls, and ends its last round */
	napi_complete_done(napi, 0);
	return 0;
}

void smc_roce_busy_start(struct smc_roce *r)
{
	struct smc_roce_busy *busy = kzalloc(sizeof(*busy), GFP_KERNEL);

	if (!busy)
		return;
	busy->cq = r->recv.cq;
	mutex_lock(&busy_lock);
	netif_napi_add(busy_dev, &busy->napi, busy_run);
	mutex_unlock(&busy_lock);
	napi_enable(&busy->napi);
	r->busy = busy;
	WRITE_ONCE(r->ep.napi, busy->napi.napi_id);
}

void smc_roce_busy_quiesce(struct smc_roce *r)
{
	if (!r->busy)
		return;
	WRITE_ONCE(r->ep.napi, 0);	/* partner: smc_ep_napi() */
	WRITE_ONCE(r->busy->cq, NULL);	/* partner: busy_run() */
}

void smc_roce_busy_free(struct smc_roce *r)
{
	struct smc_roce_busy *busy = r->busy;

	if (!busy)
		return;
	r->busy = NULL;
	/* a task that polls stops when the scheduler wants its processor */
	napi_disable(&busy->napi);
	mutex_lock(&busy_lock);
	__netif_napi_del(&busy->napi);
	mutex_unlock(&busy_lock);
	kfree_rcu(busy, rcu);
}

int smc_roce_busy_init(void)
{
	busy_dev = smc_compat_alloc_dummy();
	return busy_dev ? 0 : -ENOMEM;
}

void smc_roce_busy_exit(void)
{
	synchronize_net();	/* tasks may look at an instance that is gone */
	smc_compat_free_dummy(busy_dev);
}

#else

void smc_roce_busy_start(struct smc_roce *r)
{
}

void smc_roce_busy_quiesce(struct smc_roce *r)
{
}

void smc_roce_busy_free(struct smc_roce *r)
{
}

int smc_roce_busy_init(void)
{
	return 0;
}

void smc_roce_busy_exit(void)
{
}

#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * The workqueues of each RDMA device. If the firmware of a device hangs, each
 * command waits for up to a minute, and a workqueue runs a limited number of
 * work items. So work for one device never shares a workqueue with work for
 * another device. Work that nobody waits for has another workqueue, so that it
 * does not delay other work of the same device.
 *
 * A group may outlive its device and still uses the workqueues. So the
 * workqueues of a device that is gone are kept for the next device, until the
 * module unloads.
 */
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include "port_priv.h"
#include "queues.h"

/*
 * Number of objects of one device that are freed at a time. The device executes
 * one command after the other, but the work also waits for RCU, so several work
 * items together finish earlier.
 */
#define QUEUES_FREES	16

/**
 * struct smc_queues - workqueues of one device
 * @list:	in queues_spare, while no device uses them
 * @work:	workers of groups
 * @stops:	for work that stops queue pairs; connections wait for it
 * @calls:	calls, which create objects or change queue pairs; callers wait
 *		for a limited time
 * @frees:	for work that frees objects in the device; nobody waits for it
 * @ends:	for groups that end and wait until their queue pairs have
 *		stopped
 */
struct smc_queues {
	struct list_head list;
	struct workqueue_struct *work;
	struct workqueue_struct *stops;
	struct smc_queues_calls calls;
	struct workqueue_struct *frees;
	struct workqueue_struct *ends;
};

static LIST_HEAD(queues_spare);
static DEFINE_MUTEX(queues_lock);	/* protects queues_spare */
static unsigned int queues_made;	/* queues_lock */
static struct smc_queues *queues_in_host;

static void queues_free(struct smc_queues *q)
{
	if (q->stops)
		destroy_workqueue(q->stops);
	if (q->calls.wq)
		destroy_workqueue(q->calls.wq);
	if (q->ends)
		destroy_workqueue(q->ends);
	if (q->frees)
		destroy_workqueue(q->frees);
	if (q->work)
		destroy_workqueue(q->work);
	kfree(q);
}

static struct smc_queues *queues_new(unsigned int n)
{
	struct smc_queues *q = kzalloc(sizeof(*q), GFP_KERNEL);

	if (!q)
		return NULL;
	INIT_LIST_HEAD(&q->list);
	/*
	 * No WQ_MEM_RECLAIM: the work allocates with GFP_KERNEL. Closing an
	 * endpoint also flushes queues without WQ_MEM_RECLAIM.
	 */
	q->work = alloc_workqueue("smc_lgr/%u", WQ_UNBOUND | WQ_HIGHPRI, 0, n);
	q->stops = alloc_workqueue("smc_stop/%u", WQ_UNBOUND | WQ_HIGHPRI, 0,
				   n);
	q->calls.wq = alloc_workqueue("smc_call/%u", WQ_UNBOUND | WQ_HIGHPRI,
				      SMC_QUEUES_CALLS, n);
	q->frees = alloc_workqueue("smc_free/%u", WQ_UNBOUND, QUEUES_FREES, n);
	q->ends = alloc_workqueue("smc_end/%u", WQ_UNBOUND, WQ_MAX_ACTIVE, n);
	if (q->work && q->stops && q->calls.wq && q->frees && q->ends)
		return q;
	queues_free(q);
	return NULL;
}

/**
 * smc_queues_take - get workqueues for a new device
 *
 * Context: may sleep. Return: workqueues, or NULL without memory.
 */
struct smc_queues *smc_queues_take(void)
{
	struct smc_queues *q;

	mutex_lock(&queues_lock);
	q = list_first_entry_or_null(&queues_spare, struct smc_queues, list);
	if (q)
		list_del_init(&q->list);
	else
		q = queues_new(queues_made++);
	mutex_unlock(&queues_lock);
	return q;
}

/**
 * smc_queues_give_back - the device is gone
 * @q: its workqueues; groups may still use them
 *
 * Context: may sleep.
 */
void smc_queues_give_back(struct smc_queues *q)
{
	mutex_lock(&queues_lock);
	list_add(&q->list, &queues_spare);
	mutex_unlock(&queues_lock);
}

static const struct smc_queues *queues_of(const struct smc_port *port)
{
	return port ? port->queues : queues_in_host;
}

/**
 * smc_queues_work - workqueue for the worker of a group
 * @port: port of the group's first link; NULL: in-host
 *
 * Context: any. Return: workqueue, which exists until smc_queues_exit().
 */
struct workqueue_struct *smc_queues_work(const struct smc_port *port)
{
	return queues_of(port)->work;
}

/**
 * smc_queues_stops - workqueue for work that stops a queue pair
 * @port: a port of the device; NULL: in-host
 *
 * Context: any. Return: as smc_queues_work().
 */
struct workqueue_struct *smc_queues_stops(const struct smc_port *port)
{
	return queues_of(port)->stops;
}

/**
 * smc_queues_calls - calls of a device, see call.c
 * @port: a port of the device
 *
 * Context: any. Return: as smc_queues_work().
 */
struct smc_queues_calls *smc_queues_calls(const struct smc_port *port)
{
	return &port->queues->calls;
}

/**
 * smc_queues_frees - workqueue for work that frees objects in a device
 * @port: a port of the device; NULL: in-host
 *
 * Context: any. Return: as smc_queues_work().
 */
struct workqueue_struct *smc_queues_frees(const struct smc_port *port)
{
	return queues_of(port)->frees;
}

/**
 * smc_queues_ends - workqueue for work that waits until queue pairs have
 * stopped
 * @port: port of the group's first link; NULL: in-host
 *
 * Context: any. Return: as smc_queues_work().
 */
struct workqueue_struct *smc_queues_ends(const struct smc_port *port)
{
	return queues_of(port)->ends;
}

/** smc_queues_init - start of the module. Return: 0 or -ENOMEM. */
int smc_queues_init(void)
{
	queues_in_host = smc_queues_take();
	return queues_in_host ? 0 : -ENOMEM;
}

/** smc_queues_exit - end of the module: wait for all work; no device left */
void smc_queues_exit(void)
{
	struct smc_queues *q, *next;

	smc_queues_give_back(queues_in_host);
	list_for_each_entry_safe(q, next, &queues_spare, list)
		queues_free(q);
	INIT_LIST_HEAD(&queues_spare);
}

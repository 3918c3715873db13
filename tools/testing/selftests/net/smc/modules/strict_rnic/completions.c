// SPDX-License-Identifier: GPL-2.0
/* Decides when a completion queue calls its user, and on which CPU. */
#include <linux/cpumask.h>
#include <linux/hashtable.h>
#include <linux/module.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include "strict.h"

static unsigned int vectors;
module_param(vectors, uint, 0644);
MODULE_PARM_DESC(vectors, "completion vectors, 1 to 64; 0: those of the device");

static unsigned int comp_ms;
module_param(comp_ms, uint, 0644);
MODULE_PARM_DESC(comp_ms, "milliseconds until a completion is reported");

enum {
	CPU_AS_IS	= -1,
	CPU_OF_VECTOR	= -2,
};

static int comp_cpu = CPU_AS_IS;
module_param(comp_cpu, int, 0644);
MODULE_PARM_DESC(comp_cpu,
		 "CPU that reports completions; -1: as the device; -2: one per vector");

/* A completion queue that was created after this module had taken
 * the device.
 */
struct strict_cq {
	struct hlist_node node;
	struct rcu_head rcu;
	struct ib_cq *cq;
	u32 vector;
	ib_comp_handler handler;
	struct delayed_work late;
};

static DEFINE_HASHTABLE(cqs, 8);
/* protects changes of cqs; readers use RCU */
static DEFINE_SPINLOCK(cqs_lock);
static struct workqueue_struct *comp_wq;

/* Number of queue pairs, by the vectors of their two queues. */
static atomic_t pairs[STRICT_VECTORS][STRICT_VECTORS];

static int get_pairs(char *to, const struct kernel_param *kp)
{
	int len = 0;
	int s, r;

	for (s = 0; s < STRICT_VECTORS; s++)
		for (r = 0; r < STRICT_VECTORS; r++)
			if (atomic_read(&pairs[s][r]))
				len += sysfs_emit_at(to, len, "%d %d %d\n", s, r,
						     atomic_read(&pairs[s][r]));
	return len;
}

static const struct kernel_param_ops pairs_ops = {
	.get = get_pairs,
};

module_param_cb(qp_vectors, &pairs_ops, NULL, 0444);
MODULE_PARM_DESC(qp_vectors,
		 "lines: vector of the send queue, of the receive queue, queue pairs so far");

static struct strict_cq *cq_of(const struct ib_cq *cq)
{
	struct strict_cq *c;

	hash_for_each_possible_rcu(cqs, c, node, (unsigned long)cq)
		if (c->cq == cq)
			return c;
	return NULL;
}

static void report(struct strict_cq *c)
{
	/* the handler expects that softirqs are disabled */
	local_bh_disable();
	c->handler(c->cq, c->cq->cq_context);
	local_bh_enable();
}

static void report_late(struct work_struct *work)
{
	report(container_of(to_delayed_work(work), struct strict_cq, late));
}

static int cpu_for(const struct strict_cq *c)
{
	int cpu = READ_ONCE(comp_cpu);

	if (cpu == CPU_OF_VECTOR)
		cpu = c->vector % num_online_cpus();
	if (cpu < 0 || !cpu_online(cpu))
		return WORK_CPU_UNBOUND;
	return cpu;
}

/* The device calls this function instead of the user's handler. Context:
 * softirq, or an interrupt.
 */
static void handler(struct ib_cq *cq, void *ctx)
{
	unsigned int ms = READ_ONCE(comp_ms);
	struct strict_cq *c;
	int cpu;

	rcu_read_lock();
	c = cq_of(cq);
	if (!WARN_ON_ONCE(!c)) {
		cpu = cpu_for(c);
		if (!ms && cpu == WORK_CPU_UNBOUND)
			c->handler(cq, ctx);
		else
			queue_delayed_work_on(cpu, comp_wq, &c->late,
					      msecs_to_jiffies(ms));
	}
	rcu_read_unlock();
}

/*
 * The core has set the handler before it asks for the first completion. A user
 * may put another one in front of this one later.
 */
static int req_notify_cq(struct ib_cq *cq, enum ib_cq_notify_flags flags)
{
	struct strict_dev *sd = strict_dev_of(cq->device);
	struct strict_cq *c;

	rcu_read_lock();
	c = cq_of(cq);
	if (c && !c->handler) {
		c->handler = cq->comp_handler;
		cq->comp_handler = handler;
	}
	rcu_read_unlock();
	return sd->real.req_notify_cq(cq, flags);
}

/* Return: 0 or -ENOMEM. */
int strict_completions_new_cq(struct ib_cq *cq, u32 vector)
{
	struct strict_cq *c = kzalloc(sizeof(*c), GFP_KERNEL);

	if (!c)
		return -ENOMEM;
	c->cq = cq;
	c->vector = vector;
	INIT_DELAYED_WORK(&c->late, report_late);
	spin_lock_bh(&cqs_lock);
	hash_add_rcu(cqs, &c->node, (unsigned long)cq);
	spin_unlock_bh(&cqs_lock);
	__module_get(THIS_MODULE);
	return 0;
}

/* No completion arrives on the queue any more. */
void strict_completions_old_cq(struct ib_cq *cq)
{
	struct strict_cq *c;

	spin_lock_bh(&cqs_lock);
	c = cq_of(cq);
	if (c)
		hash_del_rcu(&c->node);
	spin_unlock_bh(&cqs_lock);
	if (!c)
		return;
	synchronize_rcu();
	cancel_delayed_work_sync(&c->late);
	kfree(c);
	module_put(THIS_MODULE);
}

void strict_completions_new_qp(const struct ib_qp_init_attr *attr)
{
	const struct strict_cq *s, *r;

	rcu_read_lock();
	s = cq_of(attr->send_cq);
	r = cq_of(attr->recv_cq);
	if (s && r)
		atomic_inc(&pairs[s->vector % STRICT_VECTORS]
				 [r->vector % STRICT_VECTORS]);
	rcu_read_unlock();
}

void strict_completions_hook(struct strict_dev *sd)
{
	if (vectors)
		sd->ib->num_comp_vectors = clamp_t(int, vectors, 1,
						   STRICT_VECTORS);
	sd->ib->ops.req_notify_cq = req_notify_cq;
}

int strict_completions_init(void)
{
	comp_wq = alloc_workqueue("strict_rnic", WQ_HIGHPRI | WQ_MEM_RECLAIM, 0);
	return comp_wq ? 0 : -ENOMEM;
}

void strict_completions_exit(void)
{
	rcu_barrier();
	destroy_workqueue(comp_wq);
}

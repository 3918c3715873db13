// SPDX-License-Identifier: GPL-2.0
/*
 * Limits of queue pairs, completion queues and regions. A software device
 * rounds sizes up. A strict device gives exactly the requested sizes, and
 * refuses sizes above its limits.
 */
#include <linux/hashtable.h>
#include <linux/kfifo.h>
#include <linux/module.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include "strict.h"

static int inline_bytes = -1;
module_param(inline_bytes, int, 0644);
MODULE_PARM_DESC(inline_bytes, "limit of inline bytes; -1: that of the device");

static unsigned int sges;
module_param(sges, uint, 0644);
MODULE_PARM_DESC(sges, "limit of pieces of a work request; 0: that of the device");

static unsigned int max_wr;
module_param(max_wr, uint, 0644);
MODULE_PARM_DESC(max_wr, "limit of work requests of a queue; 0: that of the device");

static unsigned int max_cqe;
module_param(max_cqe, uint, 0644);
MODULE_PARM_DESC(max_cqe, "limit of a completion queue; 0: that of the device");

static unsigned int max_pages;
module_param(max_pages, uint, 0644);
MODULE_PARM_DESC(max_pages, "limit of pages of a region; 0: that of the device");

static bool keys = true;
module_param(keys, bool, 0644);
MODULE_PARM_DESC(keys, "a key must be invalidated before it is registered again");

/**
 * struct strict_qp - a queue pair
 * @node:	in qps
 * @rcu:	frees it
 * @qp:		of the core
 * @cap:	requested sizes
 * @qpn:	its number
 * @v1:		it has an address of RoCE version 1
 * @lock:	protects the rest
 * @posted:	work requests of the send queue, since the start
 * @done:	completed ones
 * @signaled:	value of @posted at each request that asked for a completion
 * @receives:	posted receives
 * @broken:	a completion had an error, so this module counts nothing any
 *	more
 */
struct strict_qp {
	struct hlist_node node;
	struct rcu_head rcu;
	struct ib_qp *qp;
	struct ib_qp_cap cap;
	u32 qpn;
	bool v1;
	spinlock_t lock;	/* protects the rest */
	u32 posted;
	u32 done;
	DECLARE_KFIFO_PTR(signaled, u32);
	u32 receives;
	bool broken;
};

/* A region, whose key is valid or not. */
struct strict_mr {
	struct hlist_node node;
	struct rcu_head rcu;
	struct ib_mr *mr;
	bool valid;
};

static DEFINE_HASHTABLE(qps, 8);
static DEFINE_HASHTABLE(mrs, 8);
/* Protects changes of both tables. Readers use RCU. */
static DEFINE_SPINLOCK(tables_lock);

static struct strict_qp *qp_of(const struct ib_qp *qp)
{
	struct strict_qp *q;

	hash_for_each_possible_rcu(qps, q, node, (unsigned long)qp)
		if (q->qp == qp)
			return q;
	return NULL;
}

static struct strict_mr *mr_of(u32 key, const struct ib_mr *mr)
{
	struct strict_mr *m;

	hash_for_each_possible_rcu(mrs, m, node, key >> 8)
		if (mr ? m->mr == mr : m->mr->rkey == key)
			return m;
	return NULL;
}

/* ---- creation ---- */

/* Does the device allow such a queue pair? */
int strict_queues_check_qp(const struct strict_dev *sd,
			   const struct ib_qp_init_attr *attr)
{
	const struct ib_device_attr *a = &sd->ib->attrs;
	const struct ib_qp_cap *cap = &attr->cap;

	/* the core created its own queues before this module took the device */
	if (attr->qp_type != IB_QPT_RC)
		return 0;
	if (inline_bytes >= 0 && cap->max_inline_data > (u32)inline_bytes)
		return -EINVAL;
	if (cap->max_send_sge > a->max_send_sge ||
	    cap->max_recv_sge > a->max_recv_sge ||
	    cap->max_send_wr > a->max_qp_wr || cap->max_recv_wr > a->max_qp_wr)
		return -EINVAL;
	return 0;
}

int strict_queues_check_cq(const struct strict_dev *sd,
			   const struct ib_cq_init_attr *attr)
{
	if (attr->cqe > sd->ib->attrs.max_cqe ||
	    attr->comp_vector >= sd->ib->num_comp_vectors)
		return -EINVAL;
	return 0;
}

/* Adds a new queue pair of these sizes. Return: 0 or -ENOMEM. */
int strict_queues_create_qp(struct ib_qp *qp, struct ib_qp_init_attr *attr)
{
	struct strict_qp *q;

	if (attr->qp_type != IB_QPT_RC)
		return 0;
	q = kzalloc(sizeof(*q), GFP_KERNEL);
	if (!q)
		return -ENOMEM;
	if (kfifo_alloc(&q->signaled, max(2U, attr->cap.max_send_wr),
			GFP_KERNEL)) {
		kfree(q);
		return -ENOMEM;
	}
	q->qp = qp;
	q->qpn = qp->qp_num;
	q->cap = attr->cap;
	spin_lock_init(&q->lock);
	spin_lock_bh(&tables_lock);
	hash_add_rcu(qps, &q->node, (unsigned long)qp);
	spin_unlock_bh(&tables_lock);
	__module_get(THIS_MODULE);
	return 0;
}

static void free_qp(struct rcu_head *rcu)
{
	struct strict_qp *q = container_of(rcu, struct strict_qp, rcu);

	kfifo_free(&q->signaled);
	kfree(q);
}

void strict_queues_destroy_qp(struct ib_qp *qp)
{
	struct strict_qp *q;

	spin_lock_bh(&tables_lock);
	q = qp_of(qp);
	if (q)
		hash_del_rcu(&q->node);
	spin_unlock_bh(&tables_lock);
	if (!q)
		return;
	call_rcu(&q->rcu, free_qp);
	module_put(THIS_MODULE);
}

/* The queue pair sends packets of RoCE version 1 from now on. */
void strict_queues_set_v1(struct ib_qp *qp)
{
	struct strict_qp *q;

	rcu_read_lock();
	q = qp_of(qp);
	if (q)
		WRITE_ONCE(q->v1, true);	/* partner: strict_queues_accept() */
	rcu_read_unlock();
}

/* Does the queue pair get packets of this version of RoCE? */
bool strict_queues_accept(u32 qpn, bool v1)
{
	bool known = false, match = false;
	struct strict_qp *q;
	int i;

	rcu_read_lock();
	/* queue pairs of other devices may have the same number */
	hash_for_each_rcu(qps, i, q, node) {
		if (q->qpn != qpn)
			continue;
		known = true;
		match |= READ_ONCE(q->v1) == v1;
	}
	rcu_read_unlock();
	return match || !known;
}

int strict_queues_alloc_mr(struct ib_device *ib, u32 max_num_sg)
{
	return max_num_sg > ib->attrs.max_fast_reg_page_list_len ? -EINVAL : 0;
}

void strict_queues_new_mr(struct ib_mr *mr)
{
	struct strict_mr *m = kzalloc(sizeof(*m), GFP_KERNEL);

	/* without memory this module does not check the region */
	if (!m)
		return;
	m->mr = mr;
	spin_lock_bh(&tables_lock);
	hash_add_rcu(mrs, &m->node, mr->rkey >> 8);
	spin_unlock_bh(&tables_lock);
}

void strict_queues_old_mr(struct ib_mr *mr)
{
	struct strict_mr *m;

	spin_lock_bh(&tables_lock);
	m = mr_of(mr->rkey, mr);
	if (m)
		hash_del_rcu(&m->node);
	spin_unlock_bh(&tables_lock);
	if (m)
		kfree_rcu(m, rcu);
}

/* ---- posting ---- */

static bool inline_fits(const struct strict_qp *q, const struct ib_send_wr *wr)
{
	u32 len = 0;
	int i;

	for (i = 0; i < wr->num_sge; i++)
		len += wr->sg_list[i].length;
	return len <= q->cap.max_inline_data;
}

static int check_key(const struct ib_send_wr *wr)
{
	struct strict_mr *m;

	if (!keys)
		return 0;
	if (wr->opcode == IB_WR_LOCAL_INV) {
		m = mr_of(wr->ex.invalidate_rkey, NULL);
		if (m)
			WRITE_ONCE(m->valid, false);
	} else if (wr->opcode == IB_WR_REG_MR) {
		m = mr_of(reg_wr(wr)->mr->rkey, reg_wr(wr)->mr);
		if (m && READ_ONCE(m->valid)) {
			strict_report("key %#x is registered twice",
				      reg_wr(wr)->mr->rkey);
			return -EINVAL;
		}
		if (m)
			WRITE_ONCE(m->valid, true);
	}
	return 0;
}

/* Counts one work request. Return: 0, or the error that the post returns. */
static int take_send(struct strict_qp *q, const struct ib_send_wr *wr)
{
	unsigned long flags;
	bool full;

	if (wr->num_sge > (int)q->cap.max_send_sge ||
	    (wr->send_flags & IB_SEND_INLINE && !inline_fits(q, wr))) {
		strict_report("%d pieces, flags %#x: more than was asked for",
			      wr->num_sge, wr->send_flags);
		return -EINVAL;
	}
	if (check_key(wr))
		return -EINVAL;
	spin_lock_irqsave(&q->lock, flags);
	full = !q->broken && q->posted - q->done >= q->cap.max_send_wr;
	if (!full)
		q->posted++;
	if (!full && !q->broken && wr->send_flags & IB_SEND_SIGNALED)
		kfifo_put(&q->signaled, q->posted);
	spin_unlock_irqrestore(&q->lock, flags);
	if (!full)
		return 0;
	strict_report("more than %u work requests are posted",
		      q->cap.max_send_wr);
	return -ENOMEM;
}

/*
 * The device refuses the whole chain if it refuses a work request. A real
 * device may post the requests before it. Users must handle both cases.
 */
static int post_send(struct ib_qp *qp, const struct ib_send_wr *first,
		     const struct ib_send_wr **bad)
{
	struct strict_dev *sd = strict_dev_of(qp->device);
	const struct ib_send_wr *wr;
	struct strict_qp *q;
	int err = 0;

	rcu_read_lock();
	q = qp_of(qp);
	for (wr = first; q && wr && !err; wr = wr->next)
		err = take_send(q, wr);
	if (err)
		*bad = first;
	else
		err = sd->real.post_send(qp, first, bad);
	/* this module does not know which requests the device has taken */
	if (err && q)
		WRITE_ONCE(q->broken, true);
	rcu_read_unlock();
	return err;
}

static int take_receive(struct strict_qp *q, const struct ib_recv_wr *wr)
{
	unsigned long flags;
	bool full;

	spin_lock_irqsave(&q->lock, flags);
	full = !q->broken && q->receives >= q->cap.max_recv_wr;
	q->receives++;
	spin_unlock_irqrestore(&q->lock, flags);
	if (!full && wr->num_sge <= (int)q->cap.max_recv_sge)
		return 0;
	strict_report("a receive of %d pieces, or more than %u of them",
		      wr->num_sge, q->cap.max_recv_wr);
	return -EINVAL;
}

static int post_recv(struct ib_qp *qp, const struct ib_recv_wr *first,
		     const struct ib_recv_wr **bad)
{
	struct strict_dev *sd = strict_dev_of(qp->device);
	const struct ib_recv_wr *wr;
	struct strict_qp *q;
	int err = 0;

	rcu_read_lock();
	q = qp_of(qp);
	for (wr = first; q && wr && !err; wr = wr->next)
		err = take_receive(q, wr);
	rcu_read_unlock();
	if (!err)
		return sd->real.post_recv(qp, first, bad);
	*bad = first;
	return err;
}

/* ---- completions ---- */

static void completed(struct strict_qp *q, const struct ib_wc *wc)
{
	unsigned long flags;
	u32 last;

	spin_lock_irqsave(&q->lock, flags);
	if (wc->status != IB_WC_SUCCESS)
		q->broken = true;
	if (q->broken)
		goto out;
	if (wc->opcode & IB_WC_RECV)
		q->receives--;
	else if (kfifo_get(&q->signaled, &last))
		q->done = last;
out:
	spin_unlock_irqrestore(&q->lock, flags);
}

static int poll_cq(struct ib_cq *cq, int n, struct ib_wc *wc)
{
	struct strict_dev *sd = strict_dev_of(cq->device);
	int got = sd->real.poll_cq(cq, n, wc);
	struct strict_qp *q;
	int i;

	rcu_read_lock();
	for (i = 0; i < got; i++) {
		q = wc[i].qp ? qp_of(wc[i].qp) : NULL;
		if (q)
			completed(q, &wc[i]);
	}
	rcu_read_unlock();
	return got;
}

/* Sets the limits of the device, and replaces the operations that post and
 * poll.
 */
void strict_queues_hook(struct strict_dev *sd)
{
	struct ib_device_attr *a = &sd->ib->attrs;
	struct ib_device_ops *ops = &sd->ib->ops;

	if (sges) {
		a->max_send_sge = min_t(int, a->max_send_sge, sges);
		a->max_recv_sge = min_t(int, a->max_recv_sge, sges);
	}
	if (max_wr)
		a->max_qp_wr = min_t(int, a->max_qp_wr, max_wr);
	if (max_cqe)
		a->max_cqe = min_t(int, a->max_cqe, max_cqe);
	if (max_pages)
		a->max_fast_reg_page_list_len =
			min(a->max_fast_reg_page_list_len, max_pages);
	ops->post_send = post_send;
	ops->post_recv = post_recv;
	ops->poll_cq = poll_cq;
}

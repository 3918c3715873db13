// SPDX-License-Identifier: GPL-2.0
/*
 * Quarantined elements, for which the peer may still send the last message of
 * its connection. Deployed Linux answers an abort only when its application
 * closes, and we do not wait that long. When the message arrives, the
 * quarantine ends.
 */
#include <linux/slab.h>
#include "quarantine.h"
#include "lgr.h"
#include "lgr_types.h"

/**
 * smc_quarantine_new - prepare smc_quarantine_add()
 * @e:		element; copied
 * @token:	alert token of its connection, 0: the peer will send no message
 *
 * Context: may sleep. Return: NULL: the element stays quarantined until its RMB
 * is freed.
 */
struct smc_quarantine *smc_quarantine_new(const struct smc_rmbe *e, u32 token)
{
	struct smc_quarantine *q;

	q = token ? kmalloc(sizeof(*q), GFP_KERNEL) : NULL;
	if (!q)
		return NULL;
	RB_CLEAR_NODE(&q->node);
	INIT_LIST_HEAD(&q->list);
	q->token = token;
	q->e = *e;
	return q;
}

static struct smc_quarantine *quarantine_of(const struct rb_node *node)
{
	return rb_entry(node, struct smc_quarantine, node);
}

static bool quarantine_before(struct rb_node *a, const struct rb_node *b)
{
	return quarantine_of(a)->token < quarantine_of(b)->token;
}

/**
 * smc_quarantine_add - wait for the peer's last message
 * @lgr:	group, its lock held
 * @q:	belongs to the group from now on
 */
void smc_quarantine_add(struct smc_lgr *lgr, struct smc_quarantine *q)
{
	lockdep_assert_held(&lgr->lock);
	/* tokens are random; if two are equal, the peer's message frees only
	 * one element
	 */
	rb_add(&q->node, &lgr->rmbs.quarantine, quarantine_before);
}

static struct smc_quarantine *quarantine_find(struct smc_lgr *lgr, u32 token)
{
	struct rb_node *node = lgr->rmbs.quarantine.rb_node;
	struct smc_quarantine *q;

	lockdep_assert_held(&lgr->lock);
	while (node) {
		q = quarantine_of(node);
		if (q->token == token)
			return q;
		node = token < q->token ? node->rb_left : node->rb_right;
	}
	return NULL;
}

bool smc_quarantine_heard(struct smc_lgr *lgr, u32 token)
{
	struct smc_quarantine *q;

	spin_lock_bh(&lgr->lock);
	q = quarantine_find(lgr, token);
	if (q) {
		rb_erase(&q->node, &lgr->rmbs.quarantine);
		list_add_tail(&q->list, &lgr->rmbs.heard);
	}
	spin_unlock_bh(&lgr->lock);
	if (q)
		smc_lgr_event(lgr, SMC_LGR_EVB_RMB);
	return q;
}

/**
 * smc_quarantine_next - get an element whose quarantine has ended
 * @lgr: group
 *
 * Context: worker. Return: the element, which the caller frees, or NULL.
 */
struct smc_quarantine *smc_quarantine_next(struct smc_lgr *lgr)
{
	struct smc_quarantine *q;

	spin_lock_bh(&lgr->lock);
	q = list_first_entry_or_null(&lgr->rmbs.heard, struct smc_quarantine,
				     list);
	if (q)
		list_del(&q->list);
	spin_unlock_bh(&lgr->lock);
	return q;
}

/**
 * smc_quarantine_forget - forget the elements of an RMB whose keys are revoked
 * @lgr: group
 * @rmb: RMB that is about to be freed
 *
 * Context: worker, or the group has no users any more.
 */
void smc_quarantine_forget(struct smc_lgr *lgr, const struct smc_rmb *rmb)
{
	struct smc_quarantine *q, *next;
	struct rb_node *node, *after;

	spin_lock_bh(&lgr->lock);
	for (node = rb_first(&lgr->rmbs.quarantine); node; node = after) {
		after = rb_next(node);
		q = quarantine_of(node);
		if (q->e.rmb != rmb)
			continue;
		rb_erase(node, &lgr->rmbs.quarantine);
		kfree(q);
	}
	list_for_each_entry_safe(q, next, &lgr->rmbs.heard, list) {
		if (q->e.rmb != rmb)
			continue;
		list_del(&q->list);
		kfree(q);
	}
	spin_unlock_bh(&lgr->lock);
}

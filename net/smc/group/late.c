// SPDX-License-Identifier: GPL-2.0
/*
 * Quarantined elements, for which the peer may still send the last message of
 * its connection. Deployed Linux answers an abort only when its application
 * closes, and we do not wait that long. When the message arrives, the
 * quarantine ends.
 */
#include <linux/slab.h>
#include "late.h"
#include "lgr.h"
#include "lgr_types.h"

/**
 * smc_late_new - prepare smc_late_wait()
 * @e:		element; copied
 * @token:	alert token of its connection, 0: the peer will send no message
 *
 * Context: may sleep. Return: NULL: the element stays quarantined until its RMB
 * is freed.
 */
struct smc_late *smc_late_new(const struct smc_rmbe *e, u32 token)
{
	struct smc_late *late;

	late = token ? kmalloc(sizeof(*late), GFP_KERNEL) : NULL;
	if (!late)
		return NULL;
	RB_CLEAR_NODE(&late->node);
	INIT_LIST_HEAD(&late->list);
	late->token = token;
	late->e = *e;
	return late;
}

static struct smc_late *late_of(const struct rb_node *node)
{
	return rb_entry(node, struct smc_late, node);
}

static bool late_before(struct rb_node *a, const struct rb_node *b)
{
	return late_of(a)->token < late_of(b)->token;
}

/**
 * smc_late_wait - wait for the peer's last message
 * @lgr:	group, its lock held
 * @late:	belongs to the group from now on
 */
void smc_late_wait(struct smc_lgr *lgr, struct smc_late *late)
{
	lockdep_assert_held(&lgr->lock);
	/* tokens are random; if two are equal, the peer's message frees only
	 * one element
	 */
	rb_add(&late->node, &lgr->rmbs.late, late_before);
}

static struct smc_late *late_find(struct smc_lgr *lgr, u32 token)
{
	struct rb_node *node = lgr->rmbs.late.rb_node;
	struct smc_late *late;

	lockdep_assert_held(&lgr->lock);
	while (node) {
		late = late_of(node);
		if (late->token == token)
			return late;
		node = token < late->token ? node->rb_left : node->rb_right;
	}
	return NULL;
}

bool smc_late_heard(struct smc_lgr *lgr, u32 token)
{
	struct smc_late *late;

	spin_lock_bh(&lgr->lock);
	late = late_find(lgr, token);
	if (late) {
		rb_erase(&late->node, &lgr->rmbs.late);
		list_add_tail(&late->list, &lgr->rmbs.heard);
	}
	spin_unlock_bh(&lgr->lock);
	if (late)
		smc_lgr_event(lgr, SMC_LGR_EVB_RMB);
	return late;
}

/**
 * smc_late_next - get an element whose quarantine has ended
 * @lgr: group
 *
 * Context: worker. Return: the element, which the caller frees, or NULL.
 */
struct smc_late *smc_late_next(struct smc_lgr *lgr)
{
	struct smc_late *late;

	spin_lock_bh(&lgr->lock);
	late = list_first_entry_or_null(&lgr->rmbs.heard, struct smc_late,
					list);
	if (late)
		list_del(&late->list);
	spin_unlock_bh(&lgr->lock);
	return late;
}

/**
 * smc_late_forget - forget the elements of an RMB whose keys are revoked
 * @lgr: group
 * @rmb: RMB that is about to be freed
 *
 * Context: worker, or the group has no users any more.
 */
void smc_late_forget(struct smc_lgr *lgr, const struct smc_rmb *rmb)
{
	struct smc_late *late, *next;
	struct rb_node *node, *after;

	spin_lock_bh(&lgr->lock);
	for (node = rb_first(&lgr->rmbs.late); node; node = after) {
		after = rb_next(node);
		late = late_of(node);
		if (late->e.rmb != rmb)
			continue;
		rb_erase(node, &lgr->rmbs.late);
		kfree(late);
	}
	list_for_each_entry_safe(late, next, &lgr->rmbs.heard, list) {
		if (late->e.rmb != rmb)
			continue;
		list_del(&late->list);
		kfree(late);
	}
	spin_unlock_bh(&lgr->lock);
}

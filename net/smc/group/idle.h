/* SPDX-License-Identifier: GPL-2.0 */
/* The groups of a namespace: all by number, and the idle ones by age. */
#ifndef _SMC_GROUP_IDLE_H
#define _SMC_GROUP_IDLE_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/rbtree.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include "role.h"

struct net;

#define SMC_IDLE_ROLES	2

/**
 * struct smc_idle - the groups of a namespace; they may outlive it
 * @ref:	held by the namespace and by each of its groups
 * @by_id:	groups in the table, by number; groups_lock
 * @lock:	protects @order; writers of @n hold it; taken under lgr->lock
 * @order:	idle groups by role, in the order in which they became idle. A
 *		group leaves the list when it is told to end.
 * @n:		their number; READ_ONCE by smc_idle_crowded()
 * @rmb_bytes:	elements of all groups, in bytes; atomic
 */
struct smc_idle {
	refcount_t ref;
	struct rb_root by_id;
	spinlock_t lock;	/* see above */
	struct list_head order[SMC_IDLE_ROLES];
	int n;
	atomic_long_t rmb_bytes;
};

int smc_idle_init(void);
void smc_idle_exit(void);
struct smc_idle *smc_idle_of(const struct net *net);
struct smc_idle *smc_idle_get(const struct net *net);
void smc_idle_put(struct smc_idle *idle);
void smc_idle_begin(struct smc_idle *idle, struct list_head *entry,
		    enum smc_role role);
void smc_idle_end(struct smc_idle *idle, struct list_head *entry);
bool smc_idle_crowded(const struct smc_idle *idle, int max);
struct list_head *smc_idle_take(struct smc_idle *idle, int max);

#endif

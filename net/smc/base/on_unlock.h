/* SPDX-License-Identifier: GPL-2.0 */
/* Lets a context that must not sleep for a lock register a callback at the
 * lock. The context that releases the lock runs the callback.
 */
#ifndef _SMC_BASE_ON_UNLOCK_H
#define _SMC_BASE_ON_UNLOCK_H

#include <linux/list.h>

/**
 * struct smc_on_unlock - a callback, registered at a lock that another context
 * holds
 * @list:	entry in the lock's list of callbacks; empty if the callback is
 *		not registered
 * @run:	called once by the context that releases the lock, in atomic
 *		context. The function queues work that tries to take the lock
 *		again. @list is empty by then.
 */
struct smc_on_unlock {
	struct list_head list;
	void (*run)(struct smc_on_unlock *on_unlock);
};

static inline void smc_on_unlock_init(struct smc_on_unlock *on_unlock,
				      void (*run)(struct smc_on_unlock *on_unlock))
{
	INIT_LIST_HEAD(&on_unlock->list);
	on_unlock->run = run;
}

#endif

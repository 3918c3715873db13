/* SPDX-License-Identifier: GPL-2.0 */
/* Lets a context that must not sleep for a lock register a callback at the
 * lock. The context that releases the lock runs the callback.
 */
#ifndef _SMC_BASE_LATER_H
#define _SMC_BASE_LATER_H

#include <linux/list.h>

/**
 * struct smc_later - a callback, registered at a lock that another context
 * holds
 * @list:	entry in the lock's list of callbacks; empty if the callback is
 *		not registered
 * @run:	called once by the context that releases the lock, in atomic
 *		context. The function queues work that tries to take the lock
 *		again. @list is empty by then.
 */
struct smc_later {
	struct list_head list;
	void (*run)(struct smc_later *later);
};

static inline void smc_later_init(struct smc_later *later,
				  void (*run)(struct smc_later *later))
{
	INIT_LIST_HEAD(&later->list);
	later->run = run;
}

#endif

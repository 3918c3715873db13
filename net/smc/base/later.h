/* SPDX-License-Identifier: GPL-2.0 */
/* A note of a context that needs a lock but must not sleep for it. */
#ifndef _SMC_BASE_LATER_H
#define _SMC_BASE_LATER_H

#include <linux/list.h>

/**
 * struct smc_later - a note at a lock that was taken
 * @list:	belongs to the lock; empty: there is no note
 * @run:	called once when the lock becomes free, by whoever releases it. In
 *		atomic context: it queues work that tries again. The note is not
 *		in the list any more.
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

/* SPDX-License-Identifier: GPL-2.0 */
/* A context that needs a lock but must not sleep for it leaves a note at the
 * lock.
 */
#ifndef _SMC_BASE_LATER_H
#define _SMC_BASE_LATER_H

#include <linux/list.h>

/**
 * struct smc_later - a note at a lock that another context holds
 * @list:	entry in the lock's list of notes; empty if the note is not in
 *		the list
 * @run:	called once by the context that releases the lock, in atomic
 *		context. The function queues work that tries to take the lock
 *		again. The note has left the list by then.
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

// SPDX-License-Identifier: GPL-2.0
/* call_rcu() may be lazy, and call_rcu_hurry() is not. */
#include <linux/rcupdate.h>

static inline void smc_probe_rcu_hurry(struct rcu_head *head,
				       rcu_callback_t func)
{
	call_rcu_hurry(head, func);
}

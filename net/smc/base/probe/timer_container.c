// SPDX-License-Identifier: GPL-2.0
/* from_timer() is called timer_container_of(). */
#include <linux/timer.h>

struct smc_probe_timer {
	struct timer_list timer;
};

static inline struct smc_probe_timer *
smc_probe_timer_container(struct timer_list *t)
{
	struct smc_probe_timer *owner = timer_container_of(owner, t, timer);

	return owner;
}

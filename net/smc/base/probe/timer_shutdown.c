// SPDX-License-Identifier: GPL-2.0
/* A timer can be shut down, so that it cannot be armed again. */
#include <linux/timer.h>

static inline int smc_probe_timer_shutdown(struct timer_list *timer)
{
	return timer_shutdown_sync(timer);
}

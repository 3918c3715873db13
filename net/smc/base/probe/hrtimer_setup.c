// SPDX-License-Identifier: GPL-2.0
/* hrtimer_setup() also sets the callback. */
#include <linux/hrtimer.h>

static inline void
smc_probe_hrtimer_setup(struct hrtimer *timer,
			enum hrtimer_restart (*over)(struct hrtimer *timer))
{
	hrtimer_setup(timer, over, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
}

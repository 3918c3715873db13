// SPDX-License-Identifier: GPL-2.0
/* The in-host transport, built into the test module without tracepoints. */
#include <linux/types.h>

#define _SMC_BASE_TRACE_H
static inline void trace_smc_violation(const char *what, const void *obj,
				       u64 value)
{
}

#include "../../transport/ep_fsm.c"
#undef GO
#undef IGN
#undef BAD
#include "../../transport/loop.c"

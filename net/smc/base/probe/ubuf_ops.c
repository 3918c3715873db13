// SPDX-License-Identifier: GPL-2.0
/* struct ubuf_info has its functions in a table. */
#include <linux/skbuff.h>

static inline void smc_probe_ubuf_ops(struct ubuf_info *uarg)
{
	uarg->ops->complete(NULL, uarg, true);
}

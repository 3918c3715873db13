// SPDX-License-Identifier: GPL-2.0
/* Family SMC_GEN_NETLINK: headers and positions of dumps. */
#include <linux/module.h>
#include "genl_msg.h"

struct genl_family smc_genl_msg_family __ro_after_init = {
	.name = SMC_GENL_FAMILY_NAME,
	.version = SMC_GENL_FAMILY_VERSION,
	.netnsok = true,
	.module = THIS_MODULE,
	.maxattr = 1,
	/* some programs leave random bytes in the reserved field */
	.resv_start_op = SMC_CMD_HS_LIMIT_DISABLE + 1,
};

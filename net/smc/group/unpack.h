/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Passes the records of received frames to the connections (frames.rst, F-04,
 * F-06). The code runs in the link's receive context, one call at a time.
 */
#ifndef _SMC_GROUP_UNPACK_H
#define _SMC_GROUP_UNPACK_H

#include <linux/types.h>
#include "../wire/frame.h"
#include "credit.h"

/**
 * struct smc_unpack - the oldest frame that is not handled completely
 * @next:	0: neither the count nor a record of the frame was handled;
 *		otherwise number of the next record, from 1 on
 */
struct smc_unpack {
	u16 next;
};

int smc_unpack_open(struct smc_unpack *u, struct smc_credit *c, const u8 *buf,
		    size_t n, struct smc_frame_in *in);
int smc_unpack_records(struct smc_unpack *u, struct smc_frame_in *in,
		       int (*take)(void *ctx,
				   const struct smc_frame_record *rec),
		       void *ctx);

#endif

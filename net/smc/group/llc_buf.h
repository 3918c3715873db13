/* SPDX-License-Identifier: GPL-2.0 */
/* LLC messages in the queues of a group. */
#ifndef _SMC_GROUP_LLC_BUF_H
#define _SMC_GROUP_LLC_BUF_H

#include <linux/types.h>
#include "../wire/llc_msg.h"

struct page;

/**
 * struct smc_llc_buf - an LLC message in a queue
 * @uid:	user ID of the link on which the message arrived
 * @len:	bytes of the whole message, 0 if @b holds all that matters
 * @page:	the whole message if @len is not 0; NULL if there was no memory
 * @b:		its first 44 bytes
 */
struct smc_llc_buf {
	u32 uid;
	u16 len;
	struct page *page;
	u8 b[SMC_LLC_LEN];
};

/**
 * struct smc_llc_in - an LLC message that has arrived
 * @m:		content
 * @buf:	the encoded message, which still holds the lists of @m
 * @len:	bytes in @buf
 * @cut:	bytes of the message for which there was no memory
 */
struct smc_llc_in {
	struct smc_llc_msg m;
	const u8 *buf;
	u16 len;
	u16 cut;
};

#endif

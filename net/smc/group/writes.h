/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RDMA WRITEs that precede a frame: bytes of one member, which its record in
 * the frame announces. They are kept until the frame has completed. If the
 * frame could not be posted, it gets another slot, and the WRITEs are copied to
 * that slot.
 */
#ifndef _SMC_GROUP_WRITES_H
#define _SMC_GROUP_WRITES_H

#include <linux/types.h>
#include "../transport/transport.h"

struct page;

enum {
	SMC_WRITES_PIECES	= 16,	/* 64 KiB in order-0 pages */
};

/**
 * struct smc_writes - WRITEs of a frame
 * @n:		number of WRITEs
 * @pieces:	limit of pieces of each WRITE
 * @max:	limit of bytes of each WRITE
 * @one:	the WRITEs; each piece holds a reference on its page
 */
struct smc_writes {
	u32 n;
	u32 pieces;
	u32 max;
	struct smc_writes_one {
		u32 rkey;
		u64 raddr;
		u32 len;
		u32 n;
		struct {
			struct page *page;
			u32 off;
			u32 len;
		} piece[SMC_WRITES_PIECES];
	} one[SMC_EP_MAX_WRITES];
};

void smc_writes_init(struct smc_writes *w, const struct smc_ep *ep);
void smc_writes_begin(struct smc_writes *w, u32 rkey, u64 raddr);
u32 smc_writes_page(struct smc_writes *w, struct page *page, u32 off, u32 len);
void smc_writes_add(const struct smc_writes *w, struct smc_ep *ep,
		    struct smc_ep_slot *slot);
void smc_writes_drop(struct smc_writes *w);

#endif

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
 * @ep:		endpoint that posts them
 * @n:		number of WRITEs
 * @max_pieces:	limit of pieces
 * @max:	limit of bytes of each WRITE
 * @n_pieces:	number of pieces
 * @one:	the WRITEs
 * @piece:	their pieces, in order; each holds a reference on its page
 */
struct smc_writes {
	const struct smc_ep *ep;
	u32 n;
	u32 max_pieces;
	u32 max;
	u32 n_pieces;
	struct smc_writes_one {
		u64 raddr;
		u32 rkey;
		u32 len;
		u32 n_pieces;
	} one[SMC_EP_MAX_WRITES];
	struct smc_writes_piece {
		struct page *page;
		u32 off;
		u32 len;
	} piece[SMC_WRITES_PIECES];
};

void smc_writes_begin(struct smc_writes *w, u32 rkey, u64 raddr);
u32 smc_writes_page(struct smc_writes *w, struct page *page, u32 off, u32 len);
void smc_writes_add(const struct smc_writes *w, struct smc_ep *ep,
		    struct smc_ep_slot *slot);
void smc_writes_drop(struct smc_writes *w);

/** smc_writes_init() - initialise, without WRITEs; @ep will post them */
static inline void smc_writes_init(struct smc_writes *w,
				   const struct smc_ep *ep)
{
	w->ep = ep;
	w->n = 0;
	w->n_pieces = 0;
}

#endif

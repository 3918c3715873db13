// SPDX-License-Identifier: GPL-2.0
/* RDMA WRITEs that precede a frame. See writes.h. */
#include <linux/bug.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include "writes.h"

/**
 * smc_writes_begin() - start the next WRITE
 * @w:		WRITEs, fewer than SMC_EP_MAX_WRITES
 * @rkey:	the peer's key
 * @raddr:	the peer's address
 *
 * Context: any.
 */
void smc_writes_begin(struct smc_writes *w, u32 rkey, u64 raddr)
{
	struct smc_writes_one *one = &w->one[w->n];

	if (WARN_ON_ONCE(w->n == SMC_EP_MAX_WRITES))
		return;
	if (!w->n) {
		w->max_pieces = min_t(u32, smc_ep_max_pieces(w->ep),
				      SMC_WRITES_PIECES);
		w->max = smc_ep_max_write(w->ep);
	}
	w->n++;
	one->rkey = rkey;
	one->raddr = raddr;
	one->len = 0;
	one->n_pieces = 0;
}

/**
 * smc_writes_page() - append bytes to the last WRITE
 * @w:		WRITEs, at least one
 * @page:	page with the bytes, which may be a compound page; the function
 *		takes a reference
 * @off:	offset of the first byte, may exceed PAGE_SIZE
 * @len:	number of bytes
 *
 * The bytes must not change before smc_writes_drop(). Context: any. Return:
 * number of bytes taken; less than @len if the WRITE is full, or the list of
 * pieces.
 */
u32 smc_writes_page(struct smc_writes *w, struct page *page, u32 off, u32 len)
{
	struct smc_writes_one *one = &w->one[w->n - 1];
	struct smc_writes_piece *last;

	len = min(len, w->max - one->len);
	if (!len)
		return 0;
	last = one->n_pieces ? &w->piece[w->n_pieces - 1] : NULL;
	if (last && last->page == page && last->off + last->len == off) {
		last->len += len;
	} else {
		if (w->n_pieces == w->max_pieces)
			return 0;
		get_page(page);
		w->piece[w->n_pieces++] = (struct smc_writes_piece) {
			.page = page, .off = off, .len = len,
		};
		one->n_pieces++;
	}
	one->len += len;
	return len;
}

/**
 * smc_writes_add() - put the WRITEs into a send slot
 * @w:		WRITEs, initialised by smc_writes_init() with @ep
 * @ep:		endpoint
 * @slot:	slot that has no WRITEs
 *
 * Context: any.
 */
void smc_writes_add(const struct smc_writes *w, struct smc_ep *ep,
		    struct smc_ep_slot *slot)
{
	const struct smc_writes_piece *piece = w->piece;
	u32 i, k;

	for (i = 0; i < w->n; i++) {
		const struct smc_writes_one *one = &w->one[i];

		smc_ep_write_begin(ep, slot, one->rkey, one->raddr);
		for (k = 0; k < one->n_pieces; k++, piece++)
			smc_ep_write_page(ep, slot, piece->page, piece->off,
					  piece->len);
	}
}

/**
 * smc_writes_drop() - forget all WRITEs; no device uses them any more
 * @w:	WRITEs
 *
 * Context: any.
 */
void smc_writes_drop(struct smc_writes *w)
{
	while (w->n_pieces)
		put_page(w->piece[--w->n_pieces].page);
	w->n = 0;
}

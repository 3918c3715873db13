/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RMBs and their elements (RFC 7609, 2.1 and 4.1 to 4.4). An RMB is a list
 * of pages cut into equal elements, registered once per link. A connection
 * takes one element.
 */
#ifndef _SMC_GROUP_RMBE_H
#define _SMC_GROUP_RMBE_H

#include <linux/types.h>

struct page;
struct smc_lgr;
struct smc_link;
struct smc_rmb;

/**
 * struct smc_rmbe - one element in the hands of a connection
 * @rmb:	the buffer it is part of; NULL: no element held
 * @idx:	index as told to the peer, 1..255 (R-2.1-11)
 * @size:	bytes, 16 KiB << n
 * @pages:	order-0 pages of the whole RMB
 * @first:	index into @pages of the element's first page; an element
 *		starts on a page boundary
 * @rkey:	key of the RMB on the link that Accept or Confirm names
 * @addr:	its address there
 */
struct smc_rmbe {
	struct smc_rmb *rmb;
	u8 idx;
	u32 size;
	struct page **pages;
	u32 first;
	u32 rkey;
	u64 addr;
};

/**
 * smc_rmbe_put - give an element back
 * @lgr:	its group
 * @e:		element; @e->rmb is NULL afterwards
 * @used:	bytes from the start of the element that the peer announced,
 *		they are zeroed before the element is handed out again
 * @clean:	both sides have said closed or aborted, the peer will not write
 *		(R-4.4.2-01). Otherwise the element is quarantined until the
 *		keys of its RMB are revoked.
 *
 * Context: may sleep.
 */
void smc_rmbe_put(struct smc_lgr *lgr, struct smc_rmbe *e, u32 used, bool clean);

/** smc_rmbe_size_code - Bsize code (R-A.2.3-06) of an element of @size bytes */
u8 smc_rmbe_size_code(u32 size);

/** smc_rmbe_round - element size for a wish of @bytes: 16 KiB << n, capped */
u32 smc_rmbe_round(u32 bytes);

int smc_rmbe_first(struct smc_lgr *lgr, const struct smc_link *link, u32 size,
		   struct smc_rmbe *e);
bool smc_rmbe_full(const struct smc_lgr *lgr, u32 size);
bool smc_rmbe_any_free(struct smc_lgr *lgr, u8 code);
int smc_rmbe_get(struct smc_lgr *lgr, const struct smc_link *link, u32 size,
		 struct smc_rmbe *e);
void smc_rmbe_want(struct smc_lgr *lgr, u32 size);

#endif

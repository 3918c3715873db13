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
 * struct smc_rmbe - an element that a connection or a contact owns
 * @rmb:	RMB that contains it; NULL: no element
 * @idx:	index of the element, as the peer knows it, 1..255 (R-2.1-11)
 * @size:	bytes, 16 KiB << n
 * @pages:	order-0 pages of the whole RMB
 * @first:	index into @pages of the element's first page; an element
 *		starts on a page boundary
 * @rkey:	key of the RMB on the link that Accept or Confirm names
 * @addr:	address of the RMB on that link
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
 * @lgr:	the element's group
 * @e:		element; @e->rmb is NULL afterwards
 * @used:	bytes from the start of the element that the peer may have
 *		written. They are zeroed before another connection takes the
 *		element
 * @clean:	both sides have sent closed or abort, so the peer writes no more
 *		(R-4.4.2-01). Otherwise the element is quarantined until the
 *		keys of its RMB are revoked, or until smc_quarantine_heard() is
 *		called for it.
 * @token:	not @clean: alert token of the connection, if this side has sent
 *		C or A; else 0
 *
 * Context: may sleep.
 */
void smc_rmbe_put(struct smc_lgr *lgr, struct smc_rmbe *e, u32 used, bool clean,
		  u32 token);

/*
 * The owner of an element chooses its eye catcher (R-4.2-02). "SMCR" in EBCDIC.
 */
#define SMC_RMBE_EYE	"\xe2\xd4\xc3\xd9"

/** smc_rmbe_size_code - size code (R-A.2.3-06) of an element of @size bytes */
u8 smc_rmbe_size_code(u32 size);

/**
 * smc_rmbe_round - get the size of an element
 * @bytes:	wanted size
 *
 * Return: 16 KiB << n, in whole pages, within the limit.
 */
u32 smc_rmbe_round(u32 bytes);

u64 smc_rmbe_offset(const struct smc_rmbe *e);
bool smc_rmbe_key(const struct smc_link *link, const struct smc_rmbe *e,
		  u32 *rkey);
bool smc_rmbe_needs_sync(const struct smc_link *link, const struct smc_rmbe *e);
void smc_rmbe_received(const struct smc_link *link, const struct smc_rmbe *e,
		       u32 off, u32 len);
int smc_rmbe_first(struct smc_lgr *lgr, const struct smc_link *link, u32 size,
		   struct smc_rmbe *e);
bool smc_rmbe_full(const struct smc_lgr *lgr, u32 size);
bool smc_rmbe_any_free(struct smc_lgr *lgr, u8 code);
int smc_rmbe_get(struct smc_lgr *lgr, const struct smc_link *link, u32 size,
		 struct smc_rmbe *e);
bool smc_rmbe_borrow(struct smc_lgr *lgr, const struct smc_link *link, u32 size,
		     struct smc_rmbe *e);
void smc_rmbe_reclaim(struct smc_lgr *lgr);
void smc_rmbe_want(struct smc_lgr *lgr, u32 size);

#endif

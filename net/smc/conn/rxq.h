/* SPDX-License-Identifier: GPL-2.0 */
/* The queue of received bytes. */
#ifndef _SMC_CONN_RXQ_H
#define _SMC_CONN_RXQ_H

#include <linux/list.h>
#include <linux/types.h>

struct bio_vec;
struct msghdr;
struct page;
struct smc_conn;

/** enum smc_extent_kind - where the bytes of an extent are */
enum smc_extent_kind {
	SMC_EXTENT_RING,
	SMC_EXTENT_BUF,
	SMC_EXTENT_PAGE,
};

/**
 * struct smc_extent - a run of received bytes and its place in memory
 * @list:	entry in conn->rx.extents, in the order of the stream
 * @start:	stream position of the first byte. The run ends where the next
 *		extent starts; the run of the last extent ends at rx.prod.
 * @kind:	where the bytes are
 * @buf:	SMC_EXTENT_BUF: contiguous memory of the run, from @start on
 * @page:	SMC_EXTENT_PAGE: (compound) page with the run
 * @pages:	SMC_EXTENT_RING: order-0 pages of a ring
 * @skip:	with @page: offset of the first byte; with @pages: bytes in
 *		front of the ring, less than a page
 * @ring:	size of the ring in bytes; position p is at @skip + p modulo
 *		@ring
 *
 * The dialect owns the memory, and adds and removes extents under conn->lock;
 * dialect.h describes what the dialect may do while a reader copies.
 */
struct smc_extent {
	struct list_head list;
	u64 start;
	union {
		u8 *buf;
		struct page *page;
		struct page **pages;
	};
	u32 skip;
	u32 ring;
	enum smc_extent_kind kind;
};

u32 smc_rxq_to_iter(const struct smc_conn *conn, struct msghdr *msg, u64 pos,
		    u32 len);
bool smc_rxq_in_page(const struct smc_conn *conn, u64 pos);
u32 smc_rxq_to_pages(const struct smc_conn *conn, struct bio_vec *vecs,
		     unsigned int *nr, u64 pos, u32 len);
void smc_rxq_to_mem(const struct smc_conn *conn, u8 *to, u64 pos, u32 len);
void smc_rxq_passed(struct smc_conn *conn, u64 pos);

#endif

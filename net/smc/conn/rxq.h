/* SPDX-License-Identifier: GPL-2.0 */
/* The queue of a receiver: where the bytes that came lie. */
#ifndef _SMC_CONN_RXQ_H
#define _SMC_CONN_RXQ_H

#include <linux/list.h>
#include <linux/types.h>

struct msghdr;
struct page;
struct smc_conn;

/**
 * struct smc_extent - where a run of received bytes lies
 * @list:	conn->rx.extents, in the order of the stream
 * @start:	stream position of the first byte. The run ends where the next
 *		extent starts, the last one at rx.prod.
 * @buf:	memory that holds the run in one piece, @start first; or NULL
 * @pages:	without @buf: order-0 pages of a ring
 * @ring:	without @buf: bytes of the ring; position p lies at p modulo
 *		@ring
 *
 * The dialect owns the memory, and adds and removes extents under conn->lock;
 * dialect.h says what it may do while a reader copies.
 */
struct smc_extent {
	struct list_head list;
	u64 start;
	u8 *buf;
	struct page **pages;
	u32 ring;
};

u32 smc_rxq_to_iter(const struct smc_conn *conn, struct msghdr *msg, u64 pos,
		    u32 len);
void smc_rxq_to_mem(const struct smc_conn *conn, u8 *to, u64 pos, u32 len);
void smc_rxq_passed(struct smc_conn *conn, u64 pos);

#endif

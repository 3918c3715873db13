/* SPDX-License-Identifier: GPL-2.0 */
/* The queue of a producer: bytes that are not known to be delivered (D6). */
#ifndef _SMC_CONN_TXQ_H
#define _SMC_CONN_TXQ_H

#include <linux/list.h>
#include <linux/types.h>

struct page;
struct smc_conn;

/**
 * struct smc_seg - a run of queued bytes in one (compound) page
 * @list:	conn->tx.segs
 * @start:	stream position of the first byte
 * @page:	holds the bytes, one reference
 * @off:	of the first byte in @page
 * @len:	bytes
 * @charge:	bytes charged to the owner for it
 * @kind:	enum smc_seg_kind
 */
struct smc_seg {
	struct list_head list;
	u64 start;
	struct page *page;
	u32 off;
	u32 len;
	u32 charge;
	u8 kind;
};

void smc_txq_delivered(struct smc_conn *conn);
void smc_txq_purge(struct smc_conn *conn);
void smc_txq_uncharge(struct smc_conn *conn);
void smc_txq_destroy(struct smc_conn *conn);
struct smc_seg *smc_txq_at(struct smc_conn *conn, u64 pos);
u32 smc_txq_room(const struct smc_conn *conn);

#endif

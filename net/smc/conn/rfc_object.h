/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The data of a connection that belong to the dialect of RFC 7609 (rfc.c). Only
 * the rfc_*.c files use it.
 */
#ifndef _SMC_CONN_RFC_OBJECT_H
#define _SMC_CONN_RFC_OBJECT_H

#include <linux/rhashtable-types.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include "../base/on_unlock.h"
#include "../group/rmbe.h"
#include "../wire/cdc.h"
#include "rxq.h"

struct smc_lgr;
struct smc_link;

/**
 * struct smc_rfc_peer - the peer's element
 * @token:	alert token of the peer's connection
 * @rkey:	key of the element on the link that is used for sending
 * @addr:	address of the element on that link
 * @size:	bytes of data; 0: not known yet
 * @rmb:	number of its RMB, for smc_member_peer_key()
 * @off:	offset of the data in its RMB
 *
 * @rkey and @addr change with the link, under conn->lock. The other members are
 * constant after smc_life_start().
 */
struct smc_rfc_peer {
	u32 token;
	u32 rkey;
	u64 addr;
	u32 size;
	u32 rmb;
	u64 off;
};

/**
 * struct smc_rfc_claim - the claim to write to the peer's element
 * @node:	entry in the table of rfc_element.c, from start until leave
 * @key:	element @key.off of RMB @key.rmb of the peer in group @key.lgr;
 *		constant while @node is in the table
 */
struct smc_rfc_claim {
	struct rhash_head node;
	struct {
		struct smc_lgr *lgr;
		u64 off;
		u64 rmb;
	} key;
};

/**
 * struct smc_rfc_tx - sending by WRITEs and CDC messages; conn->lock
 * @peer_cons:	consumer position that the peer has sent
 * @high:	position behind the last byte that was posted on any link so far
 * @inflight:	number of bundles that are posted and not completed; together
 *		they hold one reference on the connection
 * @seq:	sequence number of the last message posted
 * @ss:		sequence number of the last message completed (R-4.6.1-02)
 * @flags:	producer flags of the last message posted
 * @path:	enum smc_rfc_path_state, written by smc_rfc_failover_step() only
 * @spoke:	at least one message was posted; @seq does not show this,
 *		because it wraps to 0
 * @update:	the peer needs our consumer position
 * @target:	link to move to, with a reference; NULL: keep the link
 *
 * Positions: peer_cons <= tx.sent <= tx.edge = peer_cons + peer.size, and
 * tx.sent <= high. tx.fin is less than peer_cons only while something is in
 * flight.
 */
struct smc_rfc_tx {
	u64 peer_cons;
	u64 high;
	u32 inflight;
	u16 seq;
	u16 ss;
	u8 flags;
	u8 path;
	bool spoke;
	bool update;
	struct smc_link *target;
};

/**
 * struct smc_rfc_order - order of CDC messages when the peer moves; conn->lock
 * @seq:	sequence number of the last message taken (R-4.6.1-03)
 * @until:	in a gap: sequence number of the last message that the old link
 *		delivers
 * @promised:	in a gap: last message that any link before the newest delivers;
 *		not @until if the peer has moved twice
 * @state:	enum smc_rfc_order_state, written by rx_order_step()
 *		only
 * @moved:	the peer has moved at least once, so it may send a range again
 * @held:	newest message of the new link, in SMC_ORDER_HELD
 */
struct smc_rfc_order {
	u16 seq;
	u16 until;
	u16 promised;
	u8 state;
	bool moved;
	struct smc_cdc held;
};

/**
 * struct smc_rfc_rx - own element; conn->lock
 * @rmbe:	the element; its rmb is NULL before attach and after its return
 * @bytes:	extent of the element. Unread bytes from @bytes.start on are in
 *		the element, earlier unread bytes are in struct smc_rfc_kept.
 * @told:	consumer position in the last message posted
 * @flags:	producer flags of the last message taken
 * @late:	flags C and A that the peer sent while the connection left
 *
 * Positions: told <= smc_rfc_tx_freed() <= rx.prod <= told + rx.size.
 */
struct smc_rfc_rx {
	struct smc_rmbe rmbe;
	struct smc_extent bytes;
	u64 told;
	u8 flags;
	u8 late;
};

/**
 * struct smc_rfc_kept - copy of unread bytes of the element, made because the
 * peer waits until its urgent byte is consumed; conn->lock
 * @bytes:	extent of the copy; an entry of rx.extents while @bytes.buf is
 *		set
 * @charge:	number of bytes charged to the owner for the copy
 * @one:	buffer for a single byte
 * @work:	allocates memory and fills it; holds references on the
 *		connection and on the owner while it is queued
 * @on_unlock:	queues @work when a lock becomes free; holds the same references
 *		while it is queued at the lock
 */
struct smc_rfc_kept {
	struct smc_extent bytes;
	u32 charge;
	u8 one;
	struct work_struct work;
	struct smc_on_unlock on_unlock;
};

/**
 * struct smc_rfc - data of the dialect of RFC 7609 for a connection
 * @peer:	the peer's element
 * @claim:	the claim to the peer's element
 * @tx:		sending
 * @rx:		own element
 * @order:	order of messages
 * @eye:	bytes of the eye catcher of both elements, 0: none; constant
 *		after attach
 * @kept:	bytes copied out of the own element
 */
struct smc_rfc {
	struct smc_rfc_peer peer;
	struct smc_rfc_claim claim;
	struct smc_rfc_tx tx;
	struct smc_rfc_rx rx;
	struct smc_rfc_order order;
	u8 eye;
	struct smc_rfc_kept kept;
};

#endif

// SPDX-License-Identifier: GPL-2.0
/* Filling of frames. See pack.h. */
#include <linux/errno.h>
#include "pack.h"

/**
 * smc_pack_next() - choose what a link sends next
 * @c: credits of the link; the function notes that a frame waits for one
 * @coalesce: frames of the link that are in flight
 * @due: bytes of records that wait, with their data; an estimate is enough
 * @size: largest frame that the peer receives
 * @unread: connections of the link have data to read
 *
 * A frame also carries the new credit count for the peer. So if a new count is
 * due, the records that wait are sent at once (F-08). Context: any.
 *
 * Return: what to send. After SMC_PACK_NOTHING the caller calls the function
 * again when a record is due, a frame has completed, a frame has arrived, or a
 * receive was posted. After SMC_PACK_HOLD the caller also calls it when
 * @coalesce->mean_ns has passed, with @unread false.
 */
enum smc_pack_do smc_pack_next(struct smc_credit *c,
			       const struct smc_coalesce *coalesce, u64 due, u32 size,
			       bool unread)
{
	bool raise = smc_credit_raise_due(c);
	bool full, wants;

	if (!due && !raise)
		return SMC_PACK_NOTHING;
	full = due >= size - SMC_FRAME_HDR_LEN - size / SMC_PACK_REST;
	wants = due && (raise || smc_coalesce_may_send(coalesce, full));
	if (wants && !smc_credit_may_send(c, SMC_CREDIT_FRAME))
		c->waits = 1;
	else if (wants)
		return !raise && !full && unread &&
		       smc_coalesce_holds(coalesce) ? SMC_PACK_HOLD :
						      SMC_PACK_FRAME;
	if (raise && smc_credit_may_send(c, SMC_CREDIT_RAISE))
		return SMC_PACK_RAISE;
	return SMC_PACK_NOTHING;
}

/**
 * smc_pack_room() - ask how many bytes of data a record may have
 * @p: frame
 * @parts: parts of the record; and SMC_FRAME_SHORT
 * @want: bytes of data that the connection has
 * @others: number of connections that wait behind it
 *
 * While others wait, a connection gets only its share of a frame.
 * Context: any.
 *
 * Return: bytes, at most @want; -ENOSPC: the connection must wait for the next
 * frame.
 */
int smc_pack_room(const struct smc_pack *p, u8 parts, u64 want, u32 others)
{
	int room = smc_frame_room(&p->f, parts);
	u32 share = p->size / (others + 1);

	if (room < 0 || p->n == SMC_PACK_RECORDS)
		return -ENOSPC;
	if (p->n && want > (u32)room &&
	    (room < SMC_PACK_PIECE_MIN || want <= SMC_PACK_SHARE_MIN))
		return -ENOSPC;
	if (share < SMC_PACK_SHARE_MIN)
		share = SMC_PACK_SHARE_MIN;
	if (want > (u32)room)
		want = (u32)room;
	if (want > share)
		want = share;
	return (int)want;
}

/**
 * smc_pack_add() - append the record of a connection
 * @p: frame, without a record of this connection
 * @rec: the record; @rec->len is at most smc_pack_room()
 * @who: the connection
 * @move: number of its changes of links
 *
 * Context: any.
 *
 * Return: memory for @rec->len bytes of data; NULL: the record does not fit or
 * is invalid, and the frame is unchanged.
 */
u8 *smc_pack_add(struct smc_pack *p, const struct smc_frame_record *rec,
		 void *who, u32 move)
{
	u8 *data;

	if (p->n == SMC_PACK_RECORDS)
		return NULL;
	data = smc_frame_add(&p->f, rec);
	if (data)
		p->entry[p->n++] = (struct smc_pack_entry){
			.who = who, .move = move, .prod = rec->prod,
		};
	return data;
}


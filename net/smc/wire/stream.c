// SPDX-License-Identifier: GPL-2.0
/* Stream positions, windows and cursors. See stream.h. */
#include <linux/errno.h>
#include <linux/log2.h>
#include <linux/math64.h>

#include "stream.h"

/*
 * Splits a position: returns the completed laps, and sets the offset in the
 * lap.
 */
static u64 split_pos(u64 pos, u32 size, u32 *offset)
{
	if (is_power_of_2(size)) {
		*offset = (u32)(pos & (size - 1));
		return pos >> ilog2(size);
	}
	return div_u64_rem(pos, size, offset);
}

/**
 * smc_stream_offset() - offset of a position in the element
 * @pos: position in bytes
 * @size: usable bytes of the element, not 0
 *
 * Return: offset in bytes, below @size.
 */
u32 smc_stream_offset(u64 pos, u32 size)
{
	u32 offset;

	split_pos(pos, size, &offset);
	return offset;
}

/**
 * smc_stream_contig() - number of contiguous bytes up to the end of the element
 * @pos: position in bytes
 * @size: usable bytes of the element, not 0
 * @len: bytes wanted
 *
 * Return: number of bytes from @pos on that are contiguous, at most @len. The
 * other bytes continue at offset 0 (RFC 7609 4.7, R-4.7-04).
 */
u32 smc_stream_contig(u64 pos, u32 size, u64 len)
{
	u32 room = size - smc_stream_offset(pos, size);

	return len < room ? (u32)len : room;
}

/**
 * smc_stream_window() - free bytes of the window
 * @size: usable bytes of the element
 * @produced: position behind the last byte written
 * @consumed: position behind the last byte that is known to be read
 *
 * Return: @size minus the bytes not yet read (R-4.5.1-10). Return 0 for
 * impossible positions (more unread bytes than @size, or read before written),
 * so that an error never opens the window.
 */
u32 smc_stream_window(u32 size, u64 produced, u64 consumed)
{
	u64 used = produced - consumed;

	return used > size ? 0 : size - (u32)used;
}

/**
 * smc_stream_to_wire() - cursor of a position
 * @pos: position in bytes
 * @size: usable bytes of the element, not 0
 * @wrap: output: wrap count (laps modulo 65536)
 * @curs: output: cursor, below @size
 */
void smc_stream_to_wire(u64 pos, u32 size, u16 *wrap, u32 *curs)
{
	*wrap = (u16)split_pos(pos, size, curs);
}

/**
 * smc_stream_expand() - convert a received cursor to a position
 * @ref: last known position; the cursor cannot be before this position
 * @size: usable bytes of the element in which the cursor counts
 * @wrap: wrap count received
 * @curs: cursor received
 * @max_ahead: limit of bytes that the peer may have advanced since @ref
 * @pos: output: position; unchanged after an error
 *
 * The position is the first one from @ref on that has this cursor. So a cursor
 * that has moved backwards counts as nearly 65536 laps ahead. The function
 * refuses such a cursor, and a cursor that exceeds the window (R-A.4-13).
 *
 * Return: 0, or -ERANGE if the cursor is impossible.
 */
int smc_stream_expand(u64 ref, u32 size, u16 wrap, u32 curs, u64 max_ahead,
		      u64 *pos)
{
	u64 lap, ahead;
	u32 offset;

	if (curs >= size)
		return -ERANGE;

	lap = split_pos(ref, size, &offset);
	ahead = (u64)(u16)(wrap - (u16)lap) * size;
	if (!ahead && curs < offset)
		ahead = (u64)size << 16;
	ahead = ahead + curs - offset;
	if (ahead > max_ahead)
		return -ERANGE;

	*pos = ref + ahead;
	return 0;
}

/**
 * smc_stream_update_due() - must this side send a CDC message only for the
 * cursor?
 * @size: usable bytes of our element
 * @produced: position behind the last byte that the peer wrote
 * @cons_told: consumer position in the last CDC we sent
 * @cons_now: consumer position now
 * @peer_blocked: B was set in the last CDC received
 * @requested: R was set in the last CDC received
 *
 * RFC 7609 4.5.1 has three cases. In the first, the window that the peer knows
 * is less than half of the element, and the update adds at least 10 percent
 * (X-16 fixes both bounds). In the second, the peer is blocked and at least one
 * byte was read. In the third, the peer has asked for an update and its
 * information is old. An update without a new position is never due.
 *
 * Return: true if a CDC message must be sent (R-4.5.1-01..08).
 */
bool smc_stream_update_due(u32 size, u64 produced, u64 cons_told, u64 cons_now,
			   bool peer_blocked, bool requested)
{
	u64 gain = cons_now - cons_told;
	u64 seen = smc_stream_window(size, produced, cons_told);

	if (!gain)
		return false;
	if (peer_blocked || requested)
		return true;
	return 2 * seen < size && 10 * gain >= size;
}

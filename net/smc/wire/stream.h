/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stream positions. Inside the module a position is a 64-bit count of bytes
 * since the start of the connection. Cursor and wrap count exist only on the
 * wire (RFC 7609 4.3, 4.7). So tests for empty, full and order are plain
 * subtractions, and an overflow of the 16-bit wrap count is not a special case.
 *
 * @size is always the usable size of the element in bytes, without the eye
 * catcher of RFC mode. A caller with an eye catcher adds its 4 bytes to the
 * cursor. @size need not be a power of two, but a power of two is faster.
 *
 * The functions only calculate, and run in any context.
 */
#ifndef SMC_WIRE_STREAM_H
#define SMC_WIRE_STREAM_H

#include <linux/types.h>

u32 smc_stream_offset(u64 pos, u32 size);
u32 smc_stream_contig(u64 pos, u32 size, u64 len);
u32 smc_stream_window(u32 size, u64 produced, u64 consumed);

void smc_stream_to_wire(u64 pos, u32 size, u16 *wrap, u32 *curs);
int smc_stream_expand(u64 ref, u32 size, u16 wrap, u32 curs, u64 max_ahead,
		      u64 *pos);

bool smc_stream_update_due(u32 size, u64 produced, u64 cons_told, u64 cons_now,
			   bool peer_blocked, bool requested);

#endif /* SMC_WIRE_STREAM_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * Dialect of frames: what the owner pays for received bytes. Softirq cannot
 * charge the owner. So a reader charges the owner for the window, which limits
 * the memory of all chunks. The handshake has charged for the first window.
 *
 * Records of a peer on this host come with the pages of its bytes. A page may
 * have much free room, so the reader charges for more than the window.
 */
#include <linux/mm.h>
#include "conn.h"
#include "framed_charge.h"
#include "framed_mail.h"
#include "object.h"

/*
 * Bytes of memory that a window must be charged for. In-host a window beyond
 * the first one counts twice, as TCP counts half of its buffer.
 */
static u32 charge_cost(const struct smc_conn *conn, u32 window)
{
	if (conn->mail)
		window = 2 * window - SMC_FRAMES_WINDOW_MIN;
	return smc_frames_window_cost(window);
}

static u32 charge_needs(const struct smc_conn *conn)
{
	return smc_frames_window_needs(&conn->framed.window,
				       &conn->framed.f.in);
}

/**
 * smc_framed_charge_window() - bytes of memory that are charged for the window
 * @conn:	connection, its lock held
 *
 * Context: BH safe.
 */
u32 smc_framed_charge_window(const struct smc_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	return charge_cost(conn, charge_needs(conn));
}

/*
 * In-host: bytes of memory that a connection can need before all bytes are
 * read, if it holds @held bytes for @unread bytes of the stream. Bytes that may
 * still arrive are copied. While the reader is in the middle of a page, it
 * holds all of the page, although the window has room for as many bytes as it
 * has read.
 */
static u64 charge_most(u32 window, u64 held, u64 unread)
{
	u64 more = window > unread ? window - unread : 0;

	more += min_t(u64, unread, max_t(u32, SMC_FRAMED_PIECE_MAX, PAGE_SIZE));
	return held + more + more / 8 + SMC_FRAMES_CHUNK_FREE;
}

/* Bytes of memory to charge for a window, and for pages with unread bytes. */
static u32 charge_due(const struct smc_conn *conn, u32 window)
{
	u64 cost = charge_cost(conn, window), held = conn->framed.mem.held;

	if (conn->mail && held)
		cost = max(cost, charge_most(window, held,
					     conn->rx.prod - conn->rx.cons));
	return min_t(u64, cost, U32_MAX);
}

/**
 * smc_framed_charge_covers() - in-host: does the charge cover the page of these
 * bytes, too?
 * @conn:	connection, its lock held
 * @chunk:	bytes that follow behind rx.prod, in a page
 *
 * Context: BH safe.
 */
bool smc_framed_charge_covers(const struct smc_conn *conn,
			      const struct smc_chunk *chunk)
{
	u64 unread = conn->rx.prod + chunk->len - conn->rx.cons;
	u64 held = conn->framed.mem.held + chunk->held;

	lockdep_assert_held(&conn->lock);
	return charge_most(charge_needs(conn), held, unread) <=
	       smc_framed_charge_window(conn);
}

/* Bytes to charge to the owner for a window, beyond those of the handshake. */
static u32 charge_extra(u32 cost)
{
	return cost - smc_frames_window_cost(SMC_FRAMES_WINDOW_MIN);
}

/**
 * smc_framed_charge_raise() - charge the owner for a larger window
 * @conn:	connection, its lock held; the caller holds the socket lock
 * @window:	window in bytes
 *
 * A window that was lowered may still be charged. Return: false if memory is
 * short.
 */
bool smc_framed_charge_raise(struct smc_conn *conn, u32 window)
{
	struct smc_framed_mem *mem = &conn->framed.mem;
	u32 extra = charge_extra(charge_due(conn, window));

	lockdep_assert_held(&conn->lock);
	if (extra <= mem->charged)
		return true;
	if (conn->ops->grow(conn->owner, extra - mem->charged))
		return false;
	mem->charged = extra;
	return true;
}

/**
 * smc_framed_charge_lower() - return what the window does not need, for
 * smc_framed_charge_settle()
 * @conn:	connection, its lock held
 */
void smc_framed_charge_lower(struct smc_conn *conn)
{
	struct smc_framed_mem *mem = &conn->framed.mem;
	u32 extra = charge_extra(charge_due(conn, charge_needs(conn)));

	lockdep_assert_held(&conn->lock);
	if (extra >= mem->charged)
		return;
	conn->news.shrunk += mem->charged - extra;
	mem->charged = extra;
}

/**
 * smc_framed_charge_return() - count the memory of window and elements as freed
 * @conn:	connection, its lock held
 */
void smc_framed_charge_return(struct smc_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	conn->news.freed += conn->framed.mem.charged + conn->framed.element.paid;
	conn->framed.mem.charged = 0;
	conn->framed.element.paid = 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Dialect of frames: the element that a connection offers to its peer. Each
 * connection has the element that Accept or Confirm names. The connection
 * offers this element to the peer only when the peer has so much to send that
 * WRITEs are more efficient than frames.
 */
#include "../group/contact.h"
#include "../group/member.h"
#include "../wire/stream.h"
#include "conn.h"
#include "framed_element.h"
#include "object.h"

/**
 * smc_framed_element_attach() - take the element of the contact
 * @conn:	connection, its lock held
 * @c:		contact; the function takes the element from it
 */
void smc_framed_element_attach(struct smc_conn *conn, struct smc_contact *c)
{
	lockdep_assert_held(&conn->lock);
	conn->framed.element.rmbe = c->rmbe;
	c->rmbe.rmb = NULL;
}

/**
 * smc_framed_element_wanted() - does the peer want an element?
 * @conn:	connection, its lock held
 *
 * Return: size of the element that the connection can offer; 0: none, or the
 * peer does not want one.
 */
u32 smc_framed_element_wanted(const struct smc_conn *conn)
{
	const struct smc_framed_element *el = &conn->framed.element;

	lockdep_assert_held(&conn->lock);
	if (!el->rmbe.rmb || el->offered ||
	    !(conn->framed.f.in.heard & SMC_FRAME_W))
		return 0;
	return el->rmbe.size;
}

/**
 * smc_framed_element_offer() - offer the element if the peer wants it
 * @conn:	connection, its lock held
 *
 * Before the call, the caller raises the window to the size of the element. The
 * next record carries the offer.
 */
void smc_framed_element_offer(struct smc_conn *conn)
{
	struct smc_framed_element *el = &conn->framed.element;
	struct smc_frame_offer place = {
		.size = smc_framed_element_wanted(conn),
	};

	if (!place.size)
		return;
	place.offset = smc_rmbe_offset(&el->rmbe);
	if (!smc_frames_in_offer(&conn->framed.f.in, &place))
		return;
	el->offered = true;
	el->used = true;
}

/**
 * smc_framed_element_tell() - put the key of the element into a record
 * @conn:	connection, its lock held
 * @rec:	record for the link of the connection
 *
 * If the peer does not know the key on this link, the part offer must wait for a
 * later record.
 */
void smc_framed_element_tell(struct smc_conn *conn,
			     struct smc_frame_record *rec)
{
	const struct smc_framed_element *el = &conn->framed.element;

	if (!(rec->parts & SMC_FRAME_OFFER) || !rec->offer.size)
		return;
	if (!el->rmbe.rmb ||
	    !smc_rmbe_key(conn->member.link, &el->rmbe, &rec->offer.rkey))
		rec->parts ^= SMC_FRAME_OFFER;
}

/**
 * smc_framed_element_written() - the peer has written bytes to the element
 * @conn:	connection, its lock held
 * @link:	link on which they arrived
 * @got:	positions of the bytes
 *
 * Syncs the bytes for the CPU. Context: softirq.
 */
void smc_framed_element_written(struct smc_conn *conn,
				const struct smc_link *link,
				const struct smc_frames_got *got)
{
	const struct smc_rmbe *rmbe = &conn->framed.element.rmbe;
	u32 left = got->written, n;
	u64 pos = got->from;

	if (!smc_rmbe_needs_sync(link, rmbe))
		return;
	for (; left; left -= n, pos += n) {
		n = smc_stream_contig(pos, rmbe->size, left);
		smc_rmbe_received(link, rmbe, smc_stream_offset(pos, rmbe->size),
				  n);
	}
}

/**
 * smc_framed_element_check() - take back the element if nobody writes to it
 * @conn:	connection, its lock held
 *
 * Callers call this function whenever bytes were read, a record has arrived, or
 * an endpoint was closed.
 */
void smc_framed_element_check(struct smc_conn *conn)
{
	struct smc_frame_offer place;

	lockdep_assert_held(&conn->lock);
	if (!conn->framed.element.offered)
		return;
	if (smc_frames_in_release(&conn->framed.f.in, &place))
		conn->framed.element.offered = false;
}

/**
 * smc_framed_element_back() - return the element to its RMB
 * @conn:	connection that leaves; does nothing while a reader copies, and
 *		without an element
 *
 * Context: process, may sleep.
 */
void smc_framed_element_back(struct smc_conn *conn)
{
	struct smc_framed_element *el = &conn->framed.element;
	struct smc_rmbe rmbe = {};
	bool clean;

	smc_conn_lock(conn);
	smc_frames_in_drop(&conn->framed.f.in);
	smc_framed_element_check(conn);
	clean = !el->offered;
	if (!conn->rx.busy) {
		rmbe = el->rmbe;
		el->rmbe.rmb = NULL;
	}
	smc_conn_unlock(conn);
	if (rmbe.rmb)
		smc_rmbe_put(conn->life.lgr, &rmbe, el->used ? rmbe.size : 0,
			     clean, 0);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Dialect of frames: the elements that a connection offers to its peer. The
 * connection offers one only when the peer has so much to send that WRITEs are
 * more efficient than frames.
 *
 * With ELASTIC a connection has no element at its start. A reader that finds
 * that the peer wants an element charges its owner for it. SMC_TIMER_ELEMENT
 * takes the element from the group, because that needs locks that rank above
 * conn->lock. An idle connection withdraws the element and lowers the window
 * (framed_idle.h). The peer's answer frees both.
 *
 * Without ELASTIC a connection has the element that Accept or Confirm names.
 */
#include <linux/log2.h>
#include <linux/slab.h>
#include "../base/limits.h"
#include "../group/contact.h"
#include "../group/link.h"
#include "../group/member.h"
#include "../wire/stream.h"
#include "conn.h"
#include "framed_element.h"
#include "framed_tx.h"
#include "object.h"
#include "timer.h"

enum {
	ELEMENT_MIN		= SMC_RMBE_OFFERED_BYTES,
	/* Larger elements are not faster: WRITEs already fill the link. */
	ELEMENT_GROWTH		= 4,
	/* An element is too small if this many times its size has arrived
	 * since it was offered, and the peer still waits for the window or
	 * sends bytes in frames.
	 */
	ELEMENT_PROVEN		= 4,
	/* Waits for an element of the group: 2, 4, ... 256 ms. */
	ELEMENT_TRIES		= 8,
};

/* ---- own elements ---- */

/*
 * Returns the element that Accept or Confirm named, or NULL. With ELASTIC this
 * is only right before smc_framed_element_start().
 */
static struct smc_framed_own *element_named(const struct smc_conn *conn)
{
	return hlist_entry_safe(conn->framed.element.own.first,
				struct smc_framed_own, node);
}

static void element_add(struct smc_conn *conn, struct smc_framed_own *own)
{
	hlist_add_head(&own->node, &conn->framed.element.own);
	conn->framed.element.n++;
}

/*
 * Moves all elements to a list, and empties the slots of their offers. No
 * record may be taken after that.
 */
static void element_give_up(struct smc_conn *conn, struct hlist_head *all)
{
	struct smc_framed_element *el = &conn->framed.element;
	struct smc_frames_elements *offered = &conn->framed.f.in.elements;

	hlist_move_list(&el->own, all);
	memset(offered->slot, 0, sizeof(offered->slot));
	el->n = 0;
	el->returns = 0;
}

/* Returns an element to the group, and frees @own. */
static void element_put(struct smc_lgr *lgr, struct smc_framed_own *own)
{
	smc_rmbe_put(lgr, &own->rmbe, own->used ? own->rmbe.size : 0,
		     !own->el.offer.number, 0);
	kfree(own);
}

/* ---- wanted elements ---- */

/*
 * Has the element of the newest offer proven to be too small? Either the sender
 * waits for the window, or it fills the element and sends the rest in frames.
 */
static bool element_too_small(const struct smc_conn *conn)
{
	const struct smc_framed_element *el = &conn->framed.element;
	const struct smc_frames_in *in = &conn->framed.f.in;
	u32 size = in->elements.newest.size;

	return smc_frames_in_wants(in) &&
	       in->prod - el->since >= (u64)ELEMENT_PROVEN * size;
}

/*
 * Returns the size of the largest element that the limit of the window allows;
 * 0: the limit is below the smallest element.
 */
static u32 element_largest(const struct smc_conn *conn)
{
	u32 size = rounddown_pow_of_two(conn->framed.mem.cap);

	return size == smc_rmbe_round(size) ? size : 0;
}

static u32 element_wanted(const struct smc_conn *conn)
{
	const struct smc_framed_element *el = &conn->framed.element;
	const struct smc_frames_in *in = &conn->framed.f.in;
	u32 newest = in->elements.newest.size, size;

	if (newest ? !element_too_small(conn) : !(in->heard & SMC_FRAME_W))
		return 0;
	if (el->wanted || smc_frames_element_due(&in->elements))
		return 0;
	/* the peer may still write to every element over old links (F-18) */
	if (el->n == SMC_FRAMES_ELEMENTS)
		return 0;
	size = newest ? ELEMENT_GROWTH * newest : max_t(u32, el->last, ELEMENT_MIN);
	size = min(size, element_largest(conn));
	return size > newest ? size : 0;
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
	const struct smc_framed_own *own;

	lockdep_assert_held(&conn->lock);
	if (conn->framed.element.elastic)
		return element_wanted(conn);
	own = element_named(conn);
	if (!own || own->el.offer.number ||
	    !(conn->framed.f.in.heard & SMC_FRAME_W))
		return 0;
	return own->rmbe.size;
}

/**
 * smc_framed_element_limit() - get the largest window that an element can hold
 * @conn:	connection, its lock held
 *
 * A sender that fills the element puts the rest of the window into frames,
 * which takes many more messages. So the window should not be larger than the
 * element. Return: bytes; the limit of the window if there is no element.
 */
u32 smc_framed_element_limit(const struct smc_conn *conn)
{
	u32 size = 0;

	lockdep_assert_held(&conn->lock);
	if (conn->framed.element.elastic && !conn->mail)
		size = element_largest(conn);
	return size ?: conn->framed.mem.cap;
}

/* Offers an element. Return: false if the connection must wait. */
static bool element_offer(struct smc_conn *conn, struct smc_framed_own *own)
{
	struct smc_framed_element *el = &conn->framed.element;
	struct smc_frames_in *in = &conn->framed.f.in;

	own->el.offer.size = own->rmbe.size;
	own->el.offer.offset = smc_rmbe_offset(&own->rmbe);
	if (!smc_frames_in_offer(in, &own->el))
		return false;
	own->used = true;
	el->since = in->prod;
	el->last = own->rmbe.size;
	return true;
}

/**
 * smc_framed_element_offer() - offer an element that the peer wants
 * @conn:	connection, its lock held; the caller holds the socket lock, and
 *		has raised the window to the size of the element if possible
 * @size:	result of smc_framed_element_wanted() in bytes, not 0
 *
 * The next record carries the offer, or a later one with ELASTIC.
 */
void smc_framed_element_offer(struct smc_conn *conn, u32 size)
{
	struct smc_framed_element *el = &conn->framed.element;

	lockdep_assert_held(&conn->lock);
	if (!el->elastic) {
		element_offer(conn, element_named(conn));
		return;
	}
	/* without memory for the window the connection stays with frames */
	if (conn->framed.window.size < size ||
	    conn->ops->grow(conn->owner, size))
		return;
	el->paid += size;
	el->wanted = size;
	el->tries = 0;
	smc_timer_set(conn, SMC_TIMER_ELEMENT, 0);
}

/**
 * smc_framed_element_tell() - put the key of the element into a record
 * @conn:	connection, its lock held
 * @rec:	record for the link of the connection
 *
 * If the peer does not know the key on this link, the part offer must wait for
 * a later record.
 */
void smc_framed_element_tell(struct smc_conn *conn,
			     struct smc_frame_record *rec)
{
	const struct smc_frames_element *el;

	if (!(rec->parts & SMC_FRAME_OFFER) || !rec->offer.size)
		return;
	el = smc_frames_element_of(&conn->framed.f.in.elements,
				   rec->offer.number);
	if (!el || !smc_rmbe_key(conn->member.link, smc_framed_element_rmbe(el),
				 &rec->offer.rkey))
		rec->parts ^= SMC_FRAME_OFFER;
}

/* ---- bytes in elements ---- */

/**
 * smc_framed_element_rmbe() - get the memory of an element
 * @el:	an own element
 *
 * Context: lock of the connection held. Return: the memory, valid while @el is.
 */
const struct smc_rmbe *
smc_framed_element_rmbe(const struct smc_frames_element *el)
{
	return &container_of(el, const struct smc_framed_own, el)->rmbe;
}

/**
 * smc_framed_element_written() - the peer has written bytes to an element
 * @link:	link on which they arrived
 * @got:	positions of the bytes
 *
 * Syncs the bytes for the CPU. Context: softirq, lock of the connection held.
 */
void smc_framed_element_written(const struct smc_link *link,
				const struct smc_frames_got *got)
{
	const struct smc_rmbe *rmbe = smc_framed_element_rmbe(got->element);
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
 * smc_framed_element_release() - take back elements to which nobody writes, for
 * smc_framed_element_check()
 * @conn:	connection with elements, its lock held
 */
void smc_framed_element_release(struct smc_conn *conn)
{
	struct smc_framed_element *el = &conn->framed.element;
	struct smc_frames_element *unused;
	struct smc_framed_own *own;

	lockdep_assert_held(&conn->lock);
	while ((unused = smc_frames_in_release(&conn->framed.f.in))) {
		own = container_of(unused, struct smc_framed_own, el);
		own->back = el->elastic;
		el->returns += el->elastic;
	}
	if (el->returns)
		smc_timer_set(conn, SMC_TIMER_ELEMENT, 0);
}

/* ---- taking and returning elements ---- */

/*
 * Takes an element from which no reader copies and to which nobody writes.
 * Return: NULL if there is none.
 */
static struct smc_framed_own *element_take_back(struct smc_conn *conn)
{
	struct smc_framed_element *el = &conn->framed.element;
	struct smc_framed_own *own = NULL;

	spin_lock_bh(&conn->lock);
	if (!conn->rx.busy) {
		hlist_for_each_entry(own, &el->own, node)
			if (own->back)
				break;
	}
	if (own) {
		hlist_del(&own->node);
		el->n--;
		el->returns--;
	}
	spin_unlock_bh(&conn->lock);
	return own;
}

/* The owner pays less for elements. */
static void element_repay(struct smc_conn *conn, u32 size)
{
	lockdep_assert_held(&conn->lock);
	conn->framed.element.paid -= size;
	conn->news.shrunk += size;
}

static void element_return_all(struct smc_conn *conn)
{
	struct smc_framed_own *own;
	u32 paid;

	while ((own = element_take_back(conn))) {
		paid = own->paid;
		element_put(conn->member.lgr, own);
		spin_lock_bh(&conn->lock);
		element_repay(conn, paid);
		smc_conn_unlock(conn);
	}
}

/*
 * Begins to take an element. Return: its size, and the link for its key; or 0.
 */
static u32 element_begin(struct smc_conn *conn, struct smc_link **link)
{
	u32 size = 0;

	spin_lock_bh(&conn->lock);
	if (conn->life.place == SMC_PLACE_IN)
		size = conn->framed.element.wanted;
	if (size)
		*link = smc_link_get(conn->member.link, SMC_LINK_REF_ELEMENT);
	spin_unlock_bh(&conn->lock);
	return size;
}

/*
 * Offers an element that was taken from the group. Return: false if the
 * connection does not need it any more.
 */
static bool element_use(struct smc_conn *conn, struct smc_framed_own *own)
{
	bool offered;

	spin_lock_bh(&conn->lock);
	offered = conn->life.place == SMC_PLACE_IN && smc_object_open(conn) &&
		  element_offer(conn, own);
	if (offered)
		element_add(conn, own);
	else
		element_repay(conn, own->paid);
	conn->framed.element.wanted = 0;
	smc_framed_tx_kick(conn);
	smc_conn_unlock(conn);
	return offered;
}

/* The group has no element yet: tries again, or gives up. */
static void element_again(struct smc_conn *conn, u32 size)
{
	struct smc_framed_element *el = &conn->framed.element;

	spin_lock_bh(&conn->lock);
	if (el->tries++ < ELEMENT_TRIES) {
		smc_timer_start(conn, SMC_TIMER_ELEMENT,
				msecs_to_jiffies(1 << el->tries) ?: 1);
	} else {
		el->wanted = 0;
		element_repay(conn, size);
	}
	smc_conn_unlock(conn);
}

static void element_take(struct smc_conn *conn)
{
	struct smc_framed_own *own;
	struct smc_link *link;
	u32 size = element_begin(conn, &link);

	if (!size)
		return;
	/* other timers wait for this, and element_again() follows a failure */
	own = kzalloc(sizeof(*own), GFP_NOWAIT | __GFP_NOWARN);
	if (own && smc_rmbe_borrow(conn->member.lgr, link, size, &own->rmbe)) {
		own->paid = size;
		if (!element_use(conn, own))
			element_put(conn->member.lgr, own);
	} else {
		kfree(own);
		element_again(conn, size);
	}
	smc_link_put(link, SMC_LINK_REF_ELEMENT);
}

/**
 * smc_framed_element_spare() - can the connection give back an element or a
 * part of its window?
 * @conn:	connection, its lock held
 *
 * Context: BH safe.
 */
bool smc_framed_element_spare(const struct smc_conn *conn)
{
	const struct smc_framed *fr = &conn->framed;

	lockdep_assert_held(&conn->lock);
	return fr->element.elastic &&
	       (fr->f.in.elements.newest.size ||
		fr->window.size > SMC_FRAMES_WINDOW_MIN);
}

/**
 * smc_framed_element_narrow() - withdraw the element, and lower the window
 * @conn:	connection, its lock held
 *
 * Nothing happens if there is nothing to give back, while the connection takes
 * an element, or before the peer has answered an earlier offer.
 * Context: BH safe.
 */
void smc_framed_element_narrow(struct smc_conn *conn)
{
	struct smc_framed *fr = &conn->framed;

	if (!smc_framed_element_spare(conn) || fr->element.wanted ||
	    !smc_frames_window_narrow(&fr->window, &fr->f.in,
				      SMC_FRAMES_WINDOW_MIN))
		return;
	WRITE_ONCE(conn->rx.size, fr->window.size);
	smc_framed_tx_kick(conn);
}

/**
 * smc_framed_element_run() - SMC_TIMER_ELEMENT has expired
 * @conn:	connection
 *
 * Returns elements to the group, and takes one if the connection wants it.
 * Context: process, no lock of the connection held.
 */
void smc_framed_element_run(struct smc_conn *conn)
{
	bool due;

	spin_lock_bh(&conn->lock);
	due = smc_timer_take(conn, SMC_TIMER_ELEMENT);
	spin_unlock_bh(&conn->lock);
	if (!due)
		return;
	element_return_all(conn);
	element_take(conn);
}

/* ---- life ---- */

/**
 * smc_framed_element_prepare() - allocate memory for the contact's element
 * @conn:	connection that is not in the group yet
 * @c:		contact, with an element or without
 *
 * Context: process, may sleep. Return: true; false if there is no memory.
 */
bool smc_framed_element_prepare(struct smc_conn *conn,
				const struct smc_contact *c)
{
	struct smc_framed_own *own;

	if (!c->rmbe.rmb)
		return true;
	own = kzalloc(sizeof(*own), GFP_KERNEL_ACCOUNT);
	if (own)
		element_add(conn, own);
	return own;
}

/**
 * smc_framed_element_attach() - take the element of the contact
 * @conn:	connection, its lock held; smc_framed_element_prepare() was
 *		called
 * @c:		contact; the function takes the element from it, if it has one
 */
void smc_framed_element_attach(struct smc_conn *conn, struct smc_contact *c)
{
	struct smc_framed_element *el = &conn->framed.element;

	lockdep_assert_held(&conn->lock);
	el->elastic = smc_contact_elastic(c);
	if (!c->rmbe.rmb)
		return;
	element_named(conn)->rmbe = c->rmbe;
	if (!el->elastic)
		el->last = c->rmbe.size;
	c->rmbe.rmb = NULL;
}

/**
 * smc_framed_element_detach() - give the element back to the contact
 * @conn:	connection before smc_framed_element_start(), its lock held
 * @c:		contact that was attached
 */
void smc_framed_element_detach(struct smc_conn *conn, struct smc_contact *c)
{
	struct smc_framed_own *own = element_named(conn);

	lockdep_assert_held(&conn->lock);
	if (own)
		c->rmbe = own->rmbe;
	smc_framed_element_free(conn);
}

/**
 * smc_framed_element_start() - the handshake has finished
 * @conn:	connection
 *
 * With ELASTIC the element of first contact returns to the group, which lends
 * it to the connection that needs one first.
 */
void smc_framed_element_start(struct smc_conn *conn)
{
	struct smc_framed_element *el = &conn->framed.element;
	struct smc_framed_own *own;

	spin_lock_bh(&conn->lock);
	own = element_named(conn);
	if (el->elastic && own) {
		own->back = true;
		el->returns++;
		smc_timer_set(conn, SMC_TIMER_ELEMENT, 0);
	}
	spin_unlock_bh(&conn->lock);
}

/**
 * smc_framed_element_size() - get the size of the own element
 * @conn:	connection, its lock held
 *
 * Without ELASTIC the size stays the same after the connection has left.
 * Return: bytes; 0: there is no element.
 */
u32 smc_framed_element_size(const struct smc_conn *conn)
{
	const struct smc_framed *fr = &conn->framed;

	return fr->element.elastic ? fr->f.in.elements.newest.size :
				     fr->element.last;
}

/**
 * smc_framed_element_back() - return all elements to the group
 * @conn:	connection that leaves; does nothing while a reader copies, and
 *		without an element
 *
 * Context: process, may sleep.
 */
void smc_framed_element_back(struct smc_conn *conn)
{
	struct smc_framed_own *own;
	struct hlist_node *next;
	HLIST_HEAD(all);

	spin_lock_bh(&conn->lock);
	smc_frames_in_drop(&conn->framed.f.in);
	smc_framed_element_check(conn);
	if (!conn->rx.busy)
		element_give_up(conn, &all);
	smc_conn_unlock(conn);
	hlist_for_each_entry_safe(own, next, &all, node)
		element_put(conn->life.lgr, own);
}

/**
 * smc_framed_element_free() - undo smc_framed_element_prepare()
 * @conn:	connection without an element of the group: it has left, was
 *		never attached, or has given the element back to the contact.
 *		After this call nobody uses conn->framed.
 *
 * Context: any.
 */
void smc_framed_element_free(struct smc_conn *conn)
{
	struct smc_framed_own *own;
	struct hlist_node *next;

	hlist_for_each_entry_safe(own, next, &conn->framed.element.own, node)
		kfree(own);
}

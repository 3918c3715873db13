// SPDX-License-Identifier: GPL-2.0
/* Functions that a reader calls. The dialect has put the bytes into the receive
 * queue.
 */
#include <linux/mm.h>
#include <linux/socket.h>
#include <linux/uio.h>
#include "../base/mib.h"
#include "../wire/cdc.h"
#include "conn.h"
#include "dialect.h"
#include "object.h"
#include "rx.h"
#include "rxq.h"
#include "urgent.h"

/* Is the next byte an urgent byte, which reading skips? */
static bool rx_at_hole(const struct smc_conn *conn)
{
	return unlikely(smc_urg_rx_mark(&conn->rx.urg) == conn->rx.cons) &&
	       !smc_urgent_in_line(conn);
}

/* Returns the number of readable bytes; 0 after an abort (R-4.8.2-07). */
static u32 rx_readable(const struct smc_conn *conn)
{
	if (!smc_object_open(conn))
		return 0;
	return conn->rx.prod - conn->rx.cons - rx_at_hole(conn);
}

/**
 * smc_rx_avail() - readable bytes
 * @conn:	connection
 *
 * Context: BH safe. Return: number of bytes; an urgent byte that is next and
 * that reading skips does not count.
 */
u32 smc_rx_avail(const struct smc_conn *conn)
{
	struct smc_conn *c = (struct smc_conn *)conn;
	u32 n;

	spin_lock_bh(&c->lock);
	n = rx_readable(c);
	spin_unlock_bh(&c->lock);
	return n;
}

static bool rx_full(const struct smc_conn *conn)
{
	return conn->rx.prod - conn->rx.cons >= conn->rx.size;
}

/**
 * smc_rx_full() - can the peer send nothing more before bytes are read?
 * @conn:	connection
 *
 * Context: BH safe. Return: true if the unread bytes fill all room.
 */
bool smc_rx_full(const struct smc_conn *conn)
{
	struct smc_conn *c = (struct smc_conn *)conn;
	bool full;

	spin_lock_bh(&c->lock);
	full = rx_full(c);
	spin_unlock_bh(&c->lock);
	return full;
}

/**
 * smc_rx_ready() - what can a reader get now?
 * @conn:	connection
 * @want:	least number of bytes that make the reader ready; fewer do if
 *		the peer can send nothing more
 *
 * Context: BH safe. Return: bits of enum smc_rx_ready.
 */
u8 smc_rx_ready(const struct smc_conn *conn, u32 want)
{
	struct smc_conn *c = (struct smc_conn *)conn;
	u8 ready = 0;
	u32 n;

	spin_lock_bh(&c->lock);
	n = rx_readable(c);
	if (n >= want || (n && rx_full(c)))
		ready |= SMC_RX_READY_BYTES;
	if (c->rx.urg.state == SMC_URG_VALID)
		ready |= SMC_RX_READY_URGENT;
	spin_unlock_bh(&c->lock);
	return ready;
}

/**
 * smc_rx_fills() - how often had the peer used most of the element?
 * @conn:	connection
 *
 * Context: any. Return: 255 means 255 or more; 0 for a connection with frames.
 */
u32 smc_rx_fills(const struct smc_conn *conn)
{
	return READ_ONCE(conn->rx.fills);	/* partner: rx_count_fill() */
}

/**
 * smc_rx_eof() - does the stream end after the readable bytes?
 * @conn:	connection
 *
 * Context: BH safe. Return: true if the stream ends there.
 */
bool smc_rx_eof(const struct smc_conn *conn)
{
	const u8 end = SMC_CDC_D | SMC_CDC_C | SMC_CDC_A;
	struct smc_conn *c = (struct smc_conn *)conn;
	bool eof;

	spin_lock_bh(&c->lock);
	if (c->close.state >= SMC_CONN_PEERABORTWAIT)
		eof = true;
	else
		eof = smc_object_open(c) && (c->close.heard & end);
	spin_unlock_bh(&c->lock);
	return eof;
}

/**
 * smc_rx_all_read() - has the peer ended its stream in order, and the
 * application read all of it?
 * @conn:	connection
 *
 * An error of a later send does not change that, but an abort by the peer does
 * (R-4.8.2-07). Context: BH safe. Return: true if no byte is missing.
 */
bool smc_rx_all_read(const struct smc_conn *conn)
{
	struct smc_conn *c = (struct smc_conn *)conn;
	bool over;

	spin_lock_bh(&c->lock);
	over = (c->close.heard & (SMC_CDC_D | SMC_CDC_C)) &&
	       !(c->close.heard & SMC_CDC_A) &&
	       c->rx.cons + rx_at_hole(c) == c->rx.prod;
	spin_unlock_bh(&c->lock);
	return over;
}

/**
 * smc_rx_wait() - note that the caller waits for more bytes and leaves the
 * available ones
 * @conn:	connection
 *
 * This tells the peer about all free room. Context: BH safe; socket lock held.
 */
void smc_rx_wait(struct smc_conn *conn)
{
	spin_lock_bh(&conn->lock);
	if (smc_object_open(conn))
		conn->dialect->reader(conn, SMC_READER_WAITS);
	smc_conn_unlock(conn);
}

/**
 * smc_rx_set_limit() - limit the bytes that may wait to be read
 * @conn:	connection
 * @bytes:	wanted limit
 *
 * The wire format decides how far the connection can follow, see ->limit() of
 * struct smc_dialect. Context: BH safe. Return: the limit that holds.
 */
u32 smc_rx_set_limit(struct smc_conn *conn, u32 bytes)
{
	u32 limit;

	spin_lock_bh(&conn->lock);
	limit = conn->dialect->limit(conn, bytes);
	spin_unlock_bh(&conn->lock);
	return limit;
}

/* ---- reading; the caller holds the socket lock ---- */

/* The bytes that a call will read. */
struct rx_part {
	u64 pos;
	u32 len;
};

/*
 * Starts to read. While rx.busy is set, the bytes stay where they are, even if
 * the connection ends.
 */
static void rx_begin(struct smc_conn *conn, size_t len, u32 offset,
		     bool consume, struct rx_part *part)
{
	bool hole, skipped = false;
	u64 mark;
	u32 n;

	spin_lock_bh(&conn->lock);
	hole = smc_object_open(conn) && rx_at_hole(conn);
	if (hole && consume) {
		smc_rxq_passed(conn, conn->rx.cons + 1);
		hole = false;
		skipped = true;
	}
	n = rx_readable(conn);
	n = offset < n ? min_t(size_t, len, n - offset) : 0;
	part->pos = conn->rx.cons + hole + offset;
	mark = smc_urg_rx_mark(&conn->rx.urg);
	if (unlikely(mark > part->pos) && mark - part->pos < n)
		n = mark - part->pos;
	part->len = n;
	conn->rx.busy = n != 0;
	/* if bytes were read, rx_end() skips the urgent byte */
	if (unlikely(skipped && !n))
		conn->dialect->reader(conn, SMC_READER_PEEKED);
	smc_conn_unlock(conn);
}

/* @more: set if bytes are left, perhaps only the urgent byte */
static ssize_t rx_end(struct smc_conn *conn, u64 pos, u32 n, bool consume,
		      bool *more)
{
	enum smc_reader done = SMC_READER_PEEKED;
	ssize_t ret = n;

	spin_lock_bh(&conn->lock);
	smc_conn_reader_gone(conn);
	if (!smc_object_open(conn)) {
		/* the connection was aborted during the copy: the bytes do not
		 * count
		 */
		ret = 0;
	} else if (consume && n) {
		smc_rxq_passed(conn, pos + n);
		smc_mib_add(conn->net, SMC_MIB_RX_BYTES, n);
		done = SMC_READER_CONSUMED;
	}
	*more = conn->rx.prod != conn->rx.cons;
	conn->dialect->reader(conn, done);
	smc_conn_unlock(conn);
	return ret;
}

/**
 * smc_rx_read() - read bytes of the stream
 * @conn:	connection
 * @msg:	destination
 * @len:	bytes wanted
 * @offset:	readable bytes to skip first (peek passes this)
 * @flags:	MSG_PEEK: do not consume; MSG_TRUNC: consume without copying
 * @more:	output: false if no unread bytes are left, so that another call
 *		would return 0
 *
 * Consumed bytes make room, and the peer gets a window update if RFC 7609 4.5.1
 * requires it. A read ends before the urgent byte. If the urgent byte is next,
 * the read skips it or, with SO_OOBINLINE, returns it.
 *
 * Context: process, may sleep (page faults); socket lock held. Return: number
 * of bytes; 0 if no bytes are readable, which is always the case after an
 * abort; -EFAULT.
 */
ssize_t smc_rx_read(struct smc_conn *conn, struct msghdr *msg, size_t len,
		    u32 offset, int flags, bool *more)
{
	bool consume = !(flags & MSG_PEEK);
	struct rx_part part;
	ssize_t ret;
	u32 copied;

	*more = false;
	rx_begin(conn, len, offset, consume, &part);
	if (!part.len)
		return 0;
	copied = part.len;
	if (!(flags & MSG_TRUNC))
		copied = smc_rxq_to_iter(conn, msg, part.pos, part.len);
	ret = rx_end(conn, part.pos, copied, consume, more);
	return ret || copied ? ret : -EFAULT;
}

/* Is the next readable byte in a page? Later bytes do not change that. */
static bool rx_next_in_page(struct smc_conn *conn)
{
	bool in_page;

	spin_lock_bh(&conn->lock);
	in_page = rx_readable(conn) &&
		  smc_rxq_in_page(conn, conn->rx.cons + rx_at_hole(conn));
	smc_conn_unlock(conn);
	return in_page;
}

/**
 * smc_rx_has_pages() - can smc_rx_pages() get bytes of this connection?
 * @conn:	connection
 *
 * Context: any. Return: true if the peer is on this host and passes bytes by
 * reference.
 */
bool smc_rx_has_pages(const struct smc_conn *conn)
{
	return conn->mail;	/* constant after attach */
}

/**
 * smc_rx_pages() - read bytes of the stream together with their pages
 * @conn:	connection
 * @vecs:	filled with the parts of the bytes, each in one order-0 page
 * @nr:		room of @vecs; afterwards the number of parts, if there are any
 * @len:	bytes wanted
 *
 * The function ends before an urgent byte, skips it or delivers it, as
 * smc_rx_read() does.
 *
 * Context: process; socket lock held. Return: bytes in @vecs, for which the
 * caller has references to the pages; 0 if no bytes are readable, or the next
 * one is not in a page.
 */
u32 smc_rx_pages(struct smc_conn *conn, struct bio_vec *vecs, unsigned int *nr,
		 size_t len)
{
	struct rx_part part;
	bool more;
	u32 n;

	if (!rx_next_in_page(conn))
		return 0;
	rx_begin(conn, len, 0, true, &part);
	if (!part.len)
		return 0;
	n = smc_rxq_to_pages(conn, vecs, nr, part.pos, part.len);
	smc_mib_add(conn->net, SMC_MIB_RX_LENT, n);
	/* even if the connection was aborted, the caller has the bytes */
	rx_end(conn, part.pos, n, true, &more);
	return n;
}

/**
 * smc_rx_feed() - pass a copy of readable bytes to a consumer in the kernel
 * @conn:	connection
 * @msg:	memory of the kernel for the copy
 * @len:	its length in bytes
 * @use:	consumer: gets @arg and the number of bytes in the copy. Returns
 *		the number of bytes that it has consumed, or a negative errno.
 *		The other bytes stay unread.
 * @arg:	argument for @use
 *
 * The function ends before an urgent byte, skips it or delivers it, as
 * smc_rx_read() does. If bytes are readable, @use runs once, without
 * conn->lock. @use must not read from @conn.
 *
 * Context: BH safe; socket lock held. Return: the result of @use; 0 if no bytes
 * are readable.
 */
int smc_rx_feed(struct smc_conn *conn, struct msghdr *msg, u32 len,
		int (*use)(void *arg, u32 len), void *arg)
{
	struct rx_part part;
	bool more;
	int used;

	rx_begin(conn, len, 0, true, &part);
	if (!part.len)
		return 0;
	used = use(arg, smc_rxq_to_iter(conn, msg, part.pos, part.len));
	/* even if the connection was aborted, the consumer has the bytes */
	rx_end(conn, part.pos, max(used, 0), true, &more);
	return used;
}

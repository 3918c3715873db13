// SPDX-License-Identifier: GPL-2.0
/*
 * The receiver's urgent byte (RFC 7609 4.7.5): kept for recv(MSG_OOB), and
 * taken out of the element together with what was not read before it.
 *
 * The peer sends nothing until our consumer position has passed the byte. TCP
 * goes on sending, so an application that does not read must not stop the
 * peer: what is unread up to the byte is remembered outside of the element and
 * the peer is told that it was consumed. Reading then begins there.
 */
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/socket.h>
#include <linux/uio.h>
#include <net/sock.h>
#include "../wire/stream.h"
#include "conn_priv.h"

/* The urgent byte may move on while memory is allocated for it. */
#define KEEP_TRIES	4

/** smc_urg_in_line - does the application read urgent bytes in the stream? */
bool smc_urg_in_line(const struct smc_conn *conn)
{
	return sock_flag(conn->owner, SOCK_URGINLINE);
}

/* Copies @len bytes of the element, which is ours, from @pos on to @to. */
static void from_element(const struct smc_conn *conn, u8 *to, u64 pos, u32 len)
{
	u32 off = smc_stream_offset(pos, conn->rx.size);

	while (len) {
		struct page **p = conn->rx.rmbe.pages + conn->rx.rmbe.first;
		u32 n = min_t(u32, len, PAGE_SIZE - offset_in_page(off));

		memcpy_from_page((char *)to, p[off >> PAGE_SHIFT],
				 offset_in_page(off), n);
		to += n;
		len -= n;
		off += n;
		if (off == conn->rx.size)
			off = 0;
	}
}

/* ---- what is remembered ---- */

/*
 * The bytes from @start to rx.free are in @buf from now on; @n of them. @charge
 * is what the owner was charged for it.
 */
static void remember(struct smc_conn *conn, u8 *buf, u32 charge, u64 start,
		     u32 n)
{
	smc_urg_forget(conn);
	conn->rx.kept.buf = buf;
	conn->rx.kept.charge = charge;
	conn->rx.kept.start = start;
	conn->rx.free = start + n;
	conn->tx.update = true;		/* R-4.7.5-04 */
}

/*
 * smc_urg_uncharge - count what is remembered as freed; conn->lock held, or
 * this is the last reference and it was done before
 */
void smc_urg_uncharge(struct smc_conn *conn)
{
	conn->freed += conn->rx.kept.charge;
	conn->rx.kept.charge = 0;
}

/** smc_urg_forget - all that was remembered has been read, or nobody will */
void smc_urg_forget(struct smc_conn *conn)
{
	smc_urg_uncharge(conn);
	if (conn->rx.kept.buf != &conn->rx.kept.one)
		kvfree(conn->rx.kept.buf);
	conn->rx.kept.buf = NULL;
}

/*
 * Bytes that have to be remembered so that the peer goes on; 0: none, or more
 * than one element can hold, then it waits until some were read.
 */
static u32 to_remember(const struct smc_conn *conn)
{
	u64 mark = smc_urg_rx_mark(&conn->rx.urg);

	lockdep_assert_held(&conn->lock);
	/* a reader looks again when it has finished */
	if (mark == SMC_URG_NO_MARK || mark < conn->rx.free ||
	    !smc_conn_open(conn) || conn->place != SMC_PLACE_IN ||
	    conn->rx.busy || mark - conn->rx.cons >= conn->rx.size)
		return 0;
	return mark + 1 - conn->rx.cons;
}

static void copy_unread(struct smc_conn *conn, u8 *buf, u32 charge, u32 n)
{
	u32 old = conn->rx.free - conn->rx.cons;

	if (old)
		memcpy(buf, conn->rx.kept.buf +
		       (conn->rx.cons - conn->rx.kept.start), old);
	from_element(conn, buf + old, conn->rx.free, n - old);
	remember(conn, buf, charge, conn->rx.cons, n);
}

/** smc_urg_keep - see that the peer can go on, conn->lock held */
void smc_urg_keep(struct smc_conn *conn)
{
	u32 n = to_remember(conn);

	if (n == 1) {
		/* all before it was read */
		conn->rx.kept.one = conn->rx.oob;
		remember(conn, &conn->rx.kept.one, 0, conn->rx.cons, 1);
	} else if (n) {
		smc_conn_get(conn);
		/* it is the owner's as long as the connection is in its place */
		sock_hold(conn->owner);
		if (!queue_work(smc_conn_wq, &conn->rx.keep)) {
			sock_put(conn->owner);
			smc_conn_put(conn);
		}
	}
}

/* Return: done; else @need bytes of memory are missing. */
static bool try_keep(struct smc_conn *conn, u8 **buf, u32 have, u32 *need)
{
	bool done;

	smc_conn_lock(conn);
	*need = to_remember(conn);
	done = *need <= have;
	if (done && *need) {
		copy_unread(conn, *buf, have, *need);
		*buf = NULL;
		smc_tx_kick(conn);
	}
	smc_conn_unlock(conn);
	return done;
}

static void free_buf(struct smc_conn *conn, u8 *buf, u32 len)
{
	kvfree(buf);
	if (buf)
		conn->ops->freed(conn->owner, len);
}

/* Memory that is charged to the owner; NULL: there is none. */
static u8 *alloc_buf(struct smc_conn *conn, u32 len)
{
	u8 *buf = kvmalloc(len, GFP_KERNEL);

	if (!buf || conn->ops->charge(conn->owner, len))
		return buf;
	kvfree(buf);
	return NULL;
}

/** smc_urg_keep_work - smc_urg_keep() where memory can be waited for */
void smc_urg_keep_work(struct work_struct *work)
{
	struct smc_conn *conn = container_of(work, struct smc_conn, rx.keep);
	struct sock *sk = conn->owner;
	int tries = KEEP_TRIES;
	u8 *buf = NULL;
	u32 have = 0;
	u32 need;

	while (!try_keep(conn, &buf, have, &need) && tries--) {
		free_buf(conn, buf, have);
		buf = alloc_buf(conn, need);
		if (!buf)
			break;		/* it waits until some were read */
		have = need;
	}
	free_buf(conn, buf, have);
	sock_put(sk);
	smc_conn_put(conn);
}

/* ---- messages and calls ---- */

/**
 * smc_urg_heard - a message with these producer flags came
 * @conn:	connection, its lock held; rx.prod is up to date
 * @flags:	its producer flags
 * @prod:	its producer position, less than rx.prod if it is repeated
 *
 * In INIT nothing is told: smc_conn_start() does it.
 */
void smc_urg_heard(struct smc_conn *conn, u8 flags, u64 prod)
{
	u8 news = smc_urg_rx_hear(&conn->rx.urg, flags, prod, conn->rx.cons,
				  smc_urg_in_line(conn));
	u8 tell = 0;

	if (news & SMC_URG_SKIP)
		smc_rx_passed(conn, conn->rx.cons + 1);
	if (news & SMC_URG_BYTE) {
		from_element(conn, &conn->rx.oob,
			     smc_urg_rx_mark(&conn->rx.urg), 1);
		tell |= SMC_TELL_READABLE;
		smc_urg_keep(conn);
	}
	if (news & SMC_URG_SIGNAL)
		tell |= SMC_TELL_URGENT;
	if (conn->state != SMC_CONN_INIT)
		conn->tell |= tell;
}

/* Takes the byte. Return: 1, 0 (none will come), or an errno. */
static int take(struct smc_conn *conn, bool peek, u8 *byte)
{
	const u8 end = SMC_CDC_D | SMC_CDC_C | SMC_CDC_A;

	lockdep_assert_held(&conn->lock);
	if (smc_urg_in_line(conn))
		return -EINVAL;
	switch (conn->rx.urg.state) {
	case SMC_URG_VALID:
		break;
	case SMC_URG_PENDING:
		return conn->rx.conn_flags & end ? 0 : -EAGAIN;
	default:
		return -EINVAL;
	}
	if (conn->err)
		return -ENOTCONN;
	*byte = conn->rx.oob;
	if (!peek)
		conn->rx.urg.state = SMC_URG_READ;
	return 1;
}

ssize_t smc_rx_urgent(struct smc_conn *conn, struct msghdr *msg, size_t len,
		      int flags)
{
	u8 byte;
	int ret;

	smc_conn_lock(conn);
	ret = take(conn, flags & MSG_PEEK, &byte);
	smc_conn_unlock(conn);
	if (ret <= 0)
		return ret;
	msg->msg_flags |= MSG_OOB;
	if (!len) {
		msg->msg_flags |= MSG_TRUNC;
		return 0;
	}
	if (!(flags & MSG_TRUNC) && memcpy_to_msg(msg, &byte, 1))
		return -EFAULT;
	return 1;
}

bool smc_rx_urgent_there(struct smc_conn *conn)
{
	bool there;

	spin_lock_bh(&conn->lock);
	there = conn->rx.urg.state == SMC_URG_VALID;
	spin_unlock_bh(&conn->lock);
	return there;
}

bool smc_rx_at_mark(struct smc_conn *conn, u32 offset)
{
	bool at;

	spin_lock_bh(&conn->lock);
	at = smc_urg_rx_mark(&conn->rx.urg) == conn->rx.cons + offset;
	spin_unlock_bh(&conn->lock);
	return at;
}

u32 smc_rx_inq(struct smc_conn *conn)
{
	u32 n = 0;

	spin_lock_bh(&conn->lock);
	if (smc_conn_open(conn))
		n = smc_urg_rx_inq(&conn->rx.urg, conn->rx.prod, conn->rx.cons,
				   smc_urg_in_line(conn));
	spin_unlock_bh(&conn->lock);
	return n;
}

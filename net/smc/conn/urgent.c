// SPDX-License-Identifier: GPL-2.0
/*
 * The urgent byte at the receiver (RFC 7609 4.7.5), kept for recv(MSG_OOB). The
 * application sees the behaviour of Linux TCP.
 */
#include <linux/socket.h>
#include <linux/uio.h>
#include <net/sock.h>
#include "../wire/cdc.h"
#include "conn.h"
#include "object.h"
#include "rxq.h"
#include "urgent.h"

/**
 * smc_urgent_in_line() - does the application read urgent bytes in the stream?
 * @conn:	connection
 *
 * Context: any. Return: true if SO_OOBINLINE is set.
 */
bool smc_urgent_in_line(const struct smc_conn *conn)
{
	return sock_flag(conn->owner, SOCK_URGINLINE);
}

/**
 * smc_urgent_heard() - handle the urgent flags of a message
 * @conn:	connection, its lock held; rx.prod is up to date
 * @flags:	producer flags of the message (SMC_CDC_P, SMC_CDC_U)
 * @prod:	producer position of the message; less than rx.prod if the peer
 *		sent it again
 *
 * In state INIT the function does not tell the owner; smc_life_start() does.
 *
 * Return: true if a new urgent byte has arrived.
 */
bool smc_urgent_heard(struct smc_conn *conn, u8 flags, u64 prod)
{
	u8 news = smc_urg_rx_hear(&conn->rx.urg, flags, prod, conn->rx.cons,
				  smc_urgent_in_line(conn));
	u8 tell = 0;

	lockdep_assert_held(&conn->lock);
	if (news & SMC_URG_SKIP)
		smc_rxq_passed(conn, conn->rx.cons + 1);
	if (news & SMC_URG_BYTE) {
		smc_rxq_to_mem(conn, &conn->rx.oob,
			       smc_urg_rx_mark(&conn->rx.urg), 1);
		tell |= SMC_TELL_READABLE;
	}
	if (news & SMC_URG_SIGNAL)
		tell |= SMC_TELL_URGENT;
	if (conn->close.state != SMC_CONN_INIT)
		conn->news.tell |= tell;
	return news & SMC_URG_BYTE;
}

/*
 * Takes the urgent byte. Return: 1; 0 if the stream ends without an urgent
 * byte; or a negative errno.
 */
static int urgent_take(struct smc_conn *conn, bool peek, u8 *byte)
{
	const u8 end = SMC_CDC_D | SMC_CDC_C | SMC_CDC_A;

	lockdep_assert_held(&conn->lock);
	if (smc_urgent_in_line(conn))
		return -EINVAL;
	switch (conn->rx.urg.state) {
	case SMC_URG_VALID:
		break;
	case SMC_URG_PENDING:
		return conn->close.heard & end ? 0 : -EAGAIN;
	default:
		return -EINVAL;
	}
	if (conn->close.err)
		return -ENOTCONN;
	*byte = conn->rx.oob;
	if (!peek)
		conn->rx.urg.state = SMC_URG_READ;
	return 1;
}

/**
 * smc_urgent_recv() - recv(MSG_OOB)
 * @conn:	connection
 * @msg:	destination; sets MSG_OOB in msg_flags, and MSG_TRUNC if @len is
 *		0
 * @len:	bytes that the caller wants
 * @flags:	MSG_PEEK: leave the byte; MSG_TRUNC: do not copy it
 *
 * Context: process, may sleep. Return: 1; 0 if @len is 0 or the stream ends
 * without an urgent byte; -EINVAL: no urgent byte exists; -EAGAIN: the
 * announced byte has not arrived yet; -ENOTCONN; -EFAULT.
 */
ssize_t smc_urgent_recv(struct smc_conn *conn, struct msghdr *msg, size_t len,
			int flags)
{
	u8 byte;
	int ret;

	spin_lock_bh(&conn->lock);
	ret = urgent_take(conn, flags & MSG_PEEK, &byte);
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

/**
 * smc_urgent_at_mark() - is the byte after @offset readable bytes the urgent
 * byte?
 * @conn:	connection
 * @offset:	number of readable bytes to skip
 *
 * Context: BH safe. Return: true if that byte is the urgent byte.
 */
bool smc_urgent_at_mark(struct smc_conn *conn, u32 offset)
{
	bool at;

	spin_lock_bh(&conn->lock);
	at = smc_urg_rx_mark(&conn->rx.urg) == conn->rx.cons + offset;
	spin_unlock_bh(&conn->lock);
	return at;
}

/**
 * smc_urgent_inq() - number of readable bytes up to the urgent byte, or of all
 * bytes (SIOCINQ)
 * @conn:	connection
 *
 * Context: BH safe. Return: number of bytes.
 */
u32 smc_urgent_inq(struct smc_conn *conn)
{
	u32 n = 0;

	spin_lock_bh(&conn->lock);
	if (smc_object_open(conn))
		n = smc_urg_rx_inq(&conn->rx.urg, conn->rx.prod, conn->rx.cons,
				   smc_urgent_in_line(conn));
	spin_unlock_bh(&conn->lock);
	return n;
}

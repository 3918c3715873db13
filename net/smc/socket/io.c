// SPDX-License-Identifier: GPL-2.0
/*
 * sendmsg() and recvmsg().
 *
 * The socket lock serialises senders with senders and readers with readers. A
 * call drops the lock while it sleeps, so a waiting reader blocks no other
 * call. After each sleep the call checks the mode again, because the socket may
 * have become TCP.
 */
#include <linux/sched/signal.h>
#include <net/busy_poll.h>
#include <net/tcp.h>
#include "../base/compat.h"
#include "../conn/conn.h"
#include "../conn/count.h"
#include "../conn/rx.h"
#include "../conn/tx.h"
#include "../conn/urgent.h"
#include "../wire/decline.h"
#include "connect.h"
#include "fallback.h"
#include "io.h"
#include "late.h"
#include "mem.h"
#include "sock.h"
#include "stamp.h"
#include "zerocopy.h"

/* These values are internal and never returned to a caller. */
#define GO_TCP	1	/* the mode is TCP, so pass the call to TCP */
#define NO_CONN	2	/* there is no connection, and no handshake runs */

/* A sender waits this long for memory if its connection has no memory
 * to free.
 */
#define MEM_WAIT	(HZ / 20)

/*
 * Waits until the socket can carry data. Return: 0 (mode SMC), GO_TCP, NO_CONN,
 * or an errno.
 */
static int wait_ready(struct sock *sk, long *timeo)
{
	struct smc_sock *smc = smc_sk(sk);
	int err;

	err = smc_connect_wait(sk, timeo);
	if (err)
		return err;
	switch (smc->mode) {
	case SMC_MODE_SMC:
		return 0;
	case SMC_MODE_TCP:
		return GO_TCP;
	default:
		return NO_CONN;
	}
}

static bool send_over(const struct sock *sk)
{
	/* another call may already have returned sk_err */
	return READ_ONCE(sk->sk_err) || smc_conn_error(smc_sk(sk)->conn) ||
	       (READ_ONCE(sk->sk_shutdown) & SEND_SHUTDOWN);
}

static bool may_send(const struct sock *sk)
{
	return send_over(sk) || smc_tx_writable(smc_sk(sk)->conn);
}

/*
 * As in TCP, if the socket is disconnected while a call sleeps, the call does
 * not clear the error of the socket. Return: 0 or -EPIPE.
 */
static int after_sleep(const struct sock *sk)
{
	return smc_sk(sk)->mode == SMC_MODE_SMC ? 0 : -EPIPE;
}

void smc_io_flush(struct smc_sock *smc, bool hold)
{
	smc_tx_push(smc->conn, smc->asked.nodelay, hold);
}

/*
 * Returns -EAGAIN, and makes sure that the next free room wakes an
 * edge-triggered poll.
 */
static int would_block(struct sock *sk)
{
	struct smc_sock *smc = smc_sk(sk);

	sk_set_bit(SOCKWQ_ASYNC_NOSPACE, sk);
	/* a CPU that clears the second bit also sees the first bit */
	smp_mb__after_atomic();
	set_bit(SMC_SF_NOSPACE, &smc->flags);
	/* Room may have appeared before the bit was set, without a wakeup. */
	smc_sock_write_space(sk);
	return -EAGAIN;
}

/*
 * Waits a short time for memory, because no event reports that another socket
 * has freed memory.
 */
static void nap_for_memory(struct sock *sk, long *timeo,
			   wait_queue_entry_t *wait)
{
	long left = min_t(long, *timeo, MEM_WAIT);
	long had = left;

	sk_wait_event(sk, &left, send_over(sk), wait);
	if (*timeo != MAX_SCHEDULE_TIMEOUT)
		*timeo -= had - left;
}

/* @why: errno of smc_tx_queue(). Return: 0 if the caller should try again, or
 * an errno.
 */
static int wait_space(struct sock *sk, long *timeo, int why)
{
	DEFINE_WAIT_FUNC(wait, woken_wake_function);
	struct smc_sock *smc = smc_sk(sk);

	smc_count_full(smc->conn);
	if (!*timeo)
		return would_block(sk);
	if (signal_pending(current))
		return sock_intr_errno(*timeo);
	add_wait_queue(sk_sleep(sk), &wait);
	set_bit(SMC_SF_NOSPACE, &smc->flags);
	smp_mb__after_atomic(); /* partner: smc_sock_write_space() */
	if (why == -EAGAIN)
		sk_wait_event(sk, timeo, may_send(sk), &wait);
	else
		nap_for_memory(sk, timeo, &wait);
	remove_wait_queue(sk_sleep(sk), &wait);
	return after_sleep(sk);
}

static bool lacks_room(ssize_t n)
{
	return n == -EAGAIN || n == -ENOMEM || n == -ENOBUFS;
}

/*
 * Sends what is queued. A peer on this host may take all of it at once. The
 * caller owns the socket lock and may keep it for many more bytes, so the
 * charge of what the peer has taken is returned here.
 */
static void flush_queued(struct sock *sk, bool hold)
{
	smc_io_flush(smc_sk(sk), hold);
	/* release_sock() returns what comes later, see conn_freed() */
	if (atomic_read(&smc_sk(sk)->freed))
		smc_mem_uncharge_freed(sk);
}

/* Return: number of bytes taken, or an errno if no bytes were taken. */
static ssize_t send_locked(struct sock *sk, struct msghdr *msg, long *timeo)
{
	struct smc_sock *smc = smc_sk(sk);
	ssize_t copied = 0;
	ssize_t n = 0;

	do {
		n = -EPIPE;
		if (send_over(sk))
			break;
		n = 0;
		if (!msg_data_left(msg))
			break;
		n = smc_tx_queue(smc->conn, msg, msg_data_left(msg));
		if (n > 0) {
			copied += n;
			if (msg_data_left(msg))
				flush_queued(sk, true);
			continue;
		}
		if (!lacks_room(n))
			break;
		/*
		 * The queue is full, so no byte can join those that MSG_MORE or
		 * TCP_CORK holds back. The flush at the end would hold them
		 * back again, so an error skips it.
		 */
		flush_queued(sk, false);
		n = wait_space(sk, timeo, n);
		if (n)
			return copied ?: n;
	} while (msg_data_left(msg));

	if (copied)
		flush_queued(sk, smc->asked.cork ||
			     (msg->msg_flags & MSG_MORE));
	return copied ?: n;
}

/* send_locked() with a notice for MSG_ZEROCOPY. */
static ssize_t send_noted(struct sock *sk, struct msghdr *msg, long *timeo)
{
	struct ubuf_info *notice = smc_zerocopy_begin(sk, msg);
	ssize_t ret;

	if (IS_ERR(notice))
		return PTR_ERR(notice);
	ret = send_locked(sk, msg, timeo);
	smc_zerocopy_end(notice, msg, ret > 0);
	return ret;
}

/* Checks for a new SO_SNDBUF, because not every kernel reports the change. */
static void follow_sndbuf(struct smc_sock *smc)
{
	u32 limit = smc_sock_sndbuf(smc);

	if (smc->limit.tx == limit)
		return;
	smc->limit.tx = limit;
	smc_tx_set_limit(smc->conn, limit);
}

/*
 * Returns an ordinary error unchanged. Reports an error of the connection as
 * TCP does.
 */
static int send_error(struct sock *sk, int flags, int err)
{
	switch (err) {
	case -EFAULT:
	case -EAGAIN:
	case -EINTR:
	case -ERESTARTSYS:
	case -EOPNOTSUPP:
	case -EINVAL:
	case -ENOBUFS:
		return err;
	default:
		if (smc_sk(sk)->mode == SMC_MODE_SMC)
			smc_sock_sync_conn(smc_sk(sk));
		return sk_stream_error(sk, flags, -EPIPE);
	}
}

static int send_tcp(struct smc_sock *smc, struct msghdr *msg, size_t len)
{
	smc_fallback_begin(smc);
	return smc_fallback_end(smc, smc_sock_tcp(smc)->sendmsg(smc->clcsock,
								msg, len));
}

/* Return: number of bytes, errno, or GO_TCP in @err. */
static ssize_t send_smc(struct sock *sk, struct msghdr *msg, int *err)
{
	struct smc_sock *smc = smc_sk(sk);
	long timeo = sock_sndtimeo(sk, msg->msg_flags & MSG_DONTWAIT);
	size_t len = msg_data_left(msg);
	ssize_t ret;

	if ((msg->msg_flags & MSG_FASTOPEN) && smc->mode == SMC_MODE_NEW)
		smc_fallback(smc, SMC_DECL_OPTUNSUPP, 0, false);
	*err = wait_ready(sk, &timeo);
	if (*err == GO_TCP)
		return 0;
	ret = *err == NO_CONN ? -EPIPE : *err;
	if (!ret && (msg->msg_flags & MSG_FASTOPEN))
		ret = -EINVAL;
	if (!ret) {
		follow_sndbuf(smc);
		ret = send_noted(sk, msg, &timeo);
		if (ret > 0)
			smc_count_send(smc->conn, len, ret);
	}
	*err = 0;
	if (ret < 0)
		ret = send_error(sk, msg->msg_flags, ret);
	return ret;
}

int smc_sendmsg(struct socket *sock, struct msghdr *msg, size_t len)
{
	struct sock *sk = sock->sk;
	ssize_t ret;
	int err;

	if (smc_sock_mode(smc_sk(sk)) == SMC_MODE_TCP)
		return send_tcp(smc_sk(sk), msg, len);
	lock_sock(sk);
	ret = send_smc(sk, msg, &err);
	release_sock(sk);
	if (err == GO_TCP)
		return send_tcp(smc_sk(sk), msg, len);
	return ret;
}

/* Has the connection ended, perhaps by an abort? */
static bool conn_ended(const struct smc_sock *smc)
{
	switch (smc_conn_state(smc->conn)) {
	case SMC_CONN_PEERABORTWAIT:
	case SMC_CONN_PROCESSABORT:
	case SMC_CONN_CLOSED:
		return true;
	default:
		return false;
	}
}

/* Does the stream end after the bytes that are readable now? */
static bool recv_over(const struct smc_sock *smc)
{
	return conn_ended(smc) || smc_rx_eof(smc->conn);
}

/* Is it certain that no byte follows the first @seen readable bytes? */
static bool recv_stopped(const struct sock *sk, u32 seen)
{
	const struct smc_sock *smc = smc_sk(sk);

	/* check for the end first, because bytes may arrive right before the
	 * end
	 */
	if (recv_over(smc))
		return smc_rx_avail(smc->conn) <= seen;
	return READ_ONCE(sk->sk_err) ||
	       (READ_ONCE(sk->sk_shutdown) & RCV_SHUTDOWN);
}

static bool recv_event(const struct sock *sk, u32 seen)
{
	return smc_rx_avail(smc_sk(sk)->conn) > seen || recv_stopped(sk, seen);
}

#ifdef CONFIG_NET_RX_BUSY_POLL

/* A reader that polls until more than @seen bytes are readable. */
struct busy_reader {
	struct sock *sk;
	u32 seen;
};

static bool busy_over(void *arg, unsigned long start)
{
	const struct busy_reader *reader = arg;

	return recv_event(reader->sk, reader->seen) ||
	       sk_busy_loop_timeout(reader->sk, start) ||
	       signal_pending(current);
}

/*
 * SO_BUSY_POLL: as in TCP, the reader polls for this time before it sleeps, and
 * once if it does not sleep. The caller holds the lock, which this function
 * drops, because other calls and work need it.
 */
static void busy_poll(struct sock *sk, u32 seen, bool once)
{
	struct busy_reader reader = { .sk = sk, .seen = seen };
	unsigned int napi = smc_sock_mark_napi(smc_sk(sk));

	if (napi < MIN_NAPI_ID)
		return;
	release_sock(sk);
	napi_busy_loop(napi, once ? NULL : busy_over, &reader,
		       READ_ONCE(sk->sk_prefer_busy_poll),
		       READ_ONCE(sk->sk_busy_poll_budget) ?: BUSY_POLL_BUDGET);
	lock_sock(sk);
}

#else

static void busy_poll(struct sock *sk, u32 seen, bool once)
{
}

#endif

/* Sleeps until more than @seen bytes are readable. Return: 0 or an errno. */
static int wait_data(struct sock *sk, long *timeo, u32 seen)
{
	DEFINE_WAIT_FUNC(wait, woken_wake_function);

	/* the reader leaves @seen bytes and waits for the peer to send more */
	if (seen && *timeo)
		smc_rx_wait(smc_sk(sk)->conn);
	if (sk_can_busy_loop(sk)) {
		busy_poll(sk, seen, !*timeo);
		if (after_sleep(sk))
			return after_sleep(sk);
		if (recv_event(sk, seen))
			return 0;
	}
	if (!*timeo)
		return -EAGAIN;
	if (signal_pending(current))
		return sock_intr_errno(*timeo);
	add_wait_queue(sk_sleep(sk), &wait);
	sk_set_bit(SOCKWQ_ASYNC_WAITDATA, sk);
	sk_wait_event(sk, timeo, recv_event(sk, seen), &wait);
	sk_clear_bit(SOCKWQ_ASYNC_WAITDATA, sk);
	remove_wait_queue(sk_sleep(sk), &wait);
	return after_sleep(sk);
}

/*
 * Result of a read that gets no bytes: an error, once, or end of stream. As in
 * TCP, the orderly end of the peer's stream hides a later error.
 */
static int recv_end(struct sock *sk)
{
	struct smc_sock *smc = smc_sk(sk);

	if (smc_rx_all_read(smc->conn) ||
	    (!conn_ended(smc) && smc_rx_eof(smc->conn)))
		return 0;
	smc_sock_sync_conn(smc);
	return sock_error(sk);
}

/*
 * A read of no bytes. As in TCP, the call sleeps at most once and then returns
 * 0 for any reason; the urgent byte counts as readable.
 */
static int recv_nothing(struct sock *sk, u32 seen, long *timeo)
{
	struct smc_conn *conn = smc_sk(sk)->conn;

	if (smc_rx_avail(conn) > seen || smc_urgent_at_mark(conn, seen))
		return 0;
	if (recv_stopped(sk, seen))
		return recv_end(sk);
	return wait_data(sk, timeo, seen);
}

static ssize_t recv_locked(struct sock *sk, struct msghdr *msg, size_t len,
			   int flags, long *timeo)
{
	size_t target = sock_rcvlowat(sk, flags & MSG_WAITALL, len);
	/* SO_PEEK_OFF; -1 without the option */
	u32 begin = max(sk_peek_offset(sk, flags), 0);
	struct smc_sock *smc = smc_sk(sk);
	size_t copied = 0;
	ssize_t n = 0;
	bool more;

	if (!len)
		return recv_nothing(sk, flags & MSG_PEEK ? begin : 0, timeo);
	while (len) {
		u32 seen = flags & MSG_PEEK ? begin + copied : 0;

		/*
		 * as in TCP, a read that has reached the urgent byte returns
		 * the bytes before it
		 */
		if ((copied || signal_pending(current)) &&
		    smc_urgent_at_mark(smc->conn, seen)) {
			n = *timeo ? sock_intr_errno(*timeo) : -EAGAIN;
			break;
		}
		n = smc_rx_read(smc->conn, msg, len, seen,
				flags & (MSG_PEEK | MSG_TRUNC), &more);
		if (n < 0)
			break;
		copied += n;
		len -= n;
		if (n && (more || copied < target))
			continue;
		if (copied >= target)
			break;
		if (recv_stopped(sk, seen)) {
			n = copied ? 0 : recv_end(sk);
			break;
		}
		/* MSG_PEEK makes no room, so waiting would never end */
		if (seen && copied && smc_rx_full(smc->conn))
			break;
		n = wait_data(sk, timeo, seen);
		if (n)
			break;
	}
	if (flags & MSG_PEEK)
		sk_peek_offset_fwd(sk, copied);
	else
		sk_peek_offset_bwd(sk, copied);
	return copied ?: n;
}

/*
 * Takes the readable bytes. Return: number of bytes; 0: nothing is readable;
 * -ENODATA: the next bytes are not in pages.
 */
static ssize_t splice_take(struct smc_conn *conn, struct smc_io_splice *in)
{
	ssize_t n;
	bool more;

	if (in->msg)
		return smc_rx_read(conn, in->msg, in->len, 0, 0, &more);
	n = smc_rx_pages(conn, in->vecs, &in->nr, in->len);
	return !n && smc_rx_avail(conn) ? -ENODATA : n;
}

/*
 * Result of a splice() that gets no bytes because the urgent byte is next. As
 * in TCP, an end or an error that has arrived counts, although bytes are left.
 */
static int splice_at_mark(struct sock *sk, long timeo)
{
	if (recv_over(smc_sk(sk)) || recv_stopped(sk, 0))
		return recv_end(sk);
	return timeo ? 0 : -EAGAIN;
}

/* As in TCP, splice() ignores SO_RCVLOWAT, and stops at the urgent byte. */
static ssize_t splice_locked(struct sock *sk, struct smc_io_splice *in,
			     long timeo)
{
	struct smc_conn *conn = smc_sk(sk)->conn;
	ssize_t n;

	for (;;) {
		if (smc_urgent_at_mark(conn, 0))
			return in->more ? -EAGAIN : splice_at_mark(sk, timeo);
		n = splice_take(conn, in);
		if (n > 0)
			smc_count_recv(conn, in->len, n);
		if (n)
			return n;
		if (in->more)
			return -EAGAIN;
		if (recv_stopped(sk, 0))
			return recv_end(sk);
		n = wait_data(sk, &timeo, 0);
		if (n)
			return n;
	}
}

ssize_t smc_io_splice(struct sock *sk, struct smc_io_splice *in, int flags)
{
	ssize_t ret = -ENODATA;

	lock_sock(sk);
	if (smc_sk(sk)->mode == SMC_MODE_SMC) {
		smc_sock_follow_rcvbuf(smc_sk(sk));
		ret = splice_locked(sk, in,
				    sock_rcvtimeo(sk, flags & MSG_DONTWAIT));
	}
	release_sock(sk);
	return ret;
}

static int recv_tcp(struct smc_sock *smc, struct msghdr *msg, size_t len,
		    int flags)
{
	int ret;

	smc_fallback_begin(smc);
	smc_late_check(smc);
	ret = smc_sock_tcp(smc)->recvmsg(smc->clcsock, msg, len, flags);
	/*
	 * before a fallback only MSG_ERRQUEUE gets here, and this code fills in
	 * the values
	 */
	if (smc_sock_mode(smc) == SMC_MODE_TCP)
		smc_fallback_mirror(smc);
	return smc_fallback_end(smc, ret);
}

/*
 * As in TCP, recv(MSG_OOB) waits neither for the byte nor for the connection.
 */
static ssize_t recv_urgent(struct sock *sk, struct msghdr *msg, size_t len,
			   int flags, int *err)
{
	struct smc_sock *smc = smc_sk(sk);
	ssize_t n;

	switch (smc->mode) {
	case SMC_MODE_SMC:
		n = smc_urgent_recv(smc->conn, msg, len, flags);
		if (n == -EAGAIN &&
		    (READ_ONCE(sk->sk_shutdown) & RCV_SHUTDOWN))
			n = 0;
		return n;
	case SMC_MODE_TCP:
		*err = GO_TCP;
		return 0;
	case SMC_MODE_LISTEN:
		return -ENOTCONN;
	default:
		return -EINVAL;
	}
}

/* As in TCP, returns the error of the failed connect once, then end of file. */
static int recv_unconnected(struct sock *sk)
{
	if (smc_sk(sk)->mode == SMC_MODE_LISTEN)
		return -ENOTCONN;
	if (READ_ONCE(sk->sk_err))
		return sock_error(sk);
	return READ_ONCE(sk->sk_shutdown) & RCV_SHUTDOWN ? 0 : -ENOTCONN;
}

static ssize_t recv_smc(struct sock *sk, struct msghdr *msg, size_t len,
			int flags, int *err)
{
	long timeo = sock_rcvtimeo(sk, flags & MSG_DONTWAIT);
	ssize_t ret;

	*err = 0;
	if (flags & MSG_OOB)
		return recv_urgent(sk, msg, len, flags, err);
	*err = wait_ready(sk, &timeo);
	if (*err == NO_CONN)
		return recv_unconnected(sk);
	if (*err)
		return *err == GO_TCP ? 0 : *err;
	/* not every kernel reports a new SO_RCVBUF */
	smc_sock_follow_rcvbuf(smc_sk(sk));
	ret = recv_locked(sk, msg, len, flags, &timeo);
	if (ret > 0 && !(flags & MSG_PEEK))
		smc_count_recv(smc_sk(sk)->conn, len, ret);
	return ret;
}

/*
 * TCP_INQ: adds the number of bytes that are left to read. As in TCP, this
 * number is at least one at the end of the stream, so that the program reads
 * again. io_uring asks for the same number. @cmsg: the option was set when the
 * call began.
 */
static void tell_inq(struct smc_sock *smc, struct msghdr *msg, bool cmsg)
{
	int inq;

	if (likely(!cmsg && !msg->msg_get_inq))
		return;
	inq = smc_urgent_inq(smc->conn);
	if (!inq && recv_over(smc))
		inq = 1;
	msg->msg_inq = inq;
	if (cmsg)
		put_cmsg(msg, SOL_TCP, TCP_CM_INQ, sizeof(inq), &inq);
}

int smc_recvmsg(struct socket *sock, struct msghdr *msg, size_t len, int flags)
{
	struct sock *sk = sock->sk;
	bool inq = tcp_sk(smc_sk(sk)->clcsock->sk)->recvmsg_inq;
	ssize_t ret;
	int err;

	if ((flags & MSG_ERRQUEUE) && smc_zerocopy_noted(sk))
		return smc_zerocopy_recv(sk, msg, len);
	/* in every mode the TCP socket queues ICMP errors */
	if (smc_sock_mode(smc_sk(sk)) == SMC_MODE_TCP ||
	    (flags & MSG_ERRQUEUE))
		return recv_tcp(smc_sk(sk), msg, len, flags);
	msg->msg_namelen = 0;
	lock_sock(sk);
	ret = recv_smc(sk, msg, len, flags, &err);
	release_sock(sk);
	if (err == GO_TCP)
		return recv_tcp(smc_sk(sk), msg, len, flags);
	if (ret >= 0 && smc_sock_mode(smc_sk(sk)) == SMC_MODE_SMC) {
		if (ret && unlikely(smc_sock_wants_stamps(sk)))
			smc_stamp_tell(smc_sk(sk), msg);
		tell_inq(smc_sk(sk), msg, inq);
	}
	return ret;
}

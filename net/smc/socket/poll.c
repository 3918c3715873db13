// SPDX-License-Identifier: GPL-2.0
/* poll(), select(), epoll. As in TCP, the functions run without the socket
 * lock.
 */
#include "../base/compat.h"
#include "../base/limits.h"
#include "../conn/conn.h"
#include "../conn/rx.h"
#include "../conn/tx.h"
#include "fallback.h"
#include "listen.h"
#include "poll.h"
#include "sock.h"
#include "zerocopy.h"

#define POLL_IN_MASK	(EPOLLIN | EPOLLRDNORM)
#define POLL_OUT_MASK	(EPOLLOUT | EPOLLWRNORM)
/*
 * Events after a reset or a failed connect, as in TCP: both directions are
 * shut.
 */
#define POLL_DEAD_MASK	(POLL_IN_MASK | EPOLLRDHUP | POLL_OUT_MASK | EPOLLHUP)

static bool conn_dead(enum smc_conn_state state)
{
	return state == SMC_CONN_PEERABORTWAIT ||
	       state == SMC_CONN_PROCESSABORT || state == SMC_CONN_CLOSED;
}

/* Does the peer's stream end after the bytes that have arrived? */
static bool peer_done(enum smc_conn_state state)
{
	return state != SMC_CONN_INIT && state != SMC_CONN_ACTIVE &&
	       state != SMC_CONN_PEERCLOSEWAIT1;
}

/* @shut: RCV_SHUTDOWN and SEND_SHUTDOWN of both sides */
static __poll_t poll_out(struct smc_sock *smc, u8 shut)
{
	struct sock *sk = &smc->sk;

	if (shut & SEND_SHUTDOWN)
		return POLL_OUT_MASK;
	if (smc_tx_writable(smc->conn))
		return POLL_OUT_MASK;
	sk_set_bit(SOCKWQ_ASYNC_NOSPACE, sk);
	/* a CPU that clears the second bit also sees the first bit */
	smp_mb__after_atomic();
	set_bit(SMC_SF_NOSPACE, &smc->flags);
	/* Room may have appeared before the bit was set, without a wakeup. */
	smp_mb__after_atomic();
	return smc_tx_writable(smc->conn) ? POLL_OUT_MASK : 0;
}

/*
 * What can be read? As many bytes must be readable as SO_RCVLOWAT asks for, or
 * as many as the peer may send.
 */
static __poll_t poll_in(const struct smc_sock *smc)
{
	u32 cap = max_t(u32, READ_ONCE(smc->limit.rx), SMC_RMBE_MIN_BYTES) / 2;
	u32 want = sock_rcvlowat(&smc->sk, 0, INT_MAX);
	u8 ready = smc_rx_ready(smc->conn, min(want, cap));

	return (ready & SMC_RX_READY_BYTES ? POLL_IN_MASK : 0) |
	       (ready & SMC_RX_READY_URGENT ? EPOLLPRI : 0);
}

/*
 * @wanted: events that the caller asks for. Without POLL_OUT_MASK the function
 *	does not look for room in the send queue.
 */
static __poll_t poll_smc(struct smc_sock *smc, __poll_t wanted)
{
	enum smc_conn_state state = smc_conn_state(smc->conn);
	struct sock *sk = &smc->sk;
	u8 shut = READ_ONCE(sk->sk_shutdown);
	__poll_t mask = 0;

	if (conn_dead(state)) {
		/* the callback changed() may be late, so copy state and error
		 * now
		 */
		smc_sock_sync_conn(smc);
		return POLL_DEAD_MASK;
	}
	if (peer_done(state))
		shut |= RCV_SHUTDOWN;
	if (smc_conn_error(smc->conn)) {
		/* a send has failed after the peer had closed */
		smc_sock_sync_conn(smc);
		shut = SHUTDOWN_MASK;
	}
	if (shut == SHUTDOWN_MASK)
		mask |= EPOLLHUP;
	if (shut & RCV_SHUTDOWN)
		mask |= POLL_IN_MASK | EPOLLRDHUP;
	/*
	 * the test for room takes a lock, and most callers wait only for bytes
	 */
	if (wanted & POLL_OUT_MASK)
		mask |= poll_out(smc, shut);
	return mask | poll_in(smc);
}

static __poll_t poll_tcp(struct file *file, struct smc_sock *smc)
{
	__poll_t mask;

	smc_fallback_begin(smc);
	/* Pass no poll table: the caller waits on our wait queue, and TCP wakes
	 * that queue.
	 */
	mask = smc_sock_tcp(smc)->poll(file, smc->clcsock, NULL);
	smc_fallback_sync_err(smc);
	/* notices from before connect(AF_UNSPEC); as in TCP, a listener does
	 * not show them
	 */
	if (smc_zerocopy_noted(&smc->sk) &&
	    inet_sk_state_load(smc->clcsock->sk) != TCP_LISTEN)
		mask |= EPOLLERR;
	return mask;
}

__poll_t smc_poll(struct file *file, struct socket *sock, poll_table *wait)
{
	struct sock *sk = sock->sk;
	struct smc_sock *smc = smc_sk(sk);
	__poll_t mask;

	sock_poll_wait(file, sock, wait);
	/*
	 * Check the mode after the registration: smc_fallback() wakes waiters
	 * after it has changed the mode.
	 */
	switch (smc_sock_mode(smc)) {
	case SMC_MODE_TCP:
		return poll_tcp(file, smc);
	case SMC_MODE_NEW:
		mask = POLL_OUT_MASK | EPOLLHUP;
		if (READ_ONCE(sk->sk_shutdown) & RCV_SHUTDOWN)
			mask = POLL_DEAD_MASK;
		break;
	case SMC_MODE_LISTEN:
		if (smc_listen_destroyed(smc)) {
			mask = POLL_DEAD_MASK;
			break;
		}
		/* as in TCP, without the error of an earlier connect() */
		return smc_listen_ready(smc) ? POLL_IN_MASK : 0;
	case SMC_MODE_CONNECTING:
		return 0;
	case SMC_MODE_SMC:
		mask = poll_smc(smc, poll_requested_events(wait));
		break;
	default:
		mask = POLL_DEAD_MASK;
		break;
	}
	if (READ_ONCE(sk->sk_err) || smc_zerocopy_noted(sk))
		mask |= EPOLLERR;
	return mask;
}

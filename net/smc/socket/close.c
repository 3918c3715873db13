// SPDX-License-Identifier: GPL-2.0
/*
 * shutdown(), close(), and the end of the hidden TCP socket.
 *
 * A socket in mode SMC outlives its file until its connection has left the
 * group (4.8.1); then TCP follows: FIN after an orderly end, RST after an
 * abort. In mode TCP everything is TCP's, SO_LINGER included.
 */
#include <linux/sched/signal.h>
#include <net/tcp.h>
#include "../base/compat.h"
#include "../conn/close.h"
#include "../conn/conn.h"
#include "../conn/tx.h"
#include "ops.h"

/* Lock held. The caller releases what is returned, without the lock. */
static struct socket *take_tcp(struct smc_sock *smc, bool reset)
{
	struct socket *tcp = smc->clcsock;

	if (!tcp)
		return NULL;
	smc_tcp_unhook(smc);
	smc_ulp_detach(tcp->sk);
	if (reset)
		sock_no_linger(tcp->sk);
	smc->clcsock = NULL;
	return tcp;
}

/* True until everything the application gave us is on its way, C included. */
static bool lingering(const struct smc_sock *smc)
{
	switch (smc_conn_state(smc->conn)) {
	case SMC_CONN_ACTIVE:
	case SMC_CONN_APPCLOSEWAIT1:
	case SMC_CONN_APPCLOSEWAIT2:
		return true;
	case SMC_CONN_PEERABORTWAIT:
	case SMC_CONN_PROCESSABORT:
	case SMC_CONN_CLOSED:
		return false;	/* what is queued goes nowhere */
	default:
		return smc_tx_queued(smc->conn) != 0;
	}
}

static void wait_linger(struct sock *sk, long timeo)
{
	DEFINE_WAIT_FUNC(wait, woken_wake_function);
	struct smc_sock *smc = smc_sk(sk);

	add_wait_queue(sk_sleep(sk), &wait);
	while (timeo && lingering(smc) && !signal_pending(current)) {
		set_bit(SMC_SF_NOSPACE, &smc->flags);
		sk_wait_event(sk, &timeo, !lingering(smc), &wait);
	}
	remove_wait_queue(sk_sleep(sk), &wait);
}

static void close_conn(struct sock *sk, bool reset)
{
	bool linger = sock_flag(sk, SOCK_LINGER);
	struct smc_sock *smc = smc_sk(sk);

	if (reset || (linger && !READ_ONCE(sk->sk_lingertime))) {
		smc_close_reset(smc->conn, ECONNRESET);
		return;
	}
	smc_close_both(smc->conn);
	if (linger && !(current->flags & PF_EXITING))
		wait_linger(sk, READ_ONCE(sk->sk_lingertime));
}

/* The connection is finished, or is an orphan that will be. */
static struct socket *leave_conn(struct smc_sock *smc)
{
	/* FIN follows the end of both sides (R-3.5.4-01) */
	if (!test_bit(SMC_SF_CONN_GONE, &smc->flags))
		return NULL;	/* smc_sock_conn_gone() goes on */
	return take_tcp(smc, smc_conn_error(smc->conn));
}

/*
 * Lock held; returns with it released. Consumes one reference. What nobody
 * accepted is reset, as TCP does.
 */
static void finish(struct sock *sk)
{
	struct smc_sock *smc = smc_sk(sk);
	bool reset = !sk->sk_socket;
	struct socket *tcp;

	smc->shut = SHUTDOWN_MASK;
	WRITE_ONCE(sk->sk_shutdown, SHUTDOWN_MASK);
	switch (smc->mode) {
	case SMC_MODE_LISTEN:
		smc_listen_stop(smc);
		break;
	case SMC_MODE_CONNECTING:
		smc_hs_cancel(smc);
		break;
	case SMC_MODE_SMC:
		close_conn(sk, reset);
		break;
	case SMC_MODE_TCP:
		smc_options_push(smc);
		smc_fallback_release(smc);
		break;
	default:
		break;
	}
	sock_orphan(sk);
	if (smc->mode == SMC_MODE_SMC)
		tcp = leave_conn(smc);
	else
		tcp = take_tcp(smc, reset);
	release_sock(sk);
	if (tcp)
		sock_release(tcp);
	sock_put(sk);
}

int smc_release(struct socket *sock)
{
	struct sock *sk = sock->sk;

	if (!sk)
		return 0;
	lock_sock(sk);
	finish(sk);
	sock->sk = NULL;
	return 0;
}

void smc_sock_end(struct smc_sock *smc)
{
	lock_sock_nested(&smc->sk, SINGLE_DEPTH_NESTING);
	finish(&smc->sk);
}

void smc_sock_conn_gone(struct smc_sock *smc)
{
	struct sock *sk = &smc->sk;
	struct socket *tcp = NULL;
	int err;

	set_bit(SMC_SF_CONN_GONE, &smc->flags);
	smp_mb__after_atomic();	/* partner: smc_sock_set_mode() */
	/*
	 * A handshake that detaches its connection holds the lock and decides
	 * itself what becomes of TCP.  If one is turning into mode SMC right
	 * now, finish() finds the bit.
	 */
	if (smc_sock_mode(smc) != SMC_MODE_SMC)
		return;
	lock_sock(sk);
	smc_sock_sync_conn(smc);
	err = smc_conn_error(smc->conn);
	if (sock_flag(sk, SOCK_DEAD))
		tcp = take_tcp(smc, err);
	else if (err && smc->clcsock)
		tcp_abort(smc->clcsock->sk, err);
	release_sock(sk);
	if (tcp)
		sock_release(tcp);
}

void smc_sock_send_fin(struct smc_sock *smc)
{
	struct sock *sk = &smc->sk;

	lock_sock(sk);
	if (smc->clcsock && !test_bit(SMC_SF_CONN_GONE, &smc->flags))
		kernel_sock_shutdown(smc->clcsock, SHUT_WR);
	release_sock(sk);
}

/* RFC 7609 4.8.1: both directions at once is close, one is D or nothing. */
static int shutdown_conn(struct smc_sock *smc, u8 how)
{
	struct sock *sk = &smc->sk;
	u8 before = smc->shut;
	int err = 0;

	if (smc_conn_state(smc->conn) == SMC_CONN_CLOSED)
		return -ENOTCONN;
	smc->shut |= how;
	WRITE_ONCE(sk->sk_shutdown, smc->shut);
	if (how == SHUTDOWN_MASK && before != SHUTDOWN_MASK)
		smc_close_both(smc->conn);
	else if ((how & SEND_SHUTDOWN) && !(before & SEND_SHUTDOWN))
		err = smc_close_sending(smc->conn);
	return err;
}

/* As TCP: receive shutdown of a listener ends listening. */
static int shutdown_listener(struct socket *sock, u8 how)
{
	struct smc_sock *smc = smc_sk(sock->sk);

	if (!(how & RCV_SHUTDOWN))
		return 0;
	smc_listen_stop(smc);
	/* as TCP: it may listen or connect again */
	smc_sock_set_mode(smc, SMC_MODE_NEW);
	return 0;
}

static int shutdown_locked(struct socket *sock, u8 how)
{
	struct smc_sock *smc = smc_sk(sock->sk);

	switch (smc->mode) {
	case SMC_MODE_LISTEN:
		return shutdown_listener(sock, how);
	case SMC_MODE_CONNECTING:
		smc_hs_cancel(smc);
		WRITE_ONCE(sock->sk->sk_err, ECONNRESET);
		return 0;
	case SMC_MODE_SMC:
		return shutdown_conn(smc, how);
	default:
		return -ENOTCONN;
	}
}

int smc_shutdown(struct socket *sock, int how)
{
	struct sock *sk = sock->sk;
	struct smc_sock *smc = smc_sk(sk);
	int err;

	/* SHUT_RD, SHUT_WR, SHUT_RDWR are one less than the kernel's bits. */
	if (how < SHUT_RD || how > SHUT_RDWR)
		return -EINVAL;
	lock_sock(sk);
	if (smc->mode == SMC_MODE_TCP) {
		release_sock(sk);
		return smc_tcp_ops(smc)->shutdown(smc->clcsock, how);
	}
	err = shutdown_locked(sock, how + 1);
	sk->sk_state_change(sk);
	release_sock(sk);
	return err;
}

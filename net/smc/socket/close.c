// SPDX-License-Identifier: GPL-2.0
/* close() and shutdown(). */
#include <net/sock.h>
#include "../base/compat.h"
#include "../conn/close.h"
#include "../conn/conn.h"
#include "close.h"
#include "connect.h"
#include "end.h"
#include "fallback.h"
#include "inet.h"
#include "listen.h"
#include "sock.h"

/* Marks the listener as shut before it is freed, because its children may read
 * the mark.
 */
static void stop_listening(struct smc_sock *smc)
{
	smc->asked.shut = SHUTDOWN_MASK;
	WRITE_ONCE(smc->sk.sk_shutdown, SHUTDOWN_MASK);
	smc_listen_stop(smc);
}

int smc_release(struct socket *sock)
{
	struct sock *sk = sock->sk;

	if (!sk)
		return 0;
	smc_inet_release(sk);
	lock_sock(sk);
	if (smc_sk(sk)->mode == SMC_MODE_LISTEN)
		stop_listening(smc_sk(sk));
	smc_end_locked(sk);
	sock->sk = NULL;
	return 0;
}

/*
 * RFC 7609 4.8.1: a shutdown of both directions sends the flag C; a shutdown of
 * one direction sends D or nothing. Two calls may shut the two directions one
 * after the other. Then unread bytes do not abort the connection: the first
 * call allows the application to send the rest of its queue, and to read.
 */
static int shutdown_conn(struct smc_sock *smc, u8 how)
{
	bool over = smc_conn_over(smc->conn);
	struct sock *sk = &smc->sk;
	u8 before = smc->asked.shut;
	int err = 0;

	smc->asked.shut |= how;
	/* a shutdown() before connect() may have set other bits */
	WRITE_ONCE(sk->sk_shutdown, sk->sk_shutdown | how);
	if (how == SHUTDOWN_MASK && before != SHUTDOWN_MASK && !over)
		smc_close_both(smc->conn, false);
	else if ((smc->asked.shut & SEND_SHUTDOWN) && smc->asked.shut != before)
		err = smc_close_sending(smc->conn,
					smc->asked.shut == SHUTDOWN_MASK);
	return over ? -ENOTCONN : err;
}

/* As in TCP, a listener stops listening when its receiving side is
 * shut down.
 */
static int shutdown_listener(struct socket *sock, u8 how)
{
	struct smc_sock *smc = smc_sk(sock->sk);

	if (!(how & RCV_SHUTDOWN))
		return 0;
	if (!smc_listen_end(smc))
		return 0;
	/* as in TCP, the socket may listen or connect again, and neither
	 * direction is shut
	 */
	WRITE_ONCE(sock->sk->sk_shutdown, 0);
	/* as in TCP, SIGIO reports it */
	sk_error_report(sock->sk);
	return 0;
}

/*
 * As in TCP, after shutdown() no call reports the outcome of connect(). @over:
 * the connection has ended, and a further connect() fails with EINVAL.
 */
static void drop_outcome(struct socket *sock, bool over)
{
	if (sock->state == SS_CONNECTING)
		sock->state = over ? SS_DISCONNECTING : SS_CONNECTED;
}

static int shutdown_locked(struct socket *sock, u8 how)
{
	struct smc_sock *smc = smc_sk(sock->sk);

	switch (smc->mode) {
	case SMC_MODE_LISTEN:
		return shutdown_listener(sock, how);
	case SMC_MODE_CONNECTING:
		smc_connect_cancel(sock);
		return 0;
	case SMC_MODE_SMC:
		drop_outcome(sock, smc_conn_over(smc->conn));
		return shutdown_conn(smc, how);
	default:
		drop_outcome(sock, true);
		/* as in TCP, poll() shows this although the call fails */
		WRITE_ONCE(sock->sk->sk_shutdown,
			   sock->sk->sk_shutdown | how);
		return -ENOTCONN;
	}
}

int smc_shutdown(struct socket *sock, int how)
{
	struct sock *sk = sock->sk;
	struct smc_sock *smc = smc_sk(sk);
	int err;

	/* SHUT_RD, SHUT_WR and SHUT_RDWR plus 1 are the values RCV_SHUTDOWN,
	 * SEND_SHUTDOWN and SHUTDOWN_MASK.
	 */
	if (how < SHUT_RD || how > SHUT_RDWR)
		return -EINVAL;
	lock_sock(sk);
	if (smc->mode == SMC_MODE_TCP) {
		release_sock(sk);
		err = smc_sock_tcp(smc)->shutdown(smc->clcsock, how);
		lock_sock(sk);
		smc_fallback_sync_listen(smc);
		release_sock(sk);
		return err;
	}
	err = shutdown_locked(sock, how + 1);
	sk->sk_state_change(sk);
	release_sock(sk);
	return err;
}

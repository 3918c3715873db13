// SPDX-License-Identifier: GPL-2.0
/*
 * connect(): starts a handshake and, on a blocking socket, sleeps until it
 * ends. The states of struct socket have the same meaning as in TCP:
 * SS_CONNECTING lasts until a call has reported the outcome.
 */
#include <linux/sched/signal.h>
#include "../base/compat.h"
#include "../conn/close.h"
#include "../conn/conn.h"
#include "../wire/decline.h"
#include "connect.h"
#include "fallback.h"
#include "hs.h"
#include "late.h"
#include "listen.h"
#include "options.h"
#include "sock.h"
#include "tcp_cb.h"
#include "ulp.h"

/* This value is internal: the mode is TCP, so pass the call to TCP. */
#define GO_TCP	1

int smc_connect_sleep(struct sock *sk, long *timeo)
{
	DEFINE_WAIT_FUNC(wait, woken_wake_function);
	struct smc_sock *smc = smc_sk(sk);
	int err = 0;

	add_wait_queue(sk_sleep(sk), &wait);
	while (smc->mode == SMC_MODE_CONNECTING) {
		err = -EAGAIN;
		if (!*timeo)
			break;
		err = sock_intr_errno(*timeo);
		if (signal_pending(current))
			break;
		err = 0;
		sk_wait_event(sk, timeo,
			      smc_sock_mode(smc) != SMC_MODE_CONNECTING, &wait);
	}
	remove_wait_queue(sk_sleep(sk), &wait);
	return err;
}

/* connect(AF_UNSPEC) on the TCP socket. Return: 0 or the errno of TCP. */
static int disconnect_tcp(struct smc_sock *smc)
{
	struct sockaddr any = { .sa_family = AF_UNSPEC };
	struct smc_compat_sockaddr *addr = (struct smc_compat_sockaddr *)&any;

	return kernel_connect(smc->clcsock, addr, sizeof(any), 0);
}

/*
 * Makes a closed socket usable for a new connect(). The caller holds the lock.
 * The mode stays CLOSED if TCP refuses.
 */
static void start_over(struct smc_sock *smc)
{
	smc_tcp_unhook(smc);
	smc_ulp_detach(smc->clcsock->sk);
	if (disconnect_tcp(smc))
		return;
	if (smc->conn) {
		smc_conn_put(smc->conn, SMC_CONN_REF_OWNER);
		smc->conn = NULL;
	}
	clear_bit(SMC_SF_STOPPED, &smc->flags);
	clear_bit(SMC_SF_ERR_TOLD, &smc->flags);
	WRITE_ONCE(smc->sk.sk_err, 0);
	WRITE_ONCE(smc->sk.sk_shutdown, 0);
	smc_sock_set_mode(smc, SMC_MODE_NEW);
}

void smc_connect_cancel(struct socket *sock)
{
	struct smc_sock *smc = smc_sk(sock->sk);

	smc_hs_cancel(smc);
	start_over(smc);
	WRITE_ONCE(smc->sk.sk_err, ECONNRESET);
	sock->state = SS_UNCONNECTED;
}

/* Return: -EINPROGRESS if the handshake has started. */
static int begin_connect(struct socket *sock, struct sockaddr *addr, int len)
{
	struct smc_sock *smc = smc_sk(sock->sk);
	int told = READ_ONCE(smc->sk.sk_err);
	int err;

	if (smc->mode != SMC_MODE_NEW)
		return -EISCONN;
	smc_options_push(smc);
	smc_tcp_lend_file(smc, sock->file);
	/* as in TCP, a new connect() clears an error that no call has reported,
	 * unless it fails at once
	 */
	WRITE_ONCE(smc->sk.sk_err, 0);
	/*
	 * set before a fallback, which may follow at once and reads the state
	 */
	sock->state = SS_CONNECTING;
	err = smc_hs_connect(smc, addr, len);
	if (err) {
		sock->state = SS_UNCONNECTED;
		WRITE_ONCE(smc->sk.sk_err, told);
		return err;
	}
	return -EINPROGRESS;
}

/*
 * A program may disconnect while other threads use the connection. Their calls
 * rely on smc->conn, so the socket keeps this connection, which is aborted, and
 * continues as a TCP socket. @over: both directions have ended, and as in TCP
 * there is nothing to abort.
 */
static void leave_smc(struct smc_sock *smc, bool over)
{
	if (over)
		smc_close_both(smc->conn, true);
	else
		smc_close_reset(smc->conn, ECONNRESET);
	smc_sock_sync_conn(smc);
	smc_fallback(smc, SMC_DECL_OPTUNSUPP, 0, false);
}

/*
 * connect(AF_UNSPEC): as in TCP, ends the connection by a reset, or the
 * handshake or the listener, and makes the socket usable again. The caller
 * holds the lock, which smc_listen_stop() drops for some time.
 */
static int disconnect_locked(struct socket *sock)
{
	struct smc_sock *smc = smc_sk(sock->sk);
	int told, err = 0;
	bool over;

	switch (smc->mode) {
	case SMC_MODE_LISTEN:
		if (!smc_listen_end(smc))
			return 0;
		break;
	case SMC_MODE_CONNECTING:
		smc_connect_cancel(sock);
		break;
	case SMC_MODE_CLOSED:
		told = READ_ONCE(smc->sk.sk_err);
		start_over(smc);
		WRITE_ONCE(smc->sk.sk_err, told);
		break;
	case SMC_MODE_SMC:
		smc_sock_sync_conn(smc);
		over = smc_conn_over(smc->conn);
		told = over ? READ_ONCE(smc->sk.sk_err) : ECONNRESET;
		leave_smc(smc, over);
		err = disconnect_tcp(smc);
		smc_fallback_set_err(smc, told);
		break;
	case SMC_MODE_TCP:
		smc_options_push(smc);
		err = disconnect_tcp(smc);
		smc_late_forget(smc);
		smc_fallback_sync_err(smc);
		smc_fallback_sync_listen(smc);
		break;
	default:
		break;
	}
	sock->state = SS_UNCONNECTED;
	smc->asked.shut = 0;
	WRITE_ONCE(smc->sk.sk_shutdown, 0);
	smc->sk.sk_state_change(&smc->sk);
	/* as in TCP, also without an error */
	sk_error_report(&smc->sk);
	return err;
}

/*
 * Reports the outcome of the handshake. After a failure the socket can connect
 * again, as in TCP, also if the connection has ended since the handshake.
 * Return: 0, an errno, or GO_TCP.
 */
static int connect_outcome(struct socket *sock)
{
	struct smc_sock *smc = smc_sk(sock->sk);
	int err;

	switch (smc->mode) {
	case SMC_MODE_TCP:
		return GO_TCP;
	case SMC_MODE_SMC:
		if (!smc_conn_over(smc->conn)) {
			sock->state = SS_CONNECTED;
			return 0;
		}
		smc_sock_sync_conn(smc);
		break;
	default:
		break;
	}
	err = sock_error(sock->sk) ?: -ECONNABORTED;
	if (smc->mode == SMC_MODE_SMC) {
		disconnect_locked(sock);
	} else if (smc->mode == SMC_MODE_CLOSED) {
		start_over(smc);
		/* TCP disconnects here, which reports an error once more */
		sk_error_report(sock->sk);
	}
	sock->state = SS_UNCONNECTED;
	return err;
}

static int connect_locked(struct socket *sock, struct sockaddr *addr, int len,
			  int flags)
{
	struct sock *sk = sock->sk;
	long timeo;
	int busy;
	int err;

	if (smc_sk(sk)->mode == SMC_MODE_TCP) {
		smc_fallback_connect(smc_sk(sk));
		return GO_TCP;
	}
	switch (sock->state) {
	case SS_UNCONNECTED:
		busy = begin_connect(sock, addr, len);
		if (busy != -EINPROGRESS)
			return busy;
		break;
	case SS_CONNECTING:
		busy = -EALREADY;
		break;
	case SS_CONNECTED:
		return -EISCONN;
	default:
		return -EINVAL;
	}
	timeo = sock_sndtimeo(sk, flags & O_NONBLOCK);
	/*
	 * This is also the result if the handshake is already over, as on
	 * loopback. TCP never finishes so early.
	 */
	if (busy == -EINPROGRESS && !timeo)
		return busy;
	err = smc_connect_wait(sk, &timeo);
	if (err)
		return err == -EAGAIN ? busy : err;
	return connect_outcome(sock);
}

/* TCP also reports the outcome of a connect() that led to a fallback. */
static int connect_tcp(struct smc_sock *smc, struct smc_compat_sockaddr *addr,
		       int len, int flags)
{
	int err;

	smc_fallback_begin(smc);
	err = smc_sock_tcp(smc)->connect(smc->clcsock, addr, len, flags);
	smc_fallback_sync_err(smc);
	return err;
}

int smc_connect(struct socket *sock, struct smc_compat_sockaddr *addr, int len,
		int flags)
{
	struct sock *sk = sock->sk;
	struct smc_sock *smc = smc_sk(sk);
	int err;

	if (len < (int)sizeof(addr->sa_family))
		return -EINVAL;
	lock_sock(sk);
	if (((struct sockaddr *)addr)->sa_family == AF_UNSPEC)
		err = disconnect_locked(sock);
	else
		err = connect_locked(sock, (struct sockaddr *)addr, len, flags);
	release_sock(sk);
	return err == GO_TCP ? connect_tcp(smc, addr, len, flags) : err;
}

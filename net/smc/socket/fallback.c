// SPDX-License-Identifier: GPL-2.0
/*
 * Fallback: a socket becomes TCP.
 *
 * The user's file and its struct socket do not change. The TCP socket gets the
 * wait queue of the user's socket. So TCP itself wakes all waiters of the
 * user's socket, including epoll, and sends SIGIO. The TCP socket also gets the
 * user's file, for SIGURG and splice. After the switch to TCP, every call goes
 * to TCP.
 *
 * The core reads SO_ERROR and the buffer sizes from our own sock, so TCP's
 * error and sizes are mirrored there.
 */
#include <net/tcp.h>
#include "../base/compat.h"
#include "../base/mib.h"
#include "../base/stats.h"
#include "../base/trace.h"
#include "fallback.h"
#include "late.h"
#include "options.h"
#include "reader.h"
#include "sock.h"
#include "tcp_cb.h"
#include "ulp.h"

/*
 * Callback error_report of the TCP socket in mode TCP. The callback runs under
 * the TCP lock, often in softirq.
 */
static void tcp_error(struct sock *tcp)
{
	void (*report)(struct sock *sk) = NULL;
	struct smc_sock *smc;
	int err;

	read_lock_bh(&tcp->sk_callback_lock);
	smc = __locked_read_sk_user_data_with_flags(tcp,
						    SK_USER_DATA_NOCOPY);
	if (smc) {
		report = smc->mirror.report;
		err = READ_ONCE(tcp->sk_err);
		/* a notice on the error queue does not set an error */
		if (err) {
			WRITE_ONCE(smc->sk.sk_err, err);
			WRITE_ONCE(smc->mirror.err, err);
			smc_reader_failed_tcp(smc);
		}
	}
	read_unlock_bh(&tcp->sk_callback_lock);
	if (report)
		report(tcp);
}

/*
 * Callback data_ready of the TCP socket in mode TCP. The callback runs under
 * the TCP lock, often in softirq. kTLS may have saved the pointer, so the
 * callback may run after it was removed. smc_fallback_release() removes it and
 * then takes the TCP lock, so the socket exists until the callback returns.
 */
static void tcp_ready(struct sock *tcp)
{
	struct smc_sock *smc;

	read_lock_bh(&tcp->sk_callback_lock);
	smc = __locked_read_sk_user_data_with_flags(tcp,
						    SK_USER_DATA_NOCOPY);
	read_unlock_bh(&tcp->sk_callback_lock);
	/* without the callback lock, because TCP may send from here */
	if (smc)
		smc_late_take(smc);
	smc_tcp_default_ready(tcp);
	read_lock_bh(&tcp->sk_callback_lock);
	smc = __locked_read_sk_user_data_with_flags(tcp,
						    SK_USER_DATA_NOCOPY);
	if (smc)
		smc_reader_ready_tcp(smc);
	read_unlock_bh(&tcp->sk_callback_lock);
}

static void hook_callbacks(struct smc_sock *smc)
{
	struct sock *tcp = smc->clcsock->sk;

	write_lock_bh(&tcp->sk_callback_lock);
	/*
	 * A BPF program may already use sk_user_data. Then this file does not
	 * mirror errors, and a reader inside the kernel hears of no bytes.
	 */
	if (!rcu_access_pointer(__sk_user_data(tcp))) {
		/* NOCOPY: children of a listener do not inherit the pointer */
		__rcu_assign_sk_user_data_with_flags(tcp, smc,
						     SK_USER_DATA_NOCOPY);
		smc->mirror.report = tcp->sk_error_report;
		tcp->sk_error_report = tcp_error;
		if (smc_tcp_ready_is_default(tcp))
			WRITE_ONCE(tcp->sk_data_ready, tcp_ready);
	}
	write_unlock_bh(&tcp->sk_callback_lock);
}

static void unhook_callbacks(struct smc_sock *smc)
{
	struct sock *tcp = smc->clcsock->sk;

	write_lock_bh(&tcp->sk_callback_lock);
	if (smc->mirror.report) {
		tcp->sk_error_report = smc->mirror.report;
		smc->mirror.report = NULL;
		if (READ_ONCE(tcp->sk_data_ready) == tcp_ready)
			smc_tcp_restore_ready(tcp);
		rcu_assign_sk_user_data(tcp, NULL);
	}
	write_unlock_bh(&tcp->sk_callback_lock);
}

void smc_fallback_sync_err(struct smc_sock *smc)
{
	struct sock *tcp = smc->clcsock->sk;
	struct sock *sk = &smc->sk;

	if (!READ_ONCE(smc->mirror.err))	/* partner: tcp_error() */
		return;
	write_lock_bh(&tcp->sk_callback_lock);
	if (smc->mirror.err && !READ_ONCE(sk->sk_err)) {
		/* SO_ERROR has returned the mirrored error; a newer error stays
		 * pending
		 */
		cmpxchg(&tcp->sk_err, smc->mirror.err, 0);
		WRITE_ONCE(smc->mirror.err, 0);
	} else if (smc->mirror.err && !READ_ONCE(tcp->sk_err)) {
		/* a call to TCP has returned the error */
		WRITE_ONCE(smc->mirror.err, 0);
		WRITE_ONCE(sk->sk_err, 0);
	}
	write_unlock_bh(&tcp->sk_callback_lock);
}

void smc_fallback_begin(struct smc_sock *smc)
{
	smc_options_push(smc);
	smc_fallback_sync_err(smc);
}

ssize_t smc_fallback_end(struct smc_sock *smc, ssize_t ret)
{
	if (ret < 0)
		smc_fallback_sync_err(smc);
	return ret;
}

void smc_fallback_set_err(struct smc_sock *smc, int err)
{
	struct sock *tcp = smc->clcsock->sk;

	write_lock_bh(&tcp->sk_callback_lock);
	WRITE_ONCE(tcp->sk_err, err);
	WRITE_ONCE(smc->sk.sk_err, err);
	WRITE_ONCE(smc->mirror.err, err);
	write_unlock_bh(&tcp->sk_callback_lock);
}

void smc_fallback_mirror(struct smc_sock *smc)
{
	const struct sock *tcp = smc->clcsock->sk;
	struct sock *sk = &smc->sk;

	WRITE_ONCE(sk->sk_sndbuf, READ_ONCE(tcp->sk_sndbuf));
	WRITE_ONCE(sk->sk_rcvbuf, READ_ONCE(tcp->sk_rcvbuf));
	WRITE_ONCE(sk->sk_incoming_cpu, READ_ONCE(tcp->sk_incoming_cpu));
	WRITE_ONCE(sk->sk_peek_off, READ_ONCE(tcp->sk_peek_off));
#ifdef CONFIG_NET_RX_BUSY_POLL
	WRITE_ONCE(sk->sk_napi_id, READ_ONCE(tcp->sk_napi_id));
#endif
}

/*
 * Gives TCP the options that were held back during the handshake. During the
 * handshake these options could have delayed CLC bytes, or let close() cut the
 * handshake off.
 */
static void hand_over_options(struct smc_sock *smc)
{
	struct socket *clc = smc->clcsock;
	struct sock *sk = &smc->sk;
	struct sock *tcp = clc->sk;

	if (sk->sk_rcvlowat > 1 && smc_sock_tcp(smc)->set_rcvlowat)
		smc_sock_tcp(smc)->set_rcvlowat(tcp, sk->sk_rcvlowat);
	if (sock_flag(sk, SOCK_LINGER)) {
		WRITE_ONCE(tcp->sk_lingertime, READ_ONCE(sk->sk_lingertime));
		sock_set_flag(tcp, SOCK_LINGER);
	}
	if (READ_ONCE(sk->sk_peek_off) >= 0 && smc_sock_tcp(smc)->set_peek_off)
		smc_sock_tcp(smc)->set_peek_off(tcp, sk->sk_peek_off);
	/* the shared wait queue has a list of tasks that want signals */
	sock_set_flag(tcp, SOCK_FASYNC);
}

/*
 * If no call has reported the outcome of connect(), TCP does. As in TCP, a
 * direction that was shut before connect() remains shut.
 */
static void hand_over_state(struct smc_sock *smc)
{
	const struct socket *sock = smc->sk.sk_socket;
	struct socket *clc = smc->clcsock;
	struct sock *tcp = clc->sk;

	if (sock && sock->state == SS_CONNECTING)
		clc->state = SS_CONNECTING;
	else if (clc->state == SS_CONNECTING)
		clc->state = SS_CONNECTED;
	WRITE_ONCE(tcp->sk_shutdown,
		   tcp->sk_shutdown | READ_ONCE(smc->sk.sk_shutdown));
}

static void become_tcp(struct smc_sock *smc)
{
	struct sock *tcp = smc->clcsock->sk;

	smc_options_push(smc);
	lock_sock(tcp);
	hand_over_options(smc);
	hand_over_state(smc);
	hook_callbacks(smc);
	smc_late_take(smc);
	if (READ_ONCE(tcp->sk_err))
		tcp_error(tcp);
	release_sock(tcp);
	if (smc->asked.cork)
		tcp_sock_set_cork(tcp, true);
	smc_fallback_mirror(smc);
	if (smc->sk.sk_socket)
		smc_fallback_graft(smc, smc->sk.sk_socket);
	smc_sock_set_mode(smc, SMC_MODE_TCP);
	/* Records the options that hand_over_options() has set, so that a later
	 * change is noticed.
	 */
	smc_options_push(smc);
	/* bytes that TCP has received before hook_callbacks() */
	smc_reader_ready_tcp(smc);
}

void smc_fallback(struct smc_sock *smc, u32 reason, u32 peer_reason, bool serv)
{
	struct net *net = sock_net(&smc->sk);
	struct sock *tcp = smc->clcsock->sk;
	struct sock *sk = &smc->sk;

	smc->reason = reason;
	smc->peer_reason = peer_reason;
	smc_tcp_unhook(smc);
	smc_ulp_show(tcp, reason);
	become_tcp(smc);
	smc_mib_inc(net, serv ? SMC_MIB_SRV_FALLBACK : SMC_MIB_CLNT_FALLBACK);
	smc_stats_fallback(net, serv, reason);
	trace_smc_switch_to_fallback(sk, tcp, net->net_cookie, reason,
				     peer_reason);
	/*
	 * Wakes waiters that checked before the change, so that they check
	 * again.
	 */
	sk->sk_state_change(sk);
	sk_wake_async(sk, SOCK_WAKE_IO, POLL_OUT);
}

void smc_fallback_child(struct smc_sock *child, const struct smc_sock *parent)
{
	struct sock *sk = &child->sk;

	child->reason = parent->reason;
	child->peer_reason = parent->peer_reason;
	smc_ulp_show(child->clcsock->sk, child->reason);
	become_tcp(child);
	smc_mib_inc(sock_net(sk), SMC_MIB_SRV_FALLBACK);
	smc_stats_fallback(sock_net(sk), true, child->reason);
	trace_smc_switch_to_fallback(sk, child->clcsock->sk,
				     sock_net(sk)->net_cookie, child->reason,
				     child->peer_reason);
}

int smc_fallback_listen(struct smc_sock *smc, int backlog)
{
	int state = inet_sk_state_load(smc->clcsock->sk);
	int err;

	/* in other states listen() fails, and errors must be mirrored on */
	if (state == TCP_CLOSE || state == TCP_LISTEN)
		unhook_callbacks(smc);
	err = kernel_listen(smc->clcsock, backlog);
	if (err)
		smc_fallback_connect(smc);
	return err;
}

void smc_fallback_connect(struct smc_sock *smc)
{
	/* does nothing if the callbacks are there */
	if (inet_sk_state_load(smc->clcsock->sk) != TCP_LISTEN)
		hook_callbacks(smc);
}

void smc_fallback_sync_listen(struct smc_sock *smc)
{
	sock_owned_by_me(&smc->sk);
	if (READ_ONCE(smc->sk.sk_state) == SMC_SK_LISTEN &&
	    inet_sk_state_load(smc->clcsock->sk) != TCP_LISTEN)
		WRITE_ONCE(smc->sk.sk_state, SMC_SK_ACTIVE);
}

void smc_fallback_graft(struct smc_sock *smc, struct socket *sock)
{
	struct sock *tcp = smc->clcsock->sk;

	smc_tcp_lend_file(smc, sock->file);
	lock_sock(tcp);
	write_lock_bh(&tcp->sk_callback_lock);
	rcu_assign_pointer(tcp->sk_wq, &sock->wq);
	write_unlock_bh(&tcp->sk_callback_lock);
	release_sock(tcp);
}

/*
 * smc_end_locked() takes the user's file back. Readers of the wait queue run in
 * RCU read sections, and struct socket is freed only after these sections.
 */
void smc_fallback_release(struct smc_sock *smc)
{
	struct socket *clc = smc->clcsock;
	struct sock *tcp = clc->sk;

	unhook_callbacks(smc);
	lock_sock(tcp);
	write_lock_bh(&tcp->sk_callback_lock);
	rcu_assign_pointer(tcp->sk_wq, &clc->wq);
	write_unlock_bh(&tcp->sk_callback_lock);
	release_sock(tcp);
}

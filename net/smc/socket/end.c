// SPDX-License-Identifier: GPL-2.0
/*
 * The end of a socket that does not listen.
 *
 * In mode SMC the socket outlives its file until its connection has left the
 * group (4.8.1). See orphan.c. In mode TCP the TCP socket handles everything,
 * including SO_LINGER.
 */
#include <linux/sched/signal.h>
#include <net/sock.h>
#include "../conn/close.h"
#include "../conn/conn.h"
#include "../conn/tx.h"
#include "bulk.h"
#include "end.h"
#include "fallback.h"
#include "hs.h"
#include "options.h"
#include "orphan.h"
#include "sock.h"
#include "tcp_cb.h"

/* Is data of the application, or the flag C, still waiting to be sent? */
static bool is_lingering(const struct smc_sock *smc)
{
	switch (smc_conn_state(smc->conn)) {
	case SMC_CONN_ACTIVE:
	case SMC_CONN_APPCLOSEWAIT1:
	case SMC_CONN_APPCLOSEWAIT2:
		return true;
	case SMC_CONN_PEERABORTWAIT:
	case SMC_CONN_PROCESSABORT:
	case SMC_CONN_CLOSED:
		return false;	/* queued data cannot be sent */
	default:
		return smc_tx_queued(smc->conn) != 0;
	}
}

static void wait_linger(struct sock *sk, long timeo)
{
	DEFINE_WAIT_FUNC(wait, woken_wake_function);
	struct smc_sock *smc = smc_sk(sk);

	add_wait_queue(sk_sleep(sk), &wait);
	while (timeo && is_lingering(smc) && !signal_pending(current)) {
		set_bit(SMC_SF_NOSPACE, &smc->flags);
		sk_wait_event(sk, &timeo, !is_lingering(smc), &wait);
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
	smc_close_both(smc->conn, true);
	if (linger && !(current->flags & PF_EXITING))
		wait_linger(sk, READ_ONCE(sk->sk_lingertime));
}

/*
 * Ends TCP if the connection has ended. Otherwise the socket becomes an orphan.
 */
static struct socket *leave_conn(struct smc_sock *smc)
{
	/* FIN follows after both sides have closed the connection
	 * (R-3.5.4-01)
	 */
	if (!smc_conn_gone(smc->conn)) {
		smc_orphan_begin(smc);
		return NULL;	/* smc_orphan_conn_gone() ends TCP later */
	}
	return smc_orphan_take_tcp(smc, smc_conn_error(smc->conn));
}

void smc_end_locked(struct sock *sk)
{
	struct smc_sock *smc = smc_sk(sk);
	bool reset = !sk->sk_socket;
	struct socket *tcp;

	smc->asked.shut = SHUTDOWN_MASK;
	WRITE_ONCE(sk->sk_shutdown, SHUTDOWN_MASK);
	switch (smc->mode) {
	case SMC_MODE_CONNECTING:
		smc_hs_cancel(smc);
		break;
	case SMC_MODE_SMC:
		smc_bulk_learn(smc);
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
	if (smc->clcsock) {
		smc_tcp_lend_file(smc, NULL);
		smc_tcp_show_owner(smc, NULL);
	}
	if (smc->mode == SMC_MODE_SMC)
		tcp = leave_conn(smc);
	else
		tcp = smc_orphan_take_tcp(smc, reset);
	release_sock(sk);
	if (tcp)
		sock_release(tcp);
	sock_put(sk);
}

void smc_end_child(struct smc_sock *smc)
{
	lock_sock_nested(&smc->sk, SINGLE_DEPTH_NESTING);
	smc_end_locked(&smc->sk);
}

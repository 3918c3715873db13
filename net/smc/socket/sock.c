// SPDX-License-Identifier: GPL-2.0
/*
 * The mode of a socket, its state and error for the core, and room for writers.
 */
#include <net/tcp.h>
#include "../../../include/uapi/linux/smc.h"
#include "../base/limits.h"
#include "../conn/alive.h"
#include "../conn/conn.h"
#include "../conn/measure.h"
#include "../conn/rx.h"
#include "../conn/tx.h"
#include "sock.h"

int smc_sock_family(const struct smc_sock *smc)
{
	const struct sock *sk = &smc->sk;

	if (sk->sk_family != AF_SMC)
		return sk->sk_family;
	return sk->sk_protocol == SMCPROTO_SMC6 ? AF_INET6 : AF_INET;
}

u32 smc_sock_sndbuf(const struct smc_sock *smc)
{
	/* The core stores twice the requested size. */
	return max_t(u32, READ_ONCE(smc->sk.sk_sndbuf) / 2,
		     SMC_RMBE_MIN_BYTES);
}

u32 smc_sock_rmb(const struct smc_sock *smc)
{
	return clamp_t(u32, READ_ONCE(smc->sk.sk_rcvbuf) / 2,
		       SMC_RMBE_MIN_BYTES,
		       SMC_RMBE_MIN_BYTES << SMC_RMBE_CODE_SENT_MAX);
}

void smc_sock_keepalive(struct smc_sock *smc, bool on)
{
	const struct tcp_sock *tp = tcp_sk(smc->clcsock->sk);
	int idle;

	if (smc->mode != SMC_MODE_SMC)
		return;
	/* the sysctl allows any number; the minimum of the option is 1 s */
	idle = max(keepalive_time_when(tp), HZ);
	smc_alive_set(smc->conn, on ? idle : 0);
}

void smc_sock_follow_tcp(struct smc_sock *smc)
{
	const struct sock *tcp = smc->clcsock->sk;
	u32 ms = READ_ONCE(inet_csk(tcp)->icsk_user_timeout);

	if (smc->mode != SMC_MODE_SMC)
		return;
	smc_tx_set_lowat(smc->conn, tcp_notsent_lowat(tcp_sk(tcp)));
	smc_alive_set_patience(smc->conn, msecs_to_jiffies(ms));
}

void smc_sock_follow_rcvbuf(struct smc_sock *smc)
{
	/* The core stores twice the requested size. */
	u32 want = READ_ONCE(smc->sk.sk_rcvbuf) / 2;

	if (likely(want == smc->limit.rx))
		return;
	/* partner: poll_in() */
	WRITE_ONCE(smc->limit.rx, smc_rx_set_limit(smc->conn, want));
	WRITE_ONCE(smc->sk.sk_rcvbuf, 2 * smc->limit.rx);
}

unsigned int smc_sock_mark_napi(struct smc_sock *smc)
{
#ifdef CONFIG_NET_RX_BUSY_POLL
	WRITE_ONCE(smc->sk.sk_napi_id, smc_conn_napi(smc->conn));
	return READ_ONCE(smc->sk.sk_napi_id);
#else
	return 0;
#endif
}

/* ---- state of the connection ---- */

static int sk_state_of(enum smc_conn_state state)
{
	static const u8 map[SMC_CONN_NR_STATES] = {
		[SMC_CONN_INIT]			= SMC_SK_ACTIVE,
		[SMC_CONN_ACTIVE]		= SMC_SK_ACTIVE,
		[SMC_CONN_PEERCLOSEWAIT1]	= SMC_SK_PEERCLOSEWAIT1,
		[SMC_CONN_PEERCLOSEWAIT2]	= SMC_SK_PEERCLOSEWAIT2,
		[SMC_CONN_APPCLOSEWAIT1]	= SMC_SK_APPCLOSEWAIT1,
		[SMC_CONN_APPCLOSEWAIT2]	= SMC_SK_APPCLOSEWAIT2,
		[SMC_CONN_APPFINCLOSEWAIT]	= SMC_SK_APPFINCLOSEWAIT,
		[SMC_CONN_PEERFINCLOSEWAIT]	= SMC_SK_PEERFINCLOSEWAIT,
		[SMC_CONN_PEERABORTWAIT]	= SMC_SK_PEERABORTWAIT,
		[SMC_CONN_PROCESSABORT]		= SMC_SK_PROCESSABORT,
		[SMC_CONN_CLOSED]		= SMC_SK_CLOSED,
	};

	return map[state];
}

/* Sets sk_err, at most once per connection. */
static void tell_error(struct smc_sock *smc, int err)
{
	struct sock *sk = &smc->sk;

	local_bh_disable();
	bh_lock_sock(sk);
	if (!test_and_set_bit(SMC_SF_ERR_TOLD, &smc->flags))
		WRITE_ONCE(sk->sk_err, err);
	bh_unlock_sock(sk);
	local_bh_enable();
}

void smc_sock_sync_conn(struct smc_sock *smc)
{
	struct sock *sk = &smc->sk;
	enum smc_conn_state state;
	int err;

	/*
	 * Several callers may run at once. The loop ensures that the last write
	 * has the latest state.
	 */
	do {
		state = smc_conn_state(smc->conn);
		WRITE_ONCE(sk->sk_state, sk_state_of(state));
		/* full barrier: write sk_state before reading the connection's
		 * state again
		 */
		smp_mb();
	} while (state != smc_conn_state(smc->conn));

	err = smc_conn_error(smc->conn);
	if (err)
		tell_error(smc, err);
}

static void wake_writers(struct sock *sk)
{
	struct socket_wq *wq;

	rcu_read_lock();
	wq = rcu_dereference(sk->sk_wq);
	if (skwq_has_sleeper(wq))
		wake_up_interruptible_poll(&wq->wait, EPOLLOUT | EPOLLWRNORM |
					   EPOLLWRBAND);
	rcu_read_unlock();
	smc_sock_wake_async(sk, SOCK_WAKE_SPACE, POLL_OUT);
}

/* The core also calls this function when SO_SNDBUF changes, in any mode. */
void smc_sock_write_space(struct sock *sk)
{
	struct smc_sock *smc = smc_sk(sk);

	if (smc_sock_mode(smc) != SMC_MODE_SMC)
		return;
	/* Pairs with callers that set the bit and then check for room. */
	smp_mb();
	if (!test_bit(SMC_SF_NOSPACE, &smc->flags) || !smc_tx_writable(smc->conn))
		return;
	if (test_and_clear_bit(SMC_SF_NOSPACE, &smc->flags))
		wake_writers(sk);
}

/* ---- the mode ---- */

void smc_sock_set_mode(struct smc_sock *smc, enum smc_sock_mode mode)
{
	static const u8 sk_states[SMC_MODE_NR] = {
		[SMC_MODE_NEW]		= SMC_SK_INIT,
		[SMC_MODE_LISTEN]	= SMC_SK_LISTEN,
		[SMC_MODE_CONNECTING]	= SMC_SK_INIT,
		[SMC_MODE_SMC]		= SMC_SK_ACTIVE,
		[SMC_MODE_TCP]		= SMC_SK_ACTIVE,
		[SMC_MODE_CLOSED]	= SMC_SK_CLOSED,
	};

	WRITE_ONCE(smc->sk.sk_state, sk_states[mode]);
	/* partner: smc_sock_mode() */
	smp_store_release(&smc->mode, mode);
	if (mode != SMC_MODE_SMC)
		return;
	/*
	 * The connection may have ended already. Either changed() sees the new
	 * mode, or this function sees the new state.
	 */
	smp_mb();
	smc_sock_sync_conn(smc);
	smc_sock_follow_tcp(smc);
	smc_sock_follow_rcvbuf(smc);
	smc_sock_mark_napi(smc);
	smc_measure_stamp(smc->conn, smc_sock_wants_stamps(&smc->sk));
	if (sock_flag(&smc->sk, SOCK_KEEPOPEN))
		smc_sock_keepalive(smc, true);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * What connections tell their socket. Softirq or process context, possibly
 * while a system call of this very thread owns the socket: nothing here waits
 * for the socket lock, except closed().
 */
#include <linux/workqueue.h>
#include "../base/compat.h"
#include "../conn/conn.h"
#include "../conn/tx.h"
#include "mem.h"
#include "ops.h"

static struct workqueue_struct *fin_wq;

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

/* Once; whoever looks for the error after that finds it. */
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

	/* Two callers race: the one that writes last has looked last. */
	do {
		state = smc_conn_state(smc->conn);
		WRITE_ONCE(sk->sk_state, sk_state_of(state));
		smp_mb(); /* write before looking again */
	} while (state != smc_conn_state(smc->conn));

	err = smc_conn_error(smc->conn);
	if (err)
		tell_error(smc, err);
}

bool smc_sock_writable(const struct smc_sock *smc)
{
	u32 space = smc_tx_space(smc->conn);
	u32 queued = smc_tx_queued(smc->conn);

	/* No room although nothing is queued: sending fails, at once. */
	return space ? space >= queued / 2 : !queued;
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
	sk_wake_async(sk, SOCK_WAKE_SPACE, POLL_OUT);
}

/* Also called by the core when SO_SNDBUF changes, in any mode. */
void smc_sock_write_space(struct sock *sk)
{
	struct smc_sock *smc = smc_sk(sk);

	if (smc_sock_mode(smc) != SMC_MODE_SMC)
		return;
	/* Pairs with those who set the bit and then look for room. */
	smp_mb();
	if (!test_bit(SMC_SF_NOSPACE, &smc->flags) || !smc_sock_writable(smc))
		return;
	if (test_and_clear_bit(SMC_SF_NOSPACE, &smc->flags))
		wake_writers(sk);
}

/* The spinlock of the sock is held, or nobody else has the sock. */
void smc_sock_release_cb(struct sock *sk)
{
	int n = atomic_xchg(&smc_sk(sk)->freed, 0);

	if (n)
		sk_mem_uncharge(sk, n);
}

static void readable(void *owner)
{
	struct sock *sk = owner;

	sk->sk_data_ready(sk);
}

/*
 * The signal goes to whoever owns the file. release() takes the socket away
 * under the lock, and the file outlives release().
 */
static void urgent(void *owner)
{
	struct sock *sk = owner;

	read_lock_bh(&sk->sk_callback_lock);
	sk_send_sigurg(sk);
	read_unlock_bh(&sk->sk_callback_lock);
}

static void writable(void *owner)
{
	smc_sock_write_space(owner);
}

static bool charge(void *owner, u32 bytes)
{
	struct sock *sk = owner;
	bool done;

	lock_sock(sk);
	done = smc_sock_charge(smc_sk(sk), bytes);
	release_sock(sk);
	return done;
}

static void freed(void *owner, u32 bytes)
{
	struct sock *sk = owner;

	atomic_add(bytes, &smc_sk(sk)->freed);
	local_bh_disable();
	bh_lock_sock(sk);
	/* Else release_sock() does it. */
	if (!sock_owned_by_user(sk))
		smc_sock_release_cb(sk);
	bh_unlock_sock(sk);
	local_bh_enable();
	smc_sock_write_space(sk);
}

static bool sent_close(enum smc_conn_state state)
{
	return state == SMC_CONN_PEERCLOSEWAIT1 ||
	       state == SMC_CONN_PEERCLOSEWAIT2;
}

static void fin_worker(struct work_struct *work)
{
	struct smc_sock *smc = container_of(work, struct smc_sock, fin_work);

	smc_sock_send_fin(smc);
	sock_put(&smc->sk);
}

static void changed(void *owner)
{
	struct smc_sock *smc = owner;
	struct sock *sk = owner;

	smp_mb(); /* partner: smc_sock_set_mode() */
	if (smc_sock_mode(smc) != SMC_MODE_SMC)
		return;
	smc_sock_sync_conn(smc);
	if (READ_ONCE(sk->sk_err))
		sk_error_report(sk);
	sk->sk_state_change(sk);
	sk_wake_async(sk, SOCK_WAKE_WAITD, POLL_IN);
	if (!sock_flag(sk, SOCK_DEAD) || !sent_close(smc_conn_state(smc->conn)))
		return;
	sock_hold(sk);
	if (!queue_work(fin_wq, &smc->fin_work))
		sock_put(sk);
}

static void closed(void *owner)
{
	smc_sock_conn_gone(owner);
}

const struct smc_conn_ops smc_sock_conn_ops = {
	.readable	= readable,
	.writable	= writable,
	.charge		= charge,
	.freed		= freed,
	.urgent		= urgent,
	.changed	= changed,
	.closed		= closed,
};

void smc_events_prepare(struct smc_sock *smc)
{
	INIT_WORK(&smc->fin_work, fin_worker);
}

int smc_events_init(void)
{
	fin_wq = alloc_workqueue("smc_sock", WQ_UNBOUND, 0);
	return fin_wq ? 0 : -ENOMEM;
}

void smc_events_exit(void)
{
	destroy_workqueue(fin_wq);
}

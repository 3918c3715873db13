// SPDX-License-Identifier: GPL-2.0
/*
 * Callbacks from a connection to its socket. The callbacks run in softirq or
 * process context, possibly while a system call of the same thread owns the
 * socket. So no callback waits for the socket lock.
 */
#include <net/sock.h>
#include "../conn/conn.h"
#include "events.h"
#include "lock.h"
#include "mem.h"
#include "orphan.h"
#include "reader.h"
#include "sock.h"
#include "work.h"

static void conn_readable(void *owner)
{
	struct sock *sk = owner;

	sk_incoming_cpu_update(sk);	/* SO_INCOMING_CPU */
	smc_reader_ready(owner);
}

/*
 * Sends the signal to the owner of the file. release() clears the socket under
 * the lock, and the file outlives release().
 */
static void conn_urgent(void *owner)
{
	struct sock *sk = owner;

	read_lock_bh(&sk->sk_callback_lock);
	sk_send_sigurg(sk);
	read_unlock_bh(&sk->sk_callback_lock);
}

static void conn_writable(void *owner)
{
	smc_sock_write_space(owner);
}

static int conn_charge(void *owner, u32 bytes, struct smc_on_unlock *on_unlock)
{
	struct smc_sock *smc = owner;
	int err;

	err = smc_lock_try(smc, on_unlock);
	if (err)
		return err;
	if (!smc_mem_charge(smc, bytes))
		err = -ENOBUFS;
	release_sock(&smc->sk);
	return err;
}

static int conn_grow(void *owner, u32 bytes)
{
	return smc_mem_charge_window(owner, bytes) ? 0 : -ENOBUFS;
}

static void conn_freed(void *owner, u32 bytes)
{
	struct sock *sk = owner;

	atomic_add(bytes, &smc_sk(sk)->freed);
	local_bh_disable();
	bh_lock_sock(sk);
	/* otherwise release_sock() releases the charge */
	if (!sock_owned_by_user(sk))
		smc_mem_uncharge_freed(sk);
	bh_unlock_sock(sk);
	local_bh_enable();
	smc_sock_write_space(sk);
}

static void conn_shrunk(void *owner, u32 bytes)
{
	smc_mem_shrunk(owner, bytes);
	conn_freed(owner, bytes);
}

static bool sent_close(enum smc_conn_state state)
{
	return state == SMC_CONN_PEERCLOSEWAIT1 ||
	       state == SMC_CONN_PEERCLOSEWAIT2;
}

static void conn_changed(void *owner)
{
	struct smc_sock *smc = owner;
	void (*tell)(struct sock *sk);
	struct sock *sk = owner;

	smp_mb(); /* partner: smc_sock_set_mode() */
	if (smc_sock_mode(smc) != SMC_MODE_SMC)
		return;
	smc_sock_sync_conn(smc);
	if (READ_ONCE(sk->sk_err))
		sk_error_report(sk);
	/* partner: end_quiet() of the listener */
	tell = READ_ONCE(sk->sk_state_change);
	tell(sk);
	smc_sock_wake_async(sk, SOCK_WAKE_WAITD, POLL_IN);
	if (test_bit(SMC_SF_ORPHAN, &smc->flags) &&
	    sent_close(smc_conn_state(smc->conn)))
		smc_work_queue(smc, SMC_SF_FOLLOW);
}

static void conn_closed(void *owner)
{
	smc_orphan_conn_gone(owner);
}

const struct smc_conn_ops smc_events_conn_ops = {
	.readable	= conn_readable,
	.writable	= conn_writable,
	.charge		= conn_charge,
	.grow		= conn_grow,
	.freed		= conn_freed,
	.shrunk		= conn_shrunk,
	.urgent		= conn_urgent,
	.changed	= conn_changed,
	.closed		= conn_closed,
};

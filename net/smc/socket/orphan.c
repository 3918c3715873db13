// SPDX-License-Identifier: GPL-2.0
/*
 * Orphans: a socket outlives its file until its connection has left the group
 * (4.8.1). Then the hidden TCP socket also ends: with FIN after an orderly end,
 * with RST after an abort.
 */
#include <linux/net.h>
#include <linux/workqueue.h>
#include <net/tcp.h>
#include "../base/mib.h"
#include "../base/pernet.h"
#include "../base/tunables.h"
#include "../conn/close.h"
#include "../conn/conn.h"
#include "lock.h"
#include "mem.h"
#include "orphan.h"
#include "sock.h"
#include "tcp_cb.h"
#include "ulp.h"

static struct workqueue_struct *orphan_wq;

/* The orphans that smc_orphan_shed() may abort, oldest first. */
static LIST_HEAD(orphans);
/* no other lock is taken under it; BH off */
static DEFINE_SPINLOCK(orphans_lock);

struct socket *smc_orphan_take_tcp(struct smc_sock *smc, bool reset)
{
	struct socket *tcp = smc->clcsock;

	sock_owned_by_me(&smc->sk);
	if (!tcp)
		return NULL;
	smc_tcp_unhook(smc);
	smc_ulp_detach(tcp->sk);
	if (reset)
		sock_no_linger(tcp->sk);
	smc->clcsock = NULL;
	return tcp;
}

/* ---- the limit of orphans ---- */

void smc_orphan_begin(struct smc_sock *smc)
{
	struct net *net = sock_net(&smc->sk);
	int n = atomic_inc_return(&smc_pernet(net)->orphans);

	sock_owned_by_me(&smc->sk);
	set_bit(SMC_SF_ORPHAN, &smc->flags);
	if (n > READ_ONCE(smc_tunables(net)->max_orphans)) {
		smc_mib_inc(net, SMC_MIB_ORPHAN_ABORTED);
		smc_close_reset(smc->conn, ETIMEDOUT);
		return;
	}
	spin_lock_bh(&orphans_lock);
	list_add_tail(&smc->acceptq, &orphans);
	spin_unlock_bh(&orphans_lock);
}

static void orphan_end(struct smc_sock *smc)
{
	sock_owned_by_me(&smc->sk);
	if (!test_and_clear_bit(SMC_SF_ORPHAN, &smc->flags))
		return;
	atomic_dec(&smc_pernet(sock_net(&smc->sk))->orphans);
	spin_lock_bh(&orphans_lock);
	list_del_init(&smc->acceptq);
	spin_unlock_bh(&orphans_lock);
}

void smc_orphan_shed(void)
{
	struct smc_conn *conn = NULL;
	struct smc_sock *smc;

	spin_lock_bh(&orphans_lock);
	smc = list_first_entry_or_null(&orphans, struct smc_sock, acceptq);
	if (smc) {
		list_del_init(&smc->acceptq);
		conn = smc_conn_get(smc->conn, SMC_CONN_REF_SHED);
		smc_mib_inc(sock_net(&smc->sk), SMC_MIB_ORPHAN_ABORTED);
	}
	spin_unlock_bh(&orphans_lock);
	if (!conn)
		return;
	smc_close_reset(conn, ETIMEDOUT);
	smc_conn_put(conn, SMC_CONN_REF_SHED);
}

/* ---- the TCP connection ends after the SMC connection ---- */

/* The caller holds the lock, and the connection has left its group. Return: the
 * TCP socket if the caller must release it now, or NULL.
 */
static struct socket *follow_end(struct smc_sock *smc)
{
	struct sock *sk = &smc->sk;
	int err;

	smc_sock_sync_conn(smc);
	err = smc_conn_error(smc->conn);
	if (sock_flag(sk, SOCK_DEAD)) {
		orphan_end(smc);
		return smc_orphan_take_tcp(smc, err);
	}
	if (err && smc->clcsock)
		tcp_abort(smc->clcsock->sk, err);
	return NULL;
}

/*
 * Shuts or releases the TCP socket after the connection has sent C or has
 * ended. Return: false if another context holds the lock; @on_unlock then calls
 * this function again.
 */
static bool follow_conn(struct smc_sock *smc, struct smc_on_unlock *on_unlock)
{
	struct socket *tcp = NULL;

	if (smc_lock_try(smc, on_unlock))
		return false;
	/* the element was given back */
	if (smc->conn && smc_conn_gone(smc->conn))
		smc_mem_uncharge_rmb(smc);
	/* connect(AF_UNSPEC) may have left the connection before */
	if (smc->mode != SMC_MODE_SMC)
		goto out;
	if (smc_conn_gone(smc->conn))
		tcp = follow_end(smc);
	else if (smc->clcsock)
		kernel_sock_shutdown(smc->clcsock, SHUT_WR);
out:
	release_sock(&smc->sk);
	if (tcp)
		sock_release(tcp);
	return true;
}

static void orphan_worker(struct work_struct *work)
{
	struct smc_sock *smc = container_of(work, struct smc_sock, orphan.work);

	follow_conn(smc, &smc->orphan.on_unlock);
	sock_put(&smc->sk);
}

static void queue_orphan(struct smc_sock *smc)
{
	sock_hold(&smc->sk);
	if (!queue_work(orphan_wq, &smc->orphan.work))
		sock_put(&smc->sk);
}

/* The owner of the lock calls this function and holds a reference. */
static void orphan_lock_free(struct smc_on_unlock *on_unlock)
{
	queue_orphan(container_of(on_unlock, struct smc_sock, orphan.on_unlock));
}

void smc_orphan_conn_gone(struct smc_sock *smc)
{
	smp_mb();	/* partner: smc_sock_set_mode() */
	/*
	 * A handshake that detaches its connection ends TCP itself. If a handshake
	 * is just changing to mode SMC, smc_end_locked() sees that the connection
	 * has gone.
	 */
	if (smc_sock_mode(smc) == SMC_MODE_TCP && READ_ONCE(smc->charged.rmb)) {
		/* connect(AF_UNSPEC) has left the connection */
		queue_orphan(smc);
		return;
	}
	if (smc_sock_mode(smc) != SMC_MODE_SMC)
		return;
	/* this was the connection of an earlier handshake, which has failed */
	if (!smc_conn_gone(smc->conn))
		return;
	if (!follow_conn(smc, NULL))
		queue_orphan(smc);
}

void smc_orphan_fin(struct smc_sock *smc)
{
	queue_orphan(smc);
}

void smc_orphan_prepare(struct smc_sock *smc)
{
	INIT_WORK(&smc->orphan.work, orphan_worker);
	smc_on_unlock_init(&smc->orphan.on_unlock, orphan_lock_free);
}

int smc_orphan_init(void)
{
	orphan_wq = alloc_workqueue("smc_sock", WQ_UNBOUND, 0);
	return orphan_wq ? 0 : -ENOMEM;
}

void smc_orphan_exit(void)
{
	destroy_workqueue(orphan_wq);
}

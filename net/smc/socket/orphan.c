// SPDX-License-Identifier: GPL-2.0
/*
 * Orphans: a socket outlives its file until its connection has left the group
 * (4.8.1). Then the hidden TCP socket also ends: with FIN after an orderly end,
 * with RST after an abort.
 */
#include <linux/net.h>
#include <net/tcp.h>
#include "../base/mib.h"
#include "../base/pernet.h"
#include "../base/tunables.h"
#include "../conn/close.h"
#include "../conn/conn.h"
#include "mem.h"
#include "orphan.h"
#include "sock.h"
#include "tcp_cb.h"
#include "ulp.h"
#include "work.h"

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

struct socket *smc_orphan_follow(struct smc_sock *smc)
{
	smc_work_begin(smc, SMC_SF_FOLLOW);
	/* the element was given back */
	if (smc->conn && smc_conn_gone(smc->conn))
		smc_mem_uncharge_rmb(smc);
	/* connect(AF_UNSPEC) may have left the connection before */
	if (smc->mode != SMC_MODE_SMC)
		return NULL;
	if (smc_conn_gone(smc->conn))
		return follow_end(smc);
	if (smc->clcsock)
		kernel_sock_shutdown(smc->clcsock, SHUT_WR);
	return NULL;
}

void smc_orphan_conn_gone(struct smc_sock *smc)
{
	struct socket *tcp;

	smp_mb();	/* partner: smc_sock_set_mode() */
	/*
	 * A handshake that detaches its connection ends TCP itself. If a
	 * handshake is just changing to mode SMC, smc_end_locked() sees that
	 * the connection has gone.
	 */
	if (smc_sock_mode(smc) == SMC_MODE_TCP && READ_ONCE(smc->charged.rmb)) {
		/* connect(AF_UNSPEC) has left the connection */
		smc_work_queue(smc, SMC_SF_FOLLOW);
		return;
	}
	if (smc_sock_mode(smc) != SMC_MODE_SMC)
		return;
	/* this was the connection of an earlier handshake, which has failed */
	if (!smc_conn_gone(smc->conn))
		return;
	if (!smc_work_lock(smc, SMC_SF_FOLLOW))
		return;
	tcp = smc_orphan_follow(smc);
	release_sock(&smc->sk);
	if (tcp)
		sock_release(tcp);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Orphans: a socket outlives its file until its connection has left the group
 * (4.8.1). Then the hidden TCP socket ends, too: with FIN after an orderly end,
 * with RST after an abort.
 */
#include <linux/net.h>
#include <linux/workqueue.h>
#include <net/tcp.h>
#include "../conn/conn.h"
#include "orphan.h"
#include "sock.h"
#include "tcp_cb.h"
#include "ulp.h"

static struct workqueue_struct *fin_wq;

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

void smc_orphan_conn_gone(struct smc_sock *smc)
{
	struct sock *sk = &smc->sk;
	struct socket *tcp = NULL;
	int err;

	set_bit(SMC_SF_CONN_GONE, &smc->flags);
	smp_mb__after_atomic();	/* partner: smc_sock_set_mode() */
	/*
	 * A handshake that detaches its connection holds the lock and ends TCP
	 * itself. If a handshake is just changing to mode SMC, smc_end_locked()
	 * finds the bit.
	 */
	if (smc_sock_mode(smc) != SMC_MODE_SMC)
		return;
	lock_sock(sk);
	smc_sock_sync_conn(smc);
	err = smc_conn_error(smc->conn);
	if (sock_flag(sk, SOCK_DEAD))
		tcp = smc_orphan_take_tcp(smc, err);
	else if (err && smc->clcsock)
		tcp_abort(smc->clcsock->sk, err);
	release_sock(sk);
	if (tcp)
		sock_release(tcp);
}

static void send_fin(struct smc_sock *smc)
{
	struct sock *sk = &smc->sk;

	lock_sock(sk);
	if (smc->clcsock && !test_bit(SMC_SF_CONN_GONE, &smc->flags))
		kernel_sock_shutdown(smc->clcsock, SHUT_WR);
	release_sock(sk);
}

static void fin_worker(struct work_struct *work)
{
	struct smc_sock *smc = container_of(work, struct smc_sock, fin_work);

	send_fin(smc);
	sock_put(&smc->sk);
}

void smc_orphan_fin(struct smc_sock *smc)
{
	sock_hold(&smc->sk);
	if (!queue_work(fin_wq, &smc->fin_work))
		sock_put(&smc->sk);
}

void smc_orphan_prepare(struct smc_sock *smc)
{
	INIT_WORK(&smc->fin_work, fin_worker);
}

int smc_orphan_init(void)
{
	fin_wq = alloc_workqueue("smc_sock", WQ_UNBOUND, 0);
	return fin_wq ? 0 : -ENOMEM;
}

void smc_orphan_exit(void)
{
	destroy_workqueue(fin_wq);
}

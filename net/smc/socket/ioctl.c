// SPDX-License-Identifier: GPL-2.0
/* The ioctls of a socket: lengths of its queues, and the urgent mark. */
#include <uapi/asm/ioctls.h>
#include <uapi/linux/sockios.h>
#include "../base/compat.h"
#include "../conn/conn.h"
#include "../conn/rx.h"
#include "../conn/tx.h"
#include "../conn/urgent.h"
#include "ioctl.h"
#include "options.h"
#include "sock.h"

/* Return: as smc_ioctl_value(). The caller holds the lock, outside mode TCP. */
static int value_locked(struct smc_sock *smc, unsigned int cmd)
{
	switch (cmd) {
	case SIOCINQ:
	case SIOCOUTQ:
	case SIOCOUTQNSD:
	case SIOCATMARK:
		break;
	default:
		return -ENOIOCTLCMD;
	}
	if (smc->mode == SMC_MODE_LISTEN && cmd != SIOCATMARK)
		return -EINVAL;
	if (smc->mode != SMC_MODE_SMC)
		return 0;
	switch (cmd) {
	case SIOCINQ:
		/*
		 * the caller does not read these bytes, and the peer waits for
		 * room
		 */
		if (smc_rx_full(smc->conn))
			smc_rx_wait(smc->conn);
		return smc_urgent_inq(smc->conn);
	case SIOCOUTQ:
		return smc_tx_queued(smc->conn);
	case SIOCOUTQNSD:
		return smc_tx_unsent(smc->conn);
	default:
		return smc_urgent_at_mark(smc->conn, 0);
	}
}

/**
 * smc_ioctl_value - get the value of an ioctl
 * @smc:	socket
 * @cmd:	ioctl
 *
 * Context: process; takes the lock.
 * Return: value, or an errno; -ENOIOCTLCMD: TCP must answer.
 */
int smc_ioctl_value(struct smc_sock *smc, unsigned int cmd)
{
	int val = -ENOIOCTLCMD;

	lock_sock(&smc->sk);
	if (smc->mode != SMC_MODE_TCP)
		val = value_locked(smc, cmd);
	release_sock(&smc->sk);
	return val;
}

#if SMC_HAVE_PROTO_IOCTL_KARG
/* io_uring calls this, see SOCKET_URING_OP_SIOCINQ. */
static int ioctl_karg(struct sock *sk, int cmd, int *karg)
{
	struct smc_sock *smc = smc_sk(sk);
	int val = smc_ioctl_value(smc, cmd);
	struct sock *tcp;

	if (val >= 0) {
		*karg = val;
		return 0;
	}
	if (val != -ENOIOCTLCMD || smc_sock_mode(smc) != SMC_MODE_TCP)
		return val;
	/* takes the lock, because SIOCINQ depends on SO_OOBINLINE */
	smc_options_push(smc);
	tcp = smc->clcsock->sk;
	return READ_ONCE(tcp->sk_prot)->ioctl(tcp, cmd, karg);
}
#endif

/**
 * smc_ioctl_offer - let io_uring ask sockets for the lengths of their queues
 * @prot:	sockets
 */
void smc_ioctl_offer(struct proto *prot)
{
#if SMC_HAVE_PROTO_IOCTL_KARG
	prot->ioctl = ioctl_karg;
#endif
}

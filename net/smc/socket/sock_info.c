// SPDX-License-Identifier: GPL-2.0
/*
 * Snapshots for the views. Each snapshot is taken under the socket lock. So the
 * TCP socket cannot be released during the snapshot, and the values are
 * consistent. If a system call keeps the lock, the snapshot lacks the values
 * that need the lock.
 */
#include <linux/export.h>
#include <linux/sock_diag.h>
#include <linux/wait.h>
#include <net/ipv6.h>
#include <net/tcp.h>
#include "../../../include/uapi/linux/smc.h"
#include "../base/compat.h"
#include "lock.h"
#include "sock.h"
#include "sock_info.h"

/* Limit of the wait for the lock of one socket, in jiffies. */
#define PATIENCE_OF_ONE	((unsigned long)max(HZ / 100, 1))

static u8 tcp_state(int state)
{
	switch (state) {
	case TCP_ESTABLISHED:
		return SMC_SK_ACTIVE;
	case TCP_LISTEN:
		return SMC_SK_LISTEN;
	case TCP_CLOSE_WAIT:
		return SMC_SK_APPCLOSEWAIT1;
	case TCP_FIN_WAIT1:
	case TCP_FIN_WAIT2:
		return SMC_SK_PEERCLOSEWAIT1;
	case TCP_CLOSING:
	case TCP_LAST_ACK:
	case TCP_TIME_WAIT:
		return SMC_SK_PEERFINCLOSEWAIT;
	case TCP_CLOSE:
		return SMC_SK_CLOSED;
	default:
		return SMC_SK_INIT;
	}
}

static void name_v4(const struct sock *tcp, struct sockaddr_storage *addr,
		    bool peer)
{
	struct sockaddr_in *sin = (struct sockaddr_in *)addr;
	const struct inet_sock *inet = inet_sk(tcp);

	sin->sin_family = AF_INET;
	sin->sin_port = peer ? inet->inet_dport : inet->inet_sport;
	sin->sin_addr.s_addr = peer ? inet->inet_daddr :
			       inet->inet_rcv_saddr ?: inet->inet_saddr;
}

#if IS_ENABLED(CONFIG_IPV6)
static void name_v6(const struct sock *tcp, struct sockaddr_storage *addr,
		    bool peer)
{
	struct sockaddr_in6 *sin = (struct sockaddr_in6 *)addr;
	const struct inet_sock *inet = inet_sk(tcp);

	sin->sin6_family = AF_INET6;
	sin->sin6_port = peer ? inet->inet_dport : inet->inet_sport;
	if (peer)
		sin->sin6_addr = tcp->sk_v6_daddr;
	else if (ipv6_addr_any(&tcp->sk_v6_rcv_saddr))
		sin->sin6_addr = inet6_sk(tcp)->saddr;
	else
		sin->sin6_addr = tcp->sk_v6_rcv_saddr;
	sin->sin6_scope_id = ipv6_iface_scope_id(&sin->sin6_addr,
						 READ_ONCE(tcp->sk_bound_dev_if));
}
#else
static void name_v6(const struct sock *tcp, struct sockaddr_storage *addr,
		    bool peer)
{
}
#endif

/*
 * Reads a name as the views of TCP do, without the lock of TCP: in mode TCP a
 * system call may hold that lock for as long as its user likes.
 */
static void tcp_name(const struct sock *tcp, struct sockaddr_storage *addr,
		     bool peer)
{
	u8 state = READ_ONCE(tcp->sk_state);

	if (peer && (state == TCP_CLOSE || state == TCP_SYN_SENT ||
		     !inet_sk(tcp)->inet_dport))
		return;
	/* IPV6_ADDRFORM may change the family */
	if (READ_ONCE(tcp->sk_family) == AF_INET6)
		name_v6(tcp, addr, peer);
	else
		name_v4(tcp, addr, peer);
}

static void fill_tcp(struct smc_sock *smc, struct smc_sock_info *info)
{
	const struct sock *tcp = smc->clcsock->sk;

	/* An orphan may have no TCP socket any more. */
	if (!tcp)
		return;
	tcp_name(tcp, &info->local, false);
	tcp_name(tcp, &info->peer, true);
	info->ifindex = READ_ONCE(tcp->sk_bound_dev_if);
	if (smc->mode == SMC_MODE_TCP) {
		info->state = tcp_state(READ_ONCE(tcp->sk_state));
		info->shutdown = READ_ONCE(tcp->sk_shutdown);
	}
}

/* The peer's D or C shuts our receiving side. */
static u8 conn_shutdown(enum smc_conn_state state)
{
	switch (state) {
	case SMC_CONN_INIT:
	case SMC_CONN_ACTIVE:
	case SMC_CONN_PEERCLOSEWAIT1:
		return 0;
	case SMC_CONN_PEERABORTWAIT:
	case SMC_CONN_PROCESSABORT:
	case SMC_CONN_CLOSED:
		return SHUTDOWN_MASK;
	default:
		return RCV_SHUTDOWN;
	}
}

static void fill_conn(struct smc_sock *smc, struct smc_sock_info *info)
{
	smc_info_conn(smc->conn, &info->conn);
	info->has_conn = true;
	info->shutdown |= conn_shutdown(info->conn.state);
	info->has_lgr = !smc_info_group(smc->conn, &info->lgr,
					&info->link);
}

/* Fills in the values that need no lock. */
static void fill_free(struct smc_sock *smc, struct smc_sock_info *info)
{
	struct sock *sk = &smc->sk;

	sock_diag_save_cookie(sk, info->cookie);
	info->uid = smc_compat_sk_uid(sk);
	info->inode = sock_i_ino(sk);
	info->family = sk->sk_family;
	info->protocol = smc_sock_family(smc) == AF_INET6 ? SMCPROTO_SMC6 :
							    SMCPROTO_SMC;
	info->state = READ_ONCE(sk->sk_state);
	info->tcp = smc_sock_mode(smc) == SMC_MODE_TCP;
}

static void fill_locked(struct smc_sock *smc, struct smc_sock_info *info)
{
	sock_owned_by_me(&smc->sk);
	/* the values may have changed since the first call */
	fill_free(smc, info);
	info->shutdown = smc->asked.shut;
	info->reason = smc->reason;
	info->peer_reason = smc->peer_reason;
	if (smc->clcsock)
		fill_tcp(smc, info);
	if (smc->mode == SMC_MODE_SMC)
		fill_conn(smc, info);
}

/*
 * A system call may hold the lock for as long as its user likes. So this
 * function waits only for a short time. Return: true if it has taken the lock.
 */
static bool info_lock(struct smc_sock *smc, unsigned long *patience)
{
	unsigned long most = min(*patience, PATIENCE_OF_ONE);
	long left;

	if (!smc_lock_try(smc, NULL))
		return true;
	left = wait_event_interruptible_timeout(smc->sk.sk_lock.wq,
						!smc_lock_try(smc, NULL), most);
	if (left > 0)
		*patience -= most - min_t(unsigned long, left, most);
	else	/* after a signal the caller must not wait any more */
		*patience -= left ? *patience : most;
	return left > 0;
}

bool smc_sock_info_next(const struct net *net, unsigned long *id,
			struct smc_sock_info *info, unsigned long *patience)
{
	struct sock *sk = smc_sock_next(net, id);

	if (!sk)
		return false;
	memset(info, 0, sizeof(*info));
	if (info_lock(smc_sk(sk), patience)) {
		fill_locked(smc_sk(sk), info);
		release_sock(sk);
	} else {
		fill_free(smc_sk(sk), info);
	}
	sock_put(sk);
	return true;
}
EXPORT_SYMBOL_GPL(smc_sock_info_next);

void smc_sock_info_get(struct smc_sock *smc, struct smc_sock_info *info)
{
	memset(info, 0, sizeof(*info));
	lock_sock(&smc->sk);
	fill_locked(smc, info);
	release_sock(&smc->sk);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * setsockopt() and getsockopt().
 *
 * An option of SOL_SOCKET is set in our sock, which getsockopt() reads, and in
 * the TCP socket, so that a fallback does not have to copy it. A few options
 * would harm the handshake; TCP gets them only in mode TCP (see fallback.c).
 * The TCP socket handles all other levels.
 */
#include <net/tcp.h>
#include "../../../include/uapi/linux/smc.h"
#include "../base/compat.h"
#include "../base/stats.h"
#include "../conn/measure.h"
#include "../conn/tx.h"
#include "../wire/decline.h"
#include "fallback.h"
#include "io.h"
#include "opt_info.h"
#include "sock.h"
#include "sockopt.h"
#include "tcp_info.h"
#include "ulp.h"

/* Is this an option that TCP must not get while it carries CLC messages? */
static bool held_back(int optname)
{
	return optname == SO_LINGER || optname == SO_RCVLOWAT ||
	       optname == SO_PEEK_OFF;
}

/* Does the option concern only TCP's packets, ports or memory? Our sock may
 * refuse such an option.
 */
static bool tcp_only(int optname)
{
	switch (optname) {
	case SO_REUSEPORT:
	case SO_RESERVE_MEM:
	case SO_ATTACH_FILTER:
	case SO_ATTACH_BPF:
	case SO_DETACH_FILTER:
	case SO_LOCK_FILTER:
	case SO_ATTACH_REUSEPORT_CBPF:
	case SO_ATTACH_REUSEPORT_EBPF:
	case SO_DETACH_REUSEPORT_BPF:
		return true;
	default:
		return false;
	}
}

/* Does TCP decide whether the option is allowed in this state of the socket? */
static bool tcp_decides(int optname)
{
	return optname == SO_ZEROCOPY || optname == SO_TIMESTAMPING_OLD ||
	       optname == SO_TIMESTAMPING_NEW;
}

/*
 * TCP copies some values from and to the user under its own lock, and a page
 * fault may take as long as the user likes. A worker takes TCP's lock under our
 * lock, and does not sleep for our lock. So a caller must hold our lock, except
 * in mode TCP, in which no worker runs. Return: true if the lock was taken.
 */
static bool enter_tcp(struct smc_sock *smc)
{
	if (smc_sock_mode(smc) == SMC_MODE_TCP)
		return false;
	lock_sock(&smc->sk);
	return true;
}

static void leave_tcp(struct smc_sock *smc, bool entered)
{
	if (entered)
		release_sock(&smc->sk);
}

static int set_tcp_sock(struct smc_sock *smc, int optname, sockptr_t optval,
			unsigned int optlen)
{
	bool entered = enter_tcp(smc);
	int err;

	err = sock_setsockopt(smc->clcsock, SOL_SOCKET, optname, optval,
			      optlen);
	leave_tcp(smc, entered);
	return err;
}

/* The core allows the option only for TCP. */
static void mirror_zerocopy(struct smc_sock *smc)
{
	lock_sock(&smc->sk);
	sock_valbool_flag(&smc->sk, SOCK_ZEROCOPY,
			  sock_flag(smc->clcsock->sk, SOCK_ZEROCOPY));
	release_sock(&smc->sk);
}

/* The connection follows an option of our sock. */
static void follow_own(struct smc_sock *smc, int optname)
{
	switch (optname) {
	case SO_SNDBUF:
	case SO_SNDBUFFORCE:
		smc->limit.tx = smc_sock_sndbuf(smc);
		smc_tx_set_limit(smc->conn, smc->limit.tx);
		break;
	case SO_RCVBUF:
	case SO_RCVBUFFORCE:
		smc_sock_follow_rcvbuf(smc);
		break;
	case SO_TIMESTAMP_OLD:
	case SO_TIMESTAMP_NEW:
	case SO_TIMESTAMPNS_OLD:
	case SO_TIMESTAMPNS_NEW:
	case SO_TIMESTAMPING_OLD:
	case SO_TIMESTAMPING_NEW:
		smc_measure_stamp(smc->conn, smc_sock_wants_stamps(&smc->sk));
		break;
	default:
		break;
	}
}

static void follow_locked(struct smc_sock *smc, int optname)
{
	lock_sock(&smc->sk);
	if (smc->mode == SMC_MODE_SMC)
		follow_own(smc, optname);
	release_sock(&smc->sk);
}

static int set_tcp_first(struct socket *sock, int optname, sockptr_t optval,
			 unsigned int optlen)
{
	struct smc_sock *smc = smc_sk(sock->sk);
	struct sock *tcp = smc->clcsock->sk;
	int err;

	err = set_tcp_sock(smc, optname, optval, optlen);
	if (err)
		return err;
	/*
	 * Set the option in our sock, for getsockopt(). Ignore failures.
	 */
	if (optname == SO_REUSEPORT)
		smc->sk.sk_reuseport = tcp->sk_reuseport;
	else if (!tcp_only(optname))
		sock_setsockopt(sock, SOL_SOCKET, optname, optval, optlen);
	if (optname == SO_ZEROCOPY)
		mirror_zerocopy(smc);
	if (smc_sock_mode(smc) == SMC_MODE_TCP)
		smc_fallback_mirror(smc);
	else
		follow_locked(smc, optname);
	return 0;
}

static int set_both(struct socket *sock, int optname, sockptr_t optval,
		    unsigned int optlen)
{
	struct sock *sk = sock->sk;
	struct smc_sock *smc = smc_sk(sk);
	int err;

	err = sock_setsockopt(sock, SOL_SOCKET, optname, optval, optlen);
	if (err)
		return err;
	/*
	 * If a fallback runs at the same time, it has read the new value, or
	 * this check sees the new mode.
	 */
	if (!held_back(optname) || smc_sock_mode(smc) == SMC_MODE_TCP)
		set_tcp_sock(smc, optname, optval, optlen);
	follow_locked(smc, optname);
	if (optname != SO_SNDBUF && optname != SO_SNDBUFFORCE)
		return 0;
	smc_sock_write_space(sk);
	return 0;
}

static int set_socket(struct socket *sock, int optname, sockptr_t optval,
		      unsigned int optlen)
{
	struct smc_sock *smc = smc_sk(sock->sk);

	if (smc_sock_mode(smc) == SMC_MODE_TCP || tcp_only(optname) ||
	    tcp_decides(optname))
		return set_tcp_first(sock, optname, optval, optlen);
	return set_both(sock, optname, optval, optlen);
}

static int get_int(sockptr_t optval, unsigned int optlen, int *val)
{
	if (optlen < sizeof(*val))
		return -EINVAL;
	return copy_from_sockptr(val, optval, sizeof(*val)) ? -EFAULT : 0;
}

/* Finds an option of SOL_SMC that is on or off. Returns NULL for any other
 * option.
 */
static int *smc_option(struct smc_sock *smc, int optname)
{
	switch (optname) {
	case SMC_LIMIT_HS:
		return &smc->option.limit_hs;
	default:
		return NULL;
	}
}

/* Readers of the option take no lock. */
static int set_smc(struct smc_sock *smc, int optname, sockptr_t optval,
		   unsigned int optlen)
{
	int *option = smc_option(smc, optname);
	int val;
	int err;

	if (!option)
		return -EOPNOTSUPP;
	err = get_int(optval, optlen, &val);
	if (!err)
		WRITE_ONCE(*option, !!val);
	return err;
}

/* The caller holds the lock, or the mode is TCP. */
static int forward_locked(struct smc_sock *smc, int level, int optname,
			  sockptr_t optval, unsigned int optlen)
{
	return smc_sock_tcp(smc)->setsockopt(smc->clcsock, level, optname,
					     optval, optlen);
}

static int forward_option(struct smc_sock *smc, int level, int optname,
			  sockptr_t optval, unsigned int optlen)
{
	bool entered = enter_tcp(smc);
	int err;

	err = forward_locked(smc, level, optname, optval, optlen);
	leave_tcp(smc, entered);
	return err;
}

/*
 * TCP fast open sends bytes of the application where the peer expects CLC
 * messages, so the socket falls back, unless the call turns the option off. A
 * listening socket continues, because clients that use fast open do not use
 * SMC.
 */
static int set_fastopen(struct smc_sock *smc, int optname, sockptr_t optval,
			unsigned int optlen)
{
	struct sock *sk = &smc->sk;
	int val;
	int err;

	err = get_int(optval, optlen, &val);
	if (err)
		return err;
	lock_sock(sk);
	/* A socket in mode CLOSED may connect again: fast open must be off
	 * then.
	 */
	if (val && smc->mode == SMC_MODE_CLOSED)
		err = -EINVAL;
	else
		err = forward_locked(smc, SOL_TCP, optname,
				     KERNEL_SOCKPTR(&val), sizeof(val));
	if (!err && val && smc->mode == SMC_MODE_NEW)
		smc_fallback(smc, SMC_DECL_OPTUNSUPP, 0, false);
	release_sock(sk);
	return err;
}

/* TCP_CORK delays our own bytes. The socket passes the option to TCP only when
 * TCP carries the data.
 */
static int set_cork(struct smc_sock *smc, sockptr_t optval,
		    unsigned int optlen)
{
	struct sock *sk = &smc->sk;
	int val;
	int err;

	err = get_int(optval, optlen, &val);
	if (err)
		return err;
	lock_sock(sk);
	smc->asked.cork = !!val;
	if (smc->mode == SMC_MODE_TCP)
		tcp_sock_set_cork(smc->clcsock->sk, val);
	else if (smc->mode == SMC_MODE_SMC && !val)
		smc_io_flush(smc, false);
	if (smc->mode != SMC_MODE_TCP && !val)
		smc_stat_inc(sock_net(sk), SMC_STAT_CORK);
	release_sock(sk);
	return 0;
}

/* As in TCP, the option also sends the bytes that TCP_CORK holds back. */
static int set_nodelay(struct smc_sock *smc, sockptr_t optval,
		       unsigned int optlen)
{
	struct sock *sk = &smc->sk;
	int val;
	int err;

	err = get_int(optval, optlen, &val);
	if (!err)
		err = forward_option(smc, SOL_TCP, TCP_NODELAY, optval, optlen);
	if (err)
		return err;
	lock_sock(sk);
	smc->asked.nodelay = val;
	if (val && smc->mode == SMC_MODE_SMC)
		smc_io_flush(smc, false);
	if (val && smc->mode != SMC_MODE_TCP)
		smc_stat_inc(sock_net(sk), SMC_STAT_NODELAY);
	release_sock(sk);
	return 0;
}

/* A TCP socket can have only one ULP. If the user sets a ULP, ours is detached
 * first.
 */
static int set_ulp(struct smc_sock *smc, sockptr_t optval,
		   unsigned int optlen)
{
	struct sock *sk = &smc->sk;
	char name[TCP_ULP_NAME_MAX];
	int err = -EOPNOTSUPP;

	/* TCP checks the name before the ULP */
	if (!optlen)
		return -EINVAL;
	if (strncpy_from_sockptr(name, optval,
				 min_t(size_t, sizeof(name) - 1, optlen)) < 0)
		return -EFAULT;
	lock_sock(sk);
	if (smc->mode == SMC_MODE_TCP) {
		smc_ulp_detach(smc->clcsock->sk);
		err = forward_locked(smc, SOL_TCP, TCP_ULP, optval, optlen);
		if (err)
			smc_ulp_show(smc->clcsock->sk, smc->reason);
		else if (sk->sk_socket)
			/*
			 * with a ULP of the user the bytes are copied, and TCP
			 * has also cleared its flag
			 */
			clear_bit(SOCK_SUPPORT_ZC, &sk->sk_socket->flags);
	}
	release_sock(sk);
	return err;
}

/*
 * Passes the option to TCP, which stores the value for its own probes and for
 * those of the link.
 */
static int set_keepidle(struct smc_sock *smc, sockptr_t optval,
			unsigned int optlen)
{
	struct sock *sk = &smc->sk;
	int err;

	err = forward_option(smc, SOL_TCP, TCP_KEEPIDLE, optval, optlen);
	if (err)
		return err;
	lock_sock(sk);
	smc_sock_keepalive(smc, sock_flag(sk, SOCK_KEEPOPEN));
	release_sock(sk);
	return 0;
}

/*
 * Passes the option to TCP, which stores the value, and applies the value to
 * the connection.
 */
static int set_followed(struct smc_sock *smc, int optname, sockptr_t optval,
			unsigned int optlen)
{
	struct sock *sk = &smc->sk;
	int err;

	err = forward_option(smc, SOL_TCP, optname, optval, optlen);
	if (err)
		return err;
	lock_sock(sk);
	smc_sock_follow_tcp(smc);
	release_sock(sk);
	return 0;
}

static int set_tcp(struct smc_sock *smc, int optname, sockptr_t optval,
		   unsigned int optlen)
{
	switch (optname) {
	case TCP_CORK:
		return set_cork(smc, optval, optlen);
	case TCP_NODELAY:
		return set_nodelay(smc, optval, optlen);
	case TCP_KEEPIDLE:
		return set_keepidle(smc, optval, optlen);
	case TCP_NOTSENT_LOWAT:
	case TCP_USER_TIMEOUT:
		return set_followed(smc, optname, optval, optlen);
	case TCP_FASTOPEN:
	case TCP_FASTOPEN_CONNECT:
		return set_fastopen(smc, optname, optval, optlen);
	case TCP_ULP:
		return set_ulp(smc, optval, optlen);
	default:
		break;
	}
	return forward_option(smc, SOL_TCP, optname, optval, optlen);
}

int smc_setsockopt(struct socket *sock, int level, int optname,
		   sockptr_t optval, unsigned int optlen)
{
	struct smc_sock *smc = smc_sk(sock->sk);

	switch (level) {
	case SOL_SOCKET:
		return set_socket(sock, optname, optval, optlen);
	case SOL_SMC:
		return set_smc(smc, optname, optval, optlen);
	case SOL_TCP:
		return set_tcp(smc, optname, optval, optlen);
	default:
		return forward_option(smc, level, optname, optval, optlen);
	}
}

static int put_int(int val, char __user *optval, int __user *optlen)
{
	int len;

	if (get_user(len, optlen))
		return -EFAULT;
	if (len < 0)
		return -EINVAL;
	len = min_t(int, len, sizeof(val));
	if (put_user(len, optlen) || copy_to_user(optval, &val, len))
		return -EFAULT;
	return 0;
}

/* The TCP socket has the ULP of this module, which the application did not set.
 * getsockopt(TCP_ULP) returns an empty name, as TCP does without a ULP.
 */
static int get_no_ulp(int __user *optlen)
{
	int len;

	if (get_user(len, optlen))
		return -EFAULT;
	if (len < 0)
		return -EINVAL;
	return put_user(0, optlen);
}

/* Return: 0, an errno, or 1: the mode is not SMC, so TCP answers. */
static int get_tcp_info(struct smc_sock *smc, char __user *optval,
			int __user *optlen)
{
	struct sock *sk = &smc->sk;
	struct tcp_info info;
	bool ours;
	int len;

	if (get_user(len, optlen))
		return -EFAULT;
	if (len < 0)
		return -EINVAL;
	lock_sock(sk);
	ours = smc->mode == SMC_MODE_SMC;
	if (ours)
		smc_tcp_info(smc, &info);
	release_sock(sk);
	if (!ours)
		return 1;
	len = min_t(unsigned int, len, sizeof(info));
	if (put_user(len, optlen) || copy_to_user(optval, &info, len))
		return -EFAULT;
	return 0;
}

static int get_tcp(struct smc_sock *smc, int optname, char __user *optval,
		   int __user *optlen)
{
	bool entered;
	int err;

	if (optname == TCP_CORK && smc_sock_mode(smc) != SMC_MODE_TCP)
		return put_int(READ_ONCE(smc->asked.cork), optval, optlen);
	if (optname == TCP_ZEROCOPY_RECEIVE &&
	    smc_sock_mode(smc) != SMC_MODE_TCP)
		/* the bytes of the connection are not in the TCP socket, and
		 * those of the handshake are not for the application
		 */
		return -EOPNOTSUPP;
	if (optname == TCP_ULP && smc_ulp_attached(smc->clcsock->sk))
		return get_no_ulp(optlen);
	if (optname == TCP_INFO && smc_sock_mode(smc) == SMC_MODE_SMC) {
		err = get_tcp_info(smc, optval, optlen);
		if (err <= 0)
			return err;
	}
	entered = enter_tcp(smc);
	err = smc_sock_tcp(smc)->getsockopt(smc->clcsock, SOL_TCP, optname,
					    optval, optlen);
	leave_tcp(smc, entered);
	return err;
}

static int get_smc_info(struct smc_sock *smc, char __user *optval,
			int __user *optlen)
{
	struct smc_info info;
	int len;
	int err;

	if (get_user(len, optlen))
		return -EFAULT;
	if (len < 0)
		return -EINVAL;
	err = smc_opt_info(smc, &info);
	if (err)
		return err;
	len = min_t(unsigned int, len, sizeof(info));
	if (put_user(len, optlen) || copy_to_user(optval, &info, len))
		return -EFAULT;
	return 0;
}

static int get_smc(struct smc_sock *smc, int optname, char __user *optval,
		   int __user *optlen)
{
	const int *option = smc_option(smc, optname);

	if (option)
		return put_int(READ_ONCE(*option), optval, optlen);
	if (optname == SMC_INFO)
		return get_smc_info(smc, optval, optlen);
	return -EOPNOTSUPP;
}

/* Options of SOL_SOCKET do not reach this function: the core reads our sock. */
int smc_getsockopt(struct socket *sock, int level, int optname,
		   char __user *optval, int __user *optlen)
{
	struct smc_sock *smc = smc_sk(sock->sk);
	bool entered;
	int err;

	if (level == SOL_SMC)
		return get_smc(smc, optname, optval, optlen);
	if (level == SOL_TCP)
		return get_tcp(smc, optname, optval, optlen);
	entered = enter_tcp(smc);
	err = smc_sock_tcp(smc)->getsockopt(smc->clcsock, level, optname,
					    optval, optlen);
	leave_tcp(smc, entered);
	return err;
}

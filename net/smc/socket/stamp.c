// SPDX-License-Identifier: GPL-2.0
/*
 * SO_TIMESTAMP and similar options in mode SMC: a read gets the arrival time of
 * the last bytes that have become readable. The core may set these options
 * without a call of this module, so each read checks them.
 */
#include <linux/errqueue.h>
#include <linux/socket.h>
#include <net/sock.h>
#include "../conn/measure.h"
#include "sock.h"
#include "stamp.h"

static void put_ns(struct msghdr *msg, struct timespec64 at, bool new)
{
	struct __kernel_old_timespec old = {
		.tv_sec = at.tv_sec,
		.tv_nsec = at.tv_nsec,
	};
	struct __kernel_timespec ts = {
		.tv_sec = at.tv_sec,
		.tv_nsec = at.tv_nsec,
	};

	if (new)
		put_cmsg(msg, SOL_SOCKET, SO_TIMESTAMPNS_NEW, sizeof(ts), &ts);
	else
		put_cmsg(msg, SOL_SOCKET, SO_TIMESTAMPNS_OLD, sizeof(old),
			 &old);
}

static void put_us(struct msghdr *msg, struct timespec64 at, bool new)
{
	struct __kernel_old_timeval old = {
		.tv_sec = at.tv_sec,
		.tv_usec = at.tv_nsec / NSEC_PER_USEC,
	};
	struct __kernel_sock_timeval tv = {
		.tv_sec = at.tv_sec,
		.tv_usec = at.tv_nsec / NSEC_PER_USEC,
	};

	if (new)
		put_cmsg(msg, SOL_SOCKET, SO_TIMESTAMP_NEW, sizeof(tv), &tv);
	else
		put_cmsg(msg, SOL_SOCKET, SO_TIMESTAMP_OLD, sizeof(old), &old);
}

static void put_timestamping(struct msghdr *msg, struct timespec64 at, bool new)
{
	struct scm_timestamping_internal all = { .ts = { at } };

	if (new)
		put_cmsg_scm_timestamping64(msg, &all);
	else
		put_cmsg_scm_timestamping(msg, &all);
}

void smc_stamp_tell(struct smc_sock *smc, struct msghdr *msg)
{
	struct sock *sk = &smc->sk;
	struct timespec64 at;
	ktime_t stamp;
	bool new;

	stamp = smc_measure_stamp(smc->conn, true);
	if (!stamp)
		return;
	at = ktime_to_timespec64(stamp);
	new = sock_flag(sk, SOCK_TSTAMP_NEW);
	if (sock_flag(sk, SOCK_RCVTSTAMPNS))
		put_ns(msg, at, new);
	else if (sock_flag(sk, SOCK_RCVTSTAMP))
		put_us(msg, at, new);
	if (smc_sock_wants_timestamping(sk))
		put_timestamping(msg, at, new);
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The peer and this side may decline at the same time. This code keeps the
 * peer's Decline from the application.
 */
#ifndef _SMC_SOCKET_LATE_H
#define _SMC_SOCKET_LATE_H

#include <linux/types.h>

struct smc_sock;

/**
 * smc_late_expect - this side has declined; the peer may have done so, too
 * @smc:	socket, its lock held; smc_fallback() follows
 * @peer_id:	peer ID in the messages of the peer; zero: not known
 */
void smc_late_expect(struct smc_sock *smc, const u8 *peer_id);
/**
 * smc_late_forget - no Decline can arrive any more
 * @smc:	socket in mode TCP, which has another peer from now on
 *
 * Context: process, may sleep. The function takes the lock of the TCP socket.
 */
void smc_late_forget(struct smc_sock *smc);
/**
 * smc_late_take - remove the peer's Decline from the bytes that TCP has
 * received
 * @smc:	socket in mode TCP, or that becomes TCP
 *
 * The first bytes decide; later calls have no effect. Context: the caller holds
 * the lock of the TCP socket, perhaps in softirq.
 */
void smc_late_take(struct smc_sock *smc);
/**
 * smc_late_check - the same before a call that reads from TCP
 * @smc:	socket in mode TCP
 *
 * Context: process, may sleep. The function takes the lock of the TCP socket if
 * a Decline may still arrive.
 */
void smc_late_check(struct smc_sock *smc);

#endif

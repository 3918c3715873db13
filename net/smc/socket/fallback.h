/* SPDX-License-Identifier: GPL-2.0 */
/* Fallback: a socket becomes TCP. */
#ifndef _SMC_SOCKET_FALLBACK_H
#define _SMC_SOCKET_FALLBACK_H

#include <linux/types.h>

struct smc_sock;
struct socket;

/**
 * smc_fallback - make the socket a TCP socket permanently
 * @smc:	socket, its lock held
 * @reason:	enum smc_decline
 * @peer_reason: diagnosis of the peer's Decline or 0
 * @serv:	true on the server, for the counters
 *
 * Restores the TCP socket's callbacks, detaches the ULP, lets TCP wake the
 * waiters of the user's socket (shares its wait queue), copies socket options,
 * pending error and O_ASYNC, counts and traces the reason, and wakes all
 * waiters. A child that is not yet accepted has no struct socket. In this case
 * smc_fallback_graft() completes the fallback at accept().
 */
void smc_fallback(struct smc_sock *smc, u32 reason, u32 peer_reason, bool serv);
/**
 * smc_fallback_graft - complete a fallback at accept
 * @smc:	socket
 * @sock:	struct socket that it gets
 */
void smc_fallback_graft(struct smc_sock *smc, struct socket *sock);
/** smc_fallback_release - stop sharing before the TCP socket is released */
void smc_fallback_release(struct smc_sock *smc);
/** smc_fallback_child - initialise a child of a listener in mode TCP */
void smc_fallback_child(struct smc_sock *child, const struct smc_sock *parent);
/**
 * smc_fallback_listen - listen() of a socket in mode TCP
 * @smc:	socket, lock held; its children must not inherit its callback
 * @backlog:	limit of children that wait for accept()
 *
 * Return: 0, or the negative errno of TCP.
 */
int smc_fallback_listen(struct smc_sock *smc, int backlog);
/**
 * smc_fallback_connect - prepare a socket in mode TCP for connect()
 * @smc:	socket, lock held; it may have listened before
 */
void smc_fallback_connect(struct smc_sock *smc);
/**
 * smc_fallback_sync_listen - TCP may have left LISTEN
 * @smc:	socket in mode TCP, lock held
 *
 * SO_ACCEPTCONN reads our sock.
 */
void smc_fallback_sync_listen(struct smc_sock *smc);
/**
 * smc_fallback_sync_err - keep the errors of our sock and of TCP equal
 * @smc:	socket in mode TCP
 *
 * SO_ERROR reads our sock, all other calls read TCP. So when one of them has
 * reported an error, this function clears the error in the other.
 */
void smc_fallback_sync_err(struct smc_sock *smc);
/**
 * smc_fallback_begin - prepare a call that TCP serves: it sees the options and
 *	errors of our sock
 * @smc:	socket in mode TCP
 *
 * Context: process, may sleep.
 */
void smc_fallback_begin(struct smc_sock *smc);
/**
 * smc_fallback_end - TCP has served the call
 * @smc:	socket in mode TCP
 * @ret:	result; if it is negative, it may be the pending error
 *
 * Return: @ret.
 */
ssize_t smc_fallback_end(struct smc_sock *smc, ssize_t ret);
/** smc_fallback_set_err - replace the pending error in our sock and in TCP
 * (@err is positive, or 0); mode TCP, lock held
 */
void smc_fallback_set_err(struct smc_sock *smc, int err);
/**
 * smc_fallback_mirror - show to getsockopt() what TCP has changed itself
 * @smc:	socket in mode TCP
 *
 * The core reads options of SOL_SOCKET from our sock: buffer sizes, the CPU
 * that receives, and SO_PEEK_OFF.
 */
void smc_fallback_mirror(struct smc_sock *smc);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* Fallback: a socket becomes TCP. */
#ifndef _SMC_SOCKET_FALLBACK_H
#define _SMC_SOCKET_FALLBACK_H

#include <linux/types.h>

struct smc_sock;
struct socket;

/**
 * smc_fallback - hand the socket to TCP for good
 * @smc:	socket, its lock held
 * @reason:	enum smc_decline
 * @peer_reason: diagnosis of the peer's Decline or 0
 * @serv:	server side, for the counters
 *
 * Restores the TCP socket's callbacks, detaches the ULP, lets TCP wake the
 * waiters of the user's socket (shares its wait queue), copies socket options,
 * pending error and O_ASYNC, counts and traces the reason, and wakes all
 * waiters. The socket may have no struct socket yet (child not accepted); then
 * smc_fallback_graft() completes the fallback at accept.
 */
void smc_fallback(struct smc_sock *smc, u32 reason, u32 peer_reason, bool serv);
/** smc_fallback_graft - complete a fallback at accept, when @smc gets its struct socket */
void smc_fallback_graft(struct smc_sock *smc, struct socket *sock);
/** smc_fallback_release - undo the sharing before the TCP socket is released */
void smc_fallback_release(struct smc_sock *smc);
/** smc_fallback_child - an accepted TCP child of a listener in mode TCP */
void smc_fallback_child(struct smc_sock *child, const struct smc_sock *parent);
/**
 * smc_fallback_listen - prepare a socket in mode TCP for listen()
 * @smc:	socket; its children must not inherit its callback
 */
void smc_fallback_listen(struct smc_sock *smc);
/**
 * smc_fallback_sync_err - keep the errors of our sock and of TCP equal
 * @smc:	socket in mode TCP
 *
 * SO_ERROR reads our sock, all other calls read TCP. So an error that one of
 * them has reported is cleared in the other.
 */
void smc_fallback_sync_err(struct smc_sock *smc);
/** smc_fallback_mirror - show TCP's buffer sizes to getsockopt() */
void smc_fallback_mirror(struct smc_sock *smc);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* A socket becomes TCP. */
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
 * waiters of the user's socket (shares its wait queue), copies what matters
 * (socket options, pending error, O_ASYNC), counts and traces the reason, wakes
 * all waiters. The socket may have no struct socket yet (child not accepted);
 * then smc_fallback_graft() finishes the job at accept.
 */
void smc_fallback(struct smc_sock *smc, u32 reason, u32 peer_reason, bool serv);
/** smc_fallback_graft - @smc got its struct socket after it had fallen back */
void smc_fallback_graft(struct smc_sock *smc, struct socket *sock);
/** smc_fallback_release - undo the sharing before the TCP socket is released */
void smc_fallback_release(struct smc_sock *smc);
/** smc_fallback_child - an accepted TCP child of a listener in mode TCP */
void smc_fallback_child(struct smc_sock *child, const struct smc_sock *parent);
/**
 * smc_fallback_listen - a socket in mode TCP is about to listen
 * @smc:	socket; its children must not inherit its callback
 */
void smc_fallback_listen(struct smc_sock *smc);
/**
 * smc_fallback_sync_err - keep the error of our sock and of TCP's the same
 * @smc:	socket in mode TCP
 *
 * SO_ERROR is served from our sock, everything else from TCP's: an error that
 * one of them told vanishes from the other.
 */
void smc_fallback_sync_err(struct smc_sock *smc);
/** smc_fallback_mirror - show TCP's buffer sizes to getsockopt() */
void smc_fallback_mirror(struct smc_sock *smc);

#endif

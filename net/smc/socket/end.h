/* SPDX-License-Identifier: GPL-2.0 */
/* The end of a socket that does not listen. */
#ifndef _SMC_SOCKET_END_H
#define _SMC_SOCKET_END_H

struct smc_sock;
struct sock;

/**
 * smc_end_locked - end a socket in any mode, as close() does
 * @sk:		socket, not in mode LISTEN; lock held, released on return
 *
 * Consumes one reference. A child that no application has accepted is reset, as
 * in TCP.
 * Context: may sleep.
 */
void smc_end_locked(struct sock *sk);
/**
 * smc_end_child - close a child that no application has accepted
 * @smc:	socket, lock not held
 *
 * Works like smc_end_locked().
 */
void smc_end_child(struct smc_sock *smc);

#endif

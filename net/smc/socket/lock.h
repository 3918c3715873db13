/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A worker takes the lock of a socket with these functions.
 *
 * A system call that owns the lock may wait in a page fault for as long as its
 * user likes. A worker that many sockets share must not sleep for the lock.
 * Such a worker tries to take the lock. If another context holds the lock, the
 * worker registers a callback for the release of the lock.
 */
#ifndef _SMC_SOCKET_LOCK_H
#define _SMC_SOCKET_LOCK_H

struct smc_on_unlock;
struct smc_sock;

/**
 * smc_lock_try - take the lock of a socket without sleeping
 * @smc:	socket
 * @on_unlock:	callback to register if another context holds the lock; its
 *		->run() is called when the lock becomes free, and @on_unlock
 *		must exist until then. NULL: no callback.
 *
 * A free lock has no callbacks. So the owner of the lock may free @on_unlock if
 * no other context uses it.
 *
 * Context: any but hard interrupts. Return: 0: release_sock() must follow;
 * -EINPROGRESS: @on_unlock->run() will be called; -EALREADY: an earlier call
 * has registered @on_unlock.
 */
int smc_lock_try(struct smc_sock *smc, struct smc_on_unlock *on_unlock);
/** smc_lock_prepare - initialise the list of callbacks of a new socket */
void smc_lock_prepare(struct smc_sock *smc);
/** smc_lock_released - run all callbacks, from struct proto.release_cb */
void smc_lock_released(struct smc_sock *smc);

#endif

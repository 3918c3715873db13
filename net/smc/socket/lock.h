/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The lock of a socket, for workers.
 *
 * A system call that owns the lock may be stuck in a page fault for as long as
 * its user likes. A worker that many sockets share must not sleep for it: it
 * tries, and leaves a note if the lock is taken.
 */
#ifndef _SMC_SOCKET_LOCK_H
#define _SMC_SOCKET_LOCK_H

struct smc_later;
struct smc_sock;

/**
 * smc_lock_try - lock_sock() that does not sleep
 * @smc:	socket
 * @later:	note to leave if the lock is taken; runs when the lock becomes
 *		free, and must live until then. NULL: no note.
 *
 * A free lock has no notes. So the owner of the lock may free @later if nobody
 * else uses it.
 *
 * Context: any but hard interrupts. Return: 0: release_sock() must follow;
 * -EINPROGRESS: @later->run() will be called; -EALREADY: an earlier call has
 * left @later.
 */
int smc_lock_try(struct smc_sock *smc, struct smc_later *later);
/** smc_lock_prepare - part of smc_sock_alloc() */
void smc_lock_prepare(struct smc_sock *smc);
/** smc_lock_released - part of struct proto.release_cb; spinlock held */
void smc_lock_released(struct smc_sock *smc);

#endif

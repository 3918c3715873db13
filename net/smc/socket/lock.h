/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The lock of a socket, for workers.
 *
 * A system call that owns the lock may stand in a page fault for as long as its
 * user likes. A worker that many sockets share must not sleep for it: it tries,
 * and leaves a note if the lock is taken.
 */
#ifndef _SMC_SOCKET_LOCK_H
#define _SMC_SOCKET_LOCK_H

struct smc_later;
struct smc_sock;

/**
 * smc_lock_try - lock_sock() that does not sleep
 * @smc:	socket
 * @later:	what happens when the lock becomes free, if it is taken now. Must
 *		live until then; NULL: nothing happens.
 *
 * When the lock is free, no note is left: who has the lock, and was alone with
 * @later, may free it.
 *
 * Context: any but hard interrupts. Return: 0: release_sock() must follow;
 * -EINPROGRESS: @later->run() will be called; -EALREADY: so it is, for an
 * earlier call.
 */
int smc_lock_try(struct smc_sock *smc, struct smc_later *later);
/** smc_lock_prepare - part of smc_sock_alloc() */
void smc_lock_prepare(struct smc_sock *smc);
/** smc_lock_released - part of struct proto.release_cb; spinlock held */
void smc_lock_released(struct smc_sock *smc);

#endif

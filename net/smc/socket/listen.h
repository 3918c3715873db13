/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Listening: TCP connections are taken from the hidden listener as they come,
 * each gets a child socket and a handshake, and the finished ones wait in the
 * accept queue. Only those count against the backlog: clients that connect and
 * keep silent are pending, capped on their own, and delay nobody.
 */
#ifndef _SMC_SOCKET_LISTEN_H
#define _SMC_SOCKET_LISTEN_H

#include <linux/types.h>

struct smc_listener;
struct smc_sock;

/** smc_listen_kick - connections wait in the hidden listener; any context */
void smc_listen_kick(struct smc_sock *smc);
/**
 * smc_listen_child_done - a child is SMC or TCP: to the accept queue
 * @l:		listener
 * @child:	lock held
 *
 * If the listener is going away, it is left to smc_listen_stop(), which waits
 * for the child's lock.
 */
void smc_listen_child_done(struct smc_listener *l, struct smc_sock *child);
/**
 * smc_listen_child_failed - end a child if its handshake failed
 * @l:		listener
 * @child:	lock not held; the caller has a reference of its own
 *
 * Nobody will hear of it.
 */
void smc_listen_child_failed(struct smc_listener *l, struct smc_sock *child);

struct smc_listener *smc_listen_get(struct smc_listener *l);
void smc_listen_put(struct smc_listener *l);

/**
 * smc_listen_start - mode NEW or LISTEN -> LISTEN; again: new backlog
 * @smc:	socket, lock held
 * @backlog:	children that may wait for accept()
 *
 * Return: 0 or a negative errno.
 */
int smc_listen_start(struct smc_sock *smc, int backlog);
/**
 * smc_listen_pop - next finished child
 * @smc:	listening socket, lock held
 *
 * Return: a child in mode SMC or TCP, whose reference the caller owns and which
 * holds none of its parent any more; NULL: none.
 */
struct smc_sock *smc_listen_pop(struct smc_sock *smc);
/** smc_listen_ready - a finished child waits; without the lock */
bool smc_listen_ready(const struct smc_sock *smc);
/**
 * smc_listen_stop - close the listener: finished and unfinished children end
 * @smc:	listening socket, lock held; may be released and taken again
 *
 * Mode CLOSED meanwhile and afterwards.
 */
void smc_listen_stop(struct smc_sock *smc);

#endif

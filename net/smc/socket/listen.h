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
 * smc_listen_child_done - @child (lock held) is SMC or TCP: to the accept queue
 *
 * If the listener is going away, it is left to smc_listen_stop(), which waits
 * for the child's lock.
 */
void smc_listen_child_done(struct smc_listener *l, struct smc_sock *child);
/**
 * smc_listen_child_failed - end @child (lock not held) if its handshake failed:
 * nobody will hear of it. The caller has a reference of its own.
 */
void smc_listen_child_failed(struct smc_listener *l, struct smc_sock *child);

struct smc_listener *smc_listener_get(struct smc_listener *l);
void smc_listener_put(struct smc_listener *l);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Listening. A worker accepts TCP connections of the hidden listener at once.
 * Each connection gets a child socket and a handshake. Finished children wait
 * in the accept queue, and only these count against the backlog. Clients that
 * connect and keep silent stay pending. Pending clients have a limit of their
 * own and do not delay other clients.
 */
#ifndef _SMC_SOCKET_LISTEN_H
#define _SMC_SOCKET_LISTEN_H

#include <linux/types.h>

struct smc_listener;
struct smc_sock;

/** smc_listen_kick - accept connections of the hidden listener; any context */
void smc_listen_kick(struct smc_sock *smc);
/**
 * smc_listen_child_done - put a finished child (SMC or TCP) into the accept
 * queue
 * @l:		listener
 * @child:	lock held
 *
 * With TCP_DEFER_ACCEPT, a child in mode SMC enters the queue when its first
 * byte or its end arrives, or after the time of the option.
 * If the listener is closing, smc_listen_stop() waits for the child's lock and
 * ends the child.
 */
void smc_listen_child_done(struct smc_listener *l, struct smc_sock *child);
/**
 * smc_listen_child_failed - end a child if its handshake failed
 * @l:		listener
 * @child:	lock not held; the caller has a reference of its own
 *
 * The application never sees this child.
 */
void smc_listen_child_failed(struct smc_listener *l, struct smc_sock *child);

/** smc_listen_get - take one more reference, for the handshake of a child */
struct smc_listener *smc_listen_get(struct smc_listener *l);
/** smc_listen_put - drop a reference */
void smc_listen_put(struct smc_listener *l);

/**
 * smc_listen_start - start to listen, or change the backlog (mode NEW or
 * LISTEN)
 * @smc:	socket, lock held
 * @backlog:	limit of children that wait for accept()
 *
 * Return: 0 or a negative errno.
 */
int smc_listen_start(struct smc_sock *smc, int backlog);
/**
 * smc_listen_pop - take the next finished child
 * @smc:	listening socket, lock held
 *
 * Return: a child in mode SMC or TCP, or NULL. The caller owns the reference.
 * The child no longer holds a reference to its parent.
 */
struct smc_sock *smc_listen_pop(struct smc_sock *smc);
/** smc_listen_ready - is a finished child waiting? The caller needs no lock. */
bool smc_listen_ready(const struct smc_sock *smc);
/**
 * smc_listen_stop - close the listener and end all its children
 * @smc:	listening socket, lock held; the function may release the lock
 *	and take it again
 *
 * The function first sets the mode to CLOSED.
 */
void smc_listen_stop(struct smc_sock *smc);
/**
 * smc_listen_end - close the listener as smc_listen_stop() does, and set mode
 * NEW
 * @smc:	listening socket, lock held; the function may release the lock
 *	and take it again
 *
 * Return: true if the mode is NEW now; false if another thread has disconnected
 * the socket meanwhile. Then leave mode and state alone: that thread has set
 * them.
 */
bool smc_listen_end(struct smc_sock *smc);
/**
 * smc_listen_destroyed - has something else ended the hidden listener?
 * @smc:	socket in mode LISTEN
 *
 * ss -K and BPF programs can do so. Context: any.
 */
bool smc_listen_destroyed(const struct smc_sock *smc);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* Callbacks that this floor installs on the hidden TCP socket. */
#ifndef _SMC_SOCKET_TCP_CB_H
#define _SMC_SOCKET_TCP_CB_H

#include <net/sock.h>

struct smc_sock;

/**
 * struct smc_tcp_user - receivers of events on the TCP socket
 * @listener:	mode LISTEN: new connections wait
 * @handshake:	other modes: bytes have arrived, or the state has changed
 *
 * Context: any, the caller holds the TCP socket's callback lock, which keeps
 * the AF_SMC socket alive.
 */
struct smc_tcp_user {
	void (*listener)(struct smc_sock *smc);
	void (*handshake)(struct smc_sock *smc);
};

/**
 * smc_tcp_hook - take the callbacks of the hidden TCP socket
 * @smc:	socket
 *
 * Saves the old callbacks in smc->tcp_cb. Idempotent. Context: process.
 */
void smc_tcp_hook(struct smc_sock *smc);
/**
 * smc_tcp_unhook - restore the callbacks of the hidden TCP socket
 * @smc:	socket
 *
 * Idempotent. Context: process. A caller that releases @smc->clcsock must first
 * call this function and smc_ulp_detach(), because the TCP socket may still
 * exist in FIN_WAIT. In mode SMC the callbacks stay installed, because a TCP
 * RST aborts the connection (R-4.8.2-09).
 */
void smc_tcp_unhook(struct smc_sock *smc);
/**
 * smc_tcp_lend_file - give a hidden TCP socket the file of its owner
 * @smc:	socket
 * @file:	file of the user, or until accept() file of the listener; NULL:
 *		take the file back
 *
 * Packet filters read the file under the callback lock, to match the owner of a
 * socket; TCP reads it under the TCP lock. The TCP socket holds no reference.
 * smc_end_locked() takes the file back before it is freed, and takes a
 * listener's file back from all children.
 * Context: process, may sleep; TCP's lock is not held.
 */
void smc_tcp_lend_file(struct smc_sock *smc, struct file *file);
/**
 * smc_tcp_show_owner - let views of TCP show the inode number of the user's
 * socket, and its user
 * @smc:	socket
 * @user:	socket of the user; NULL: there is none before accept() and
 *		after close(), and views show 0, as for TCP
 *
 * The user may be another one than the listener's. Rules of routing by user
 * apply to the packets of TCP. "ss -p", lsof and fuser find a process by the
 * number. Two inodes of sockfs may have the same number, because nothing looks
 * up an inode of sockfs by its number. Views read the number under the callback
 * lock. Context: process, BH on.
 */
void smc_tcp_show_owner(struct smc_sock *smc, struct socket *user);
/**
 * smc_tcp_ready_is_default - is sk_data_ready the callback of a new TCP socket?
 * @sk:		TCP socket or AF_SMC socket; both begin with the same callback
 *
 * Context: any. Return: false if a reader inside the kernel has replaced it.
 */
bool smc_tcp_ready_is_default(const struct sock *sk);
/**
 * smc_tcp_default_ready - do what sk_data_ready of a new socket does
 * @sk:		TCP socket or AF_SMC socket
 *
 * Wakes readers. Context: any.
 */
void smc_tcp_default_ready(struct sock *sk);
/**
 * smc_tcp_restore_ready - give a TCP socket the default sk_data_ready
 * @tcp:	TCP socket, its callback lock held for writing
 */
void smc_tcp_restore_ready(struct sock *tcp);
/** smc_tcp_owner - AF_SMC socket that has hooked @tcp, or NULL */
struct smc_sock *smc_tcp_owner(const struct sock *tcp);
/**
 * smc_tcp_reset_callbacks - install the default callbacks, without an owner
 * @tcp:	new socket that nobody else sees
 */
void smc_tcp_reset_callbacks(struct sock *tcp);
/**
 * smc_tcp_fatal - must the SMC connection end because of TCP?
 * @tcp:	the hidden TCP socket behind an established connection, lock
 *		held or in one of its callbacks
 *
 * Return: 0, or the positive errno for the connection.
 */
int smc_tcp_fatal(struct sock *tcp);
/**
 * smc_tcp_cb_init - set the receivers, before the first TCP socket is hooked
 * @user:	receivers of events
 *
 * Return: 0 or the errno of TCP.
 */
int smc_tcp_cb_init(const struct smc_tcp_user *user);

#endif

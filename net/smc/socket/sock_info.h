/* SPDX-License-Identifier: GPL-2.0 */
/* Snapshots of sockets for views; the interface of smc.ko for smc_diag.ko. */
#ifndef _SMC_SOCKET_SOCK_INFO_H
#define _SMC_SOCKET_SOCK_INFO_H

#include <linux/socket.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include "../conn/info.h"
#include "../group/info.h"

struct net;
struct smc_sock;

/**
 * struct smc_sock_info - one socket
 * @cookie:	value of sock_diag_save_cookie()
 * @uid:	owner
 * @inode:	inode of the file, 0 without a file
 * @family:	of the sock: AF_SMC, AF_INET or AF_INET6
 * @protocol:	SMCPROTO_SMC or SMCPROTO_SMC6, the kind of the addresses
 * @state:	enum smc_sk_state
 * @shutdown:	RCV_SHUTDOWN, SEND_SHUTDOWN, of both sides
 * @tcp:	the socket has fallen back
 * @has_conn:	@conn is valid
 * @has_lgr:	@lgr and @link are valid
 * @reason:	enum smc_decline, reason of the fallback
 * @peer_reason: diagnosis of the peer's Decline
 * @ifindex:	bound device or 0
 * @local:	own address; its family is AF_UNSPEC if the socket has no
 *		address
 * @peer:	address of the peer
 * @conn:	connection
 * @lgr:	link group of the connection
 * @link:	link that the connection sends on
 */
struct smc_sock_info {
	u32 cookie[2];
	kuid_t uid;
	unsigned long inode;
	u8 family;
	u8 protocol;
	u8 state;
	u8 shutdown;
	bool tcp;
	bool has_conn;
	bool has_lgr;
	u32 reason;
	u32 peer_reason;
	int ifindex;
	struct sockaddr_storage local;
	struct sockaddr_storage peer;
	struct smc_conn_info conn;
	struct smc_lgr_info lgr;
	struct smc_link_info link;
};

/**
 * smc_sock_info_next - snapshot of the next socket of @net
 * @net:	namespace
 * @id:		in: number to start at, 0 for the first; out: number of this
 *		socket, and the next call starts at *@id + 1
 * @info:	filled in; has only @cookie, @uid, @inode, @family, @protocol,
 *		@state and @tcp if a system call keeps the socket's lock
 * @patience:	total time in jiffies for which the function may still wait for
 *		such locks; each wait reduces it
 *
 * Context: may sleep. Return: false at the end.
 */
bool smc_sock_info_next(const struct net *net, unsigned long *id,
			struct smc_sock_info *info, unsigned long *patience);
/**
 * smc_sock_info_get - snapshot of a socket
 * @smc:	socket, referenced; the lock is not held
 * @info:	filled in
 *
 * Context: process, waits for the lock.
 */
void smc_sock_info_get(struct smc_sock *smc, struct smc_sock_info *info);

#endif

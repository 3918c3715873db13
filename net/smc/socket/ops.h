/* SPDX-License-Identifier: GPL-2.0 */
/* What the rooms behind the socket calls share with each other. */
#ifndef _SMC_SOCKET_OPS_H
#define _SMC_SOCKET_OPS_H

#include <linux/poll.h>
#include "../base/compat.h"
#include "../conn/conn.h"
#include "smc_sock.h"

/* The TCP socket's calls; TLS replaces them, so they are read each time. */
static inline const struct proto_ops *smc_tcp_ops(const struct smc_sock *smc)
{
	return READ_ONCE(smc->clcsock->ops);
}

/* sock.c */

/** smc_sock_create_tcp - give a fresh socket its hidden TCP socket. Context:
 * may sleep. Return: 0 or what TCP says.
 */
int smc_sock_create_tcp(struct smc_sock *smc);
/** smc_sock_family - AF_INET or AF_INET6, of the hidden socket */
int smc_sock_family(const struct smc_sock *smc);
/**
 * smc_sock_next - socket of @net with the lowest number >= *@id
 *
 * *@id becomes that number. Numbers rise with creation and are not reused
 * before they wrap, so that a walk neither repeats nor misses an old socket.
 * Return: the socket with a reference, NULL at the end.
 */
struct sock *smc_sock_next(const struct net *net, unsigned long *id);
/** smc_sock_keepalive - SO_KEEPALIVE or TCP_KEEPIDLE changed; lock held */
void smc_sock_keepalive(struct smc_sock *smc, bool on);
int smc_protos_init(void);
void smc_protos_exit(void);

/* events.c */

/** smc_sock_sync_conn - carry the connection's state and, once, its error over
 * to sk_state and sk_err. Mode SMC. Any context, not under the spinlock of the
 * sock.
 */
void smc_sock_sync_conn(struct smc_sock *smc);
/** smc_sock_writable - enough room that waking a writer pays (one third) */
bool smc_sock_writable(const struct smc_sock *smc);
void smc_sock_write_space(struct sock *sk);
void smc_sock_release_cb(struct sock *sk);
/** smc_events_prepare - part of smc_sock_alloc() */
void smc_events_prepare(struct smc_sock *smc);
int smc_events_init(void);
void smc_events_exit(void);

/* close.c */

int smc_release(struct socket *sock);
int smc_shutdown(struct socket *sock, int how);
/** smc_sock_conn_gone - the connection's closed() callback, process context */
void smc_sock_conn_gone(struct smc_sock *smc);
/** smc_sock_send_fin - an orphan sent its C: end the TCP connection too */
void smc_sock_send_fin(struct smc_sock *smc);

/* connect.c */

int smc_connect(struct socket *sock, struct smc_compat_sockaddr *addr, int len,
		int flags);
/**
 * smc_wait_connect - sleep until a running handshake has ended
 * @timeo:	jiffies left
 *
 * Lock held, dropped while asleep. Return: 0, -EAGAIN (@timeo is over), or
 * what sock_intr_errno() says.
 */
int smc_wait_connect(struct sock *sk, long *timeo);

/* io.c, poll.c, sockopt.c, splice.c */

int smc_sendmsg(struct socket *sock, struct msghdr *msg, size_t len);
int smc_recvmsg(struct socket *sock, struct msghdr *msg, size_t len, int flags);
__poll_t smc_poll(struct file *file, struct socket *sock, poll_table *wait);
int smc_setsockopt(struct socket *sock, int level, int optname,
		   sockptr_t optval, unsigned int optlen);
int smc_getsockopt(struct socket *sock, int level, int optname,
		   char __user *optval, int __user *optlen);
ssize_t smc_splice_read(struct socket *sock, loff_t *ppos,
			struct pipe_inode_info *pipe, size_t len,
			unsigned int flags);
void smc_splice_eof(struct socket *sock);
ssize_t smc_sendpage(struct socket *sock, struct page *page, int offset,
		     size_t size, int flags);

/**
 * smc_options_push - on kernels where the core does not show us SOL_SOCKET
 * options: carry them over to TCP, before a call that TCP serves. Context:
 * process, TCP's lock not held, ours does not matter.
 */
void smc_options_push(struct smc_sock *smc);

/** smc_tx_flush - send what is queued, as TCP_NODELAY and TCP_CORK say */
void smc_tx_flush(struct smc_sock *smc, int msg_flags);

/* fallback.c */

/** smc_fallback_child - an accepted TCP child of a listener in mode TCP */
void smc_fallback_child(struct smc_sock *child, const struct smc_sock *parent);
/** smc_fallback_listen - a socket in mode TCP is about to listen: children must
 * not inherit its callback
 */
void smc_fallback_listen(struct smc_sock *smc);
/**
 * smc_fallback_sync_err - SO_ERROR is served from our sock, everything else
 * from TCP's: make an error that one of them told vanish from the other
 */
void smc_fallback_sync_err(struct smc_sock *smc);
/** smc_fallback_mirror - show TCP's buffer sizes to getsockopt() */
void smc_fallback_mirror(struct smc_sock *smc);

#endif

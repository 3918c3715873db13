/* SPDX-License-Identifier: GPL-2.0 */
/* The AF_SMC socket: one struct sock, its hidden TCP socket, and what it is. */
#ifndef _SMC_SOCKET_SMC_SOCK_H
#define _SMC_SOCKET_SMC_SOCK_H

#include <linux/net.h>
#include <linux/workqueue.h>
#include <net/sock.h>
#include "mode.h"

struct smc_conn;
struct smc_hs;
struct smc_listener;

/**
 * struct smc_sock - AF_SMC socket
 * @sk:		must be first; its lock protects everything here
 * @clcsock:	hidden TCP socket, from creation until the last reference
 * @mode:	see enum smc_sock_mode; socket lock to write, READ_ONCE to peek
 *		(poll, diag), partner smc_sock_set_mode()
 * @conn:	connection, from the handshake's attach until sk destruction
 * @hs:		handshake in progress, else NULL
 * @listener:	listening state, else NULL
 * @parent:	child not yet accepted: the listening socket (reference held)
 * @acceptq:	link in the listener's queue of finished children
 * @reason:	why it is TCP (enum smc_decline), 0 if it is not
 * @peer_reason: diagnosis in the peer's Decline
 * @tcp_cb:	callbacks of the TCP socket before a handshake took them
 * @tcp_error:	error_report of the TCP socket before mode TCP took it
 * @flags:	bits of enum smc_sock_flag, atomic
 * @freed:	bytes to uncharge by whoever next has the lock
 * @rmem:	bytes charged for the receive element
 * @tx_limit:	limit of queued bytes that the connection was given last
 * @id:		number in the views, 0: not visible
 * @limit_hs:	value of SMC_LIMIT_HS
 * @fin_work:	ends the TCP connection of an orphan, holds a reference
 * @shut:	RCV_SHUTDOWN, SEND_SHUTDOWN of the application
 * @cork:	TCP_CORK of the application while the mode is not TCP
 * @nodelay:	TCP_NODELAY of the application
 */
struct smc_sock {
	struct sock sk;
	struct socket *clcsock;
	enum smc_sock_mode mode;
	struct smc_conn *conn;
	struct smc_hs *hs;
	struct smc_listener *listener;
	struct sock *parent;
	struct list_head acceptq;
	u32 reason;
	u32 peer_reason;
	struct {
		void (*state_change)(struct sock *sk);
		void (*data_ready)(struct sock *sk);
		void (*write_space)(struct sock *sk);
		void (*error_report)(struct sock *sk);
	} tcp_cb;
	void (*tcp_error)(struct sock *sk);
	unsigned long flags;
	atomic_t freed;
	u32 rmem;
	u32 tx_limit;
	u32 id;
	int limit_hs;
	struct work_struct fin_work;
	u8 shut;
	bool cork;
	bool nodelay;
};

#define smc_sk(ptr) ((struct smc_sock *)(ptr))

/* Bits of smc_sock.flags, CONN_GONE and ERR_TOLD are one way. */
enum smc_sock_flag {
	SMC_SF_NOSPACE,		/* somebody waits for room to send */
	SMC_SF_CONN_GONE,	/* the connection called closed() */
	SMC_SF_ERR_TOLD,	/* its error was put in sk_err once */
	SMC_SF_TCP_ERR,		/* sk_err mirrors the one of TCP (mode TCP) */
};

/** smc_sock_mode - what the socket is, for readers without its lock; what the
 * mode promises (smc->conn in mode SMC) is visible.
 */
static inline enum smc_sock_mode smc_sock_mode(const struct smc_sock *smc)
{
	/* partner: smc_sock_set_mode() */
	return smp_load_acquire(&smc->mode);
}

/* af_smc.c: creation; @family is AF_INET or AF_INET6 of the hidden socket */
struct sock *smc_sock_alloc(struct net *net, struct socket *sock, int family,
			    int kern);
/**
 * smc_sock_adopt - make @tcp, as accepted, the hidden socket of a child
 * @child:	fresh from smc_sock_alloc(net, NULL, ...), nobody else knows it
 * @parent:	listener whose options it inherits
 * @tcp:	owned by the child afterwards
 *
 * Released with the child. Context: any.
 */
void smc_sock_adopt(struct smc_sock *child, const struct smc_sock *parent,
		    struct socket *tcp);
/**
 * smc_sock_end - close a socket that has no file: a child nobody accepted
 *
 * As close() does, whatever its mode; consumes the caller's reference. The
 * socket's lock is not held. Context: may sleep.
 */
void smc_sock_end(struct smc_sock *smc);
/** smc_sock_sndbuf - limit of queued bytes for smc_life_alloc() */
u32 smc_sock_sndbuf(const struct smc_sock *smc);
/** smc_sock_rmb - wanted element size in bytes, for struct smc_contact */
u32 smc_sock_rmb(const struct smc_sock *smc);
/** smc_sock_set_mode - the only writer of smc->mode; lock held (not needed for
 * a child nobody else knows).
 */
void smc_sock_set_mode(struct smc_sock *smc, enum smc_sock_mode mode);
/* Callbacks that connections get (struct smc_conn_ops), owner is the sock. */
extern const struct smc_conn_ops smc_sock_conn_ops;

/* fallback.c */

/**
 * smc_fallback - hand the socket to TCP for good
 * @smc:	socket, its lock held
 * @reason:	enum smc_decline
 * @peer_reason: diagnosis of the peer's Decline or 0
 * @serv:	server side, for the counters
 *
 * Restores the TCP socket's callbacks, detaches the ULP, lets TCP wake the
 * waiters of the user's socket (shares its wait queue), copies what matters
 * (socket options, pending error, O_ASYNC), counts and traces the reason, wakes
 * all waiters. The socket may have no struct socket yet (child not accepted);
 * then smc_fallback_graft() finishes the job at accept.
 */
void smc_fallback(struct smc_sock *smc, u32 reason, u32 peer_reason, bool serv);
/** smc_fallback_graft - @smc got its struct socket after it had fallen back */
void smc_fallback_graft(struct smc_sock *smc, struct socket *sock);
/** smc_fallback_release - undo the sharing before the TCP socket is released */
void smc_fallback_release(struct smc_sock *smc);

/* hs.c and friends */

/**
 * smc_tcp_unhook - give the hidden TCP socket its own callbacks back
 *
 * Idempotent, any process context. Whoever releases @smc->clcsock calls this
 * and smc_ulp_detach() before, because the TCP socket may live on in FIN_WAIT.
 * Callbacks stay hooked in mode SMC: a TCP RST aborts the connection
 * (R-4.8.2-09).
 */
void smc_tcp_unhook(struct smc_sock *smc);
/** smc_ulp_detach - ULP "smc" off a TCP socket (unlocked); idempotent */
void smc_ulp_detach(struct sock *tcp);
/** smc_hs_init - ULP and handshake workers; called by smc_socket_init() */
int smc_hs_init(void);
void smc_hs_exit(void);

/**
 * smc_hs_connect - start a client handshake on @smc (lock held, mode NEW)
 *
 * Starts the TCP connect without blocking and returns 0 (under way, mode
 * CONNECTING) or the errno of TCP. Ends, exactly once, in one of: mode SMC,
 * mode TCP, or mode CLOSED with sk->sk_err set; waiters on the socket are
 * woken by sk->sk_state_change.
 */
int smc_hs_connect(struct smc_sock *smc, struct sockaddr *addr, int len);
/** smc_hs_cancel - the socket is being released while its handshake runs
 * (lock held). Afterwards smc->hs is NULL, mode CLOSED.
 */
void smc_hs_cancel(struct smc_sock *smc);

/* listen.c */

/** smc_listen_start - mode NEW or LISTEN -> LISTEN (lock held); again: backlog */
int smc_listen_start(struct smc_sock *smc, int backlog);
/** smc_listen_pop - next finished child (mode SMC or TCP; parent reference
 * dropped; the caller owns the sock reference), NULL: none. Lock held.
 */
struct smc_sock *smc_listen_pop(struct smc_sock *smc);
bool smc_listen_ready(const struct smc_sock *smc);
/** smc_listen_stop - close the listener: finished and unfinished children end.
 * Called with the lock held, may release and retake it; mode CLOSED meanwhile
 * and afterwards.
 */
void smc_listen_stop(struct smc_sock *smc);

int smc_socket_init(void);
void smc_socket_exit(void);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* The AF_SMC socket: struct sock, the hidden TCP socket, and the mode. */
#ifndef _SMC_SOCKET_SOCK_H
#define _SMC_SOCKET_SOCK_H

#include <linux/net.h>
#include <linux/net_tstamp.h>
#include <linux/workqueue.h>
#include <net/inet_sock.h>
#include <net/sock.h>
#include "../base/on_unlock.h"
#include "mode.h"
#include "options.h"

struct smc_conn;
struct smc_hs;
struct smc_listener;

/**
 * struct smc_sock - SMC socket of any family
 * @sk:		must be first; its lock protects the other members. @sk.sk_timer
 *		calls a reader inside the kernel again, see reader.c; it holds a
 *		reference
 * @inet:	members that the code of IP uses in a socket of AF_INET or
 *		AF_INET6, see inet.h
 * @clcsock:	hidden TCP socket; it exists until the last reference is dropped
 * @mode:	enum smc_sock_mode; written under the socket lock, READ_ONCE
 *		without it (poll, diag), partner smc_sock_set_mode()
 * @conn:	connection; set when the handshake ends in mode SMC, kept until
 *		the sock is freed
 * @hs:		handshake under way, or NULL
 * @listener:	state of a listener, or NULL
 * @parent:	child not yet accepted: the listening socket (reference held)
 * @acceptq:	entry in the listener's list of children, or in the list of
 *		orphans
 * @reason:	reason of a fallback (enum smc_decline), or 0
 * @peer_reason: diagnosis in the peer's Decline
 * @tcp_cb:	saved callbacks of the TCP socket
 * @flags:	bits of enum smc_sock_flag, atomic
 * @mirror:	mode TCP: saved error_report of the TCP socket, and the error of
 *		TCP that sk_err mirrors, or 0; both are written under the
 *		callback lock of the TCP socket. @mirror.late: a Decline of the
 *		peer @mirror.peer_id may arrive, see late.c; written before the
 *		socket has these callbacks, then under the lock of the TCP
 *		socket
 * @pushed:	options of the application that were passed to TCP, see
 *		options.c
 * @freed:	bytes that the next holder of the lock uncharges
 * @charged:	bytes of the share of the namespace (net.smc.mem_share): the
 *		charge of the connection at its start, and the growth of its
 *		window and its elements
 * @limit:	limits that the connection has: of queued bytes, and of unread
 *		bytes; @limit.learns: enum smc_learns, the application did not
 *		choose the size of the element, see bulk.h; lock
 * @id:		number in the views; 0: not visible
 * @option:	values of the options of SOL_SMC that are on or off:
 *		SMC_LIMIT_HS
 * @on_unlock:	callbacks to run when the lock becomes free, see lock.h;
 *		protected by the spinlock of the sock
 * @work:	runs the tasks that wait for the lock, see work.c; the item
 *		holds a reference, and @work.on_unlock queues it when the lock
 *		is free
 * @defer:	child whose listener waits for its first byte: the listener,
 *		the end of the wait in jiffies, and saved callbacks; protected
 *		by the lock of the listener, see listen.c
 * @asked:	TCP_CORK of the application while the mode is not TCP, and
 *		TCP_NODELAY of the application; @asked.shut: RCV_SHUTDOWN and
 *		SEND_SHUTDOWN that it asked for
 */
struct smc_sock {
	union {
		struct sock sk;
		struct inet_sock inet;
	};
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
		void (*error_report)(struct sock *sk);
	} tcp_cb;
	unsigned long flags;
	struct {
		void (*report)(struct sock *sk);
		int err;
		u8 peer_id[8];
		bool late;
	} mirror;
	struct smc_options pushed;
	atomic_t freed;
	struct {
		u32 rmb;
		atomic_t window;
	} charged;
	struct {
		u32 tx;
		u32 rx;
		u8 learns;
	} limit;
	u32 id;
	struct {
		int limit_hs;
	} option;
	struct list_head on_unlock;
	struct {
		struct work_struct item;
		struct smc_on_unlock on_unlock;
	} work;
	struct {
		struct smc_listener *at;
		unsigned long until;
		void (*data_ready)(struct sock *sk);
		void (*state_change)(struct sock *sk);
	} defer;
	struct {
		bool cork;
		bool nodelay;
		u8 shut;
	} asked;
};

enum smc_learns {
	SMC_LEARNS_NOT,
	SMC_LEARNS_AS_CLIENT,
	SMC_LEARNS_AS_SERVER,
};

#define smc_sk(ptr) ((struct smc_sock *)(ptr))

/* Bits of smc_sock.flags. */
enum smc_sock_flag {
	SMC_SF_NOSPACE,		/* a sender or poller waits for room */
	SMC_SF_ERR_TOLD,	/* sk_err was set to the connection's error */
	/* counted as orphan; written under the socket lock */
	SMC_SF_ORPHAN,
	SMC_SF_STOPPED,		/* CLOSED since a listener ended; socket lock */
	/* tasks that wait for the lock, see work.h */
	SMC_SF_TELL,		/* call the reader inside the kernel */
	SMC_SF_FOLLOW,		/* end TCP after the connection */
	/*
	 * the callback of the reader runs, so read_sock() must not sleep; lock
	 */
	SMC_SF_TOLD,
	SMC_SF_READER_FAILED,	/* TCP has failed, which the reader must learn */
};

/** smc_sock_mode - mode of a socket, for readers without the lock. Members that
 * belong to the mode, such as smc->conn in mode SMC, are visible to the reader.
 */
static inline enum smc_sock_mode smc_sock_mode(const struct smc_sock *smc)
{
	/* partner: smc_sock_set_mode() */
	return smp_load_acquire(&smc->mode);
}

/*
 * Operations of the TCP socket. TLS may replace them, so read them each time.
 */
static inline const struct proto_ops *smc_sock_tcp(const struct smc_sock *smc)
{
	return READ_ONCE(smc->clcsock->ops);
}

/** smc_sock_wants_timestamping - does SO_TIMESTAMPING ask for arrival times? */
static inline bool smc_sock_wants_timestamping(const struct sock *sk)
{
	u32 flags = READ_ONCE(sk->sk_tsflags);

	return (flags & SOF_TIMESTAMPING_SOFTWARE) &&
	       (flags & SOF_TIMESTAMPING_RX_SOFTWARE);
}

/** smc_sock_wants_stamps - does any option like SO_TIMESTAMP ask for them? */
static inline bool smc_sock_wants_stamps(const struct sock *sk)
{
	return sock_flag(sk, SOCK_RCVTSTAMP) || smc_sock_wants_timestamping(sk);
}

/**
 * smc_sock_wake_async - send SIGIO if the application has asked for it
 * @sk:	socket; the lock is not needed
 * @how:	see sk_wake_async()
 * @band:	see sk_wake_async()
 *
 * Context: any.
 */
static inline void smc_sock_wake_async(struct sock *sk, int how, int band)
{
	/*
	 * As with TCP, close() or setsockopt() may write another bit of
	 * sk_flags meanwhile.
	 */
	data_race(({ sk_wake_async(sk, how, band); 0; }));
}

/**
 * smc_sock_set_mode - the only writer of smc->mode
 * @smc:	socket, lock held; a child that no other context can reach needs
 *		no lock
 * @mode:	new mode
 */
void smc_sock_set_mode(struct smc_sock *smc, enum smc_sock_mode mode);
/** smc_sock_family - family of the addresses, AF_INET or AF_INET6 */
int smc_sock_family(const struct smc_sock *smc);
/** smc_sock_sndbuf - limit of queued bytes for smc_life_alloc() */
u32 smc_sock_sndbuf(const struct smc_sock *smc);
/** smc_sock_rmb - element size in bytes that the socket requests */
u32 smc_sock_rmb(const struct smc_sock *smc);
/** smc_sock_keepalive - apply SO_KEEPALIVE and TCP_KEEPIDLE; lock held */
void smc_sock_keepalive(struct smc_sock *smc, bool on);
/**
 * smc_sock_follow_tcp - apply options that TCP stores to the connection
 * @smc:	socket, lock held or not yet reachable
 *
 * TCP_NOTSENT_LOWAT and TCP_USER_TIMEOUT. Does nothing before mode SMC.
 */
void smc_sock_follow_tcp(struct smc_sock *smc);
/**
 * smc_sock_follow_rcvbuf - apply SO_RCVBUF to the connection
 * @smc:	socket in mode SMC, lock held or not yet reachable
 *
 * sk_rcvbuf becomes twice the limit that the connection has then, so
 * getsockopt() tells what really holds. Does nothing if sk_rcvbuf has not
 * changed since the last call.
 */
void smc_sock_follow_rcvbuf(struct smc_sock *smc);
/**
 * smc_sock_mark_napi - tell the core what a task polls that waits for bytes
 * @smc:	socket in mode SMC
 *
 * The core polls it in poll() and epoll. Return: its number, see
 * smc_conn_napi().
 */
unsigned int smc_sock_mark_napi(struct smc_sock *smc);
/**
 * smc_sock_sync_conn - copy the connection's state to the socket, and the
 * connection's error if it was not copied before
 * @smc:	socket in mode SMC; sets its sk_state and sk_err
 *
 * Context: any, not under the spinlock of the sock.
 */
void smc_sock_sync_conn(struct smc_sock *smc);
/** smc_sock_write_space - wake writers if the queue has room for them */
void smc_sock_write_space(struct sock *sk);

/**
 * smc_sock_alloc - allocate an AF_SMC sock without a hidden TCP socket
 * @net:	namespace
 * @sock:	socket of the user
 * @family:	AF_INET or AF_INET6, of the hidden socket
 * @kern:	argument of the same name of sk_alloc()
 *
 * Context: may sleep. Return: sock or NULL.
 */
struct sock *smc_sock_alloc(struct net *net, struct socket *sock, int family,
			    int kern);
/**
 * smc_sock_born - set the flags of a new user socket, which tell the core what
 * it supports
 * @sock:	socket with a sock of this module
 *
 * The socket handles options of SOL_SOCKET itself, because they also concern
 * the TCP socket. It allows io_uring to send without copying.
 */
void smc_sock_born(struct socket *sock);
/**
 * smc_sock_alloc_child - allocate the sock of a child, without a hidden TCP
 * socket
 * @parent:	listener, which gives the namespace, family and protocol
 *
 * Context: may sleep. Return: sock or NULL.
 */
struct sock *smc_sock_alloc_child(const struct smc_sock *parent);
/**
 * smc_sock_create_tcp - create the hidden TCP socket of a new socket
 * @smc:	socket
 *
 * Context: may sleep. Return: 0 or the errno of TCP.
 */
int smc_sock_create_tcp(struct smc_sock *smc);
/**
 * smc_sock_adopt - make the accepted socket @tcp the hidden socket of a child
 * @child:	new socket from smc_sock_alloc_child(), which no other context
 *		can reach
 * @parent:	listener whose options the child inherits
 * @tcp:	TCP socket; the child owns it afterwards
 *
 * @tcp is released with the child. Context: process, may sleep (lock of @tcp).
 */
void smc_sock_adopt(struct smc_sock *child, const struct smc_sock *parent,
		    struct socket *tcp);
/**
 * smc_sock_next - find the socket of a namespace with the lowest number >= *@id
 * @net:	namespace
 * @id:		in: number to start at; out: number of the socket found
 *
 * Each new socket gets a larger number, until the numbers wrap. So a walk over
 * all numbers visits a socket that exists during the whole walk exactly once.
 * Return: the socket with a reference, NULL at the end.
 */
struct sock *smc_sock_next(const struct net *net, unsigned long *id);
int smc_sock_protos_init(void);
void smc_sock_protos_exit(void);
/** smc_sock_inet_proto - proto of sockets of AF_INET or AF_INET6 */
struct proto *smc_sock_inet_proto(int family);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The handshake object. Each connection has a handshake while it is set up:
 * from the TCP connect (client) or the accepted TCP connection (server) until
 * the connection runs over SMC-R, falls back to TCP, or fails.
 *
 * No code of a handshake sleeps for the peer. TCP callbacks, the timer and the
 * contact set a bit and queue the work. The work tries the socket lock, feeds
 * events to the state table and returns. If the lock is taken, the work is
 * queued again when the lock is free. When the table reaches an end state, the
 * outcome is final, and smc->hs becomes NULL.
 *
 * enum hs_ref in hs.c lists the references. The handshake holds a reference to
 * its socket. Locks: all code except hs_cleanup() runs under lock_sock(smc);
 * lock_sock(TCP socket) nests inside.
 */
#ifndef _SMC_SOCKET_HS_H
#define _SMC_SOCKET_HS_H

#include <linux/kref.h>
#include <linux/timer.h>
#include <linux/workqueue.h>
#include "../base/limits.h"
#include "../group/contact.h"
#include "../group/lgr.h"
#include "../wire/clc.h"
#include "hs_fsm.h"
#include "history.h"
#include "sock.h"

struct smc_hs;

/* Timeouts that the RFC does not define. */
enum {
	/*
	 * Wait for another handshake's first contact or for an RMB. The peer
	 * waits SMC_CLC_WAIT_MS for our next message; this side must decline
	 * before the peer gives up.
	 */
	SMC_HS_GROUP_WAIT_MS	= 4000,

	/*
	 * Link confirmation. The group has a timer for each step. This timeout
	 * limits the total.
	 */
	SMC_HS_LINK_WAIT_MS	= 2 * SMC_LLC_FIRST_WAIT_MS + SMC_DECLINE_WAIT_MS,
};

/* Bits of hs->events. Any context sets them; the worker clears them. */
enum smc_hs_bit {
	SMC_HS_BIT_TCP,		/* check the TCP socket */
	/* event of the contact, see enum smc_contact_event */
	SMC_HS_BIT_READY,
	SMC_HS_BIT_UP,
	SMC_HS_BIT_DOWN,
	SMC_HS_BIT_TIMER,
	SMC_HS_BIT_CLEANED,	/* hs_cleanup() has run */
};

/**
 * struct smc_hs_role - differences between client and server
 * @fsm:	state table
 * @done:	end state of @fsm in which the connection runs over SMC-R
 * @act:	actions of this role only; lock held. Return: the next event,
 *		SMC_HS_EV_NR for none
 * @connect:	client: check the progress of the TCP connect; returns an event
 *		or SMC_HS_EV_NR; lock held. NULL: TCP is already connected
 */
struct smc_hs_role {
	const struct smc_fsm *fsm;
	u8 done;
	u8 (*act)(struct smc_hs *hs, u8 action);
	u8 (*connect)(struct smc_hs *hs);
};

/**
 * struct smc_hs_listener_ops - callbacks of the listener of a child
 * @get:	take a reference to the listener
 * @put:	drop the reference
 * @child_done:	the child (lock held) has become SMC or TCP
 * @child_failed: end the child (lock not held) if it is CLOSED
 */
struct smc_hs_listener_ops {
	struct smc_listener *(*get)(struct smc_listener *l);
	void (*put)(struct smc_listener *l);
	void (*child_done)(struct smc_listener *l, struct smc_sock *child);
	void (*child_failed)(struct smc_listener *l, struct smc_sock *child);
};

/**
 * struct smc_hs_past - steps of a handshake that decide what its failure means
 * @segs:	client: segments that TCP had received at its first event, which
 *		is the end of its connect; 0: no event yet. TCP's callbacks
 *		write it
 * @proposed:	client: the Proposal was sent
 * @heard:	a CLC message has arrived
 * @link_wait:	client: jiffies when it began to wait for the first link of a
 *		group over RDMA, never 0; 0: it has not waited
 * @peer:	client: the address that the application has named
 */
struct smc_hs_past {
	u32 segs;
	bool proposed;
	bool heard;
	unsigned long link_wait;
	struct smc_history_key peer;
};

/**
 * struct smc_hs - handshake; the socket lock protects it, except where noted
 * @smc:	socket, reference held
 * @role:	client or server
 * @listener:	server: the listener (reference held) else NULL
 * @state:	state of @role->fsm; only the driver in hs.c writes it
 * @events:	enum smc_hs_bit, atomic
 * @work:	runs the table, see smc_hs_event()
 * @on_unlock:	queues @work
 * @timer:	sets SMC_HS_BIT_TIMER
 * @deadline:	jiffies, end of the current wait
 * @group_end:	deadline of all waits for the group; 0: no wait has begun
 * @ref:	reference count, for the reasons of enum hs_ref
 * @rcu:	frees the handshake
 * @refuse:	code for an unconditional Decline, or 0
 * @pending:	the namespace counts this handshake as pending
 * @past:	what has happened
 * @contact:	the handshake's part in a link group
 * @conn:	connection, from attach until the socket takes it over
 * @clc_version: version for our own Decline
 * @prop:	the Proposal: own (client) or received (server)
 * @peer:	the peer's Accept or Confirm
 * @declined:	the peer's Decline
 * @reason:	enum smc_decline to send or to record
 * @err:	negative errno of a failure
 * @rx:		receive buffer for one message
 */
struct smc_hs {
	struct smc_sock *smc;
	const struct smc_hs_role *role;
	struct smc_listener *listener;
	u8 state;
	unsigned long events;
	struct work_struct work;
	struct smc_on_unlock on_unlock;
	struct timer_list timer;
	unsigned long deadline;
	u32 group_end;
	struct kref ref;
	struct rcu_head rcu;
	u32 refuse;
	bool pending;
	struct smc_hs_past past;

	struct smc_contact contact;
	struct smc_conn *conn;
	u8 clc_version;
	struct smc_clc_proposal prop;
	struct smc_clc_accept peer;
	struct smc_clc_decline_msg declined;
	u32 reason;
	int err;
	struct {
		u16 len;
		u8 buf[SMC_CLC_MAX_LEN];
	} rx;
};

/* functions of hs.c, for both roles */
struct smc_hs *smc_hs_alloc(struct smc_sock *smc, const struct smc_hs_role *role,
			    struct smc_listener *listener);
void smc_hs_undo(struct smc_hs *hs);
void smc_hs_start(struct smc_hs *hs);
void smc_hs_begin(struct smc_hs *hs, unsigned int ms);
void smc_hs_event(struct smc_hs *hs, u8 ev);
void smc_hs_release_if_over(struct smc_hs *hs);
bool smc_hs_count(struct smc_hs *hs);
u8 smc_hs_refuse(struct smc_hs *hs, u32 reason);
u8 smc_hs_break(struct smc_hs *hs, int err);
bool smc_hs_has_memory(struct smc_hs *hs);
u8 smc_hs_attach(struct smc_hs *hs);
u8 smc_hs_if_alive(struct smc_hs *hs, u8 ev);
struct sock *smc_hs_tcp(const struct smc_hs *hs);

/**
 * smc_hs_kick - tell a handshake that its TCP socket has changed
 * @smc:	socket
 *
 * Context: any, the caller holds the TCP socket's callback lock, which keeps
 * @smc alive.
 */
void smc_hs_kick(struct smc_sock *smc);

/**
 * smc_hs_init - start the ULP and the workers of handshakes
 * @ops:	callbacks of listeners
 *
 * Return: 0 or a negative errno.
 */
int smc_hs_init(const struct smc_hs_listener_ops *ops);
void smc_hs_exit(void);
/**
 * smc_hs_cancel - cancel the handshake of a socket that is being released
 * @smc:	socket, lock held
 *
 * Afterwards smc->hs is NULL, mode CLOSED.
 */
void smc_hs_cancel(struct smc_sock *smc);

/* functions of hs_client.c */

/**
 * smc_hs_connect - start a client handshake
 * @smc:	socket, lock held, mode NEW
 * @addr:	address of the peer
 * @len:	length of @addr
 *
 * Starts the TCP connect without blocking. Return: 0 (the handshake runs, mode
 * CONNECTING) or the errno of TCP. The handshake ends exactly once: in mode
 * SMC, in mode TCP, or in mode CLOSED with sk->sk_err set. sk->sk_state_change
 * then wakes waiters on the socket.
 */
int smc_hs_connect(struct smc_sock *smc, struct sockaddr *addr, int len);

/* functions of hs_server.c */

/**
 * smc_hs_serve - start the handshake for an accepted TCP connection
 * @smc:	child (lock held, hidden TCP socket adopted and hooked)
 * @listener:	listener that gets the finished child
 * @over_cap:	the listener is over its limit, so the handshake declines the
 *	Proposal
 *
 * Return: 0; -ENOMEM: nothing has started.
 */
int smc_hs_serve(struct smc_sock *smc, struct smc_listener *listener,
		 bool over_cap);

/* functions of hs_io.c: CLC messages on the TCP socket, without blocking */
u8 smc_hs_pull(struct smc_hs *hs);
int smc_hs_send(struct smc_hs *hs, const u8 *buf, int len);
int smc_hs_send_decline(struct smc_hs *hs, u32 code);

/* functions of hs_v2.c: version 2 */
void smc_hs_v2_offer(struct smc_hs *hs);
void smc_hs_v2_in_host(struct smc_hs *hs);
u32 smc_hs_v2_select(struct smc_hs *hs);
u32 smc_hs_v2_accepted(struct smc_hs *hs);
int smc_hs_v2_confirmed(struct smc_hs *hs, u32 *code);
void smc_hs_v2_fill(const struct smc_hs *hs, struct smc_clc_accept *a);

/* functions of hs_net.c: network data of the Proposal */

/** smc_hs_net_ipsec - does an IPsec policy apply to @tcp (R-5.5-01)? */
bool smc_hs_net_ipsec(struct sock *tcp);
/** smc_hs_net_signed - does @tcp have keys that RDMA would bypass? */
bool smc_hs_net_signed(struct sock *tcp);
/**
 * smc_hs_net_source - get the peer's address as IPv6, reduced to the part that
 * belongs to one host
 * @tcp: TCP socket
 * @source: output, 16 bytes
 */
void smc_hs_net_source(struct sock *tcp, u8 *source);
/** smc_hs_net_describe - get subnet or prefixes of the outgoing interface */
void smc_hs_net_describe(struct sock *tcp, struct smc_clc_proposal *p);
/**
 * smc_hs_net_common - does the Proposal name one of our subnets?
 * @tcp:	TCP socket on which it has arrived
 * @p:		Proposal
 *
 * Return: true if it names one (R-3.5.1.2-06, R-3.5.1.2-07).
 */
bool smc_hs_net_common(struct sock *tcp, const struct smc_clc_proposal *p);

#endif

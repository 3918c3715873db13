// SPDX-License-Identifier: GPL-2.0
/*
 * Life of a connection: allocation, membership in a group, and the end.
 * object.h explains the steps leave and reap.
 */
#include <linux/slab.h>
#include <linux/wait_bit.h>
#include <net/sock.h>
#include "../base/compat.h"
#include "../base/pernet.h"
#include "../group/contact.h"
#include "../group/lgr.h"
#include "../group/member.h"
#include "alive.h"
#include "close.h"
#include "conn.h"
#include "dialect.h"
#include "framed.h"
#include "framed_element.h"
#include "framed_mail.h"
#include "life.h"
#include "object.h"
#include "rfc.h"
#include "timer.h"
#include "token.h"
#include "tx.h"
#include "txq.h"

/* Limits the connections of a namespace (net.smc.max_conns). */
static bool life_count(struct smc_conn *conn)
{
	struct smc_pernet *pn = smc_pernet(conn->net);

	if (atomic_inc_return(&pn->conns) <= READ_ONCE(pn->tunables.max_conns))
		return true;
	atomic_dec(&pn->conns);
	return false;
}

static void life_uncount(struct smc_conn *conn)
{
	atomic_dec(&smc_pernet(conn->net)->conns);
}

/* ---- timers ---- */

/* Calls the handler of a timer. */
static void conn_expired(struct smc_conn *conn, enum smc_conn_timer which)
{
	switch (which) {
	case SMC_TIMER_CORK:
		smc_tx_uncork(conn);
		break;
	case SMC_TIMER_CLOSE:
		smc_close_overdue(conn);
		break;
	case SMC_TIMER_KEEPALIVE:
		smc_alive_keepalive(conn);
		break;
	case SMC_TIMER_STALL:
		smc_alive_stall(conn);
		break;
	default:
		conn->dialect->expired(conn, which);
	}
}

static void conn_timers(struct work_struct *work)
{
	struct smc_conn *conn = container_of(to_delayed_work(work),
					     struct smc_conn, timers.work);
	unsigned long expired;
	unsigned int which;

	spin_lock_bh(&conn->lock);
	expired = smc_timer_expired(conn);
	spin_unlock_bh(&conn->lock);
	for_each_set_bit(which, &expired, SMC_TIMERS)
		conn_expired(conn, which);
	spin_lock_bh(&conn->lock);
	smc_timer_rearm(conn);
	spin_unlock_bh(&conn->lock);
}

/* ---- leaving the group ---- */

/*
 * Releases the send queue after the device has finished with its pages. Notices
 * to the application may hold the last references to the owner.
 */
static void conn_drain(struct work_struct *work)
{
	struct smc_conn *conn = container_of(work, struct smc_conn, life.drain);
	LIST_HEAD(noticed);

	spin_lock_bh(&conn->lock);
	smc_txq_give_up(conn, &noticed);
	spin_unlock_bh(&conn->lock);
	smc_txq_notify(&noticed);
	smc_conn_put(conn, SMC_CONN_REF_FLIGHT);
}

/* May reap continue? If not, smc_conn_reader_gone() queues reap again. */
static bool conn_may_reap(struct smc_conn *conn)
{
	bool busy;

	spin_lock_bh(&conn->lock);
	busy = conn->rx.busy;
	if (busy)
		smc_conn_place_step(conn, SMC_PLACE_EV_READING);
	spin_unlock_bh(&conn->lock);
	return !busy;
}

static void conn_reap(struct work_struct *work)
{
	struct smc_conn *conn = container_of(work, struct smc_conn, life.reap);
	struct sock *owner = conn->owner;
	LIST_HEAD(noticed);
	u32 freed;

	if (!conn_may_reap(conn))
		return;
	conn->dialect->reap(conn);
	/* until here the peer's last message finds the connection */
	smc_token_del(conn);

	spin_lock_bh(&conn->lock);
	smc_txq_uncharge(conn);
	freed = conn->news.freed;
	conn->news.freed = 0;
	/* otherwise smc_conn_landed() follows, which queues drain */
	INIT_WORK(&conn->life.drain, conn_drain);
	if (!conn->dialect->flying(conn))
		smc_txq_give_up(conn, &noticed);
	smc_conn_place_step(conn, SMC_PLACE_EV_REAPED);
	spin_unlock_bh(&conn->lock);

	smc_txq_notify(&noticed);
	if (freed)
		conn->ops->freed(owner, freed);
	smc_lgr_put(conn->life.lgr, SMC_LGR_REF_REAP);
	conn->ops->closed(owner);
	smp_store_release(&conn->life.closed, true);	/* smc_life_detach() */
	smp_mb();	/* store before wake_up_var() looks for waiters */
	wake_up_var(&conn->life.closed);
	sock_put(owner);
	smc_conn_put(conn, SMC_CONN_REF_GROUP);
}

/* Every callback to the owner has returned. */
static void conn_left(struct rcu_head *rcu)
{
	struct smc_conn *conn = container_of(rcu, struct smc_conn, life.rcu);

	INIT_WORK(&conn->life.reap, conn_reap);
	queue_work(smc_conn_wq, &conn->life.reap);
}

static void conn_leave(struct work_struct *work)
{
	struct smc_conn *conn = container_of(work, struct smc_conn, life.leave);

	/* in this place nothing starts a timer */
	cancel_delayed_work_sync(&conn->timers.work);
	conn->life.lgr = smc_lgr_get(conn->member.lgr, SMC_LGR_REF_REAP);
	conn->dialect->leave(conn);
	smc_member_leave(&conn->member);
	life_uncount(conn);

	spin_lock_bh(&conn->lock);
	smc_txq_leave(conn);
	smc_conn_place_step(conn, SMC_PLACE_EV_LEFT);
	spin_unlock_bh(&conn->lock);
	/* smc_life_detach() waits for reap */
	call_rcu_hurry(&conn->life.rcu, conn_left);
}

/* ---- joining a group ---- */

/**
 * smc_life_alloc() - allocate a connection
 * @net:	namespace of @owner
 * @ops:	callbacks to the owner, must outlive the connection
 * @owner:	socket that the connection belongs to
 * @sndbuf:	limit of queued bytes
 *
 * Context: process, may sleep. Return: connection with one reference for the
 * caller (SMC_CONN_REF_OWNER), or NULL.
 */
struct smc_conn *smc_life_alloc(struct net *net, const struct smc_conn_ops *ops,
				struct sock *owner, u32 sndbuf)
{
	struct smc_conn *conn = smc_conn_alloc();

	if (!conn)
		return NULL;
	conn->ops = ops;
	conn->dialect = &smc_rfc_dialect;
	conn->owner = owner;
	conn->net = net;
	spin_lock_init(&conn->lock);
	INIT_LIST_HEAD(&conn->rx.extents);
	INIT_LIST_HEAD(&conn->news.noticed);
	smc_tx_prepare(conn, sndbuf);
	smc_alive_prepare(conn);
	INIT_DELAYED_WORK(&conn->timers.work, conn_timers);
	INIT_WORK(&conn->life.leave, conn_leave);
	return conn;
}

/* Lets the connection receive, unless the group has ended. */
static int life_enter(struct smc_conn *conn, struct smc_contact *c)
{
	int err = 0;

	spin_lock_bh(&conn->lock);
	if (conn->life.place == SMC_PLACE_OUT &&
	    conn->close.state == SMC_CONN_INIT) {
		conn->dialect->attach(conn, c);
		smc_conn_place_step(conn, SMC_PLACE_EV_JOIN);
	} else {
		smc_conn_place_step(conn, SMC_PLACE_EV_REFUSED);
		err = -ENOLINK;
	}
	smc_conn_unlock(conn);
	return err;
}

/*
 * Chooses the dialect. Allocates memory that attach() needs, because attach()
 * must not sleep. In-host the peer can find the mailbox before attach() runs.
 */
static int life_choose(struct smc_conn *conn, const struct smc_contact *c)
{
	if (!smc_contact_frames(c))
		return 0;
	conn->dialect = &smc_framed_dialect;
	if (!smc_framed_element_prepare(conn, c))
		return -ENOMEM;
	if (!smc_contact_by_reference(c))
		return 0;
	conn->mail = smc_framed_mail_new();
	return conn->mail ? 0 : -ENOMEM;
}

/**
 * smc_life_attach() - join the contact's group, and take the element of the
 * contact
 * @conn:	connection
 * @c:		contact; after success the connection owns the element
 *
 * Gives the connection an alert token (random, never 0). From then on CDC
 * messages reach the connection, which keeps their flags and positions
 * (R-3.5.2.4-04). The function takes a reference to the connection and one to
 * the owner, both until closed(). Context: process, may sleep.
 * Return: 0, -ENOLINK, -ENOMEM, -EDQUOT (net.smc.max_conns).
 */
int smc_life_attach(struct smc_conn *conn, struct smc_contact *c)
{
	int err;

	if (!life_count(conn))
		return -EDQUOT;
	err = life_choose(conn, c);
	if (err)
		goto err_count;
	err = smc_member_join(&conn->member, c, conn->dialect->member);
	if (err)
		goto err_count;
	err = smc_token_add(conn);
	if (err) {
		err = -ENOMEM;
		goto err_join;
	}
	sock_hold(conn->owner);
	smc_conn_get(conn, SMC_CONN_REF_GROUP);
	err = life_enter(conn, c);
	if (err)
		goto err_token;
	return 0;

err_token:
	smc_token_del(conn);
	sock_put(conn->owner);
	smc_conn_put(conn, SMC_CONN_REF_GROUP);
err_join:
	smc_member_leave(&conn->member);
err_count:
	life_uncount(conn);
	return err;
}

/**
 * smc_life_without_frames() - server: the client does not want frames after all
 * @conn:	connection that was attached, in state INIT
 * @c:		its contact
 *
 * The Confirm does not repeat the answer of the Accept (F-31). The link is not
 * bound yet, so the peer has sent nothing, and no queue has the connection.
 * Context: work item of the handshake; may sleep.
 */
void smc_life_without_frames(struct smc_conn *conn, struct smc_contact *c)
{
	smc_member_pause(&conn->member);
	spin_lock_bh(&conn->lock);
	if (conn->life.place == SMC_PLACE_IN) {
		smc_framed_element_detach(conn, c);
		memset(&conn->rfc, 0, sizeof(conn->rfc));
		conn->dialect = &smc_rfc_dialect;
		conn->member.ops = conn->dialect->member;
		conn->dialect->attach(conn, c);
	}
	smc_conn_unlock(conn);
	smc_member_resume(&conn->member);
}

/**
 * smc_life_set_peer() - store the peer's data from Accept or Confirm
 * @conn:	connection that was attached
 * @peer:	the message
 *
 * Context: process, may sleep. Return: 0; -EPROTO: index, size or range of the
 * element is out of bounds; -ENOLINK: the link that the message names is gone,
 * and the element has no key on another link.
 */
int smc_life_set_peer(struct smc_conn *conn, const struct smc_clc_accept *peer)
{
	return conn->dialect->set_peer(conn, peer);
}

/**
 * smc_life_start() - start the connection after the handshake: INIT -> ACTIVE
 * @conn:	connection whose peer was set
 *
 * Delivers flags and data that arrived earlier, and allows sending. Context:
 * process, may sleep.
 */
void smc_life_start(struct smc_conn *conn)
{
	int err = conn->dialect->start(conn);

	spin_lock_bh(&conn->lock);
	if (err == -EDESTADDRREQ) {
		/*
		 * this event sends nothing, because the peer is not known yet
		 */
		smc_close_step(conn, SMC_CLOSE_EV_GONE);
		smc_conn_try_leave(conn);
		goto out;
	}
	smc_close_step(conn, SMC_CLOSE_EV_START);
	if (conn->close.state == SMC_CONN_ACTIVE) {
		if (conn->rx.prod != conn->rx.cons)
			conn->news.tell |= SMC_TELL_READABLE;
		if (conn->rx.urg.state != SMC_URG_NONE)
			conn->news.tell |= SMC_TELL_URGENT;
		smc_close_heard(conn, conn->close.heard);
		if (err)
			smc_close_abort(conn, ECONNRESET);
		/*
		 * no reader has run yet, but the peer may wait for a window
		 * update
		 */
		conn->dialect->reader(conn, SMC_READER_PEEKED);
		smc_conn_try_leave(conn);
	}
out:
	smc_conn_unlock(conn);
}

/**
 * smc_life_detach() - leave the group after the handshake has failed
 * @conn:	connection, attached or not
 *
 * Sends nothing to the peer. If the connection was attached, closed() is called
 * before this function returns. Context: process, sleeps.
 */
void smc_life_detach(struct smc_conn *conn)
{
	bool attached;

	spin_lock_bh(&conn->lock);
	attached = conn->life.place != SMC_PLACE_OUT;
	smc_close_step(conn, SMC_CLOSE_EV_GONE);
	smc_conn_try_leave(conn);
	smc_conn_unlock(conn);
	if (attached)
		wait_var_event(&conn->life.closed,
			       /* partner: conn_reap() */
			       smp_load_acquire(&conn->life.closed));
}

/**
 * smc_life_init() - initialise conn/ when the module starts
 *
 * Context: process. Return: 0 or -ENOMEM.
 */
int smc_life_init(void)
{
	int err;

	err = smc_conn_init();
	if (err)
		return err;
	err = smc_token_init();
	if (err)
		goto err_conn;
	err = smc_rfc_init();
	if (err)
		goto err_token;
	return 0;

err_token:
	smc_token_exit();
err_conn:
	smc_conn_exit();
	return err;
}

/**
 * smc_life_exit() - clean up conn/ when the module ends, after all groups have
 * ended
 *
 * Context: process, sleeps.
 */
void smc_life_exit(void)
{
	smc_conn_exit();
	smc_rfc_exit();
	smc_token_exit();
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The connection object: birth, group membership, and the way out (see
 * conn_priv.h for the lifetime).
 */
#include <linux/overflow.h>
#include <linux/slab.h>
#include <net/sock.h>
#include "../base/limits.h"
#include "../base/pernet.h"
#include "../group/contact.h"
#include "../wire/clc.h"
#include "conn_priv.h"
#include "txq.h"

/* leave and reap of all connections; they sleep, timers and corks do not. */
struct workqueue_struct *smc_conn_wq;

/* Connections of a namespace are capped (net.smc.max_conns). */
static bool count(struct smc_conn *conn)
{
	struct smc_pernet *pn = smc_pernet(conn->net);

	if (atomic_inc_return(&pn->conns) <= READ_ONCE(pn->tunables.max_conns))
		return true;
	atomic_dec(&pn->conns);
	return false;
}

static void uncount(struct smc_conn *conn)
{
	atomic_dec(&smc_pernet(conn->net)->conns);
}

static void leave(struct work_struct *work);
static void reap(struct work_struct *work);

/* ---- object ---- */

struct smc_conn *smc_conn_alloc(struct net *net, const struct smc_conn_ops *ops,
				struct sock *owner, u32 sndbuf)
{
	struct smc_conn *conn = kzalloc(sizeof(*conn), GFP_KERNEL);

	if (!conn)
		return NULL;
	kref_init(&conn->ref);
	conn->ops = ops;
	conn->owner = owner;
	conn->net = net;
	spin_lock_init(&conn->lock);
	conn->state = SMC_CONN_INIT;
	conn->place = SMC_PLACE_OUT;
	INIT_LIST_HEAD(&conn->tx.segs);
	conn->tx.limit = sndbuf;
	conn->tx.barrier = U64_MAX;
	INIT_DELAYED_WORK(&conn->tx.cork, smc_tx_cork_timer);
	INIT_WORK(&conn->rx.keep, smc_urg_keep_work);
	INIT_DELAYED_WORK(&conn->rx.gap_timer, smc_rx_gap_timer);
	INIT_DELAYED_WORK(&conn->alive.timer, smc_alive_timer);
	INIT_DELAYED_WORK(&conn->end.timer, smc_close_timer);
	INIT_WORK(&conn->end.leave, leave);
	INIT_RCU_WORK(&conn->end.reap, reap);
	init_completion(&conn->end.done);
	return conn;
}

/** smc_conn_get - one more reference. Return: @conn. */
struct smc_conn *smc_conn_get(struct smc_conn *conn)
{
	kref_get(&conn->ref);
	return conn;
}

static void free_conn(struct kref *ref)
{
	struct smc_conn *conn = container_of(ref, struct smc_conn, ref);

	smc_txq_destroy(conn);
	smc_urg_forget(conn);
	kfree_rcu(conn, rcu);
}

/** smc_conn_put - drop a reference. Context: any. */
void smc_conn_put(struct smc_conn *conn)
{
	kref_put(&conn->ref, free_conn);
}

/* ---- lock ---- */

void smc_conn_lock(struct smc_conn *conn)
	__acquires(&conn->lock)
{
	spin_lock_bh(&conn->lock);
}

/*
 * Callbacks run without the lock, in an RCU read section that begins under it:
 * once leave has set SMC_PLACE_LEFT and a grace period has passed, none runs.
 */
static void tell_owner(struct smc_conn *conn, u32 tell, u32 freed)
{
	const struct smc_conn_ops *ops = conn->ops;

	if (freed)
		ops->freed(conn->owner, freed);
	if (tell & SMC_TELL_URGENT)
		ops->urgent(conn->owner);
	if (tell & SMC_TELL_READABLE)
		ops->readable(conn->owner);
	if (tell & SMC_TELL_WRITABLE)
		ops->writable(conn->owner);
	if (tell & SMC_TELL_CHANGED)
		ops->changed(conn->owner);
}

/** smc_conn_unlock - unlock and tell the owner what happened meanwhile */
void smc_conn_unlock(struct smc_conn *conn)
	__releases(&conn->lock)
{
	u32 freed = conn->freed;
	u32 tell = conn->tell;

	if (likely(!tell && !freed) || conn->place == SMC_PLACE_OUT ||
	    conn->place >= SMC_PLACE_LEFT) {
		spin_unlock_bh(&conn->lock);
		return;
	}
	conn->tell = 0;
	conn->freed = 0;
	rcu_read_lock();
	spin_unlock_bh(&conn->lock);
	tell_owner(conn, tell, freed);
	rcu_read_unlock();
}

/* ---- the way out ---- */

/**
 * smc_conn_try_leave - leave the group if nothing holds the connection there
 * @conn:	connection, its lock held
 *
 * What was posted is awaited, so that the last message (C or A) is delivered
 * and no page is given back under the device; if the link fails it is said again
 * over the next one. In a group that has ended nothing is awaited.
 */
void smc_conn_try_leave(struct smc_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	if (conn->state != SMC_CONN_CLOSED)
		return;
	if (conn->place == SMC_PLACE_CUT ||
	    (conn->place == SMC_PLACE_IN && !conn->tx.inflight &&
	     !conn->tx.lost && !conn->tx.again)) {
		conn->place = SMC_PLACE_LEAVING;
		queue_work(smc_conn_wq, &conn->end.leave);
	}
}

/*
 * A clean end leaves in the element what was announced. After an abort or the
 * end of the group anything may have been written.
 */
static u32 used_bytes(const struct smc_conn *conn)
{
	if ((conn->tx.said & SMC_CDC_A) ||
	    !(conn->rx.conn_flags & SMC_CDC_C) ||
	    (conn->rx.conn_flags & SMC_CDC_A))
		return conn->rx.size;
	return min_t(u64, conn->rx.prod, conn->rx.size);
}

/* Returns the element, unless a reader copies from it: then it does this. */
static void give_back(struct smc_conn *conn)
{
	const u8 final = SMC_CDC_C | SMC_CDC_A;
	struct smc_rmbe rmbe = {};
	bool clean;
	u32 used;

	smc_conn_lock(conn);
	if (!conn->rx.busy) {
		rmbe = conn->rx.rmbe;
		conn->rx.rmbe.rmb = NULL;
	}
	clean = (conn->tx.said & final) && (conn->rx.conn_flags & final);
	used = used_bytes(conn);
	smc_conn_unlock(conn);
	if (rmbe.rmb)
		smc_rmbe_put(conn->end.lgr, &rmbe, used, clean);
}

static void leave(struct work_struct *work)
{
	struct smc_conn *conn = container_of(work, struct smc_conn, end.leave);

	/* the state is CLOSED: nobody starts them again */
	cancel_delayed_work_sync(&conn->tx.cork);
	cancel_delayed_work_sync(&conn->rx.gap_timer);
	cancel_delayed_work_sync(&conn->end.timer);
	cancel_delayed_work_sync(&conn->alive.timer);
	smc_token_del(conn);
	smc_element_drop(conn);
	conn->end.lgr = smc_lgr_get(conn->member.lgr);
	give_back(conn);
	smc_member_leave(&conn->member);
	if (conn->tx.target)
		smc_link_put(conn->tx.target);
	conn->tx.target = NULL;
	uncount(conn);

	spin_lock_bh(&conn->lock);
	conn->place = SMC_PLACE_LEFT;
	spin_unlock_bh(&conn->lock);
	queue_rcu_work(smc_conn_wq, &conn->end.reap);
}

static void reap(struct work_struct *work)
{
	struct smc_conn *conn = container_of(to_rcu_work(work), struct smc_conn,
					     end.reap);
	struct sock *owner = conn->owner;
	u32 freed;

	spin_lock_bh(&conn->lock);
	if (conn->rx.busy) {	/* smc_conn_read_done() comes back */
		conn->place = SMC_PLACE_HELD;
		spin_unlock_bh(&conn->lock);
		return;
	}
	spin_unlock_bh(&conn->lock);
	give_back(conn);

	spin_lock_bh(&conn->lock);
	smc_txq_uncharge(conn);
	smc_urg_uncharge(conn);
	freed = conn->freed;
	conn->freed = 0;
	conn->place = SMC_PLACE_DONE;
	spin_unlock_bh(&conn->lock);

	if (freed)
		conn->ops->freed(owner, freed);
	smc_lgr_put(conn->end.lgr);
	conn->ops->closed(owner);
	complete_all(&conn->end.done);
	sock_put(owner);
	smc_conn_put(conn);
}

/** smc_conn_read_done - a reader has finished copying, conn->lock held */
void smc_conn_read_done(struct smc_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	conn->rx.busy = false;
	if (conn->place == SMC_PLACE_HELD) {
		conn->place = SMC_PLACE_LEFT;
		queue_rcu_work(smc_conn_wq, &conn->end.reap);
	}
}

/* ---- group ---- */

/* The group or its last link ended; may sleep. */
static void member_down(struct smc_lgr_member *m, int err)
{
	struct smc_conn *conn = container_of(m, struct smc_conn, member);

	smc_conn_lock(conn);
	if (conn->place == SMC_PLACE_OUT) {
		conn->place = SMC_PLACE_CUT;	/* smc_conn_attach() sees it */
	} else if (conn->place == SMC_PLACE_IN) {
		conn->place = SMC_PLACE_CUT;
		if (conn->state != SMC_CONN_CLOSED)
			smc_close_error(conn, ECONNRESET);  /* R-4.8.3-03 */
		smc_close_step(conn, SMC_CLOSE_EV_GONE);
		smc_conn_try_leave(conn);
	}
	smc_conn_unlock(conn);
}

/* @fin first: it never passes @prep. */
static u64 queued(struct smc_lgr_member *m)
{
	struct smc_conn *conn = container_of(m, struct smc_conn, member);
	u64 fin = READ_ONCE(conn->tx.fin);

	smp_rmb();	/* a stale @prep behind a new @fin would be negative */
	return READ_ONCE(conn->tx.prep) - fin;
}

static const struct smc_lgr_member_ops member_ops = {
	.run = smc_tx_run,
	.queued = queued,
	.down = member_down,
	.move = smc_conn_move,
};

static int enter(struct smc_conn *conn)
{
	int err = 0;

	smc_conn_lock(conn);
	if (conn->place == SMC_PLACE_OUT && conn->state == SMC_CONN_INIT) {
		conn->place = SMC_PLACE_IN;
	} else {
		conn->place = SMC_PLACE_OUT;
		err = -ENOLINK;
	}
	smc_conn_unlock(conn);
	return err;
}

int smc_conn_attach(struct smc_conn *conn, struct smc_contact *c)
{
	int err;

	if (!count(conn))
		return -EDQUOT;
	err = smc_member_join(&conn->member, c, &member_ops);
	if (err)
		goto err_count;
	conn->rx.rmbe = c->rmbe;
	conn->rx.size = c->rmbe.size;
	err = smc_token_add(conn);
	if (err) {
		err = -ENOMEM;
		goto err_join;
	}
	sock_hold(conn->owner);
	smc_conn_get(conn);
	err = enter(conn);
	if (err)
		goto err_token;
	c->rmbe.rmb = NULL;
	return 0;

err_token:
	smc_token_del(conn);
	sock_put(conn->owner);
	smc_conn_put(conn);
err_join:
	conn->rx.rmbe.rmb = NULL;
	smc_member_leave(&conn->member);
err_count:
	uncount(conn);
	return err;
}

u32 smc_conn_token(const struct smc_conn *conn)
{
	return conn->token;
}

int smc_conn_set_peer(struct smc_conn *conn, const struct smc_clc_accept *peer)
{
	u64 start, size;
	int err = 0;
	u32 rmb;

	if (!peer->rmbe_idx || peer->bsize_code > SMC_RMBE_CODE_MAX)
		return -EPROTO;
	size = (u64)SMC_RMBE_MIN_BYTES << peer->bsize_code;
	/* an element may not reach over the end of the address space */
	if (check_add_overflow(peer->rmb_addr, (peer->rmbe_idx - 1) * size,
			       &start) || start + size - 1 < start)
		return -EPROTO;
	err = smc_member_peer_rmb(&conn->member, peer->rkey, peer->rmb_addr, &rmb);
	if (err)
		return err == -ENOLINK ? err : -EPROTO;

	smc_conn_lock(conn);
	conn->peer.token = peer->token;
	conn->peer.rmb = rmb;
	conn->peer.off = start - peer->rmb_addr;
	conn->peer.size = size;
	/* not the link that was named if that one broke since */
	if (!smc_conn_resolve(conn))
		err = -ENOLINK;
	smc_conn_unlock(conn);
	return err;
}

void smc_conn_start(struct smc_conn *conn)
{
	/* not before: all that names the element has been checked by now */
	int err = smc_element_claim(conn);
	bool left;

	smc_conn_lock(conn);
	if (!WARN_ON_ONCE(!conn->peer.size))
		smc_close_step(conn, SMC_CLOSE_EV_START);
	if (conn->state == SMC_CONN_ACTIVE) {
		if (conn->rx.prod != conn->rx.cons)
			conn->tell |= SMC_TELL_READABLE;
		if (conn->rx.urg.state != SMC_URG_NONE)
			conn->tell |= SMC_TELL_URGENT;
		smc_urg_keep(conn);
		smc_close_heard(conn, conn->rx.conn_flags);
		if (err)
			smc_close_abort(conn, ECONNRESET);
		smc_tx_kick(conn);
		smc_conn_try_leave(conn);
	}
	left = conn->place != SMC_PLACE_IN;
	smc_conn_unlock(conn);
	/* the group ended meanwhile: leave() may have been there before */
	if (left)
		smc_element_drop(conn);
}

void smc_conn_detach(struct smc_conn *conn)
{
	bool attached;

	smc_conn_lock(conn);
	attached = conn->place != SMC_PLACE_OUT;
	smc_close_step(conn, SMC_CLOSE_EV_GONE);
	smc_conn_try_leave(conn);
	smc_conn_unlock(conn);
	if (attached)
		wait_for_completion(&conn->end.done);
}

int smc_conns_init(void)
{
	int err;

	smc_conn_wq = alloc_workqueue("smc_conn", WQ_UNBOUND, 0);
	if (!smc_conn_wq)
		return -ENOMEM;
	err = smc_token_init();
	if (err)
		goto err_wq;
	err = smc_element_init();
	if (err)
		goto err_token;
	return 0;

err_token:
	smc_token_exit();
err_wq:
	destroy_workqueue(smc_conn_wq);
	return err;
}

/* All groups have ended: every connection has left or its leave is queued. */
void smc_conns_exit(void)
{
	flush_workqueue(smc_conn_wq);	/* leave */
	rcu_barrier();			/* reap is queued by RCU callbacks */
	destroy_workqueue(smc_conn_wq);	/* reap */
	smc_element_exit();
	smc_token_exit();
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The connection object: its lock, its references, and the callbacks to its
 * owner. object.h describes the lifetime.
 */
#include <linux/slab.h>
#include <net/sock.h>
#include "../base/trace.h"
#include "../group/info.h"
#include "../group/link.h"
#include "conn.h"
#include "dialect.h"
#include "object.h"
#include "txq.h"

/* This workqueue runs leave and reap, which may sleep, and all timers of
 * connections.
 */
struct workqueue_struct *smc_conn_wq;

/* ---- references ---- */

static const char *const ref_names[SMC_CONN_NR_REFS] = {
	[SMC_CONN_REF_OWNER]	= "owner",
	[SMC_CONN_REF_GROUP]	= "group",
	[SMC_CONN_REF_FLIGHT]	= "flight",
	[SMC_CONN_REF_URGENT]	= "urgent",
	[SMC_CONN_REF_SHED]	= "shed",
	[SMC_CONN_REF_TCP]	= "tcp",
};

/* kmalloc() would round the size up to the next power of two */
static struct kmem_cache *conn_cache;

/**
 * smc_conn_alloc() - allocate a connection
 *
 * Context: process, may sleep. Return: zeroed connection with one reference for
 * the caller (SMC_CONN_REF_OWNER), or NULL.
 */
struct smc_conn *smc_conn_alloc(void)
{
	struct smc_conn *conn = kmem_cache_zalloc(conn_cache,
						  GFP_KERNEL_ACCOUNT);

	if (!conn)
		return NULL;
	kref_init(&conn->ref);
	trace_smc_ref("conn", conn, ref_names[SMC_CONN_REF_OWNER], 1);
	return conn;
}

/**
 * smc_conn_get() - take one more reference
 * @conn:	connection
 * @why:	reason, for the trace
 *
 * Context: any. Return: @conn.
 */
struct smc_conn *smc_conn_get(struct smc_conn *conn, enum smc_conn_ref why)
{
	kref_get(&conn->ref);
	trace_smc_ref("conn", conn, ref_names[why], 1);
	return conn;
}

static void conn_free(struct rcu_head *rcu)
{
	kmem_cache_free(conn_cache,
			container_of(rcu, struct smc_conn, life.rcu));
}

static void conn_release(struct kref *ref)
{
	struct smc_conn *conn = container_of(ref, struct smc_conn, ref);

	smc_txq_destroy(conn);
	conn->dialect->free(conn);
	/* not kfree_rcu(), for which rcu_barrier() does not wait */
	call_rcu(&conn->life.rcu, conn_free);
}

/**
 * smc_conn_put() - drop a reference
 * @conn:	connection
 * @why:	reason, as in smc_conn_get()
 *
 * Context: any.
 */
void smc_conn_put(struct smc_conn *conn, enum smc_conn_ref why)
{
	trace_smc_ref("conn", conn, ref_names[why], -1);
	kref_put(&conn->ref, conn_release);
}

/* ---- lock ---- */

/*
 * Drops the lock, and reports. Callbacks run without the lock, in an RCU read
 * section that begins under the lock. So no callback runs after leave has set
 * SMC_PLACE_LEFT and a grace period has passed.
 */
static void conn_tell_owner(struct smc_conn *conn)
	__releases(&conn->lock)
{
	const struct smc_conn_ops *ops = conn->ops;
	u32 shrunk = conn->news.shrunk;
	u32 freed = conn->news.freed;
	u32 tell = conn->news.tell;
	LIST_HEAD(noticed);

	conn->news.tell = 0;
	conn->news.freed = 0;
	conn->news.shrunk = 0;
	list_splice_init(&conn->news.noticed, &noticed);
	spin_unlock_bh(&conn->lock);
	if (unlikely(shrunk))
		ops->shrunk(conn->owner, shrunk);
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
	if (unlikely(!list_empty(&noticed)))
		smc_txq_notify(&noticed);
}

/*
 * Drops the lock, reports to the owner, and serves the link. It is not inline,
 * so that a call of smc_conn_unlock() without news saves no registers. Return:
 * token of the connection that has mail, or 0.
 */
static noinline u32 conn_report(struct smc_conn *conn)
	__releases(&conn->lock)
{
	struct smc_link *serve = conn->news.serve;
	u32 peer = conn->news.peer;

	conn->news.serve = NULL;
	conn->news.peer = 0;
	/*
	 * until the end of this section reap keeps its reference to the owner,
	 * and nobody frees the group of the link
	 */
	rcu_read_lock();
	if (conn->life.place == SMC_PLACE_OUT ||
	    conn->life.place >= SMC_PLACE_LEFT)
		spin_unlock_bh(&conn->lock);
	else
		conn_tell_owner(conn);
	/* @conn may be gone */
	if (serve) {
		smc_link_serve(serve);
		smc_link_put(serve, SMC_LINK_REF_SERVE);
	}
	rcu_read_unlock();
	return peer;
}

/* Has anything happened that smc_conn_unlock() must report? */
static bool conn_has_news(const struct smc_conn *conn)
{
	const struct smc_conn_news *news = &conn->news;

	return news->tell | news->freed | news->shrunk | news->peer ||
	       news->serve || !list_empty(&news->noticed);
}

/**
 * smc_conn_unlock() - drop conn->lock and tell the owner what happened under it
 * @conn:	connection, its lock held
 *
 * The function calls the owner's callbacks, so the caller must not hold a lock
 * that they take. Functions that change nothing for the owner use
 * spin_unlock_bh() instead.
 * Context: process or softirq.
 */
void smc_conn_unlock(struct smc_conn *conn)
	__releases(&conn->lock)
{
	const struct smc_dialect *dialect;
	u32 peer;

	if (likely(!conn_has_news(conn))) {
		spin_unlock_bh(&conn->lock);
		return;
	}
	dialect = conn->dialect;
	peer = conn_report(conn);	/* @conn may be gone */
	if (peer)
		dialect->deliver(peer);
}

/* ---- membership in a group ---- */

/**
 * smc_conn_place_step() - the only writer of life.place
 * @conn:	connection, its lock held
 * @ev:		what has happened to its membership
 *
 * Readers without the lock: smc_conn_landed(), smc_conn_gone(). Only a bug of
 * this module causes an event that the table marks as impossible. The state
 * then stays unchanged.
 */
void smc_conn_place_step(struct smc_conn *conn, enum smc_conn_place_event ev)
{
	const struct smc_fsm_cell *cell;

	lockdep_assert_held(&conn->lock);
	cell = smc_fsm_step(&smc_place_fsm, &conn->life.place, ev);
	WARN_ON_ONCE(cell->kind == SMC_FSM_VIOLATION);
}

/**
 * smc_conn_try_leave() - leave the group, unless the connection must still wait
 * @conn:	connection, its lock held
 *
 * The connection stays until everything that it posted has completed. So the
 * last message (C or A) is delivered, and no page is freed while the device
 * reads from it. If the link fails, the dialect sends the message again over
 * the next link. If the group has ended, the connection does not wait.
 */
void smc_conn_try_leave(struct smc_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	if (conn->close.state != SMC_CONN_CLOSED)
		return;
	if (conn->life.place == SMC_PLACE_CUT ||
	    (conn->life.place == SMC_PLACE_IN &&
	     conn->dialect->settled(conn))) {
		smc_conn_place_step(conn, SMC_PLACE_EV_CLOSED);
		queue_work(smc_conn_wq, &conn->life.leave);
	}
}

/**
 * smc_conn_reader_gone() - a reader has finished copying
 * @conn:	connection, its lock held, rx.busy is set
 */
void smc_conn_reader_gone(struct smc_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	conn->rx.busy = false;
	if (conn->life.place == SMC_PLACE_HELD) {
		smc_conn_place_step(conn, SMC_PLACE_EV_READ);
		queue_work(smc_conn_wq, &conn->life.reap);
	}
}

/* Return: true if the work must release pages and drop the reference. */
static bool conn_must_drain(struct smc_conn *conn)
{
	bool drain = false;

	spin_lock_bh(&conn->lock);
	if (!conn->dialect->flying(conn)) {
		drain = conn->life.place == SMC_PLACE_DONE &&
			smc_txq_has_rest(conn);
		list_splice_tail_init(&conn->tx.parked, &conn->news.noticed);
	}
	smc_conn_unlock(conn);	/* notifies unless the connection has left */
	return drain;
}

/**
 * smc_conn_landed() - the last bundle in flight has completed
 * @conn:	connection, not locked
 *
 * Drops the reference of the bundles in flight. If pages of the application had
 * to wait for the bundles, their notices follow. After reap a work item does
 * that, because a notice may hold the last reference to the owner. The work
 * item also releases the rest of the queue.
 *
 * The first test needs no lock: a segment is parked, and reap leaves segments
 * behind, only while something is in flight (partners: smc_txq_cut(),
 * conn_reap()). The caller has held the lock since. Context: process or
 * softirq.
 */
void smc_conn_landed(struct smc_conn *conn)
{
	bool late = READ_ONCE(conn->life.place) == SMC_PLACE_DONE;

	if (unlikely(late || !list_empty(&conn->tx.parked)) &&
	    conn_must_drain(conn) &&
	    queue_work(smc_conn_wq, &conn->life.drain))
		return;
	smc_conn_put(conn, SMC_CONN_REF_FLIGHT);
}

/* ---- for the owner ---- */

/**
 * smc_conn_token() - alert token of a connection
 * @conn:	connection that was attached
 *
 * Context: any. Return: the token, never 0.
 */
u32 smc_conn_token(const struct smc_conn *conn)
{
	return conn->token;
}

/**
 * smc_conn_state() - state of the close machine
 * @conn:	connection
 *
 * Context: any; without the lock the state may change at any time.
 * Return: state.
 */
enum smc_conn_state smc_conn_state(const struct smc_conn *conn)
{
	return READ_ONCE(conn->close.state);	/* partner: smc_close_step() */
}

/**
 * smc_conn_error() - get the error that the application must see
 * @conn:	connection
 *
 * Context: any. Return: 0, or a positive errno, which never changes again.
 */
int smc_conn_error(const struct smc_conn *conn)
{
	return READ_ONCE(conn->close.err);	/* partner: close_set_error() */
}

/**
 * smc_conn_over() - have both directions ended?
 * @conn:	connection
 *
 * Context: any. Return: true if this side and the peer have finished sending,
 * or if the connection has failed; this never changes again.
 */
bool smc_conn_over(const struct smc_conn *conn)
{
	switch (smc_conn_state(conn)) {
	case SMC_CONN_INIT:
	case SMC_CONN_ACTIVE:
	case SMC_CONN_PEERCLOSEWAIT1:
	case SMC_CONN_APPCLOSEWAIT1:
		return smc_conn_error(conn);
	default:
		return true;
	}
}

/**
 * smc_conn_gone() - has the connection left its group?
 * @conn:	connection
 *
 * The function returns true shortly before ->closed() is called. Context: any.
 * Return: true if the connection has left; this never changes again.
 */
bool smc_conn_gone(const struct smc_conn *conn)
{
	/* partner: conn_reap() */
	return READ_ONCE(conn->life.place) == SMC_PLACE_DONE;
}

/**
 * smc_conn_napi() - get what a task polls that waits for bytes
 * @conn:	connection
 *
 * The peer may also use another link of the group than this end. Context: BH
 * safe. Return: see smc_ep_napi(); 0 also outside of a group.
 */
unsigned int smc_conn_napi(const struct smc_conn *conn)
{
	struct smc_conn *c = (struct smc_conn *)conn;
	unsigned int napi = 0;

	spin_lock_bh(&c->lock);
	if (c->life.place == SMC_PLACE_IN)
		napi = smc_info_link_napi(c->member.link);
	spin_unlock_bh(&c->lock);
	return napi;
}

/**
 * smc_conn_init() - initialise this file when the module starts
 *
 * Context: process. Return: 0 or -ENOMEM.
 */
int smc_conn_init(void)
{
	/* readers get the urgent byte from the object itself */
	conn_cache = KMEM_CACHE_USERCOPY(smc_conn, 0, rfc.kept.one);
	if (!conn_cache)
		return -ENOMEM;
	smc_conn_wq = alloc_workqueue("smc_conn", WQ_UNBOUND, 0);
	if (smc_conn_wq)
		return 0;
	kmem_cache_destroy(conn_cache);
	return -ENOMEM;
}

/**
 * smc_conn_exit() - clean up when the module ends, after all groups have ended
 *
 * Every connection has left its group, or its step leave is queued. The
 * function waits until the last connection is freed. Context: process, sleeps.
 */
void smc_conn_exit(void)
{
	flush_workqueue(smc_conn_wq);	/* leave */
	rcu_barrier();			/* conn_left(), which queues reap */
	destroy_workqueue(smc_conn_wq);	/* reap */
	rcu_barrier();			/* conn_free() */
	kmem_cache_destroy(conn_cache);
}

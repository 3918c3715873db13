// SPDX-License-Identifier: GPL-2.0
/*
 * Listening sockets.
 *
 * A child is on exactly one list of its listener, pending, quiet or done, until
 * accept(), its failure, or the end of the listener. The code that takes a
 * child off a list, under l->lock, gets the list's reference and decides what
 * happens to the child. So if a child finishes while the listener closes, only
 * one of the two ends the child.
 *
 * With TCP_DEFER_ACCEPT, a child whose handshake has finished stays on the list
 * quiet until its first byte arrives.
 *
 * Locks: only the lock of a connection nests inside l->lock. No code takes
 * lock_sock(child) under the listener's socket lock. The worker does not sleep
 * for the listener's socket lock.
 */
#include <linux/kref.h>
#include <linux/net.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <net/tcp.h>
#include "../base/mib.h"
#include "../base/pernet.h"
#include "../base/trace.h"
#include "../base/tunables.h"
#include "../conn/close.h"
#include "../conn/rx.h"
#include "../wire/decline.h"
#include "end.h"
#include "fallback.h"
#include "hs.h"
#include "hs_ctrl.h"
#include "inherit.h"
#include "listen.h"
#include "lock.h"
#include "sock.h"
#include "tcp_cb.h"
#include "ulp.h"

enum {
	/* Number of children per run of the worker. */
	LISTEN_BATCH		= 32,
	/* Delay before a retry after a lack of memory. */
	LISTEN_RETRY_MS		= 100,
};

enum listener_state {
	LISTENER_OPEN,
	/*
	 * The accept queue is full: no further SYN-ACK shows the option. The
	 * worker takes connections whose peers wait for a CLC message, and
	 * leaves others to TCP until accept().
	 */
	LISTENER_FULL,
	LISTENER_CLOSED,
};

/**
 * struct smc_listener - state of a listening socket
 * @ref:	held for the reasons of enum listener_ref
 * @rcu:	frees the object; smc_listen_kick() and poll use the object
 *	without a reference
 * @smc:	listening socket; the worker may use it, because the worker ends
 *	before the socket
 * @work:	accepts connections of the hidden listener
 * @on_unlock:	queues @work when the listening socket's lock is free
 * @ripen:	moves children from @quiet to @done
 * @lock:	spinlock, taken with BH off; only conn->lock nests inside
 * @state:	READ_ONCE in smc_listen_kick() and listener_lock_free()
 * @pending:	children whose handshake is under way
 * @quiet:	children that wait for their first byte (TCP_DEFER_ACCEPT)
 * @n_pending:	number of children in @pending and @quiet; READ_ONCE in softirq
 *	(partner set_pending())
 * @done:	children that wait for accept(), counted in sk_ack_backlog until
 *	the listener closes
 */
struct smc_listener {
	struct kref ref;
	struct rcu_head rcu;
	struct smc_sock *smc;
	struct delayed_work work;
	struct smc_on_unlock on_unlock;
	struct delayed_work ripen;
	spinlock_t lock;	/* protects the members below */
	enum listener_state state;
	struct list_head pending;
	struct list_head quiet;
	unsigned int n_pending;
	struct list_head done;
};

static void listener_free(struct kref *ref)
{
	struct smc_listener *l = container_of(ref, struct smc_listener, ref);

	kfree_rcu(l, rcu);
}

/* Reasons for references on a listener. */
enum listener_ref {
	LISTENER_REF_SOCKET,	/* held by smc->listener; the first reference */
	LISTENER_REF_HS,	/* held by the handshake of a child */
	LISTENER_NR_REFS,
};

static const char *const listener_ref_names[LISTENER_NR_REFS] = {
	[LISTENER_REF_SOCKET]	= "socket",
	[LISTENER_REF_HS]	= "handshake",
};

static void listener_ref_trace(const struct smc_listener *l,
			       enum listener_ref why, int change)
{
	trace_smc_ref("listen", l, listener_ref_names[why], change);
}

static void listener_put(struct smc_listener *l, enum listener_ref why)
{
	listener_ref_trace(l, why, -1);
	kref_put(&l->ref, listener_free);
}

struct smc_listener *smc_listen_get(struct smc_listener *l)
{
	kref_get(&l->ref);
	listener_ref_trace(l, LISTENER_REF_HS, 1);
	return l;
}

void smc_listen_put(struct smc_listener *l)
{
	listener_put(l, LISTENER_REF_HS);
}

static void set_pending(struct smc_listener *l, int change)
{
	lockdep_assert_held(&l->lock);
	WRITE_ONCE(l->n_pending, l->n_pending + change);
}

/* Must TCP omit the option, because too many handshakes are pending or too many
 * children wait for accept()?
 */
static bool over_cap(const struct smc_listener *l)
{
	struct net *net = sock_net(&l->smc->sk);
	struct smc_tunables *t = smc_tunables(net);
	int max = READ_ONCE(t->hs_max_listener);

	if (READ_ONCE(l->smc->option.limit_hs))
		max = min_t(int, max, SMC_HS_LIMITED);
	return READ_ONCE(l->n_pending) >= max ||
	       sk_acceptq_is_full(&l->smc->sk) ||
	       atomic_read(&smc_pernet(net)->hs_pending) >=
	       READ_ONCE(t->hs_max_net);
}

/* TCP calls this in softirq for each SYN with the option. */
static bool syn_over_cap(const struct sock *tcp)
{
	struct sock *sk = (struct sock *)tcp;
	struct smc_listener *l = NULL;
	struct smc_sock *smc;
	bool over = true;	/* result if the listener has ended */

	if (!smc_hs_ctrl_synack(sock_net(sk), tcp_sk(sk)))
		return true;
	read_lock_bh(&sk->sk_callback_lock);
	rcu_read_lock();
	smc = smc_tcp_owner(sk);
	if (smc)
		/* partners: listen_start(), smc_listen_stop() */
		l = READ_ONCE(smc->listener);
	if (l)
		over = over_cap(l);
	if (l && over)
		smc_mib_inc(sock_net(sk), SMC_MIB_HS_CAPPED);
	rcu_read_unlock();
	read_unlock_bh(&sk->sk_callback_lock);
	return over;
}

/* ---- ending children that no application has accepted ---- */

/* Drops the references of the list to the parent and to the child. */
static void end_child(struct smc_sock *child)
{
	sock_put(child->parent);
	child->parent = NULL;
	smc_end_child(child);
}

/* Resets the child. TCP resets the children in its queue when a listener
 * closes.
 */
static void reset_child(struct smc_sock *child)
{
	lock_sock(&child->sk);
	if (child->mode == SMC_MODE_SMC)
		smc_close_reset(child->conn, ECONNABORTED);
	else if (child->mode == SMC_MODE_TCP)
		tcp_abort(child->clcsock->sk, ECONNABORTED);
	release_sock(&child->sk);
	end_child(child);
}

/* ---- children ---- */

static void add_done(struct smc_listener *l, struct smc_sock *child)
{
	lockdep_assert_held(&l->lock);
	list_move_tail(&child->acceptq, &l->done);
	set_pending(l, -1);
	/* the count may belong to a new listener by now */
	if (l->state != LISTENER_CLOSED)
		sk_acceptq_added(&l->smc->sk);
}

/* Are there neither bytes nor the end of the stream to read? */
static bool is_quiet(const struct smc_sock *child)
{
	return smc_sock_mode(child) == SMC_MODE_SMC &&
	       !smc_rx_avail(child->conn) && !smc_rx_eof(child->conn);
}

/*
 * Returns how long the listener waits for the first byte of a child, in
 * jiffies. TCP stores TCP_DEFER_ACCEPT as a number of SYN-ACKs, whose intervals
 * double.
 */
static unsigned long defer_time(const struct smc_listener *l)
{
	const struct sock *tcp = l->smc->clcsock->sk;
	int n = READ_ONCE(inet_csk(tcp)->icsk_accept_queue.rskq_defer_accept);
	unsigned long interval = TCP_TIMEOUT_INIT;
	unsigned long sum = 0;

	for (; n > 0; n--) {
		sum += interval;
		interval = min_t(unsigned long, 2 * interval, TCP_RTO_MAX);
	}
	return sum;
}

/* Makes the listener check its quiet children after @delay jiffies. */
static void queue_ripen(struct smc_listener *l, unsigned long delay)
{
	spin_lock_bh(&l->lock);
	if (l->state != LISTENER_CLOSED)
		mod_delayed_work(system_unbound_wq, &l->ripen, delay);
	spin_unlock_bh(&l->lock);
}

/* Callback of a quiet child: bytes have arrived, or the state has changed. */
static void quiet_event(struct sock *sk)
{
	struct smc_listener *l;

	rcu_read_lock();	/* keeps @l */
	l = READ_ONCE(smc_sk(sk)->defer.at);	/* partner: end_quiet() */
	if (l)
		queue_ripen(l, 0);
	rcu_read_unlock();
}

/* Return: true if the child must wait for its first byte. */
static bool begin_quiet(struct smc_listener *l, struct smc_sock *child)
{
	unsigned long wait = defer_time(l);
	struct sock *sk = &child->sk;

	lockdep_assert_held(&l->lock);
	if (likely(!wait) || !is_quiet(child))
		return false;
	child->defer.until = jiffies + wait;
	child->defer.data_ready = sk->sk_data_ready;
	child->defer.state_change = sk->sk_state_change;
	WRITE_ONCE(child->defer.at, l);
	/* partner: callbacks of the connection, in softirq */
	WRITE_ONCE(sk->sk_data_ready, quiet_event);
	WRITE_ONCE(sk->sk_state_change, quiet_event);
	list_move_tail(&child->acceptq, &l->quiet);
	return true;
}

static void end_quiet(struct smc_listener *l, struct smc_sock *child)
{
	struct sock *sk = &child->sk;

	lockdep_assert_held(&l->lock);
	WRITE_ONCE(sk->sk_data_ready, child->defer.data_ready);
	WRITE_ONCE(sk->sk_state_change, child->defer.state_change);
	WRITE_ONCE(child->defer.at, NULL);	/* partner: quiet_event() */
}

/*
 * Moves children with a byte, an end, or an expired time to the accept queue.
 */
static void ripen_work(struct work_struct *w)
{
	struct smc_listener *l = container_of(to_delayed_work(w),
					      struct smc_listener, ripen);
	unsigned long now = jiffies;
	struct smc_sock *child, *next;
	long left = MAX_JIFFY_OFFSET;
	unsigned int ripe = 0;

	spin_lock_bh(&l->lock);
	list_for_each_entry_safe(child, next, &l->quiet, acceptq) {
		if (is_quiet(child) && time_before(now, child->defer.until)) {
			left = min_t(long, left, child->defer.until - now);
			continue;
		}
		end_quiet(l, child);
		add_done(l, child);
		ripe++;
	}
	if (!list_empty(&l->quiet) && l->state != LISTENER_CLOSED)
		/* an event may have queued the work again */
		queue_delayed_work(system_unbound_wq, &l->ripen, left);
	spin_unlock_bh(&l->lock);
	/* each call wakes one thread in accept() */
	while (ripe--)
		l->smc->sk.sk_data_ready(&l->smc->sk);
}

void smc_listen_child_done(struct smc_listener *l, struct smc_sock *child)
{
	struct sock *parent = NULL;
	bool quiet = false;

	sock_owned_by_me(&child->sk);
	spin_lock_bh(&l->lock);
	if (!list_empty(&child->acceptq)) {
		quiet = begin_quiet(l, child);
		if (!quiet) {
			add_done(l, child);
			parent = child->parent;
			/* accept() may take the child at once */
			sock_hold(parent);
		}
	}
	spin_unlock_bh(&l->lock);
	if (quiet)
		/* check at once, because bytes may have arrived just before the
		 * callbacks changed
		 */
		queue_ripen(l, 0);
	if (!parent)
		return;
	parent->sk_data_ready(parent);
	sock_put(parent);
}

void smc_listen_child_failed(struct smc_listener *l, struct smc_sock *child)
{
	bool mine;

	/* no lock is needed, because mode CLOSED is final for a child */
	if (smc_sock_mode(child) != SMC_MODE_CLOSED)
		return;
	spin_lock_bh(&l->lock);
	mine = !list_empty(&child->acceptq);
	if (mine) {
		list_del_init(&child->acceptq);
		set_pending(l, -1);
	}
	spin_unlock_bh(&l->lock);
	if (mine)
		end_child(child);
}

/*
 * Restarts the worker after accept() has made room, or the backlog has grown.
 */
static void resume_listener(struct smc_listener *l)
{
	lockdep_assert_held(&l->lock);
	if (l->state == LISTENER_FULL &&
	    !sk_acceptq_is_full(&l->smc->sk)) {
		WRITE_ONCE(l->state, LISTENER_OPEN);
		mod_delayed_work(system_unbound_wq, &l->work, 0);
	}
}

static struct smc_sock *take_done(struct smc_listener *l)
{
	struct smc_sock *child;

	spin_lock_bh(&l->lock);
	child = list_first_entry_or_null(&l->done, struct smc_sock, acceptq);
	if (child) {
		list_del_init(&child->acceptq);
		sk_acceptq_removed(&l->smc->sk);
		resume_listener(l);
	}
	spin_unlock_bh(&l->lock);
	return child;
}

struct smc_sock *smc_listen_pop(struct smc_sock *smc)
{
	struct smc_listener *l = smc->listener;
	struct smc_sock *child;

	sock_owned_by_me(&smc->sk);
	if (!l)
		return NULL;
	child = take_done(l);
	if (!child)
		return NULL;
	/*
	 * this is not the last reference, because the caller's lock keeps @smc
	 */
	child->parent = NULL;
	sock_put(&smc->sk);
	return child;
}

bool smc_listen_ready(const struct smc_sock *smc)
{
	struct smc_listener *l;
	bool ready;

	rcu_read_lock();
	/* partners: listen_start(), smc_listen_stop() */
	l = READ_ONCE(smc->listener);
	ready = l && !list_empty_careful(&l->done);
	rcu_read_unlock();
	return ready;
}

bool smc_listen_destroyed(const struct smc_sock *smc)
{
	return inet_sk_state_load(smc->clcsock->sk) != TCP_LISTEN;
}

/* ---- accepting connections of TCP ---- */

/*
 * Creates the child for an accepted TCP socket. The user who owns the listener
 * also owns the child. TCP's own accept() would take the user and the memory
 * cgroup of its caller.
 */
static struct smc_sock *make_child(struct smc_listener *l, struct socket *tcp)
{
	struct smc_sock *child;
	struct sock *sk;

	sk = smc_sock_alloc_child(l->smc);
	if (!sk)
		return NULL;
	child = smc_sk(sk);
	tcp->sk->sk_uid = l->smc->clcsock->sk->sk_uid;
	SOCK_INODE(tcp)->i_uid = SOCK_INODE(l->smc->clcsock)->i_uid;
	SOCK_INODE(tcp)->i_gid = SOCK_INODE(l->smc->clcsock)->i_gid;
	smc_inherit_memcg(sk, tcp->sk, &l->smc->sk);
	smc_sock_adopt(child, l->smc, tcp);
	sock_hold(&l->smc->sk);
	child->parent = &l->smc->sk;
	return child;
}

/* smc_listen_stop() ends the worker before it reads the list. */
static void add_pending(struct smc_listener *l, struct smc_sock *child)
{
	spin_lock_bh(&l->lock);
	list_add_tail(&child->acceptq, &l->pending);
	set_pending(l, 1);
	spin_unlock_bh(&l->lock);
}

/* Return: 0; -ENOMEM: no handshake was created that could end the child. */
static int begin_handshake(struct smc_listener *l, struct smc_sock *child)
{
	struct smc_tunables *t = smc_tunables(sock_net(&child->sk));
	/* the count includes this child */
	bool over = READ_ONCE(l->n_pending) > READ_ONCE(t->hs_max_listener);
	struct sock *tcp = child->clcsock->sk;
	int err = 0;

	lock_sock(&child->sk);
	if (smc_ulp_peer_smc(tcp)) {
		err = smc_hs_serve(child, l, over);
	} else {
		smc_fallback(child, smc_ulp_by_cookie(tcp) ?
			     SMC_DECL_COOKIE : SMC_DECL_PEERNOSMC, 0, true);
		smc_listen_child_done(l, child);
	}
	if (err) {
		/* take the file back, as finish_failed() does */
		smc_tcp_lend_file(child, NULL);
		smc_sock_set_mode(child, SMC_MODE_CLOSED);
	}
	release_sock(&child->sk);
	return err;
}

static void take_connection(struct smc_listener *l, struct socket *tcp)
{
	struct smc_sock *child = make_child(l, tcp);

	if (!child) {
		tcp_abort(tcp->sk, ECONNABORTED);
		sock_release(tcp);
		return;
	}
	sock_hold(&child->sk);
	add_pending(l, child);
	if (begin_handshake(l, child))
		smc_listen_child_failed(l, child);
	sock_put(&child->sk);
}

/*
 * May the worker continue? If not, resume_listener() restarts it later. A
 * client with the option gives up after some seconds, so it cannot wait for
 * accept().
 */
static bool has_room(struct smc_listener *l)
{
	enum listener_state state;

	spin_lock_bh(&l->lock);
	if (l->state == LISTENER_OPEN && sk_acceptq_is_full(&l->smc->sk))
		WRITE_ONCE(l->state, LISTENER_FULL);
	state = l->state;
	spin_unlock_bh(&l->lock);
	return state == LISTENER_OPEN ||
	       (state == LISTENER_FULL &&
		smc_ulp_smc_waits(l->smc->clcsock->sk));
}

/*
 * accept() of TCP takes the lock of the TCP socket. A system call may hold that
 * lock together with our lock.
 * Return: 0, or the errno of TCP or of smc_lock_try().
 */
static int take_from_tcp(struct smc_listener *l, struct socket **tcp)
{
	int err, told;

	err = smc_lock_try(l->smc, &l->on_unlock);
	if (err)
		return err;
	if (READ_ONCE(l->state) == LISTENER_CLOSED)
		/* the TCP socket may serve a new listener, or a connect() */
		err = -ECANCELED;
	else
		err = kernel_accept(l->smc->clcsock, tcp, O_NONBLOCK);
	if (err == -EINVAL) {
		told = -sock_error(l->smc->clcsock->sk);
		if (told)
			WRITE_ONCE(l->smc->sk.sk_err, told);
	}
	release_sock(&l->smc->sk);
	return err;
}

/*
 * An administrator has destroyed the TCP socket (ss -K). As in TCP, accept()
 * fails and poll() reports it.
 */
static void tell_destroyed(struct smc_listener *l)
{
	struct sock *sk = &l->smc->sk;

	sk->sk_state_change(sk);
	sk_error_report(sk);
}

static void take_batch(struct smc_listener *l)
{
	struct socket *tcp;
	int err, n;

	for (n = 0; n < LISTEN_BATCH; n++) {
		if (!has_room(l) && !smc_listen_destroyed(l->smc))
			return;
		err = take_from_tcp(l, &tcp);
		if (err == -EAGAIN || err == -ECANCELED)
			return;
		if (err == -EINVAL) {
			tell_destroyed(l);
			return;
		}
		if (err == -EINPROGRESS || err == -EALREADY)
			return;	/* listener_lock_free() queues the work again */
		if (err) {
			mod_delayed_work(system_unbound_wq, &l->work,
					 msecs_to_jiffies(LISTEN_RETRY_MS));
			return;
		}
		take_connection(l, tcp);
	}
	mod_delayed_work(system_unbound_wq, &l->work, 0);
}

/*
 * Accepts connections. The memory of the children is charged to the listener's
 * memory cgroup.
 */
static void listen_work(struct work_struct *w)
{
	struct smc_listener *l = container_of(to_delayed_work(w),
					      struct smc_listener, work);
	struct mem_cgroup *old;

	old = set_active_memcg(l->smc->sk.sk_memcg);
	take_batch(l);
	set_active_memcg(old);
}

/* The code that ends the listener sets the state before it releases
 * the lock.
 */
static void listener_lock_free(struct smc_on_unlock *on_unlock)
{
	struct smc_listener *l = container_of(on_unlock, struct smc_listener,
					      on_unlock);

	if (READ_ONCE(l->state) != LISTENER_CLOSED)
		mod_delayed_work(system_unbound_wq, &l->work, 0);
}

void smc_listen_kick(struct smc_sock *smc)
{
	struct smc_listener *l;

	rcu_read_lock();
	/* partners: listen_start(), smc_listen_stop() */
	l = READ_ONCE(smc->listener);
	if (l && READ_ONCE(l->state) != LISTENER_CLOSED)
		mod_delayed_work(system_unbound_wq, &l->work, 0);
	rcu_read_unlock();
}

/* ---- start and end ---- */

static struct smc_listener *listener_alloc(struct smc_sock *smc)
{
	struct smc_listener *l = kzalloc(sizeof(*l), GFP_KERNEL);

	if (!l)
		return NULL;
	kref_init(&l->ref);
	listener_ref_trace(l, LISTENER_REF_SOCKET, 1);
	INIT_DELAYED_WORK(&l->work, listen_work);
	smc_on_unlock_init(&l->on_unlock, listener_lock_free);
	spin_lock_init(&l->lock);
	INIT_DELAYED_WORK(&l->ripen, ripen_work);
	INIT_LIST_HEAD(&l->pending);
	INIT_LIST_HEAD(&l->quiet);
	INIT_LIST_HEAD(&l->done);
	l->smc = smc;
	return l;
}

static int start_listening(struct smc_sock *smc, int backlog)
{
	struct sock *tcp = smc->clcsock->sk;
	struct smc_listener *l;
	int err;

	err = smc_ulp_attach(tcp, true);
	if (err)
		return err;
	l = listener_alloc(smc);
	if (!l)
		return -ENOMEM;
	smc_ulp_set_cap(tcp, syn_over_cap);
	smc->sk.sk_ack_backlog = 0;
	smc->sk.sk_max_ack_backlog = backlog;
	WRITE_ONCE(smc->listener, l);
	smc_tcp_hook(smc);
	err = kernel_listen(smc->clcsock, backlog);
	if (err) {
		smc_tcp_unhook(smc);
		WRITE_ONCE(smc->listener, NULL);
		listener_put(l, LISTENER_REF_SOCKET);
		return err;
	}
	smc_sock_set_mode(smc, SMC_MODE_LISTEN);
	/* accept connections that arrived before the mode was visible */
	smc_listen_kick(smc);
	return 0;
}

int smc_listen_start(struct smc_sock *smc, int backlog)
{
	struct smc_listener *l = smc->listener;
	int err;

	sock_owned_by_me(&smc->sk);
	if (!l)
		return start_listening(smc, backlog);
	err = kernel_listen(smc->clcsock, backlog);
	if (err)
		return err;
	spin_lock_bh(&l->lock);
	WRITE_ONCE(smc->sk.sk_max_ack_backlog, backlog);
	resume_listener(l);
	spin_unlock_bh(&l->lock);
	return 0;
}

/* Takes a child off a closed listener. */
static struct smc_sock *take_any(struct smc_listener *l)
{
	struct smc_sock *child;

	spin_lock_bh(&l->lock);
	child = list_first_entry_or_null(&l->done, struct smc_sock, acceptq);
	if (child)
		goto out;
	child = list_first_entry_or_null(&l->quiet, struct smc_sock, acceptq);
	if (child)
		end_quiet(l, child);
	else
		child = list_first_entry_or_null(&l->pending, struct smc_sock,
						 acceptq);
	if (child)
		set_pending(l, -1);
out:
	if (child)
		list_del_init(&child->acceptq);
	spin_unlock_bh(&l->lock);
	return child;
}

void smc_listen_stop(struct smc_sock *smc)
{
	struct smc_listener *l = smc->listener;
	struct smc_sock *child;

	sock_owned_by_me(&smc->sk);
	if (!l)
		return;
	smc_sock_set_mode(smc, SMC_MODE_CLOSED);
	smc_tcp_unhook(smc);
	WRITE_ONCE(smc->listener, NULL);
	set_bit(SMC_SF_STOPPED, &smc->flags);
	spin_lock_bh(&l->lock);
	WRITE_ONCE(l->state, LISTENER_CLOSED);
	WRITE_ONCE(smc->sk.sk_ack_backlog, 0);
	spin_unlock_bh(&l->lock);
	/* TCP resets the connections in its own queue. */
	kernel_sock_shutdown(smc->clcsock, SHUT_RDWR);
	/*
	 * Drop our lock, because the worker and the code below take the locks
	 * of children.
	 */
	release_sock(&smc->sk);
	cancel_delayed_work_sync(&l->work);
	cancel_delayed_work_sync(&l->ripen);
	while ((child = take_any(l)))
		reset_child(child);
	lock_sock(&smc->sk);
	listener_put(l, LISTENER_REF_SOCKET);
}

bool smc_listen_end(struct smc_sock *smc)
{
	smc_listen_stop(smc);
	/* another thread may have disconnected the socket, and begun anew */
	if (!test_and_clear_bit(SMC_SF_STOPPED, &smc->flags))
		return false;
	smc_sock_set_mode(smc, SMC_MODE_NEW);
	return true;
}

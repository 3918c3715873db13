// SPDX-License-Identifier: GPL-2.0
/*
 * Handshake: the driver of both state machines, their common actions, and the
 * end of a handshake. hs.h lists references and locks.
 */
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <net/tcp.h>
#include "../base/deadline.h"
#include "../base/mib.h"
#include "../base/pernet.h"
#include "../base/stats.h"
#include "../base/trace.h"
#include "../base/tunables.h"
#include "../conn/close.h"
#include "../conn/conn.h"
#include "../conn/count.h"
#include "../conn/frames_window.h"
#include "../conn/life.h"
#include "bulk.h"
#include "dead_path.h"
#include "echo.h"
#include "events.h"
#include "fallback.h"
#include "hs.h"
#include "late.h"
#include "lock.h"
#include "mem.h"
#include "orphan.h"
#include "tcp_cb.h"
#include "ulp.h"
#include "work.h"

static struct workqueue_struct *hs_wq;
static const struct smc_hs_listener_ops *listener_ops;

struct sock *smc_hs_tcp(const struct smc_hs *hs)
{
	return hs->smc->clcsock->sk;
}

static struct net *net_of(const struct smc_hs *hs)
{
	return sock_net(&hs->smc->sk);
}

static bool is_server(const struct smc_hs *hs)
{
	return hs->contact.role == SMC_SERV;
}

/* ---- references ---- */

/* Reasons for references on a handshake. */
enum hs_ref {
	HS_REF_SOCKET,		/* held by smc->hs; the first reference */
	HS_REF_WORK,		/* held while the work is queued */
	/* held by a callback of TCP that has found the handshake */
	HS_REF_KICK,
	HS_NR_REFS,
};

static const char *const hs_ref_names[HS_NR_REFS] = {
	[HS_REF_SOCKET]	= "socket",
	[HS_REF_WORK]	= "work",
	[HS_REF_KICK]	= "kick",
};

static void hs_ref_trace(const struct smc_hs *hs, enum hs_ref why, int change)
{
	trace_smc_ref("hs", hs, hs_ref_names[why], change);
}

static void hs_get(struct smc_hs *hs, enum hs_ref why)
{
	kref_get(&hs->ref);
	hs_ref_trace(hs, why, 1);
}

/* Return: false if the handshake has no reference any more. */
static bool hs_try_get(struct smc_hs *hs, enum hs_ref why)
{
	bool got = kref_get_unless_zero(&hs->ref);

	if (got)
		hs_ref_trace(hs, why, 1);
	return got;
}

static void hs_free(struct kref *ref)
{
	struct smc_hs *hs = container_of(ref, struct smc_hs, ref);

	kfree_rcu(hs, rcu);
}

static void hs_put(struct smc_hs *hs, enum hs_ref why)
{
	hs_ref_trace(hs, why, -1);
	kref_put(&hs->ref, hs_free);
}

/* ---- events from other contexts: set a bit and queue the worker ---- */

/*
 * queue_hs() and note_event() run in any context, also under locks. The caller
 * keeps @hs alive.
 */
static void queue_hs(struct smc_hs *hs)
{
	hs_get(hs, HS_REF_WORK);
	if (!queue_work(hs_wq, &hs->work))
		hs_put(hs, HS_REF_WORK);
}

static void note_event(struct smc_hs *hs, enum smc_hs_bit bit)
{
	/* earlier writes are visible to take_event(), which takes the bit */
	smp_mb__before_atomic();
	set_bit(bit, &hs->events);
	queue_hs(hs);
}

void smc_hs_kick(struct smc_sock *smc)
{
	struct smc_hs *hs;

	rcu_read_lock();
	hs = READ_ONCE(smc->hs);	/* partner: leave_socket() */
	if (hs && hs_try_get(hs, HS_REF_KICK)) {
		if (!READ_ONCE(hs->past.segs))
			WRITE_ONCE(hs->past.segs,
				   READ_ONCE(tcp_sk(smc_hs_tcp(hs))->segs_in));
		note_event(hs, SMC_HS_BIT_TCP);
		hs_put(hs, HS_REF_KICK);
	}
	rcu_read_unlock();
}

static void contact_event(struct smc_contact *c, enum smc_contact_event ev)
{
	struct smc_hs *hs = container_of(c, struct smc_hs, contact);

	switch (ev) {
	case SMC_CONTACT_READY:
		note_event(hs, SMC_HS_BIT_READY);
		break;
	case SMC_CONTACT_UP:
		note_event(hs, SMC_HS_BIT_UP);
		break;
	case SMC_CONTACT_FAILED:
		note_event(hs, SMC_HS_BIT_DOWN);
		break;
	}
}

static void timer_fired(struct timer_list *t)
{
	note_event(container_of(t, struct smc_hs, timer), SMC_HS_BIT_TIMER);
}

static void arm_hs_timer(struct smc_hs *hs, unsigned int ms)
{
	hs->deadline = jiffies + msecs_to_jiffies(ms);
	mod_timer(&hs->timer, hs->deadline);
}

/*
 * After READY a handshake may have to wait again, because another handshake has
 * taken the element. One deadline covers all these waits, since the peer does
 * not wait longer.
 */
static void arm_group(struct smc_hs *hs)
{
	if (!hs->group_end)
		hs->group_end =
			smc_deadline_in(msecs_to_jiffies(SMC_HS_GROUP_WAIT_MS));
	arm_hs_timer(hs, jiffies_to_msecs(smc_deadline_left(hs->group_end)));
}

/* ---- the end of a handshake, decided under the socket lock ---- */

static void leave_socket(struct smc_hs *hs)
{
	struct smc_sock *smc = hs->smc;

	sock_owned_by_me(&smc->sk);
	WARN_ON_ONCE(smc->hs != hs);
	WRITE_ONCE(smc->hs, NULL);	/* partner: smc_hs_kick() */
}

static void wake_socket(struct smc_sock *smc)
{
	struct sock *sk = &smc->sk;

	sk->sk_state_change(sk);
	sk_wake_async(sk, SOCK_WAKE_IO, POLL_OUT);
}

static void count_success(struct smc_hs *hs)
{
	bool v2 = hs->peer.version > SMC_CLC_V1;
	struct net *net = net_of(hs);

	if (is_server(hs)) {
		smc_mib_inc(net, SMC_MIB_SRV_OK);
		smc_stat_inc(net, v2 ? SMC_STAT_SRV_V2_SUCC :
				       SMC_STAT_SRV_V1_SUCC);
	} else {
		smc_mib_inc(net, SMC_MIB_CLNT_OK);
		smc_stat_inc(net, v2 ? SMC_STAT_CLNT_V2_SUCC :
				       SMC_STAT_CLNT_V1_SUCC);
	}
	smc_count_start(hs->smc->conn,
			smc_contact_size(&hs->contact,
					 smc_contact_frames(&hs->contact)),
			hs->contact.first);
}

static void finish_smc(struct smc_hs *hs)
{
	struct smc_sock *smc = hs->smc;
	struct sock *tcp = smc->clcsock->sk;
	int err;

	leave_socket(hs);
	smc->conn = hs->conn;	/* the socket takes over the reference, too */
	hs->conn = NULL;
	smc_life_start(smc->conn);
	smc_ulp_show(tcp, hs->contact.in_host ? SMC_ULP_IN_HOST : SMC_ULP_RDMA);
	smc_sock_set_mode(smc, SMC_MODE_SMC);
	/*
	 * If a reset or bytes arrived before the new mode was visible, TCP
	 * reported them only to the handshake. So check TCP again, under its
	 * lock, because TCP counts a FIN as a byte for a moment.
	 */
	lock_sock(tcp);
	err = smc_tcp_fatal(tcp);
	release_sock(tcp);
	if (err)
		smc_close_reset(smc->conn, err);
	/* smc_orphan_conn_gone() may have come before the new mode */
	if (smc_conn_gone(smc->conn))
		smc_work_queue(smc, SMC_SF_FOLLOW);
	count_success(hs);
	if (!is_server(hs) && !hs->contact.in_host)
		smc_dead_path_works(net_of(hs), &hs->past.peer);
	if (hs->listener)
		listener_ops->child_done(hs->listener, smc);
	else
		wake_socket(smc);
}

/*
 * Has the client waited for a link in vain? Failures with other causes, such as
 * a lack of memory, show at once.
 */
static bool waited_in_vain(const struct smc_hs *hs)
{
	return hs->past.link_wait &&
	       time_after(jiffies, hs->past.link_wait +
				   msecs_to_jiffies(SMC_DEAD_PATH_WAIT_MS));
}

static void finish_tcp(struct smc_hs *hs, u32 reason, u32 peer_reason)
{
	struct smc_sock *smc = hs->smc;

	leave_socket(hs);
	if (waited_in_vain(hs))
		smc_dead_path_found(net_of(hs), &hs->past.peer);
	smc_mem_uncharge_rmb(smc);
	smc_fallback(smc, reason, peer_reason, is_server(hs));
	if (hs->listener)
		listener_ops->child_done(hs->listener, smc);
}

/*
 * Sends a reset. After the reset the application may connect the TCP socket
 * again. The AF_SMC socket reports the error.
 */
static void reset_tcp(struct sock *tcp, int err)
{
	if (READ_ONCE(tcp->sk_state) != TCP_CLOSE)
		tcp_abort(tcp, err);
	sock_error(tcp);
}

/*
 * The client has sent its Proposal and got no CLC message in answer. The peer
 * may echo TCP options that it does not know. An answer that is not CLC proves
 * that the peer echoes options.
 */
static void no_peer(struct sock *tcp, int err)
{
	if (err == -EPROTO)
		smc_echo_remember(tcp, true);
	else if (err == -ETIMEDOUT || err == -ECONNRESET)
		smc_echo_remember(tcp, false);
}

/*
 * Ends a handshake whose connection has failed. The application never sees a
 * failed child, which hs_cleanup() ends.
 */
static void finish_failed(struct smc_hs *hs, int err)
{
	struct smc_sock *smc = hs->smc;
	struct sock *sk = &smc->sk;

	leave_socket(hs);
	smc_mem_uncharge_rmb(smc);
	if (hs->past.proposed && !hs->past.heard)
		no_peer(smc->clcsock->sk, err);
	smc_tcp_unhook(smc);
	reset_tcp(smc->clcsock->sk, -err);
	if (hs->listener) {
		/* in mode CLOSED the listener may close its file at any time */
		smc_tcp_lend_file(smc, NULL);
	} else {
		/* set the error before the mode: a reader that sees CLOSED must
		 * see the error
		 */
		WRITE_ONCE(sk->sk_err, -err);	/* partner: poll, connect */
		WRITE_ONCE(sk->sk_shutdown, SHUTDOWN_MASK);
	}
	smc_sock_set_mode(smc, SMC_MODE_CLOSED);
	/* if TCP has refused the connect, no handshake has begun */
	if (hs->pending)
		smc_mib_inc(net_of(hs), is_server(hs) ? SMC_MIB_SRV_FAIL :
							SMC_MIB_CLNT_FAIL);
	if (hs->listener)
		return;
	sk->sk_state_change(sk);
	sk_error_report(sk);
}

/* ---- actions of both roles ---- */

/* Result REFUSE of an action: stay on TCP for the reason @reason. */
u8 smc_hs_refuse(struct smc_hs *hs, u32 reason)
{
	hs->reason = reason ?: SMC_DECL_INTERR;
	return SMC_HS_EV_REFUSE;
}

/* Result BREAK of an action: end the TCP connection with @err. */
u8 smc_hs_break(struct smc_hs *hs, int err)
{
	hs->err = err;
	return SMC_HS_EV_BREAK;
}

/*
 * Chooses the size of an element for this connection, and checks that there is
 * memory for it. This check comes first, so that a lack of memory does not cost
 * a queue pair. If the host has no memory left, an orphan ends.
 */
bool smc_hs_has_memory(struct smc_hs *hs)
{
	u32 size;

	/* SO_RCVBUF may have changed since smc_hs_alloc() */
	hs->contact.element_size = min(hs->contact.rmb_size,
				       smc_bulk_element(hs->smc, is_server(hs)));
	size = smc_rmbe_round(hs->contact.element_size);
	if (smc_mem_share_is_used(net_of(hs), size))
		return false;
	if (!smc_mem_is_short(size))
		return true;
	smc_orphan_shed();
	return false;
}

/*
 * The contact has what the connection needs: creates the connection. From now
 * on the connection has an alert token and keeps what arrives (R-3.5.2.4-04).
 */
u8 smc_hs_attach(struct smc_hs *hs)
{
	u32 size = hs->contact.rmbe.size;
	int err;

	/* with ELASTIC the element of first contact belongs to the group */
	if (smc_contact_elastic(&hs->contact))
		size = 0;
	if (smc_contact_frames(&hs->contact))
		size += smc_frames_window_cost(SMC_FRAMES_WINDOW_MIN);
	if (!smc_mem_charge_rmb(hs->smc, size)) {
		/* The limit of a cgroup is not a reason to abort other
		 * users.
		 */
		smc_hs_has_memory(hs);
		return smc_hs_refuse(hs, SMC_DECL_MEM);
	}
	hs->conn = smc_life_alloc(net_of(hs), &smc_events_conn_ops, &hs->smc->sk,
				  smc_sock_sndbuf(hs->smc));
	if (!hs->conn)
		return smc_hs_refuse(hs, SMC_DECL_MEM);
	err = smc_life_attach(hs->conn, &hs->contact);
	if (!err)
		return SMC_HS_EV_NEXT;
	/* the connection was not attached, so it need not be detached */
	smc_conn_put(hs->conn, SMC_CONN_REF_OWNER);
	hs->conn = NULL;
	return smc_hs_refuse(hs, err == -ENOLINK ? SMC_DECL_NOACTLINK :
						   SMC_DECL_MEM);
}

/*
 * Checks whether the group has ended since the connection was attached. Return:
 * @ev, or BREAK.
 */
u8 smc_hs_if_alive(struct smc_hs *hs, u8 ev)
{
	if (smc_conn_state(hs->conn) == SMC_CONN_INIT)
		return ev;
	return smc_hs_break(hs, -ECONNRESET);
}

/*
 * Returns the ID of the peer, or zero if it is not known. A Proposal that
 * offers only version 2 may have no ID. The Confirm that follows has one.
 */
static const u8 *peer_id(const struct smc_hs *hs)
{
	bool is_known = memchr_inv(hs->peer.peer_id, 0, SMC_PEER_ID_LEN);

	return is_server(hs) && !is_known ? hs->prop.peer_id : hs->peer.peer_id;
}

static void decline_peer(struct smc_hs *hs)
{
	int err;

	if (!hs->reason)	/* the contact has failed during the wait */
		hs->reason = hs->contact.decline ?: SMC_DECL_INTERR;
	/*
	 * after a fallback the application would read the rest of this message
	 */
	err = hs->rx.len ? -EPROTO : smc_hs_send_decline(hs, hs->reason);
	/*
	 * If the Decline cannot be sent, the peer keeps waiting and cannot fall
	 * back.
	 */
	if (err) {
		finish_failed(hs, err);
		return;
	}
	smc_late_expect(hs->smc, peer_id(hs));
	finish_tcp(hs, hs->reason, 0);
}

static void peer_declined(struct smc_hs *hs)
{
	smc_mib_inc(net_of(hs), SMC_MIB_DECLINE_RCVD);
	if (hs->declined.sync_err)
		smc_contact_out_of_sync(&hs->contact);
	finish_tcp(hs, SMC_DECL_PEERDECL, hs->declined.diagnosis);
}

/*
 * Runs if the first link was not confirmed. The contact returns a code
 * if our Decline may still replace the confirmation, because the peer cannot
 * have received it (R-C.2-01, -03, R-C.7-05, -06). Otherwise only a Decline of
 * the peer leads to fallback (R-C.7-04, R-C.7.1-01). Without such a Decline the
 * TCP connection is reset.
 */
static u8 judge_failure(struct smc_hs *hs)
{
	struct smc_contact *c = &hs->contact;

	hs->err = c->err ?: -ECONNRESET;
	return c->decline ? smc_hs_refuse(hs, c->decline) : SMC_HS_EV_WAIT;
}

static void timed_out(struct smc_hs *hs)
{
	smc_mib_inc(net_of(hs), SMC_MIB_CLC_TIMEOUT);
	finish_failed(hs, -ETIMEDOUT);
}

static void bad_message(struct smc_hs *hs)
{
	smc_mib_inc(net_of(hs), SMC_MIB_CLC_BAD);
	finish_failed(hs, -EPROTO);
}

/* Return: the next event, or SMC_HS_EV_NR for none. */
static u8 common_act(struct smc_hs *hs, u8 action)
{
	switch ((enum smc_hs_action)action) {
	case SMC_HS_DO_NOTHING:
		break;
	case SMC_HS_DO_AWAIT_CLC:
		arm_hs_timer(hs, SMC_CLC_WAIT_MS);
		break;
	case SMC_HS_DO_AWAIT_GROUP:
		arm_group(hs);
		break;
	case SMC_HS_DO_AWAIT_LINK:
		if (!is_server(hs) && hs->contact.first && !hs->contact.in_host)
			hs->past.link_wait = jiffies | 1;
		arm_hs_timer(hs, SMC_HS_LINK_WAIT_MS);
		break;
	case SMC_HS_DO_AWAIT_DECLINE:
		arm_hs_timer(hs, SMC_DECLINE_WAIT_MS);
		break;
	case SMC_HS_DO_JUDGE:
		return judge_failure(hs);
	case SMC_HS_DO_DECLINE_LATE:
		smc_contact_expired(&hs->contact);
		hs->reason = SMC_DECL_TIMEOUT_CL;
		decline_peer(hs);
		break;
	case SMC_HS_DO_DECLINE:
		decline_peer(hs);
		break;
	case SMC_HS_DO_DECLINED:
		peer_declined(hs);
		break;
	case SMC_HS_DO_PLAIN:
		finish_tcp(hs, hs->reason ?: SMC_DECL_PEERNOSMC, 0);
		break;
	case SMC_HS_DO_FINISH:
		finish_smc(hs);
		break;
	case SMC_HS_DO_GONE:
	case SMC_HS_DO_BREAK:
		finish_failed(hs, hs->err ?: -ECONNRESET);
		break;
	case SMC_HS_DO_MALFORMED:
		bad_message(hs);
		break;
	case SMC_HS_DO_TIMEOUT:
		timed_out(hs);
		break;
	case SMC_HS_DO_CANCEL:
		finish_failed(hs, -ECONNABORTED);
		break;
	case SMC_HS_DO_PROPOSE:
	case SMC_HS_DO_JOIN:
	case SMC_HS_DO_CONFIRM:
	case SMC_HS_DO_YIELD:
	case SMC_HS_DO_EXAMINE:
	case SMC_HS_DO_ACCEPT:
	case SMC_HS_DO_BIND:
		return hs->role->act(hs, action);
	}
	return SMC_HS_EV_NR;
}

/**
 * smc_hs_event - drive the table: make a step, run the action, and use its
 * result as next event
 * @hs:		handshake, lock held
 * @ev:		enum smc_hs_event; SMC_HS_EV_NR: no event
 *
 * The loop ends after a few steps, because transient states have no cycle: each
 * path leads to a state that waits, or to an end state.
 */
void smc_hs_event(struct smc_hs *hs, u8 ev)
{
	const struct smc_fsm_cell *cell;

	sock_owned_by_me(&hs->smc->sk);
	while (ev < SMC_HS_EV_NR) {
		cell = smc_fsm_step(hs->role->fsm, &hs->state, ev);
		if (cell->kind != SMC_FSM_VIOLATION) {
			ev = common_act(hs, cell->action);
			continue;
		}
		trace_smc_violation(hs->role->fsm->name, hs->smc, ev);
		if (WARN_ON_ONCE(ev == SMC_HS_EV_MALFORMED))
			return;
		ev = SMC_HS_EV_MALFORMED;
	}
}

/* ---- the worker ---- */

static bool is_over(const struct smc_hs *hs)
{
	return READ_ONCE(hs->smc->hs) != hs;
}

static bool is_connecting(const struct smc_hs *hs)
{
	return hs->role->connect && hs->state == SMC_HSC_CONNECTING;
}

/* Reads from TCP until the handshake has ended or no data is left. */
static void look_at_tcp(struct smc_hs *hs)
{
	u8 ev;

	if (is_connecting(hs))
		smc_hs_event(hs, hs->role->connect(hs));
	while (!is_over(hs) && !is_connecting(hs)) {
		ev = smc_hs_pull(hs);
		if (ev >= SMC_HS_EV_PROPOSAL && ev <= SMC_HS_EV_DECLINE)
			hs->past.heard = true;
		smc_hs_event(hs, ev);
		if (ev == SMC_HS_EV_NR || ev == SMC_HS_EV_TCP_FIN)
			break;
	}
}

static bool take_event(struct smc_hs *hs, enum smc_hs_bit bit)
{
	return !is_over(hs) && test_and_clear_bit(bit, &hs->events);
}

/*
 * The order matters if two events are pending. A confirmed link must be handled
 * before a closed TCP connection. A received Decline must be handled before
 * this side sends its own, so that fewer Declines cross.
 */
static void hs_run(struct smc_hs *hs)
{
	if (take_event(hs, SMC_HS_BIT_UP))
		smc_hs_event(hs, SMC_HS_EV_UP);
	if (take_event(hs, SMC_HS_BIT_TCP))
		look_at_tcp(hs);
	if (take_event(hs, SMC_HS_BIT_DOWN))
		smc_hs_event(hs, SMC_HS_EV_DOWN);
	if (take_event(hs, SMC_HS_BIT_READY))
		smc_hs_event(hs, SMC_HS_EV_READY);
	/* the bit may belong to an earlier wait */
	if (take_event(hs, SMC_HS_BIT_TIMER) &&
	    time_after_eq(jiffies, hs->deadline))
		smc_hs_event(hs, SMC_HS_EV_TIMER);
}

/*
 * Cleans up without the socket lock, because connection and contact may call
 * the owner back, and the timer may be running. The worker calls this function
 * once.
 */
static void hs_cleanup(struct smc_hs *hs)
{
	struct smc_pernet *pn = smc_pernet(net_of(hs));

	if (test_and_set_bit(SMC_HS_BIT_CLEANED, &hs->events))
		return;
	timer_delete_sync(&hs->timer);
	if (hs->conn) {
		smc_life_detach(hs->conn);
		smc_conn_put(hs->conn, SMC_CONN_REF_OWNER);
		hs->conn = NULL;
	}
	if (hs->state == hs->role->done)
		smc_contact_done(&hs->contact);
	else
		smc_contact_drop(&hs->contact);
	if (hs->contact.choice.port)
		smc_dev_choice_put(&hs->contact.choice);
	if (hs->pending)
		atomic_dec(&pn->hs_pending);
	if (hs->listener) {
		listener_ops->child_failed(hs->listener, hs->smc);
		listener_ops->put(hs->listener);
	}
	sock_put(&hs->smc->sk);
	hs_put(hs, HS_REF_SOCKET);
}

static void hs_work(struct work_struct *w)
{
	struct smc_hs *hs = container_of(w, struct smc_hs, work);
	struct sock *sk = &hs->smc->sk;
	struct mem_cgroup *old;
	bool ended;

	if (!test_bit(SMC_HS_BIT_CLEANED, &hs->events)) {
		if (smc_lock_try(hs->smc, &hs->on_unlock))
			goto out;
		old = set_active_memcg(sk->sk_memcg);
		hs_run(hs);
		set_active_memcg(old);
		ended = is_over(hs);
		release_sock(sk);
		if (ended)
			hs_cleanup(hs);
	}
out:
	hs_put(hs, HS_REF_WORK);
}

/* hs_cleanup() has not run, so smc->hs still holds its reference. */
static void hs_lock_free(struct smc_on_unlock *on_unlock)
{
	queue_hs(container_of(on_unlock, struct smc_hs, on_unlock));
}

/* ---- starting and cancelling ---- */

/**
 * smc_hs_alloc - allocate a handshake for @smc
 * @smc:	socket, lock held
 * @role:	role, which selects the state table
 * @listener:	server: the listener; client: NULL
 *
 * Return: object or NULL. smc_hs_start() or smc_hs_undo() must follow.
 */
struct smc_hs *smc_hs_alloc(struct smc_sock *smc, const struct smc_hs_role *role,
			    struct smc_listener *listener)
{
	struct smc_hs *hs = kzalloc(sizeof(*hs), GFP_KERNEL_ACCOUNT);

	if (!hs)
		return NULL;
	kref_init(&hs->ref);
	hs_ref_trace(hs, HS_REF_SOCKET, 1);
	INIT_WORK(&hs->work, hs_work);
	smc_on_unlock_init(&hs->on_unlock, hs_lock_free);
	timer_setup(&hs->timer, timer_fired, 0);
	hs->smc = smc;
	hs->role = role;
	hs->contact.role = listener ? SMC_SERV : SMC_CLNT;
	hs->contact.net = sock_net(&smc->sk);
	hs->contact.rmb_size = smc_sock_rmb(smc);
	hs->contact.notify = contact_event;
	hs->contact.terms.version = SMC_CLC_V1;
	hs->contact.terms.direct = true;
	hs->clc_version = SMC_CLC_V1;
	hs->contact.listener = listener;
	hs->contact.payer = smc->sk.sk_memcg;
	hs->listener = listener ? listener_ops->get(listener) : NULL;
	sock_hold(&smc->sk);
	return hs;
}

/**
 * smc_hs_undo - cancel a handshake that has not started
 * @hs:		handshake, lock held
 *
 * Callbacks may have queued the worker already, which then frees the object.
 */
void smc_hs_undo(struct smc_hs *hs)
{
	if (hs->smc->hs == hs)
		leave_socket(hs);
	smc_tcp_unhook(hs->smc);
	queue_hs(hs);
}

/* Connects @hs to its socket, so that events reach it. The caller holds the
 * socket lock.
 */
void smc_hs_start(struct smc_hs *hs)
{
	sock_owned_by_me(&hs->smc->sk);
	WRITE_ONCE(hs->smc->hs, hs);	/* partner: smc_hs_kick() */
	smc_tcp_hook(hs->smc);
}

/* Starts the first timer, with @ms milliseconds, and reads what TCP has
 * received.
 */
void smc_hs_begin(struct smc_hs *hs, unsigned int ms)
{
	arm_hs_timer(hs, ms);
	note_event(hs, SMC_HS_BIT_TCP);
}

/**
 * smc_hs_count - count a handshake as pending in its namespace
 * @hs:		handshake, lock held
 *
 * Return: false if the number is above the limit (net.smc.hs_max_net). The
 * handshake counts in any case.
 */
bool smc_hs_count(struct smc_hs *hs)
{
	struct net *net = net_of(hs);
	int n = atomic_inc_return(&smc_pernet(net)->hs_pending);

	hs->pending = true;
	smc_mib_max(net, SMC_MIB_HS_PENDING_MAX, n);
	return n <= READ_ONCE(smc_tunables(net)->hs_max_net);
}

/**
 * smc_hs_release_if_over - let the worker free a handshake that ended while the
 * caller held the lock
 * @hs:		handshake, lock held
 *
 * hs_cleanup() must run without the socket lock, so only the worker calls it.
 */
void smc_hs_release_if_over(struct smc_hs *hs)
{
	if (is_over(hs))
		queue_hs(hs);
}

void smc_hs_cancel(struct smc_sock *smc)
{
	struct smc_hs *hs = smc->hs;

	sock_owned_by_me(&smc->sk);
	if (!hs)
		return;
	smc_hs_event(hs, SMC_HS_EV_CANCEL);
	smc_hs_release_if_over(hs);
}

int smc_hs_init(const struct smc_hs_listener_ops *ops)
{
	int err;

	listener_ops = ops;
	hs_wq = alloc_workqueue("smc_hs", WQ_UNBOUND, WQ_UNBOUND_MAX_ACTIVE);
	if (!hs_wq)
		return -ENOMEM;
	err = smc_ulp_init();
	if (err)
		destroy_workqueue(hs_wq);
	return err;
}

void smc_hs_exit(void)
{
	smc_ulp_exit();
	destroy_workqueue(hs_wq);
}

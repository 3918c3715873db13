// SPDX-License-Identifier: GPL-2.0
/*
 * The worker that owns a group: events, deadlines, and how a group ends.
 *
 * One work item per group runs everything that changes the group's machines.
 * Softirq and other tasks only set event bits or deadlines.
 */
#include "../base/compat.h"
#include "../base/mib.h"
#include "../base/trace.h"
#include "lgr_priv.h"

static struct workqueue_struct *lgr_wq;

/**
 * smc_lgr_event - tell the worker of a group
 * @lgr:	group; the caller has a reference
 * @ev:		what happened
 *
 * Context: any, BH safe, locks may be held.
 */
void smc_lgr_event(struct smc_lgr *lgr, enum smc_lgr_event_bit ev)
{
	/* who takes the bit sees what it is about: xchg() in the worker */
	smp_mb__before_atomic();
	set_bit(ev, &lgr->events);
	kref_get(&lgr->ref);
	/* queue_work() is a full barrier: the worker sees the bit */
	if (!queue_work(lgr_wq, &lgr->work))
		smc_lgr_put(lgr);
}

/** smc_lgr_queue_work - for work that is done before the floor is gone */
void smc_lgr_queue_work(struct work_struct *work)
{
	queue_work(lgr_wq, work);
}

/* ---- deadlines ---- */

static void arm_timer(struct smc_lgr *lgr)
{
	unsigned long next = 0;
	int i;

	lockdep_assert_held(&lgr->lock);
	for (i = 0; i < SMC_LGR_DL_NR; i++) {
		unsigned long t = lgr->deadline[i];

		if (t && (!next || time_before(t, next)))
			next = t;
	}
	if (next && lgr->state != SMC_LGR_DEAD)
		mod_timer(&lgr->timer, next);
}

void smc_lgr_deadline_locked(struct smc_lgr *lgr, enum smc_lgr_deadline d,
			     unsigned int ms)
{
	lockdep_assert_held(&lgr->lock);
	/* 0 means none; being one tick late does not matter */
	lgr->deadline[d] = (jiffies + msecs_to_jiffies(ms)) ?: 1;
	arm_timer(lgr);
}

void smc_lgr_set_deadline(struct smc_lgr *lgr, enum smc_lgr_deadline d,
			  unsigned int ms)
{
	spin_lock_bh(&lgr->lock);
	smc_lgr_deadline_locked(lgr, d, ms);
	spin_unlock_bh(&lgr->lock);
}

void smc_lgr_clear_deadline(struct smc_lgr *lgr, enum smc_lgr_deadline d)
{
	spin_lock_bh(&lgr->lock);
	lgr->deadline[d] = 0;
	spin_unlock_bh(&lgr->lock);
}

void smc_lgr_timer(struct timer_list *t)
{
	struct smc_lgr *lgr = smc_from_timer(lgr, t, timer);

	smc_lgr_event(lgr, SMC_LGR_EVB_TIMER);
}

/*
 * Each is taken when its turn comes: what is done about one may clear another,
 * or give the slot of a link away that it is about.
 */
static bool expired(struct smc_lgr *lgr, enum smc_lgr_deadline d)
{
	unsigned long t;
	bool due;

	spin_lock_bh(&lgr->lock);
	t = lgr->deadline[d];
	due = t && time_after_eq(jiffies, t);
	if (due)
		lgr->deadline[d] = 0;
	spin_unlock_bh(&lgr->lock);
	return due;
}

/* ---- end of a group ---- */

/**
 * smc_lgr_formed - first contact is over, the group can be used
 * @lgr: group
 *
 * Context: worker.
 */
void smc_lgr_formed(struct smc_lgr *lgr)
{
	bool formed;

	/*
	 * Together: either the creator is told and the group stays when it goes
	 * later, or it has gone and its event ends the group before anybody
	 * else gets an element of it.
	 */
	spin_lock_bh(&lgr->lock);
	lgr->deadline[SMC_LGR_DL_FIRST] = 0;
	formed = lgr->creator;
	if (formed) {
		smc_lgr_step(lgr, SMC_LGR_EV_FORMED);
		smc_contact_tell_creator(lgr, SMC_CONTACT_UP, 0, 0);
	}
	spin_unlock_bh(&lgr->lock);
	if (!formed)
		return;
	smc_link_watch(smc_links_first(lgr));
	smc_contact_wake_all(lgr);
	if (lgr->flow.port_came)
		smc_lgr_event(lgr, SMC_LGR_EVB_PORT_READY);
}

static void members_down(struct smc_lgr *lgr)
{
	struct smc_lgr_member *m;

	for (;;) {
		mutex_lock(&lgr->down_mutex);
		spin_lock_bh(&lgr->lock);
		m = list_first_entry_or_null(&lgr->members,
					     struct smc_lgr_member, list);
		if (m)
			list_del_init(&m->list);
		spin_unlock_bh(&lgr->lock);
		/* the mutex keeps the member from leaving meanwhile */
		WRITE_ONCE(lgr->down_task, current);
		if (m)
			m->ops->down(m, lgr->end_err);
		WRITE_ONCE(lgr->down_task, NULL);
		mutex_unlock(&lgr->down_mutex);
		if (!m)
			return;
	}
}

/* Second half of the end: nothing is sent any more. Worker. */
static void finish_end(struct smc_lgr *lgr)
{
	struct smc_link *link;
	int i;

	spin_lock_bh(&lgr->lock);
	if (lgr->state != SMC_LGR_ENDING) {
		spin_unlock_bh(&lgr->lock);
		return;
	}
	smc_lgr_step(lgr, SMC_LGR_EV_ENDED);
	memset(lgr->deadline, 0, sizeof(lgr->deadline));
	spin_unlock_bh(&lgr->lock);
	timer_delete_sync(&lgr->timer);

	/* a first contact that is still setting things up sees the state */
	mutex_lock(&lgr->setup);
	smc_links_close(lgr);
	mutex_unlock(&lgr->setup);
	spin_lock_bh(&lgr->lock);
	smc_contact_tell_creator(lgr, SMC_CONTACT_FAILED,
				 smc_first_decline(lgr), lgr->end_err);
	spin_unlock_bh(&lgr->lock);
	smc_contact_wake_all(lgr);
	members_down(lgr);
	smc_links_for_each(lgr, i, link)
		smc_rmbs_drop_link(lgr, link);
	smc_mib_inc(NULL, SMC_MIB_LGR_ENDED);
	smc_lgr_put(lgr);	/* the table's */
}

/*
 * Deployed Linux ends each connection of a dying group with a message, and as
 * client answers with a DELETE LINK of its own. It does not go on until that has
 * arrived: on devices that retry for ever, never.
 */
static void last_word_left(struct smc_lgr *lgr)
{
	struct smc_link *link = smc_links_by_uid(lgr, lgr->end_uid);
	bool wait;

	spin_lock_bh(&lgr->lock);
	if (lgr->state != SMC_LGR_ENDING)
		wait = false;
	else if (lgr->n_members)
		wait = lgr->terms.version > SMC_CLC_V1;
	else	/* partner: link_down() */
		wait = lgr->role == SMC_SERV && !lgr->answered && link &&
		       !READ_ONCE(link->broken);
	lgr->last_words = wait;
	if (wait)
		smc_lgr_deadline_locked(lgr, SMC_LGR_DL_FIRST,
					SMC_LGR_LAST_WORDS_MS);
	spin_unlock_bh(&lgr->lock);
	if (!wait)
		finish_end(lgr);
}

/**
 * smc_lgr_end - take the group down
 * @lgr:	group
 * @err:	negative errno for its connections
 * @reason:	DELETE LINK reason (R-A.3.4-03)
 * @how:	TELL: send DELETE LINK for the whole group; it and SENT wait, by
 *		event, until the last message left (R-3.5.4-05, R-C.7.1-15),
 *		or, where a client asks for an orderly end, until the server
 *		has answered, on one link after another; IDLE: TELL, if the group
 *		has no user still
 *
 * Context: worker.
 */
void smc_lgr_end(struct smc_lgr *lgr, int err, u32 reason,
		 enum smc_lgr_end how)
{
	bool began = true;

	spin_lock_bh(&lgr->lock);
	if (how == SMC_LGR_END_IDLE) {
		/* a contact may have taken the group since the timer fired */
		began = lgr->state == SMC_LGR_LINGER;
		how = SMC_LGR_END_TELL;
	}
	began = began && smc_lgr_step(lgr, SMC_LGR_EV_END);
	if (began)
		lgr->end_err = err;
	spin_unlock_bh(&lgr->lock);
	if (!began)
		return;
	smc_lgr_unhash(lgr);
	/* nothing they wait for comes any more */
	smc_contact_wake_all(lgr);
	trace_smcr_link_down(lgr, 0, err, reason);
	if (how == SMC_LGR_END_TELL && smc_llc_delete_all(lgr, reason))
		how = SMC_LGR_END_NOW;
	lgr->await_answer = how == SMC_LGR_END_TELL &&
			    lgr->role == SMC_CLNT && smc_llc_orderly(reason);
	lgr->end_reason = reason;
	if (how != SMC_LGR_END_NOW)
		smc_lgr_set_deadline(lgr, SMC_LGR_DL_FIRST, SMC_LLC_WAIT_MS);
	else
		finish_end(lgr);
}

/**
 * smc_lgr_ask_elsewhere - DELETE LINK for the whole group was not answered
 * @lgr: group that is ending
 *
 * Context: worker. R-C.7.1-14. Return: it was sent over another link.
 */
bool smc_lgr_ask_elsewhere(struct smc_lgr *lgr)
{
	struct smc_link *link = smc_links_by_uid(lgr, lgr->end_uid);

	if (!lgr->await_answer)
		return false;
	if (link)
		smc_link_step(link, SMC_LINK_EV_FAIL);
	if (!smc_links_carrier(lgr, NULL) ||
	    smc_llc_delete_all(lgr, lgr->end_reason))
		return false;
	smc_mib_inc(NULL, SMC_MIB_LLC_TIMEOUT);
	smc_lgr_set_deadline(lgr, SMC_LGR_DL_FIRST, SMC_LLC_WAIT_MS);
	return true;
}

/* ---- worker ---- */

static void handle_probes(struct smc_lgr *lgr)
{
	struct smc_link *link;
	bool idle, mute;
	int i;

	for (i = 0; i < SMC_LINK_SLOTS; i++) {
		idle = expired(lgr, SMC_LGR_DL_PROBE + i);
		mute = expired(lgr, SMC_LGR_DL_PROBE_REPLY + i);
		link = lgr->links[i];
		if (link && mute) {	/* R-C.7.1-18 */
			smc_mib_inc(NULL, SMC_MIB_LLC_TIMEOUT);
			smc_links_failed(lgr, link, -ETIMEDOUT,
					 SMC_LLC_DEL_LOST_PATH);
		} else if (link && idle) {
			smc_link_probe(link);
		}
	}
}

static void probe_asked(struct smc_lgr *lgr)
{
	struct smc_link *link;
	int i;

	smc_links_for_each(lgr, i, link)
		if (link->state == SMC_LINK_ACTIVE && READ_ONCE(link->asked))
			smc_link_probe(link);
}

static void handle_timers(struct smc_lgr *lgr)
{
	bool idle;

	if (expired(lgr, SMC_LGR_DL_FIRST)) {
		/* only this worker enters and leaves these two states */
		u8 state = READ_ONCE(lgr->state);

		if (state == SMC_LGR_ENDING && !smc_lgr_ask_elsewhere(lgr))
			finish_end(lgr);	/* DELETE LINK did not leave */
		else if (state == SMC_LGR_FORMING)
			smc_first_timeout(lgr);
	}
	if (expired(lgr, SMC_LGR_DL_FLOW))
		smc_flow_timeout(lgr);
	if (expired(lgr, SMC_LGR_DL_ADD_RETRY))
		smc_flow_ports(lgr);	/* R-C.8-03 */
	if (expired(lgr, SMC_LGR_DL_RKEY))
		smc_rkey_timeout(lgr);
	handle_probes(lgr);
	if (expired(lgr, SMC_LGR_DL_LINGER))
		smc_lgr_end(lgr, -ENOLINK, SMC_LLC_DEL_PROGRAM,
			    SMC_LGR_END_IDLE);
	idle = expired(lgr, SMC_LGR_DL_RMB_IDLE);
	if (expired(lgr, SMC_LGR_DL_RKEY_AGAIN) || idle)
		smc_rmb_work(lgr);
	spin_lock_bh(&lgr->lock);
	arm_timer(lgr);
	spin_unlock_bh(&lgr->lock);
}

/* This counts on any link that there is, other commands on those that work. */
static bool ends_group(const struct smc_lgr *lgr, const u8 *msg)
{
	struct smc_llc_delete_link m;

	return lgr->role == SMC_CLNT &&
	       smc_llc_opcode(msg) == SMC_LLC_DELETE_LINK &&
	       !smc_llc_decode_delete_link(msg, &m) && m.all && !m.reply;
}

/* The group ends here, and the peer has said that it ends there. */
static void delete_answered(struct smc_lgr *lgr)
{
	bool looks_again = lgr->await_answer ||
			   (lgr->last_words && !lgr->answered);

	lgr->answered = true;
	if (looks_again) {
		lgr->await_answer = false;
		last_word_left(lgr);
	}
}

static void handle_one(struct smc_lgr *lgr, const struct smc_llc_buf *msg)
{
	struct smc_link *link;

	if (READ_ONCE(lgr->state) == SMC_LGR_ENDING) {
		if (smc_llc_opcode(msg->b) == SMC_LLC_DELETE_LINK)
			delete_answered(lgr);
		return;
	}
	link = smc_links_by_uid(lgr, msg->uid);
	/* R-C.7.1-23 */
	if (link &&
	    (link->state <= SMC_LINK_ACTIVE || ends_group(lgr, msg->b)) &&
	    READ_ONCE(lgr->state) < SMC_LGR_ENDING)
		smc_llc_handle(link, msg->b);
}

static void handle_llc(struct smc_lgr *lgr)
{
	struct smc_llc_buf msg;
	bool got;
	int n;

	for (n = 0; n < SMC_LLC_BACKLOG_MSGS; n++) {
		spin_lock_bh(&lgr->in_lock);
		got = kfifo_get(&lgr->llc_in, &msg);
		spin_unlock_bh(&lgr->in_lock);
		if (!got)
			return;
		lgr->flow.more = msg.page;
		lgr->flow.more_len = msg.len;
		handle_one(lgr, &msg);
		lgr->flow.more = NULL;
		if (msg.page)
			put_page(msg.page);
	}
	/* a peer that sends as fast as we read must not keep timers off */
	smc_lgr_event(lgr, SMC_LGR_EVB_LLC);
}

/* Reasons to end the group, first match wins: how, and whether to say so. */
static const struct {
	enum smc_lgr_event_bit bit;
	int err;
	u32 reason;
	enum smc_lgr_end how;
} end_causes[] = {
	{ SMC_LGR_EVB_OUT_OF_SYNC, -ECONNRESET, SMC_LLC_DEL_LOST_PATH, SMC_LGR_END_NOW },
	{ SMC_LGR_EVB_FIRST_DROPPED, -ECONNABORTED, SMC_LLC_DEL_LOST_PATH, SMC_LGR_END_NOW },
	{ SMC_LGR_EVB_VIOLATION, -EPROTO, SMC_LLC_DEL_VIOLATION, SMC_LGR_END_TELL },
	{ SMC_LGR_EVB_SHUTDOWN, -ECONNRESET, SMC_LLC_DEL_PROGRAM, SMC_LGR_END_TELL },
};

void smc_lgr_worker(struct work_struct *work)
{
	struct smc_lgr *lgr = container_of(work, struct smc_lgr, work);
	unsigned long ev = xchg(&lgr->events, 0);
	int i;

	if (READ_ONCE(lgr->state) == SMC_LGR_DEAD)
		goto out;
	/* what was said before the end still counts */
	if (test_bit(SMC_LGR_EVB_LLC, &ev))
		handle_llc(lgr);
	if (test_bit(SMC_LGR_EVB_LINK_DOWN, &ev))
		smc_links_check(lgr);
	if (test_bit(SMC_LGR_EVB_PORT_READY, &ev))
		smc_flow_ports(lgr);
	if (test_bit(SMC_LGR_EVB_PORT_LEAVING, &ev))
		smc_links_leave_port(lgr);
	for (i = 0; i < ARRAY_SIZE(end_causes); i++)
		if (test_bit(end_causes[i].bit, &ev))
			smc_lgr_end(lgr, end_causes[i].err,
				    end_causes[i].reason, end_causes[i].how);
	if (test_bit(SMC_LGR_EVB_SENT, &ev) && !lgr->await_answer)
		last_word_left(lgr);
	if (test_bit(SMC_LGR_EVB_PROBE, &ev) &&
	    READ_ONCE(lgr->state) < SMC_LGR_ENDING)
		probe_asked(lgr);
	if (test_bit(SMC_LGR_EVB_TIMER, &ev))
		handle_timers(lgr);
	if (test_bit(SMC_LGR_EVB_RMB, &ev))
		smc_rmb_work(lgr);
	if (test_bit(SMC_LGR_EVB_EVICT, &ev))
		smc_lgr_end(lgr, -ENOLINK, SMC_LLC_DEL_PROGRAM,
			    SMC_LGR_END_IDLE);
	if (test_bit(SMC_LGR_EVB_CROWDED, &ev))
		smc_lgr_make_room(lgr);
out:
	smc_lgr_put(lgr);
}

int smc_lgr_worker_init(void)
{
	/*
	 * Not for reclaim: it allocates with GFP_KERNEL, and closing an endpoint
	 * flushes work of queues that are not for reclaim either.
	 */
	lgr_wq = alloc_workqueue("smc_lgr", WQ_UNBOUND | WQ_HIGHPRI, 0);
	return lgr_wq ? 0 : -ENOMEM;
}

void smc_lgr_worker_exit(void)
{
	destroy_workqueue(lgr_wq);
}

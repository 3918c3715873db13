// SPDX-License-Identifier: GPL-2.0
/*
 * The end of a group. The worker sends DELETE LINK. The worker waits until the
 * message has left and until the peer has sent its own last messages. Then
 * another work item closes the links and tells the members.
 */
#include "../base/compat.h"
#include "../base/mib.h"
#include "../base/trace.h"
#include "../wire/clc.h"
#include "../wire/decline.h"
#include "admit.h"
#include "contact_types.h"
#include "end.h"
#include "end_fsm.h"
#include "lgr.h"
#include "lgr_fsm.h"
#include "lgr_types.h"
#include "link.h"
#include "link_types.h"
#include "links.h"
#include "llc_out.h"
#include "member.h"
#include "rmb.h"
#include "table.h"
#include "waiters.h"

/*
 * Returns the code that a Decline may carry after first contact has failed. The
 * link is closed by then.
 *
 * A peer that has not received our CONFIRM LINK cannot consider the link
 * confirmed. So a Decline still puts both sides on TCP (C.2, R-C.2-03,
 * R-C.7-05).
 *
 * Return: enum smc_decline, or 0 if it is too late for a Decline.
 */
static u32 end_decline(struct smc_lgr *lgr)
{
	struct smc_link *link = smc_links_first(lgr);

	if (lgr->first.decline || (link && READ_ONCE(link->reach) == SMC_LINK_HEARD))
		return lgr->first.decline;
	return SMC_DECL_ERR_RDYLNK;
}

/*
 * This side sends no more messages. The worker calls smc_end_close() at the end
 * of this run, which is its last one.
 */
static void end_finish(struct smc_lgr *lgr)
{
	spin_lock_bh(&lgr->lock);
	smc_lgr_step(lgr, SMC_LGR_EV_ENDED);
	memset(lgr->mail.deadline, 0, sizeof(lgr->mail.deadline));
	spin_unlock_bh(&lgr->lock);
	timer_delete_sync(&lgr->mail.timer);
}

/* Second half of the end. Context: process; waits for devices. */
static void end_work(struct work_struct *work)
{
	struct smc_lgr *lgr = container_of(work, struct smc_lgr, end.work);

	/* a creator that waits for the mutex sees the new state when it gets
	 * the mutex
	 */
	mutex_lock(&lgr->setup);
	smc_links_close(lgr);
	mutex_unlock(&lgr->setup);
	smc_admit_end(xchg(&lgr->first.admit, NULL));
	spin_lock_bh(&lgr->lock);
	smc_waiters_tell_creator(lgr, SMC_CONTACT_FAILED,
				 end_decline(lgr), lgr->end.err);
	spin_unlock_bh(&lgr->lock);
	smc_waiters_wake_all(lgr);
	smc_member_down_all(lgr);
	smc_links_drop_keys(lgr);
	smc_mib_inc(NULL, SMC_MIB_LGR_ENDED);
	smc_lgr_put(lgr, SMC_LGR_REF_TABLE);
}

/**
 * smc_end_close - close the links of a group that has ended
 * @lgr: group in state SMC_LGR_DEAD
 *
 * A device that hangs may stop a queue pair after a minute only. Workers of
 * other groups share the worker's queue, which has a limit, so another queue
 * waits. Context: end of the worker's last run.
 */
void smc_end_close(struct smc_lgr *lgr)
{
	queue_work(lgr->end.wq, &lgr->end.work);
}

/**
 * smc_end_init - prepare the end of a new group
 * @lgr: group
 * @wq: see smc_queues_ends()
 */
void smc_end_init(struct smc_lgr *lgr, struct workqueue_struct *wq)
{
	INIT_WORK(&lgr->end.work, end_work);
	lgr->end.wq = wq;
}

/*
 * Deployed Linux sends a last message on each connection of a group that ends.
 * As client it also answers with a DELETE LINK of its own. Deployed Linux
 * blocks until these messages have arrived. If our queue pair is gone and the
 * peer's device retries without limit, the peer blocks for ever. So this side
 * keeps its endpoint open for a while.
 */
static bool end_peer_has_words(struct smc_lgr *lgr)
{
	struct smc_link *link = smc_links_by_uid(lgr, lgr->end.uid);
	bool members;

	spin_lock_bh(&lgr->lock);
	members = lgr->members.n;
	spin_unlock_bh(&lgr->lock);
	if (members)
		return smc_lgr_peer_ends_conns(lgr);
	/* partner: link_down() */
	return lgr->key.role == SMC_SERV && !lgr->end.peer_ends && link &&
	       !READ_ONCE(link->broken);
}

/*
 * Sends DELETE LINK for the whole group over another link (R-C.7.1-14). Return:
 * true if it was sent.
 */
static bool end_ask_elsewhere(struct smc_lgr *lgr)
{
	struct smc_link *link = smc_links_by_uid(lgr, lgr->end.uid);

	if (link)
		smc_link_step(link, SMC_LINK_EV_FAIL);
	if (!smc_links_carrier(lgr, NULL) ||
	    smc_llc_out_delete_all(lgr, lgr->end.reason))
		return false;
	smc_mib_inc(NULL, SMC_MIB_LLC_TIMEOUT);
	smc_lgr_set_deadline(lgr, SMC_LGR_DL_FIRST, SMC_LLC_WAIT_MS);
	return true;
}

/* The action causes no further event. */
#define END_NO_EVENT	SMC_END_NR_EVENTS

static enum smc_end_event end_look(struct smc_lgr *lgr)
{
	return end_peer_has_words(lgr) ? SMC_END_EV_WAIT : SMC_END_EV_DONE;
}

/* Return: the event that the action causes. */
static enum smc_end_event end_run(struct smc_lgr *lgr,
				  enum smc_end_action action)
{
	switch (action) {
	case SMC_END_DO_NOTHING:
		break;
	case SMC_END_DO_WAIT_SENT:
		smc_lgr_set_deadline(lgr, SMC_LGR_DL_FIRST, SMC_LLC_WAIT_MS);
		break;
	case SMC_END_DO_WAIT_WORDS:
		smc_lgr_set_deadline(lgr, SMC_LGR_DL_FIRST,
				     SMC_LGR_LAST_WORDS_MS);
		break;
	case SMC_END_DO_LOOK:
		return end_look(lgr);
	case SMC_END_DO_ASK_OR_LOOK:
		return end_ask_elsewhere(lgr) ? END_NO_EVENT : end_look(lgr);
	case SMC_END_DO_ASK_OR_FINISH:
		return end_ask_elsewhere(lgr) ? END_NO_EVENT : SMC_END_EV_DONE;
	case SMC_END_DO_FINISH:
		end_finish(lgr);
		break;
	}
	return END_NO_EVENT;
}

/* The only writer of the state. */
static void end_event(struct smc_lgr *lgr, enum smc_end_event ev)
{
	const struct smc_fsm_cell *cell;

	while (ev != END_NO_EVENT) {
		cell = smc_fsm_step(&smc_end_fsm, &lgr->end.state, ev);
		WARN_ON_ONCE(cell->kind == SMC_FSM_VIOLATION);
		ev = end_run(lgr, cell->action);
	}
}

/* Sends DELETE LINK if @how asks for it. Return: the first event of the end. */
static enum smc_end_event end_begin(struct smc_lgr *lgr, u32 reason,
				    enum smc_end_how how)
{
	if (how == SMC_LGR_END_NOW ||
	    (how == SMC_LGR_END_TELL && smc_llc_out_delete_all(lgr, reason)))
		return SMC_END_EV_NOW;
	if (how == SMC_LGR_END_TELL && lgr->key.role == SMC_CLNT &&
	    smc_llc_out_orderly(reason))
		return SMC_END_EV_ASK;
	return SMC_END_EV_TELL;
}

/**
 * smc_end_group - take the group down
 * @lgr:	group
 * @err:	negative errno for its connections
 * @reason:	DELETE LINK reason (R-A.3.4-03)
 * @how:	NOW: the worker sends no message to the peer. TELL: the worker
 *		sends DELETE LINK for the whole group. TELL and SENT wait for an
 *		event: the last message has left (R-3.5.4-05, R-C.7.1-15). A
 *		client that asks for an orderly end waits for the server's
 *		answer, and asks again on another link after a timeout. IDLE:
 *		like TELL, but the group ends only if it still has no user
 *
 * Context: worker.
 */
void smc_end_group(struct smc_lgr *lgr, int err, u32 reason,
		   enum smc_end_how how)
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
		lgr->end.err = err;
	spin_unlock_bh(&lgr->lock);
	if (!began)
		return;
	smc_table_remove(lgr);
	/* a group that ends cannot give an element to a waiting contact */
	smc_waiters_wake_all(lgr);
	trace_smcr_link_down(lgr, 0, err, reason);
	lgr->end.reason = reason;
	end_event(lgr, end_begin(lgr, reason, how));
}

/**
 * smc_end_with_reply - the peer deletes the last link
 * @link: link on which the message arrived
 * @m: message
 *
 * Context: worker.
 */
void smc_end_with_reply(struct smc_link *link,
			const struct smc_llc_delete_link *m)
{
	struct smc_llc_msg answer = {
		.type = SMC_LLC_DELETE_LINK,
		.delete_link = *m,
	};
	bool sent;

	answer.delete_link.reply = true;
	answer.delete_link.reason = 0;
	link->lgr->end.uid = link->uid;
	sent = !smc_link_send_last(link, &answer);
	smc_end_group(link->lgr, -ECONNRESET, m->reason,
		      sent ? SMC_LGR_END_SENT : SMC_LGR_END_NOW);
}

/**
 * smc_end_silently - the peer ends the group and expects no answer
 * @lgr: group
 *
 * Context: worker.
 */
void smc_end_silently(struct smc_lgr *lgr)
{
	smc_end_group(lgr, -ECONNRESET, SMC_LLC_DEL_PROGRAM, SMC_LGR_END_SENT);
	smc_lgr_event(lgr, SMC_LGR_EVB_SENT);
}

/**
 * smc_end_word_lost - the link that carries the last message has failed
 * @lgr: group that is ending
 *
 * Context: worker.
 */
void smc_end_word_lost(struct smc_lgr *lgr)
{
	end_event(lgr, SMC_END_EV_LOST);
}

/**
 * smc_end_sent - the last message of the group has left
 * @lgr: group
 *
 * Context: worker.
 */
void smc_end_sent(struct smc_lgr *lgr)
{
	end_event(lgr, SMC_END_EV_SENT);
}

/**
 * smc_end_timeout - the last message did not leave in time, or no answer has
 * arrived
 * @lgr: group that is ending
 *
 * Context: worker.
 */
void smc_end_timeout(struct smc_lgr *lgr)
{
	end_event(lgr, SMC_END_EV_TIMEOUT);
}

/**
 * smc_end_answered - the peer has sent DELETE LINK or an answer to ours
 * @lgr: group
 *
 * Context: worker.
 */
void smc_end_answered(struct smc_lgr *lgr)
{
	enum smc_end_event ev = lgr->end.peer_ends ? SMC_END_EV_REPEATED :
						 SMC_END_EV_ANSWERED;

	/* the peer does not answer our own DELETE LINK any more */
	lgr->end.peer_ends = true;
	end_event(lgr, ev);
}

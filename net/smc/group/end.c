// SPDX-License-Identifier: GPL-2.0
/*
 * How a group ends: the last message, the wait until it has left and the peer
 * has said its own, and then everything that the group has. All in the group's
 * worker.
 */
#include "../base/compat.h"
#include "../base/mib.h"
#include "../base/trace.h"
#include "../wire/clc.h"
#include "../wire/decline.h"
#include "contact_types.h"
#include "end.h"
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
 * What a Decline may say when first contact failed, whose link is closed.
 *
 * As long as the peer has not got our CONFIRM LINK it cannot consider the link
 * confirmed: a Decline puts both sides on TCP (C.2, R-C.2-03, R-C.7-05).
 *
 * Return: enum smc_decline, or 0 when it is too late for one.
 */
static u32 end_decline(struct smc_lgr *lgr)
{
	struct smc_link *link = smc_links_first(lgr);

	if (lgr->first_decline || (link && READ_ONCE(link->delivered)))
		return lgr->first_decline;
	return SMC_DECL_ERR_RDYLNK;
}

/* Second half of the end: nothing is sent any more. Worker. */
static void end_finish(struct smc_lgr *lgr)
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
	smc_waiters_tell_creator(lgr, SMC_CONTACT_FAILED,
				 end_decline(lgr), lgr->end_err);
	spin_unlock_bh(&lgr->lock);
	smc_waiters_wake_all(lgr);
	smc_member_down_all(lgr);
	smc_link_for_each(lgr, i, link)
		smc_rmb_drop_link(lgr, link);
	smc_mib_inc(NULL, SMC_MIB_LGR_ENDED);
	smc_lgr_put(lgr);	/* the table's */
}

/*
 * Deployed Linux ends each connection of a dying group with a message, and as
 * client answers with a DELETE LINK of its own. It does not go on until that has
 * arrived: on devices that retry for ever, never.
 */
static void end_word_left(struct smc_lgr *lgr)
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
		end_finish(lgr);
}

/**
 * smc_end_group - take the group down
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
		lgr->end_err = err;
	spin_unlock_bh(&lgr->lock);
	if (!began)
		return;
	smc_table_remove(lgr);
	/* nothing they wait for comes any more */
	smc_waiters_wake_all(lgr);
	trace_smcr_link_down(lgr, 0, err, reason);
	if (how == SMC_LGR_END_TELL && smc_llc_out_delete_all(lgr, reason))
		how = SMC_LGR_END_NOW;
	lgr->await_answer = how == SMC_LGR_END_TELL &&
			    lgr->role == SMC_CLNT && smc_llc_out_orderly(reason);
	lgr->end_reason = reason;
	if (how != SMC_LGR_END_NOW)
		smc_lgr_set_deadline(lgr, SMC_LGR_DL_FIRST, SMC_LLC_WAIT_MS);
	else
		end_finish(lgr);
}

/**
 * smc_end_with_reply - the peer deletes the last link
 * @link: link that the message came on
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
	link->lgr->end_uid = link->uid;
	sent = !smc_link_send_last(link, &answer);
	smc_end_group(link->lgr, -ECONNRESET, m->reason,
		      sent ? SMC_LGR_END_SENT : SMC_LGR_END_NOW);
}

/**
 * smc_end_silently - the peer ends the group: nothing is said, as if it had been
 * @lgr: group
 *
 * Context: worker.
 */
void smc_end_silently(struct smc_lgr *lgr)
{
	smc_end_group(lgr, -ECONNRESET, SMC_LLC_DEL_PROGRAM, SMC_LGR_END_SENT);
	smc_lgr_event(lgr, SMC_LGR_EVB_SENT);
}

/*
 * DELETE LINK for the whole group was not answered (R-C.7.1-14). Return: it was
 * sent over another link.
 */
static bool end_ask_elsewhere(struct smc_lgr *lgr)
{
	struct smc_link *link = smc_links_by_uid(lgr, lgr->end_uid);

	if (!lgr->await_answer)
		return false;
	if (link)
		smc_link_step(link, SMC_LINK_EV_FAIL);
	if (!smc_links_carrier(lgr, NULL) ||
	    smc_llc_out_delete_all(lgr, lgr->end_reason))
		return false;
	smc_mib_inc(NULL, SMC_MIB_LLC_TIMEOUT);
	smc_lgr_set_deadline(lgr, SMC_LGR_DL_FIRST, SMC_LLC_WAIT_MS);
	return true;
}

/**
 * smc_end_word_lost - the link has failed that carries the last message
 * @lgr: group that is ending
 *
 * Context: worker.
 */
void smc_end_word_lost(struct smc_lgr *lgr)
{
	if (end_ask_elsewhere(lgr))
		return;
	lgr->await_answer = false;
	smc_lgr_event(lgr, SMC_LGR_EVB_SENT);
}

/**
 * smc_end_sent - the last message has left
 * @lgr: group
 *
 * Context: worker.
 */
void smc_end_sent(struct smc_lgr *lgr)
{
	if (!lgr->await_answer)
		end_word_left(lgr);
}

/**
 * smc_end_timeout - the last message did not leave, or was not answered
 * @lgr: group that is ending
 *
 * Context: worker.
 */
void smc_end_timeout(struct smc_lgr *lgr)
{
	if (!end_ask_elsewhere(lgr))
		end_finish(lgr);
}

/**
 * smc_end_answered - the peer has said that the group ends there, too
 * @lgr: group that is ending
 *
 * Context: worker.
 */
void smc_end_answered(struct smc_lgr *lgr)
{
	bool looks_again = lgr->await_answer ||
			   (lgr->last_words && !lgr->answered);

	lgr->answered = true;
	if (looks_again) {
		lgr->await_answer = false;
		end_word_left(lgr);
	}
}

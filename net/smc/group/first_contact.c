// SPDX-License-Identifier: GPL-2.0
/*
 * First contact: exchanges CONFIRM LINK over the first link and waits for the
 * attempt at a second link (RFC 7609 3.5.1.5 and 3.5.1.6). flow.c adds the
 * second link. Deployed clients wait for an ADD LINK even if the server has no
 * second adapter. So such a server sends an ADD LINK that the client cannot
 * accept (R-L-13).
 */
#include "../base/mib.h"
#include "../wire/clc.h"
#include "../wire/decline.h"
#include "admit.h"
#include "contact_types.h"
#include "end.h"
#include "first_contact.h"
#include "first_contact_fsm.h"
#include "flow.h"
#include "lgr.h"
#include "lgr_fsm.h"
#include "lgr_types.h"
#include "link.h"
#include "link_num.h"
#include "link_types.h"
#include "links.h"
#include "llc_out.h"
#include "rmb.h"
#include "waiters.h"

/* This number of waits is longer than the time for which an adapter tries to
 * deliver a message.
 */
#define CONFIRM_WAITS	3

/* The server repeats CONFIRM LINK within the two seconds that deployed clients
 * wait.
 */
#define CONFIRM_REPEATS	2

/*
 * The creator begins first contact. Context: creator, before the worker acts.
 */
static void first_begin(struct smc_lgr *lgr, enum smc_first_event ev)
{
	smc_fsm_step(&smc_first_fsm, &lgr->first.state, ev);
}

/* First contact is over, and connections may use the group. Context: worker. */
static void first_formed(struct smc_lgr *lgr)
{
	bool formed;

	/*
	 * One critical section decides whether the group survives. If the
	 * creator still exists, this function notifies it, and the group stays.
	 * Otherwise the event that the creator has sent ends the group before
	 * another handshake gets an element.
	 */
	spin_lock_bh(&lgr->lock);
	lgr->mail.deadline[SMC_LGR_DL_FIRST] = 0;
	formed = lgr->creator;
	if (formed) {
		smc_lgr_step(lgr, SMC_LGR_EV_FORMED);
		smc_waiters_tell_creator(lgr, SMC_CONTACT_UP, 0, 0);
	}
	spin_unlock_bh(&lgr->lock);
	if (!formed)
		return;
	smc_admit_end(xchg(&lgr->first.admit, NULL));
	smc_link_watch(smc_links_first(lgr));
	smc_waiters_wake_all(lgr);
	if (__test_and_clear_bit(SMC_LGR_DUE_PORTS, &lgr->mail.agenda))
		smc_lgr_event(lgr, SMC_LGR_EVB_PORT_READY);
}

static void first_reject_add(struct smc_link *link, const struct smc_llc_add_link *add)
{
	bool valid = smc_clc_mtu_valid(add->mtu_code);	/* R-C.7.1-21 */

	smc_llc_out_add_nothing(link, valid ? SMC_LLC_REJECT_NO_PATH : SMC_LLC_REJECT_MTU,
				add->link_num);
}

/*
 * R-3.5.1.5-05, X-26: CONFIRM LINK must name the peer of the Accept or Confirm.
 */
static bool first_names_peer(const struct smc_link *link,
			     const struct smc_llc_confirm_link *m)
{
	const struct smc_ep_addr *p = &link->peer;

	return m->qpn == p->qpn && !memcmp(m->gid, p->gid, sizeof(p->gid)) &&
	       !memcmp(m->mac, p->mac, sizeof(p->mac));
}

/* R-2.2.2-07, -08; the value 0 makes the client take the server's limit
 * (R-2.2.2-06)
 */
static void first_agree(struct smc_lgr *lgr, u8 peers)
{
	if (peers)
		lgr->numbers.max_links = min(lgr->numbers.max_links, peers);
}

/*
 * Stores the errno and the decline code. The group reports both when it ends.
 */
static void first_blame(struct smc_lgr *lgr, int err, u32 decline)
{
	lgr->first.err = err;
	lgr->first.decline = decline;
}

static void first_confirmed(struct smc_link *link, u32 peer_uid)
{
	link->peer_uid = peer_uid;
	link->since = jiffies;
	smc_link_step(link, SMC_LINK_EV_CONFIRMED);
}

/*
 * Both sides agreed on one link, so the server offers no second link and the
 * client waits for none.
 */
static bool first_alone(const struct smc_lgr *lgr)
{
	return lgr->terms.max_links == 1;
}

/* The action causes no further event. */
#define FIRST_NO_EVENT	SMC_FIRST_NR_EVENTS

static enum smc_first_event
first_reply_confirm(struct smc_link *link, const struct smc_llc_confirm_link *m)
{
	struct smc_lgr *lgr = link->lgr;
	int err;

	first_agree(lgr, m->max_links);
	WRITE_ONCE(link->num, m->link_num);
	err = smc_link_start(link);
	if (!err)
		err = smc_rmb_open(lgr, link);
	if (!err)
		err = smc_llc_out_confirm_link(link, true);
	if (err) {	/* R-C.7-06 */
		first_blame(lgr, err, SMC_DECL_ERR_RDYLNK);
		return SMC_FIRST_EV_FAIL;
	}
	first_confirmed(link, m->link_uid);
	smc_lgr_set_deadline(lgr, SMC_LGR_DL_FIRST, SMC_LLC_WAIT_MS);
	return first_alone(lgr) ? SMC_FIRST_EV_ALONE : FIRST_NO_EVENT;
}

/*
 * Server: offers a link over the second adapter, or sends an ADD LINK that adds
 * nothing, so that the client does not wait (R-L-13).
 */
static enum smc_first_event
first_second_link(struct smc_link *link, const struct smc_llc_confirm_link *m)
{
	struct smc_lgr *lgr = link->lgr;

	first_agree(lgr, m->max_links);
	first_confirmed(link, m->link_uid);
	if (first_alone(lgr))
		return SMC_FIRST_EV_ALONE;
	smc_lgr_clear_deadline(lgr, SMC_LGR_DL_FIRST);
	if (smc_flow_first(lgr))
		return FIRST_NO_EVENT;
	smc_llc_out_add_nothing(link, 0, SMC_LINK_NUM_FIRST + 1);
	smc_lgr_set_deadline(lgr, SMC_LGR_DL_FIRST, SMC_LLC_WAIT_MS);
	return FIRST_NO_EVENT;
}

/* Return: the event that the action causes. */
static enum smc_first_event first_run(struct smc_lgr *lgr,
				      struct smc_link *link,
				      enum smc_first_action action,
				      const struct smc_llc_in *in)
{
	switch (action) {
	case SMC_FIRST_DO_NOTHING:
		break;
	case SMC_FIRST_DO_REPLY_CONFIRM:
		return first_reply_confirm(link, &in->m.confirm_link);
	case SMC_FIRST_DO_SEND_ADD:
		return first_second_link(link, &in->m.confirm_link);
	case SMC_FIRST_DO_REJECT_FORM:
		first_reject_add(link, &in->m.add_link);
		first_formed(lgr);
		break;
	case SMC_FIRST_DO_REJECT_ADD:
		/* The server already has all its links and ignores the client's
		 * request for another one.
		 */
		if (lgr->key.role == SMC_CLNT)
			first_reject_add(link, &in->m.add_link);
		break;
	case SMC_FIRST_DO_FORM:
		first_formed(lgr);
		break;
	case SMC_FIRST_DO_FAIL:
		smc_end_group(lgr, lgr->first.err, SMC_LLC_DEL_LOST_PATH,
			      SMC_LGR_END_NOW);
		break;
	}
	return FIRST_NO_EVENT;
}

/*
 * Only this function changes the state in the worker. @link and @in are
 * arguments of the action.
 */
static void first_event(struct smc_lgr *lgr, struct smc_link *link,
			enum smc_first_event ev, const struct smc_llc_in *in)
{
	const struct smc_fsm_cell *cell;

	while (ev != FIRST_NO_EVENT) {
		cell = smc_fsm_step(&smc_first_fsm, &lgr->first.state, ev);
		if (cell->kind == SMC_FSM_VIOLATION) {
			smc_lgr_violation(lgr);
			return;
		}
		ev = first_run(lgr, link, cell->action, in);
	}
}

/* Server: the client may answer each repetition of CONFIRM LINK. */
static bool first_answered_again(struct smc_lgr *lgr, enum smc_first_event ev)
{
	if (ev != SMC_FIRST_EV_CONFIRMED || lgr->key.role != SMC_SERV ||
	    lgr->first.state <= SMC_FIRST_CONFIRM_RSP || !lgr->first.waits)
		return false;
	lgr->first.waits--;
	return true;
}

/*
 * Client: a repetition of CONFIRM LINK may arrive after the client has read the
 * first one. If the group has only one link, no ADD LINK ends the repetitions,
 * so the client counts them.
 */
static bool first_asked_again(struct smc_lgr *lgr, enum smc_first_event ev)
{
	if (ev != SMC_FIRST_EV_CONFIRM || lgr->key.role != SMC_CLNT ||
	    lgr->first.state != SMC_FIRST_DONE || !first_alone(lgr) ||
	    lgr->first.waits >= CONFIRM_REPEATS)
		return false;
	lgr->first.waits++;
	return true;
}

/**
 * smc_first_contact_confirm_link - CONFIRM LINK of the first link, or its
 * answer, has arrived
 * @link: on this link
 * @in: message
 *
 * Context: worker.
 */
void smc_first_contact_confirm_link(struct smc_link *link,
				    const struct smc_llc_in *in)
{
	const struct smc_llc_confirm_link *m = &in->m.confirm_link;
	enum smc_first_event ev = SMC_FIRST_EV_CONFIRM;
	struct smc_lgr *lgr = link->lgr;

	if (m->reply)
		ev = SMC_FIRST_EV_CONFIRMED;
	if (first_answered_again(lgr, ev) || first_asked_again(lgr, ev))
		return;
	if (lgr->first.state == (m->reply ? SMC_FIRST_CONFIRM_RSP :
					    SMC_FIRST_CONFIRM_REQ)) {
		u32 decline = 0;

		if (!first_names_peer(link, m) ||
		    (m->reply && m->link_num != link->num))
			decline = SMC_DECL_ERR_RDYLNK;	/* R-C.7.1-20 */
		else if (m->no_eyecatcher != !lgr->terms.eye)
			decline = SMC_DECL_EYECATCHER;	/* R-L-06 */
		if (decline) {
			first_blame(lgr, -EPROTO, decline);
			ev = SMC_FIRST_EV_FAIL;
		}
	}
	first_event(lgr, link, ev, in);
}

/**
 * smc_first_contact_add_link - an ADD LINK that adds no link, or its answer,
 * has arrived
 * @link: on this link
 * @in: message
 *
 * Context: worker.
 */
void smc_first_contact_add_link(struct smc_link *link,
				const struct smc_llc_in *in)
{
	const struct smc_llc_add_link *m = &in->m.add_link;
	enum smc_first_event ev = SMC_FIRST_EV_ADD;
	struct smc_lgr *lgr = link->lgr;

	/*
	 * only a server gets a reply: the client cannot accept the invalid MTU
	 * code
	 */
	if (m->reply)
		ev = SMC_FIRST_EV_ADDED;
	if (m->reply && lgr->key.role == SMC_CLNT) {
		smc_lgr_violation(lgr);
		return;
	}
	first_event(lgr, link, ev, in);
}

/* The attempt at a second link is over. */
static void first_second_done(struct smc_lgr *lgr)
{
	if (lgr->first.state == SMC_FIRST_ADD_REQ || lgr->first.state == SMC_FIRST_ADD_RSP)
		first_event(lgr, smc_links_first(lgr), SMC_FIRST_EV_ALONE,
			    NULL);
}

/**
 * smc_first_contact_settled - server: the outcome of the second link is known
 * @lgr: group
 *
 * The server does not wait until a failed second link is deleted, nor
 * for a third link. In the next exchange the time limits of an established
 * group apply.
 * Context: worker, before the next exchange begins.
 */
void smc_first_contact_settled(struct smc_lgr *lgr)
{
	if (lgr->key.role == SMC_SERV && smc_flow_idle(lgr) &&
	    (smc_flow_find_down(lgr) || smc_links_active(lgr) > 1))
		first_second_done(lgr);
}

/**
 * smc_first_contact_flow_ended - an exchange that changes links has ended
 * @lgr: group
 *
 * First contact waits for the end of the exchange, with or without success
 * (R-3.5.1.6-01). The client also waits for the next exchange of the server, if
 * one has begun.
 * Context: worker, after the next exchange has begun, if there is one.
 */
void smc_first_contact_flow_ended(struct smc_lgr *lgr)
{
	if (smc_flow_idle(lgr))
		first_second_done(lgr);
}

/**
 * smc_first_contact_offer - client: ADD LINK during first contact
 * @link: on this link
 * @in: message
 *
 * Context: worker.
 */
void smc_first_contact_offer(struct smc_link *link, const struct smc_llc_in *in)
{
	struct smc_lgr *lgr = link->lgr;

	smc_lgr_clear_deadline(lgr, SMC_LGR_DL_FIRST);
	if (!smc_flow_offer(link, in))
		first_second_done(lgr);
}

/**
 * smc_first_contact_client - the client is about to bind its endpoint
 * @lgr: group
 */
void smc_first_contact_client(struct smc_lgr *lgr)
{
	first_begin(lgr, SMC_FIRST_EV_CLIENT);
}

/**
 * smc_first_contact_server - the server got the Confirm and its endpoint is
 * bound
 * @link: the first link of the group
 *
 * Context: creator, may sleep for memory. After first_begin() the worker may
 * change lgr->first.state and the deadline, because a peer may send its CONFIRM
 * LINK early.
 */
int smc_first_contact_server(struct smc_link *link)
{
	struct smc_lgr *lgr = link->lgr;
	int err;

	lgr->numbers.last_num = SMC_LINK_NUM_FIRST;
	WRITE_ONCE(link->num, SMC_LINK_NUM_FIRST);
	err = smc_link_start(link);
	if (!err)
		err = smc_rmb_open(lgr, link);
	if (err)
		return err;
	spin_lock_bh(&lgr->lock);
	if (lgr->state == SMC_LGR_FORMING)	/* otherwise the group is ending */
		smc_lgr_deadline_locked(lgr, SMC_LGR_DL_FIRST,
					SMC_LLC_FIRST_AGAIN_MS);
	spin_unlock_bh(&lgr->lock);
	first_begin(lgr, SMC_FIRST_EV_SERVER);
	return smc_llc_out_confirm_link(link, false);
}

/*
 * The link is unconfirmed until the server has received our CONFIRM LINK. If
 * the adapter cannot deliver that message, both sides fall back to TCP
 * (R-C.2-03, R-C.7-06). The adapter may need longer to report the failure than
 * the time for which we wait for ADD LINK.
 */
static bool first_unheard(struct smc_lgr *lgr)
{
	struct smc_link *link = smc_links_first(lgr);

	/* partner: slots_llc_sent() */
	return lgr->first.state == SMC_FIRST_ADD_REQ && link &&
	       READ_ONCE(link->reach) != SMC_LINK_HEARD;
}

/*
 * Server: repeats CONFIRM LINK. The client may have received the first CONFIRM
 * LINK and dropped it. Return: true if the wait continues.
 */
static bool first_repeat(struct smc_lgr *lgr)
{
	struct smc_link *link = smc_links_first(lgr);
	unsigned int left = SMC_LLC_FIRST_WAIT_MS -
			    CONFIRM_REPEATS * SMC_LLC_FIRST_AGAIN_MS;

	/* the creator is about to send the first CONFIRM LINK */
	if (lgr->first.state == SMC_FIRST_IDLE && lgr->key.role == SMC_SERV) {
		smc_lgr_set_deadline(lgr, SMC_LGR_DL_FIRST,
				     SMC_LLC_FIRST_AGAIN_MS);
		return true;
	}
	if (lgr->first.state != SMC_FIRST_CONFIRM_RSP ||
	    lgr->first.waits >= CONFIRM_REPEATS)
		return false;
	lgr->first.waits++;
	smc_lgr_set_deadline(lgr, SMC_LGR_DL_FIRST,
			     lgr->first.waits < CONFIRM_REPEATS ?
			     SMC_LLC_FIRST_AGAIN_MS : left);
	/* partner: slots_llc_sent() */
	if (link && READ_ONCE(link->reach) == SMC_LINK_HEARD)
		smc_llc_out_confirm_link(link, false);
	return true;
}

/**
 * smc_first_contact_timeout - the peer's next message is overdue; runs in the
 * worker
 * @lgr: group
 */
void smc_first_contact_timeout(struct smc_lgr *lgr)
{
	if (first_repeat(lgr))
		return;
	smc_mib_inc(NULL, SMC_MIB_LLC_TIMEOUT);
	if (!first_unheard(lgr)) {
		/* R-C.7-04, R-C.7.1-01, X-12 */
		first_blame(lgr, -ETIMEDOUT, 0);
		first_event(lgr, smc_links_first(lgr), SMC_FIRST_EV_TIMEOUT,
			    NULL);
	} else if (lgr->first.waits++ < CONFIRM_WAITS) {
		smc_lgr_set_deadline(lgr, SMC_LGR_DL_FIRST, SMC_LLC_WAIT_MS);
	} else {
		first_blame(lgr, -ETIMEDOUT, SMC_DECL_ERR_RDYLNK);
		first_event(lgr, NULL, SMC_FIRST_EV_FAIL, NULL);
	}
}

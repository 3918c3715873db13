// SPDX-License-Identifier: GPL-2.0
/*
 * CONFIRM RKEY and DELETE RKEY (RFC 7609 3.5.5.2). This file runs the exchanges
 * that this side begins, with the table in rkey_fsm.c, and answers the requests
 * of the peer. The code of this file runs in the group's worker.
 */
#include "../base/mib.h"
#include "../wire/clc.h"
#include "../wire/llc_msg.h"
#include "flow.h"
#include "lgr.h"
#include "lgr_types.h"
#include "link.h"
#include "link_num.h"
#include "link_types.h"
#include "links.h"
#include "rkey.h"
#include "rkey_fsm.h"
#include "rmb.h"
#include "rmb_types.h"
#include "rtok.h"

/*
 * Delay before this side repeats a request that the peer has refused because
 * links were changing.
 */
#define AGAIN_MS	500

/*
 * Limit of attempts, one after the other, to get a key from a device that hangs
 * or has too much to do. After that the link stays without the key.
 */
#define LATE_MAX	16

/*
 * A message that the peer sent before the newest link existed does not name
 * that link.
 */
#define LINK_YOUNG_MS	2000

/** smc_rkey_idle - is there no exchange of keys that this side began? */
bool smc_rkey_idle(const struct smc_lgr *lgr)
{
	return lgr->rkey.state == SMC_RKEY_IDLE;
}

/* ---- exchanges of this side ---- */

/*
 * Lists the keys of the RMB on all links except the carrier. Return: a bit for
 * the slot of each of these links and of the carrier.
 */
static u8 rkey_list(struct smc_lgr *lgr, const struct smc_rmb *rmb,
		    const struct smc_link *carrier,
		    struct smc_llc_confirm_rkey *m)
{
	u8 told = BIT(carrier->slot);
	struct smc_link *link;
	int i;

	m->rkey = rmb->tok[carrier->slot].rkey;
	m->addr = rmb->tok[carrier->slot].addr;
	smc_link_for_each(lgr, i, link) {
		if (link == carrier || link->state != SMC_LINK_ACTIVE ||
		    !rmb->tok[i].mr)
			continue;
		if (WARN_ON_ONCE(m->num_other == ARRAY_SIZE(m->other)))
			break;
		m->other[m->num_other++] = (struct smc_llc_rtok) {
			.link_num = link->num,
			.rkey = rmb->tok[i].rkey,
			.addr = rmb->tok[i].addr,
		};
		told |= BIT(i);
	}
	return told;
}

static int rkey_send_confirm(struct smc_lgr *lgr, struct smc_link *link)
{
	struct smc_llc_msg m = { .type = SMC_LLC_CONFIRM_RKEY };

	BUILD_BUG_ON(SMC_LINKS_LOCAL_MAX - 1 >
		     ARRAY_SIZE(m.confirm_rkey.other));
	lgr->rmbs.telling = rkey_list(lgr, lgr->rmbs.busy, link,
				      &m.confirm_rkey);
	return smc_link_send(link, &m);
}

static int rkey_send_delete(struct smc_lgr *lgr, struct smc_link *link)
{
	struct smc_llc_msg m = {
		.type = SMC_LLC_DELETE_RKEY,
		.revoke = {
			.n = 1,
			.rkey = { lgr->rmbs.busy->tok[link->slot].rkey },
		},
	};

	return smc_link_send(link, &m);
}

static void rkey_fail_carrier(struct smc_lgr *lgr)
{
	struct smc_link *link = smc_links_by_uid(lgr, lgr->rkey.carrier);

	smc_mib_inc(NULL, SMC_MIB_LLC_TIMEOUT);
	if (link)
		smc_link_give_up(link, SMC_LINK_FAILS, -ETIMEDOUT,
				 SMC_LLC_DEL_LOST_PATH);
}

static void rkey_send(struct smc_lgr *lgr, enum smc_rkey_action action)
{
	struct smc_link *link = smc_links_by_uid(lgr, lgr->rkey.carrier);
	int err;

	/*
	 * The deadline runs even if the queue of messages was full. Then the
	 * request is not sent, no answer arrives, and the link fails when the
	 * deadline expires.
	 */
	smc_lgr_set_deadline(lgr, SMC_LGR_DL_RKEY, SMC_LLC_WAIT_MS);
	if (action == SMC_RKEY_DO_SEND_CONFIRM)
		err = rkey_send_confirm(lgr, link);
	else
		err = rkey_send_delete(lgr, link);
	lgr->rkey.wait_end = smc_link_wait_end(err);
}

static void rkey_run(struct smc_lgr *lgr, struct smc_rmb *rmb,
		     enum smc_rkey_action action)
{
	switch (action) {
	case SMC_RKEY_DO_NOTHING:
		break;
	case SMC_RKEY_DO_SEND_CONFIRM:
	case SMC_RKEY_DO_SEND_DELETE:
		rkey_send(lgr, action);
		break;
	case SMC_RKEY_DO_TAKEN:
		smc_rmb_tell(lgr, rmb, lgr->rmbs.telling);
		smc_rmb_announced(lgr, rmb, true);
		break;
	case SMC_RKEY_DO_REFUSED:
		smc_rmb_tell(lgr, rmb, lgr->rmbs.telling);
		smc_rmb_announced(lgr, rmb, false);
		break;
	case SMC_RKEY_DO_LATER:
		smc_lgr_set_deadline(lgr, SMC_LGR_DL_RKEY_AGAIN, AGAIN_MS);
		break;
	case SMC_RKEY_DO_GONE:
		smc_rmb_revoked(lgr, rmb);
		break;
	case SMC_RKEY_DO_FAIL_LINK:
		rkey_fail_carrier(lgr);
		break;
	}
}

/* Only this function writes the state. */
static void rkey_step(struct smc_lgr *lgr, enum smc_rkey_event ev)
{
	struct smc_rmb *rmb = lgr->rmbs.busy;
	const struct smc_fsm_cell *cell;

	cell = smc_fsm_step(&smc_rkey_fsm, &lgr->rkey.state, ev);
	if (cell->kind == SMC_FSM_VIOLATION) {
		smc_lgr_violation(lgr);
		return;
	}
	if (cell->kind == SMC_FSM_IGNORE)
		return;
	if (smc_rkey_idle(lgr)) {
		lgr->rmbs.busy = NULL;
		smc_lgr_clear_deadline(lgr, SMC_LGR_DL_RKEY);
	}
	rkey_run(lgr, rmb, cell->action);
	if (smc_rkey_idle(lgr)) {
		smc_lgr_due(lgr, SMC_LGR_DUE_FLOW);
		smc_lgr_due(lgr, SMC_LGR_DUE_RMB);
	}
}

static void rkey_start(struct smc_lgr *lgr, struct smc_rmb *rmb,
		       enum smc_rkey_event ev)
{
	struct smc_link *link = smc_links_carrier(lgr, NULL);

	if (!link)
		return;		/* the group will end soon */
	lgr->rmbs.busy = rmb;
	lgr->rkey.late = 0;
	lgr->rkey.carrier = link->uid;
	lgr->rkey.rkey = rmb->tok[link->slot].rkey;
	rkey_step(lgr, ev);
}

/**
 * smc_rkey_announce - tell the peer the keys of an RMB on all links
 * @lgr: group
 * @rmb: RMB
 *
 * On the link that carries the message, the message leaves after the
 * registration. On other links the registration must complete before the
 * message leaves; event RMB reports that.
 * Context: worker, after exchange_may_start(). Return: true if the exchange
 * runs or will run; false if a key could not be registered, and @rmb may be
 * freed.
 */
bool smc_rkey_announce(struct smc_lgr *lgr, struct smc_rmb *rmb)
{
	struct smc_link *carrier = smc_links_carrier(lgr, NULL);
	struct smc_link *link;
	bool wait = false;
	int err, i;

	smc_link_for_each(lgr, i, link) {
		if (link->state != SMC_LINK_ACTIVE)
			continue;
		/* the link goes, and this function is called again then */
		if (link->fate.how != SMC_LINK_STAYS) {
			wait = true;
			continue;
		}
		err = smc_rmb_map(rmb, link);
		/*
		 * the registration takes effect before the peer receives the
		 * message
		 */
		if (!err && !smc_rmb_register(lgr, rmb, i)) {
			wait |= link != carrier &&
				!smc_mr_registered(rmb->tok[i].mr);
			continue;
		}
		/*
		 * the link has failed, and event LINK_DOWN follows, or it goes
		 */
		if (!err || READ_ONCE(link->broken) ||
		    smc_rmb_retire_link(link, err)) {
			wait = true;
			continue;
		}
		/*
		 * connections use the RMB, and the link may get its key later
		 */
		if (rmb->state == SMC_RMB_READY && smc_rmb_may_pass(err) &&
		    lgr->rkey.late < LATE_MAX) {
			lgr->rkey.late++;
			smc_lgr_set_deadline(lgr, SMC_LGR_DL_RKEY_AGAIN,
					     AGAIN_MS);
			return true;
		}
		/* announce the keys on all links, because failover
		 * needs them
		 */
		lgr->rkey.late = 0;
		smc_rmb_tell(lgr, rmb, BIT(i));
		smc_rmb_announced(lgr, rmb, false);
		return false;
	}
	if (!wait)
		rkey_start(lgr, rmb, SMC_RKEY_EV_CONFIRM);
	return true;
}

/** smc_rkey_revoke - revoke the keys of an RMB; worker */
void smc_rkey_revoke(struct smc_lgr *lgr, struct smc_rmb *rmb)
{
	rkey_start(lgr, rmb, SMC_RKEY_EV_DELETE);
}

/** smc_rkey_timeout - the peer's answer is overdue; runs in the worker */
void smc_rkey_timeout(struct smc_lgr *lgr)
{
	struct smc_link *link = smc_links_by_uid(lgr, lgr->rkey.carrier);

	if (!smc_link_wait_on(link, SMC_LGR_DL_RKEY, lgr->rkey.wait_end))
		rkey_step(lgr, SMC_RKEY_EV_TIMEOUT);
}

/** smc_rkey_link_down - @link is down, so no answer will arrive; worker */
void smc_rkey_link_down(struct smc_lgr *lgr, const struct smc_link *link)
{
	if (lgr->rkey.carrier == link->uid)
		rkey_step(lgr, SMC_RKEY_EV_LOST);
}

/* Does this answer belong to our request? */
static bool rkey_ours(struct smc_lgr *lgr, const struct smc_link *link, u32 rkey)
{
	return lgr->rmbs.busy && lgr->rkey.carrier == link->uid &&
	       lgr->rkey.rkey == rkey;
}

static void rkey_confirmed(struct smc_link *link, const struct smc_llc_confirm_rkey *m)
{
	enum smc_rkey_event ev = SMC_RKEY_EV_CONFIRMED;
	struct smc_lgr *lgr = link->lgr;

	if (m->negative)
		ev = m->retry ? SMC_RKEY_EV_AGAIN : SMC_RKEY_EV_REFUSED;
	if (rkey_ours(lgr, link, m->rkey))
		rkey_step(lgr, ev);
	else
		smc_lgr_violation(lgr);
}

/* ---- the peer's exchanges ---- */

/* R-C.7.1-27: if the peer no longer names a link, that link has failed. */
static void rkey_check_missing(struct smc_link *carrier)
{
	struct smc_lgr *lgr = carrier->lgr;
	struct smc_link *link;
	int i;

	smc_link_for_each(lgr, i, link) {
		if (link == carrier || link->state != SMC_LINK_ACTIVE ||
		    time_before(jiffies, link->since +
				msecs_to_jiffies(LINK_YOUNG_MS)))
			continue;
		if (!(lgr->rkey.peer.named & BIT(i)))
			smc_link_give_up(link, SMC_LINK_FAILS, -ECONNRESET,
					 SMC_LLC_DEL_LOST_PATH);
	}
}

/* Stores the keys on all links except the carrier. */
static int rkey_learn_others(struct smc_link *carrier,
			     const struct smc_llc_rtok *tok, int n)
{
	struct smc_lgr *lgr = carrier->lgr;
	struct smc_lgr_rkey_peer *p = &lgr->rkey.peer;
	struct smc_link *link;
	int i, err = 0;

	for (i = 0; !err && i < n; i++) {
		link = smc_link_num_find(lgr, tok[i].link_num);
		/* a link that only the peer still has needs no key */
		if (!link || link == carrier)
			continue;
		p->named |= BIT(link->slot);
		err = smc_rtok_set(&lgr->rtoks, p->id, link->slot, tok[i].rkey,
				   tok[i].addr);
	}
	return err;
}

static int rkey_learn(struct smc_link *carrier, const struct smc_llc_confirm_rkey *m)
{
	struct smc_lgr *lgr = carrier->lgr;
	int n = min_t(int, m->num_other, ARRAY_SIZE(m->other));
	int err;

	lgr->rkey.peer.named = 0;
	err = smc_rtok_learn(&lgr->rtoks, carrier->slot, m->rkey, m->addr,
			     &lgr->rkey.peer.id);
	return err ?: rkey_learn_others(carrier, m->other, n);
}

/* Checks for links that the peer did not name, after all continuations have
 * arrived.
 */
static void rkey_learned(struct smc_link *carrier)
{
	struct smc_lgr_rkey_peer *p = &carrier->lgr->rkey.peer;

	if (!p->left && p->id)
		rkey_check_missing(carrier);
}

/* A peer that takes no answers but still sends requests breaks the protocol. */
static void rkey_reply(struct smc_link *link, const struct smc_llc_msg *m)
{
	if (smc_link_send(link, m))
		smc_lgr_violation(link->lgr);
}

/*
 * While the server changes links, a client must ask again later
 * (R-3.5.5.3.1-06, R-3.5.5.3.2-05). Clients on Linux are an exception, because
 * they run one exchange after the other. If the client's request arrives before
 * its answer to our message, the request concerns only the links that the
 * client knows. The keys on a new link follow with the client's answer.
 * Deployed Linux clients end SMC after a refusal.
 */
static bool rkey_refuses(const struct smc_lgr *lgr)
{
	if (lgr->key.role != SMC_SERV || smc_flow_idle(lgr))
		return false;
	/* in version 1 a peer does not tell its operating system */
	return lgr->terms.peer_os != SMC_CLC_OS_LINUX ||
	       !smc_flow_unheard(lgr);
}

/**
 * smc_rkey_confirm - CONFIRM RKEY has arrived
 * @link: on this link
 * @in: message
 *
 * Context: worker.
 */
void smc_rkey_confirm(struct smc_link *link, const struct smc_llc_in *in)
{
	const struct smc_llc_confirm_rkey *m = &in->m.confirm_rkey;
	struct smc_lgr_rkey_peer *p = &link->lgr->rkey.peer;
	struct smc_llc_msg answer = in->m;
	int left = m->num_other - (int)ARRAY_SIZE(m->other);

	if (m->reply) {
		rkey_confirmed(link, m);
		return;
	}
	/* answer at once, even during our own exchange (Y-04, R-3.5.5.3-04) */
	answer.confirm_rkey.reply = true;
	if (rkey_refuses(link->lgr)) {
		answer.confirm_rkey.negative = true;
		answer.confirm_rkey.retry = true;
	} else {
		answer.confirm_rkey.negative = rkey_learn(link, m);
	}
	p->left = max(left, 0);
	p->carrier = link->uid;
	if (answer.confirm_rkey.negative)
		p->id = 0;
	rkey_reply(link, &answer);
	rkey_learned(link);
}

/**
 * smc_rkey_confirm_cont - CONFIRM RKEY CONTINUATION has arrived
 * @link: on this link
 * @in: message
 *
 * CONFIRM RKEY has room for all links of our groups. A peer may name further
 * links, which do not exist and need no key (R-A.3.6-03). A continuation must
 * begin where the last message ended, otherwise it is a violation (R-A.3.6-02,
 * R-C.7.1-32). Context: worker.
 */
void smc_rkey_confirm_cont(struct smc_link *link, const struct smc_llc_in *in)
{
	const struct smc_llc_confirm_rkey_cont *m = &in->m.confirm_rkey_cont;
	struct smc_lgr_rkey_peer *p = &link->lgr->rkey.peer;
	struct smc_llc_msg answer = in->m;
	int n = min_t(int, m->num_left, ARRAY_SIZE(m->entry));

	if (m->reply || !n || m->num_left != p->left ||
	    p->carrier != link->uid) {
		smc_lgr_violation(link->lgr);
		return;
	}
	answer.confirm_rkey_cont.reply = true;
	p->left -= n;
	if (p->id && rkey_learn_others(link, m->entry, n))
		p->id = 0;
	answer.confirm_rkey_cont.negative = !p->id;
	rkey_reply(link, &answer);
	rkey_learned(link);
}

/**
 * smc_rkey_delete - DELETE RKEY has arrived
 * @link: on this link
 * @in: message
 *
 * Context: worker.
 */
void smc_rkey_delete(struct smc_link *link, const struct smc_llc_in *in)
{
	const struct smc_llc_revoke *m = &in->m.revoke;
	struct smc_llc_msg answer = in->m;
	struct smc_llc_revoke *a = &answer.revoke;
	struct smc_lgr *lgr = link->lgr;
	u32 rkey;
	int i;

	if (m->reply) {
		if (rkey_ours(lgr, link, m->names_none ? lgr->rkey.rkey :
							 m->rkey[0]))
			rkey_step(lgr, SMC_RKEY_EV_DELETED);
		else
			smc_lgr_violation(lgr);
		return;
	}
	a->reply = true;
	for (i = 0; i < m->n; i++) {	/* R-A.3.7-03, -05 */
		if (!smc_llc_msg_rkey(in->buf, in->len, i, &rkey) &&
		    smc_rtok_delete(&lgr->rtoks, link->slot, rkey))
			continue;
		a->n_unknown++;
		if (i < ARRAY_SIZE(a->rkey))
			a->unknown |= BIT(i);
	}
	rkey_reply(link, &answer);
}

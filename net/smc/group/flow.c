// SPDX-License-Identifier: GPL-2.0
/*
 * LLC flows that add and delete links. This file controls the order of the
 * steps (RFC 7609 3.5.1.6, 3.5.5.1), the timeouts (C.7.1), and the choice of
 * the next exchange (3.5.5.3). The code of this file runs in the group's
 * worker.
 */
#include "../base/mib.h"
#include "add.h"
#include "device.h"
#include "first_contact_fsm.h"
#include "flow.h"
#include "flow_fsm.h"
#include "lgr.h"
#include "lgr_fsm.h"
#include "lgr_types.h"
#include "link.h"
#include "link_end.h"
#include "link_num.h"
#include "link_types.h"
#include "links.h"
#include "llc_out.h"
#include "member.h"
#include "rmb.h"
#include "symmetry.h"
#include "redundancy.h"

/** smc_flow_idle - does no exchange of messages change links at present? */
bool smc_flow_idle(const struct smc_lgr *lgr)
{
	return lgr->flow.state == SMC_FLOW_IDLE;
}

/** smc_flow_unheard - server: is the client's first answer still missing? */
bool smc_flow_unheard(const struct smc_lgr *lgr)
{
	switch (lgr->flow.state) {
	case SMC_FLOW_ADD:
	case SMC_FLOW_DELETE:
	case SMC_FLOW_DELETE_AGAIN:
		return true;
	default:
		return false;
	}
}

static struct smc_link *flow_carrier(struct smc_lgr *lgr)
{
	return smc_links_by_uid(lgr, lgr->flow.carrier);
}

static struct smc_link *flow_subject(struct smc_lgr *lgr)
{
	return smc_links_by_uid(lgr, lgr->flow.link);
}

/* ---- steps ---- */

static void flow_drop(struct smc_lgr *lgr)
{
	struct smc_link *link = flow_subject(lgr);

	/* a link that leaves waits for the arrival of a message */
	if (link && link->state != SMC_LINK_LEAVING)
		smc_links_remove(lgr, link);
}

/*
 * The new link is unusable, but the peer has already created its half. So
 * another exchange must delete the link.
 */
static void flow_abort_link(struct smc_lgr *lgr)
{
	struct smc_link *link = flow_subject(lgr);

	if (!link)
		return;
	smc_link_step(link, SMC_LINK_EV_FAIL);
	link->reason = SMC_LLC_DEL_LOST_PATH;
	/* the peer may already use the link for connections */
	smc_member_move_all(lgr, link, NULL, INT_MAX);
	smc_link_bury(link);
	smc_rmb_drop_link(lgr, link);
	lgr->flow.avoid = link->choice.port;
	/* a client may also run short after it has accepted the offer */
	if (lgr->key.role == SMC_CLNT)
		lgr->flow.again = link->choice.port;
	smc_redundancy_retry(lgr);
}

static void flow_fail_carrier(struct smc_lgr *lgr)
{
	struct smc_link *link = flow_carrier(lgr);

	smc_mib_inc(NULL, SMC_MIB_LLC_TIMEOUT);
	/* first contact continues with its single link */
	if (link && lgr->first.state == SMC_FIRST_DONE)
		smc_link_give_up(link, SMC_LINK_FAILS, -ETIMEDOUT,
				 SMC_LLC_DEL_LOST_PATH);
}

/*
 * Moves connections from links that carry more than their share to the new link
 * (R-2.3-11).
 */
static void flow_rebalance(struct smc_lgr *lgr, struct smc_link *to)
{
	int i, n, share, room, total = 0, links = 0;
	struct smc_link *link;

	/* an asymmetric link that @to replaces gets no share */
	smc_link_for_each(lgr, i, link) {
		if (link->state != SMC_LINK_ACTIVE)
			continue;
		total += atomic_read(&link->conns);
		links += !link->asymmetric;
	}
	share = total / links;
	room = share - atomic_read(&to->conns);
	smc_link_for_each(lgr, i, link) {
		if (link == to || link->state != SMC_LINK_ACTIVE)
			continue;
		n = atomic_read(&link->conns);
		n = min(room, link->asymmetric ? n : n - share);
		if (n <= 0)
			continue;
		smc_member_move_all(lgr, link, to, n);
		room -= n;
	}
}

static void flow_added(struct smc_lgr *lgr)
{
	struct smc_link *link = flow_subject(lgr);

	link->since = jiffies;
	smc_link_step(link, SMC_LINK_EV_CONFIRMED);
	smc_link_watch(link);
	/* the group may need one more link */
	if (lgr->key.role == SMC_SERV)
		lgr->flow.want = SMC_FLOW_WANT_LINK;
	else if (!smc_symmetry_missing(lgr))
		lgr->flow.want = SMC_FLOW_WANT_NOTHING;
	lgr->flow.n_tried = 0;
	lgr->flow.retry_ms = 0;
	lgr->flow.no_path_ms = 0;
	lgr->flow.avoid = NULL;
	lgr->flow.again = NULL;
	smc_lgr_clear_deadline(lgr, SMC_LGR_DL_ADD_RETRY);
	smc_mib_inc(NULL, SMC_MIB_LINK_ADDED);
	/* asymmetric links carry connections only if no other link can */
	smc_symmetry_classify(lgr);
	if (!link->asymmetric)
		flow_rebalance(lgr, link);
	else if (lgr->key.role == SMC_SERV)
		/* the client has no port of its own for a link to this port */
		lgr->flow.tried[lgr->flow.n_tried++] = link->choice.port;
}

/*
 * The server may send a DELETE LINK twice and then over another link. An answer
 * may arrive late, so the link number is kept.
 */
static void flow_note_deleted(struct smc_flow *f, u8 num)
{
	if (f->deleted[0] == num)
		return;
	memmove(f->deleted + 1, f->deleted, sizeof(f->deleted) - 1);
	f->deleted[0] = num;
}

static bool flow_was_deleted(const struct smc_flow *f, u8 num)
{
	return num && memchr(f->deleted, num, sizeof(f->deleted));
}

static int flow_confirm(struct smc_lgr *lgr, bool reply)
{
	struct smc_link *link = flow_subject(lgr);
	int err = smc_device_start(link);

	if (!err)
		err = smc_add_open_keys(lgr, link);
	return err ?: smc_llc_out_confirm_link(link, reply);
}

/* The client has accepted a link that we no longer want, so delete the link. */
static void flow_refuse_late(struct smc_lgr *lgr)
{
	struct smc_link *on = smc_links_by_uid(lgr, lgr->flow.late_on);

	flow_note_deleted(&lgr->flow, lgr->flow.late);
	if (on)
		smc_llc_out_delete(on, lgr->flow.late, SMC_LLC_DEL_LOST_PATH,
				   false);
}

/*
 * Return: 0, or a negative errno if the action has failed; event BROKEN
 * follows.
 */
static int flow_run(struct smc_lgr *lgr, enum smc_flow_action action)
{
	struct smc_link *link = flow_subject(lgr);
	struct smc_link *on = flow_carrier(lgr);
	int err = 0;

	/* after a rejection the client sends no more messages about
	 * the offer
	 */
	if (action == SMC_FLOW_DO_SEND_ADD || action == SMC_FLOW_DO_NEXT)
		lgr->flow.past = 0;
	else if (action == SMC_FLOW_DO_REFUSE_LATE)
		lgr->flow.past = lgr->flow.late;
	else if (link)
		lgr->flow.past = link->num;
	if (action == SMC_FLOW_DO_SEND_DELETE ||
	    action == SMC_FLOW_DO_SEND_REPORT)
		flow_note_deleted(&lgr->flow, link->num);
	switch (action) {
	case SMC_FLOW_DO_NOTHING:
		break;
	case SMC_FLOW_DO_SEND_ADD:
		return smc_add_send(on, link, false);
	case SMC_FLOW_DO_SEND_CONT:
		return smc_add_send_keys(on, link, false);
	case SMC_FLOW_DO_SEND_CONFIRM:
		return flow_confirm(lgr, false);
	case SMC_FLOW_DO_RESEND_DELETE:
		/* deployed peers may drop messages while they are busy */
		smc_mib_inc(NULL, SMC_MIB_LLC_TIMEOUT);
		smc_link_probe_now(on);
		fallthrough;
	case SMC_FLOW_DO_SEND_DELETE:
	case SMC_FLOW_DO_SEND_REPORT:
		return smc_llc_out_delete(on, link->num, link->reason, false);
	case SMC_FLOW_DO_ACCEPT:
		return smc_add_send(on, link, true);
	case SMC_FLOW_DO_REPLY_CONT:
		return smc_add_send_keys(on, link, true);
	case SMC_FLOW_DO_REPLY_CONFIRM:
		err = flow_confirm(lgr, true);
		if (!err)
			flow_added(lgr);
		else
			flow_abort_link(lgr);
		return 0;
	case SMC_FLOW_DO_ADDED:
		flow_added(lgr);
		break;
	case SMC_FLOW_DO_NEXT:
	case SMC_FLOW_DO_DROP:
		flow_drop(lgr);
		break;
	case SMC_FLOW_DO_ABORT:
		flow_abort_link(lgr);
		break;
	case SMC_FLOW_DO_DROP_FAIL:
		flow_drop(lgr);
		flow_fail_carrier(lgr);
		break;
	case SMC_FLOW_DO_FAIL:
		flow_fail_carrier(lgr);
		break;
	case SMC_FLOW_DO_REMOVE_PROBE:
		if (on)
			smc_link_probe_now(on);
		fallthrough;
	case SMC_FLOW_DO_REMOVE:
		flow_drop(lgr);
		break;
	case SMC_FLOW_DO_REFUSE_LATE:
		flow_refuse_late(lgr);
		break;
	}
	return 0;
}

/**
 * smc_flow_find_down - find a link that is down and that the peer must delete
 * @lgr: group
 *
 * Context: worker. Return: link or NULL.
 */
struct smc_link *smc_flow_find_down(struct smc_lgr *lgr)
{
	struct smc_link *link;
	int i;

	smc_link_for_each(lgr, i, link)
		if (link->state == SMC_LINK_DOWN)
			return link;
	return NULL;
}

/* An exchange has ended. The worker starts the next one. */
static void flow_ended(struct smc_lgr *lgr)
{
	smc_lgr_clear_deadline(lgr, SMC_LGR_DL_FLOW);
	/* a key exchange that the peer has refused may start again */
	smc_lgr_clear_deadline(lgr, SMC_LGR_DL_RKEY_AGAIN);
	lgr->flow.link = 0;
	lgr->flow.carrier = 0;
	smc_lgr_due(lgr, SMC_LGR_DUE_FLOW);
	smc_lgr_due(lgr, SMC_LGR_DUE_FIRST);
	smc_lgr_due(lgr, SMC_LGR_DUE_RMB);
}

/*
 * Only this function writes the state. If an action fails, event BROKEN
 * follows.
 */
static void flow_step(struct smc_lgr *lgr, enum smc_flow_event ev)
{
	bool ran = !smc_flow_idle(lgr);
	const struct smc_fsm_cell *cell;
	int err;

	do {
		cell = smc_fsm_step(&smc_flow_fsm, &lgr->flow.state, ev);
		if (cell->kind == SMC_FSM_VIOLATION) {
			smc_lgr_violation(lgr);
			return;
		}
		if (cell->kind == SMC_FSM_IGNORE)
			break;
		/* an exchange may begin and end here, if its action fails */
		ran |= !smc_flow_idle(lgr);
		if (!smc_flow_idle(lgr) && ev != SMC_FLOW_EV_LATE)
			smc_lgr_set_deadline(lgr, SMC_LGR_DL_FLOW,
					     lgr->first.state == SMC_FIRST_DONE ?
					     SMC_LLC_FLOW_WAIT_MS :
					     SMC_LLC_WAIT_MS);
		err = flow_run(lgr, cell->action);
		/* a message that is repeated does not extend the wait */
		if (ev != SMC_FLOW_EV_TIMEOUT && ev != SMC_FLOW_EV_LATE)
			lgr->flow.wait_end = smc_link_wait_end(err);
		ev = SMC_FLOW_EV_BROKEN;
	} while (err);
	if (smc_flow_idle(lgr) && ran &&
	    READ_ONCE(lgr->state) < SMC_LGR_ENDING)
		flow_ended(lgr);
}

/* ---- the next exchange ---- */

static void flow_start(struct smc_lgr *lgr, struct smc_link *link,
		       enum smc_flow_event ev)
{
	struct smc_link *on = smc_links_carrier(lgr, link);

	if (!on)
		return;
	lgr->flow.link = link->uid;
	lgr->flow.carrier = on->uid;
	flow_step(lgr, ev);
}

/* These two errors: the device was not asked, see smc_device_open() */
static void flow_try_again(struct smc_lgr *lgr, int err)
{
	if (err == -EAGAIN || err == -EDQUOT)
		smc_redundancy_soon(lgr);
	else
		smc_redundancy_retry(lgr);
}

/* Server: offers a link. Return: true if the server has sent the offer. */
static bool flow_add(struct smc_lgr *lgr)
{
	struct smc_link *link;
	int err;

	if (!smc_lgr_may_add(lgr) || !smc_symmetry_missing(lgr)) {
		lgr->flow.want = SMC_FLOW_WANT_NOTHING;
		return false;
	}
	link = smc_add_open_server(lgr);
	err = PTR_ERR_OR_ZERO(link);
	if (!err && smc_add_lists_keys(lgr)) {
		err = smc_add_map_keys(lgr, link);
		if (err)
			smc_links_remove(lgr, link);
	}
	if (err == -ENODEV) {
		smc_redundancy_no_path(lgr);
		return false;
	}
	if (!err) {
		WRITE_ONCE(link->num, smc_link_num_next(lgr));
		flow_start(lgr, link, SMC_FLOW_EV_ADD);
		if (!smc_flow_idle(lgr)) {
			/* the offer also answers a REQUEST ADD LINK */
			lgr->flow.request = 0;
			return true;
		}
	}
	/* another port may have what this one lacks, but not the quota */
	if (err != -EDQUOT)
		lgr->flow.avoid = lgr->flow.tried[lgr->flow.n_tried - 1];
	flow_try_again(lgr, err);
	return false;
}

/**
 * smc_flow_next - start the next exchange, if none runs
 * @lgr: group whose RMBs are in no exchange
 *
 * Only one exchange runs at a time. The deletion of links that are down comes
 * first (R-3.5.5.3-01). Context: worker.
 */
void smc_flow_next(struct smc_lgr *lgr)
{
	bool server = lgr->key.role == SMC_SERV;
	struct smc_link *link;

	if (!smc_flow_idle(lgr))
		return;
	link = smc_flow_find_down(lgr);
	if (link) {
		flow_start(lgr, link, server ? SMC_FLOW_EV_DELETE :
					       SMC_FLOW_EV_REPORT);
		return;
	}
	if (!server) {
		smc_redundancy_tell(lgr);
		return;
	}
	link = smc_symmetry_needless(lgr);
	/* the worker calls this function again when the link is down */
	if (link)
		smc_link_give_up(link, SMC_LINK_RETIRES, -ESTALE,
				 SMC_LLC_DEL_ASYMMETRIC);
	else if (lgr->flow.want == SMC_FLOW_WANT_LINK)
		flow_add(lgr);
}

/** smc_flow_first - server: offer the second link; true if offered */
bool smc_flow_first(struct smc_lgr *lgr)
{
	lgr->flow.want = SMC_FLOW_WANT_LINK;
	return flow_add(lgr);
}

/*
 * Continues to wait for the peer's next message. This happens only in states
 * whose timeout makes the carrier fail, and never in first contact.
 * Return: false if the wait is over.
 */
static bool flow_wait_on(struct smc_lgr *lgr)
{
	unsigned long end = lgr->flow.wait_end;

	if (lgr->first.state != SMC_FIRST_DONE)
		return false;
	switch (lgr->flow.state) {
	case SMC_FLOW_CONT:
	case SMC_FLOW_C_CONT:
		if (time_before(lgr->flow.keys_end, end))
			end = lgr->flow.keys_end;
		break;
	case SMC_FLOW_ADD:
	case SMC_FLOW_DELETE_AGAIN:
		break;
	default:
		return false;
	}
	return smc_link_wait_on(flow_carrier(lgr), SMC_LGR_DL_FLOW, end);
}

/** smc_flow_timeout - the peer's next message is overdue; runs in the worker */
void smc_flow_timeout(struct smc_lgr *lgr)
{
	if (!flow_wait_on(lgr))
		flow_step(lgr, SMC_FLOW_EV_TIMEOUT);
}

/** smc_flow_link_down - @link is down for any reason; runs in the worker */
void smc_flow_link_down(struct smc_lgr *lgr, struct smc_link *link)
{
	lgr->flow.avoid = link->choice.port;
	/* flow_step() may free the link */
	if (lgr->flow.carrier == link->uid)
		flow_step(lgr, SMC_FLOW_EV_CARRIER);
	else if (lgr->flow.link == link->uid)
		flow_step(lgr, SMC_FLOW_EV_BROKEN);
	/*
	 * another port may work, or this one if the fault was at the other end
	 */
	lgr->flow.again = NULL;
	if (smc_redundancy_may_try(lgr))
		smc_redundancy_want(lgr);
	smc_lgr_due(lgr, SMC_LGR_DUE_FLOW);
	smc_lgr_due(lgr, SMC_LGR_DUE_RMB);
}

/* ---- server: requests of the client ---- */

static void flow_nothing_to_add(struct smc_link *link)
{
	struct smc_llc_msg m = {
		.type = SMC_LLC_REQ_ADD_LINK,
		.request = { .reply = true },
	};

	smc_link_send(link, &m);
}

/**
 * smc_flow_answer_request - server: refuse a REQUEST ADD LINK if no offer has
 * answered it
 * @lgr: group
 *
 * The server may still offer a link later, but a client may do nothing else
 * before it has the answer. Context: worker.
 */
void smc_flow_answer_request(struct smc_lgr *lgr)
{
	struct smc_link *link = smc_links_by_uid(lgr, lgr->flow.request);

	if (!lgr->flow.request)
		return;
	lgr->flow.request = 0;
	if (!link || link->state != SMC_LINK_ACTIVE)
		link = smc_links_carrier(lgr, NULL);
	if (link)
		flow_nothing_to_add(link);
}

/* ---- messages ---- */

/*
 * Is this an error of this host? The other errors are faults of the peer, or
 * mean that no port fits.
 */
static bool flow_is_shortage(int err)
{
	return err && err != -ENODEV && err != -EPROTO && err != -EMSGSIZE;
}

/* The client's half of an offered link. Return: 0 or negative errno. */
static int flow_complete(struct smc_link *on, struct smc_link *link,
			 const struct smc_llc_in *in)
{
	const struct smc_llc_add_link *m = &in->m.add_link;
	struct smc_lgr *lgr = on->lgr;
	struct smc_ep_addr peer = {
		.qpn = m->qpn, .psn = m->psn, .mtu = m->mtu_code,
	};
	int err;

	memcpy(peer.gid, m->gid, sizeof(peer.gid));
	memcpy(peer.mac, m->mac, sizeof(peer.mac));
	WRITE_ONCE(link->num, m->link_num);
	err = smc_links_bind(link, &peer, smc_device_bind);
	if (err)
		return err;
	if (smc_symmetry_unfit(lgr, link))
		return -ENODEV;
	err = smc_add_map_keys(lgr, link);
	if (!err && smc_add_lists_keys(lgr))
		err = smc_add_take_pairs(on, link, in);
	return err;
}

/**
 * smc_flow_offer - client: act on an ADD LINK that offers a link
 * @on: on this link
 * @in: message
 *
 * A client that lacks memory, or a resource of the device, asks for the link
 * later: the server does not offer it again by itself for a long time. The next
 * offer goes to another port if there is one. The server may offer several
 * links one after the other, so only the first refusal sets the delay.
 *
 * Context: worker. Return: true: accepted; false: a rejection was sent.
 */
bool smc_flow_offer(struct smc_link *on, const struct smc_llc_in *in)
{
	const struct smc_llc_add_link *m = &in->m.add_link;
	struct smc_lgr *lgr = on->lgr;
	struct smc_link *link = ERR_PTR(-ENODEV);
	int err;

	/*
	 * an offer shows that the server has deleted the link that the client
	 * reported, and has every reply
	 */
	smc_links_left(lgr, true);
	smc_redundancy_answered(lgr);
	if (lgr->flow.state == SMC_FLOW_C_GONE)
		flow_step(lgr, SMC_FLOW_EV_DELETED);
	if (smc_flow_idle(lgr) && smc_lgr_may_add(lgr) &&
	    smc_links_active(lgr) < SMC_LINKS_LOCAL_MAX && m->link_num &&
	    !smc_link_num_find(lgr, m->link_num))
		link = smc_add_open_client(on, m);
	err = PTR_ERR_OR_ZERO(link);
	if (!err) {
		err = flow_complete(on, link, in);
		if (flow_is_shortage(err))
			lgr->flow.avoid = link->choice.port;
		if (err)
			smc_links_remove(lgr, link);
	}
	if (err) {
		smc_llc_out_add_nothing(on, err == -EMSGSIZE ?
					SMC_LLC_REJECT_MTU :
					SMC_LLC_REJECT_NO_PATH, m->link_num);
		if (flow_is_shortage(err) && !lgr->flow.again) {
			lgr->flow.again = on->choice.port;
			flow_try_again(lgr, err);
		}
		return false;
	}
	lgr->flow.link = link->uid;
	lgr->flow.carrier = on->uid;
	flow_step(lgr, smc_add_lists_keys(lgr) ? SMC_FLOW_EV_OFFER_KEYS :
						 SMC_FLOW_EV_OFFER);
	return true;
}

static void flow_on_reply(struct smc_link *on, const struct smc_llc_in *in)
{
	const struct smc_llc_add_link *m = &in->m.add_link;
	struct smc_lgr *lgr = on->lgr;
	struct smc_link *link = flow_subject(lgr);
	bool listed = smc_add_lists_keys(lgr);
	struct smc_ep_addr peer = {
		.qpn = m->qpn, .psn = m->psn, .mtu = m->mtu_code,
	};

	if (m->reject) {
		/* ignore the rejection of an earlier offer */
		if (link && (!m->link_num || m->link_num == link->num))
			flow_step(lgr, SMC_FLOW_EV_REJECTED);
		return;
	}
	if (lgr->flow.state != SMC_FLOW_ADD || !link ||
	    link->num != m->link_num) {
		/* a repeated reply about an existing link has no effect */
		if (smc_link_num_find(lgr, m->link_num))
			return;
		lgr->flow.late = m->link_num;
		lgr->flow.late_on = on->uid;
		flow_step(lgr, SMC_FLOW_EV_LATE);
		return;
	}
	memcpy(peer.gid, m->gid, sizeof(peer.gid));
	memcpy(peer.mac, m->mac, sizeof(peer.mac));
	/* deployed peers may choose an adapter on another network */
	if (!smc_dev_on_link(&link->choice, m->gid) ||
	    smc_links_bind(link, &peer, smc_device_bind) ||
	    smc_symmetry_unfit(lgr, link) ||
	    (listed ? smc_add_take_pairs(on, link, in) :
		      smc_add_map_keys(lgr, link))) {
		flow_step(lgr, SMC_FLOW_EV_UNUSABLE);
		return;
	}
	flow_step(lgr, listed ? SMC_FLOW_EV_ACCEPTED_KEYS :
				SMC_FLOW_EV_ACCEPTED);
}

/**
 * smc_flow_add_link - ADD LINK, or its answer, has arrived
 * @on: on this link
 * @in: message
 *
 * Context: worker.
 */
void smc_flow_add_link(struct smc_link *on, const struct smc_llc_in *in)
{
	struct smc_lgr *lgr = on->lgr;
	bool reply = in->m.add_link.reply;

	if (reply && lgr->key.role == SMC_CLNT)
		smc_lgr_violation(lgr);
	else if (reply)
		flow_on_reply(on, in);
	else if (lgr->key.role == SMC_CLNT)
		smc_flow_offer(on, in);
	else if (lgr->first.state == SMC_FIRST_DONE)
		smc_redundancy_asked(lgr);
}

/* Handles a message that belongs to no exchange under way. */
static void flow_late(struct smc_lgr *lgr, u8 link_num)
{
	if (!link_num || link_num != lgr->flow.past)
		smc_lgr_violation(lgr);		/* R-C.7.1-32 */
}

/**
 * smc_flow_add_cont - ADD LINK CONTINUATION, or its answer, has arrived
 * @on: on this link
 * @in: message
 *
 * Context: worker.
 */
void smc_flow_add_cont(struct smc_link *on, const struct smc_llc_in *in)
{
	const struct smc_llc_add_link_cont *m = &in->m.add_link_cont;
	bool server = on->lgr->key.role == SMC_SERV;
	struct smc_lgr *lgr = on->lgr;
	struct smc_link *link = flow_subject(lgr);
	unsigned int left;

	if (m->reply != server) {
		smc_lgr_violation(lgr);
		return;
	}
	if (!link || link->num != m->link_num || lgr->flow.carrier != on->uid) {
		flow_late(lgr, m->link_num);
		return;
	}
	if (smc_add_take_keys(on, link, m)) {
		flow_step(lgr, SMC_FLOW_EV_BROKEN);
		return;
	}
	/* the client's answer carries the next two keys */
	left = lgr->flow.left;
	if (!server)
		left -= min(left, 2U);
	flow_step(lgr, left || lgr->flow.peer_left ?
			   SMC_FLOW_EV_MORE : SMC_FLOW_EV_LAST);
}

/**
 * smc_flow_is_about - does the current exchange add or delete this link?
 * @link: link
 *
 * Context: worker. Return: true if the exchange is about the link.
 */
bool smc_flow_is_about(const struct smc_link *link)
{
	return link->lgr->flow.link == link->uid;
}

/**
 * smc_flow_confirm_link - CONFIRM LINK of the new link, or its answer, has
 * arrived
 * @on: this link
 * @in: message
 *
 * Context: worker.
 */
void smc_flow_confirm_link(struct smc_link *on, const struct smc_llc_in *in)
{
	const struct smc_llc_confirm_link *m = &in->m.confirm_link;
	bool server = on->lgr->key.role == SMC_SERV;
	struct smc_lgr *lgr = on->lgr;

	if (m->reply != server) {
		smc_lgr_violation(lgr);
		return;
	}
	on->peer_uid = m->link_uid;
	if (m->qpn != on->peer.qpn || m->link_num != on->num)
		flow_step(lgr, SMC_FLOW_EV_BROKEN);	/* R-C.7.1-20 */
	else
		flow_step(lgr, server ? SMC_FLOW_EV_CONFIRMED :
					SMC_FLOW_EV_CONFIRM);
}

/**
 * smc_flow_answer_delete - client: answer the server's DELETE LINK
 * @lgr: group
 * @link: link that no connection will use; the function may free it
 *
 * Context: worker. R-3.5.5.1.3-05, -06.
 */
void smc_flow_answer_delete(struct smc_lgr *lgr, struct smc_link *link)
{
	struct smc_link *on = smc_links_carrier(lgr, link);
	bool subject = link->uid == lgr->flow.link, sent;

	sent = on && !smc_llc_out_delete(on, link->num, 0, true);
	if (sent)
		smc_links_leave(link, on);
	if (subject)
		flow_step(lgr, SMC_FLOW_EV_DELETED);
	else if (!sent)
		smc_links_remove(lgr, link);
}

/**
 * smc_flow_delete_link - DELETE LINK of one of several links, or its answer,
 * has arrived
 * @on: on this link
 * @in: message; it does not end the group
 *
 * Context: worker.
 */
void smc_flow_delete_link(struct smc_link *on, const struct smc_llc_in *in)
{
	const struct smc_llc_delete_link *m = &in->m.delete_link;
	struct smc_lgr *lgr = on->lgr;
	struct smc_link *link = smc_link_num_find(lgr, m->link_num);

	/* the answer "unknown link" also ends the exchange (R-L-15) */
	if (m->reply) {
		if (link && smc_flow_is_about(link))
			flow_step(lgr, SMC_FLOW_EV_DELETED);
		else if (!flow_was_deleted(&lgr->flow, m->link_num))
			flow_late(lgr, m->link_num);
		return;
	}
	if (lgr->key.role == SMC_SERV) {	/* R-3.5.5.1.4-03 */
		if (!link)
			smc_llc_out_unknown_link(on, m->link_num);
		else if (link->state == SMC_LINK_SETUP)
			flow_step(lgr, SMC_FLOW_EV_BROKEN);
		else
			smc_link_give_up(link, SMC_LINK_FAILS, -ECONNRESET,
					 m->reason);
		return;
	}
	if (!link)
		smc_llc_out_unknown_link(on, m->link_num);	/* R-C.7.1-26 */
	else if (link->state == SMC_LINK_ACTIVE || link->state == SMC_LINK_DOWN)
		smc_link_give_up(link, SMC_LINK_LEAVES, -ECONNRESET, m->reason);
	else	/* no connection uses a link in state SETUP or LEAVING */
		smc_flow_answer_delete(lgr, link);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Driver of the exchanges that change the links of a group: the order of steps
 * of RFC 7609 3.5.1.6 and 3.5.5.1, its timeouts (C.7.1), and what is to be done
 * next when one has ended (3.5.5.3). All in the group's worker.
 */
#include "../base/mib.h"
#include "lgr_priv.h"

/** smc_flow_idle - no exchange that changes links runs */
bool smc_flow_idle(const struct smc_lgr *lgr)
{
	return lgr->flow.state == SMC_FLOW_IDLE;
}

/** smc_flow_unheard - as the server: the client has answered nothing of it yet */
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

static struct smc_link *carrier(struct smc_lgr *lgr)
{
	return smc_links_by_uid(lgr, lgr->flow.carrier);
}

static struct smc_link *subject(struct smc_lgr *lgr)
{
	return smc_links_by_uid(lgr, lgr->flow.link);
}

/* ---- steps ---- */

static int send_delete(struct smc_link *on, u8 num, u32 reason, bool reply)
{
	struct smc_llc_delete_link m = {
		.reply = reply,
		/* what happens to a broken link cannot wait */
		.orderly = reason == SMC_LLC_DEL_ASYMMETRIC ||
			   reason == SMC_LLC_DEL_OPERATOR,
		.link_num = num,
		.reason = reply ? 0 : reason,
	};
	u8 out[SMC_LLC_LEN];
	int err = smc_llc_encode_delete_link(out, &m);

	return err ?: smc_link_send(on, out);
}

static void drop(struct smc_lgr *lgr)
{
	struct smc_link *link = subject(lgr);

	if (link)
		smc_links_remove(lgr, link);
}

/* The peer has its half of the link: it is deleted by an exchange. */
static void abort_link(struct smc_lgr *lgr)
{
	struct smc_link *link = subject(lgr);

	if (!link)
		return;
	smc_link_step(link, SMC_LINK_EV_FAIL);
	link->reason = SMC_LLC_DEL_LOST_PATH;
	smc_link_close(link);
	/* the peer may have named it already */
	smc_links_move(lgr, link, NULL, INT_MAX);
	smc_rmbs_drop_link(lgr, link);
	lgr->flow.avoid = link->choice.port;
	smc_flow_try_later(lgr);
}

static void fail_carrier(struct smc_lgr *lgr)
{
	struct smc_link *link = carrier(lgr);

	smc_mib_inc(NULL, SMC_MIB_LLC_TIMEOUT);
	/* first contact goes on with the link that it has */
	if (link && lgr->first == SMC_FIRST_DONE)
		smc_links_failed(lgr, link, -ETIMEDOUT, SMC_LLC_DEL_LOST_PATH);
}

/* What the others carry above their share goes over the new one (R-2.3-11). */
static void rebalance(struct smc_lgr *lgr, struct smc_link *to)
{
	int i, n, share, room, total = 0, links = 0;
	struct smc_link *link;

	/* an asymmetric one is about to go, now that there is @to */
	smc_links_for_each(lgr, i, link) {
		if (link->state != SMC_LINK_ACTIVE)
			continue;
		total += atomic_read(&link->conns);
		links += !link->asymmetric;
	}
	share = total / links;
	room = share - atomic_read(&to->conns);
	smc_links_for_each(lgr, i, link) {
		if (link == to || link->state != SMC_LINK_ACTIVE)
			continue;
		n = atomic_read(&link->conns);
		n = min(room, link->asymmetric ? n : n - share);
		if (n <= 0)
			continue;
		smc_links_move(lgr, link, to, n);
		room -= n;
	}
}

static void added(struct smc_lgr *lgr)
{
	struct smc_link *link = subject(lgr);

	link->since = jiffies;
	smc_link_step(link, SMC_LINK_EV_CONFIRMED);
	smc_link_watch(link);
	/* perhaps not the last one that is missing */
	lgr->flow.want = lgr->role == SMC_SERV;
	if (!smc_links_missing(lgr))
		lgr->flow.notice = false;
	lgr->flow.n_tried = 0;
	lgr->flow.retry_ms = 0;
	lgr->flow.avoid = NULL;
	smc_lgr_clear_deadline(lgr, SMC_LGR_DL_ADD_RETRY);
	smc_mib_inc(NULL, SMC_MIB_LINK_ADDED);
	/* asymmetric ones are there for the case of need only */
	smc_links_classify(lgr);
	if (!link->asymmetric)
		rebalance(lgr, link);
	else if (lgr->role == SMC_SERV)
		/* the client has just said that it has none for this one */
		lgr->flow.tried[lgr->flow.n_tried++] = link->choice.port;
}

/* It is said twice, and over another link again: so may be the answers. */
static void note_deleted(struct smc_flow *f, u8 num)
{
	if (f->deleted[0] == num)
		return;
	memmove(f->deleted + 1, f->deleted, sizeof(f->deleted) - 1);
	f->deleted[0] = num;
}

static bool was_deleted(const struct smc_flow *f, u8 num)
{
	return num && memchr(f->deleted, num, sizeof(f->deleted));
}

static int confirm(struct smc_lgr *lgr, bool reply)
{
	struct smc_link *link = subject(lgr);
	int err = smc_link_start(link);

	if (!err)
		err = smc_add_open_keys(lgr, link);
	return err ?: smc_first_confirm_link(link, reply);
}

/* Return: 0, or the step could not be done. */
static int run(struct smc_lgr *lgr, u16 action)
{
	struct smc_link *link = subject(lgr);
	struct smc_link *on = carrier(lgr);
	int err = 0;

	/* nothing follows on an offer that was rejected */
	if (action == SMC_FLOW_DO_SEND_ADD || action == SMC_FLOW_DO_NEXT)
		lgr->flow.past = 0;
	else if (link)
		lgr->flow.past = link->num;
	if (action == SMC_FLOW_DO_SEND_DELETE ||
	    action == SMC_FLOW_DO_SEND_REPORT)
		note_deleted(&lgr->flow, link->num);
	switch (action) {
	case SMC_FLOW_DO_SEND_ADD:
		err = smc_add_is_v2(lgr) ? smc_add_map_keys(lgr, link) : 0;
		return err ?: smc_add_send(on, link, false);
	case SMC_FLOW_DO_SEND_CONT:
		return smc_add_send_keys(on, link, false);
	case SMC_FLOW_DO_SEND_CONFIRM:
		return confirm(lgr, false);
	case SMC_FLOW_DO_RESEND_DELETE:
		/* deployed peers may drop what comes while they are busy */
		smc_mib_inc(NULL, SMC_MIB_LLC_TIMEOUT);
		smc_link_probe_now(on);
		fallthrough;
	case SMC_FLOW_DO_SEND_DELETE:
	case SMC_FLOW_DO_SEND_REPORT:
		return send_delete(on, link->num, link->reason, false);
	case SMC_FLOW_DO_ACCEPT:
		return smc_add_send(on, link, true);
	case SMC_FLOW_DO_REPLY_CONT:
		return smc_add_send_keys(on, link, true);
	case SMC_FLOW_DO_REPLY_CONFIRM:
		err = confirm(lgr, true);
		if (!err)
			added(lgr);
		else
			abort_link(lgr);
		return 0;
	case SMC_FLOW_DO_ADDED:
		added(lgr);
		break;
	case SMC_FLOW_DO_NEXT:
	case SMC_FLOW_DO_DROP:
		drop(lgr);
		break;
	case SMC_FLOW_DO_ABORT:
		abort_link(lgr);
		break;
	case SMC_FLOW_DO_DROP_FAIL:
		drop(lgr);
		fail_carrier(lgr);
		break;
	case SMC_FLOW_DO_FAIL:
		fail_carrier(lgr);
		break;
	case SMC_FLOW_DO_REMOVE_PROBE:
		if (on)
			smc_link_probe_now(on);
		fallthrough;
	case SMC_FLOW_DO_REMOVE:
		drop(lgr);
		break;
	}
	return 0;
}

/* A link that is down here, and the peer has to hear of it. */
static struct smc_link *find_down(struct smc_lgr *lgr)
{
	struct smc_link *link;
	int i;

	smc_links_for_each(lgr, i, link)
		if (link->state == SMC_LINK_DOWN && !link->silent)
			return link;
	return NULL;
}

/* First contact waits for the outcome, whatever it is (R-3.5.1.6-01). */
static void ended(struct smc_lgr *lgr)
{
	smc_lgr_clear_deadline(lgr, SMC_LGR_DL_FLOW);
	/* what was refused because of it need not wait longer */
	smc_lgr_clear_deadline(lgr, SMC_LGR_DL_RKEY_AGAIN);
	lgr->flow.link = 0;
	lgr->flow.carrier = 0;
	/*
	 * What is left of the attempt is deleted, but the server does not wait
	 * for that, nor for a third link; the client waits for what the
	 * server does about it.
	 */
	if (lgr->role == SMC_SERV &&
	    (find_down(lgr) || smc_links_active(lgr) > 1))
		smc_first_second_done(lgr);
	smc_flow_next(lgr);
	if (smc_flow_idle(lgr))
		smc_first_second_done(lgr);
}

/**
 * smc_flow_step - the only writer of the state; worker
 * @lgr: group
 * @ev: what happened
 */
void smc_flow_step(struct smc_lgr *lgr, enum smc_flow_event ev)
{
	u8 before = lgr->flow.state;
	const struct smc_fsm_cell *cell;

	cell = smc_fsm_step(&smc_flow_fsm, &lgr->flow.state, ev);
	if (cell->kind == SMC_FSM_VIOLATION) {
		smc_lgr_violation(lgr);
		return;
	}
	if (cell->kind == SMC_FSM_IGNORE)
		return;
	if (!smc_flow_idle(lgr))
		smc_lgr_set_deadline(lgr, SMC_LGR_DL_FLOW,
				     lgr->first == SMC_FIRST_DONE ?
				     SMC_LLC_FLOW_WAIT_MS : SMC_LLC_WAIT_MS);
	if (run(lgr, cell->action)) {
		smc_flow_step(lgr, SMC_FLOW_EV_BROKEN);
		return;
	}
	if (smc_flow_idle(lgr) && before != SMC_FLOW_IDLE &&
	    READ_ONCE(lgr->state) < SMC_LGR_ENDING)
		ended(lgr);
}

/* ---- what is due ---- */

static void start(struct smc_lgr *lgr, struct smc_link *link,
		  enum smc_flow_event ev)
{
	struct smc_link *on = smc_links_carrier(lgr, link);

	if (!on)
		return;
	lgr->flow.link = link->uid;
	lgr->flow.carrier = on->uid;
	smc_flow_step(lgr, ev);
}

static u8 next_num(struct smc_lgr *lgr)
{
	/* R-2.2.4-02, -03: in turn, 0 is none */
	do
		lgr->last_num++;
	while (!lgr->last_num || smc_links_by_num(lgr, lgr->last_num));
	return lgr->last_num;
}

/* Return: a link was offered. */
static bool add(struct smc_lgr *lgr)
{
	struct smc_link *link;

	if (!smc_lgr_may_add(lgr) || !smc_links_missing(lgr)) {
		lgr->flow.want = false;
		return false;
	}
	link = smc_add_open_server(lgr);
	if (!link) {
		smc_flow_no_path(lgr);
		return false;
	}
	WRITE_ONCE(link->num, next_num(lgr));
	start(lgr, link, SMC_FLOW_EV_ADD);
	return true;
}

/**
 * smc_flow_next - start the exchange that is due, if none runs; worker
 * @lgr: group
 */
void smc_flow_next(struct smc_lgr *lgr)
{
	bool server = lgr->role == SMC_SERV;
	struct smc_link *link;

	if (!smc_flow_idle(lgr) || !smc_rkey_idle(lgr) ||
	    READ_ONCE(lgr->state) >= SMC_LGR_ENDING)
		return;
	link = find_down(lgr);
	if (!link && server)
		link = smc_links_needless(lgr);
	if (link && link->state == SMC_LINK_ACTIVE) {
		smc_links_retire(lgr, link, -ESTALE, SMC_LLC_DEL_ASYMMETRIC);
		return;		/* comes back here */
	}
	if (link) {
		start(lgr, link, server ? SMC_FLOW_EV_DELETE :
					  SMC_FLOW_EV_REPORT);
		return;
	}
	if (server && lgr->flow.want && add(lgr))
		return;
	if (!server)
		smc_flow_tell_of_port(lgr);
	smc_rmb_work(lgr);
}

/** smc_flow_first - server: the second link of first contact. Return: begun */
bool smc_flow_first(struct smc_lgr *lgr)
{
	lgr->flow.want = true;
	return add(lgr) && !smc_flow_idle(lgr);
}

/** smc_flow_timeout - the peer's next message did not come; worker */
void smc_flow_timeout(struct smc_lgr *lgr)
{
	smc_flow_step(lgr, SMC_FLOW_EV_TIMEOUT);
}

/** smc_flow_link_down - @link is down, for whatever reason; worker */
void smc_flow_link_down(struct smc_lgr *lgr, struct smc_link *link)
{
	lgr->flow.avoid = link->choice.port;
	/* the link may be gone after that */
	if (lgr->flow.carrier == link->uid)
		smc_flow_step(lgr, SMC_FLOW_EV_CARRIER);
	else if (lgr->flow.link == link->uid)
		smc_flow_step(lgr, SMC_FLOW_EV_BROKEN);
	/* perhaps over another port, or this one if it was the other end's */
	if (smc_flow_may_try(lgr))
		smc_flow_want(lgr);
	else
		smc_flow_next(lgr);
}

/* ---- messages ---- */

/**
 * smc_flow_offer - client: ADD LINK of the server; worker
 * @on: on this link
 * @msg: SMC_LLC_LEN bytes, decodable
 *
 * Return: accepted; otherwise the rejection was sent.
 */
bool smc_flow_offer(struct smc_link *on, const u8 *msg)
{
	struct smc_lgr *lgr = on->lgr;
	bool v2 = smc_add_is_v2(lgr);
	struct smc_llc_add_link m;
	struct smc_link *link;
	u8 reason = SMC_LLC_REJECT_NO_PATH;

	if (smc_llc_decode_add_link(msg, &m))
		return false;
	/* the server has gone on: it has no link of which we spoke */
	if (lgr->flow.state == SMC_FLOW_C_GONE)
		smc_flow_step(lgr, SMC_FLOW_EV_DELETED);
	link = smc_flow_idle(lgr) && smc_lgr_may_add(lgr) &&
	       smc_links_active(lgr) < SMC_LINKS_LOCAL_MAX && m.link_num &&
	       !smc_links_by_num(lgr, m.link_num) ?
	       smc_add_open_client(on, &m, &reason) : NULL;
	if (link) {
		struct smc_ep_addr peer = {
			.qpn = m.qpn, .psn = m.psn, .mtu = m.mtu_code,
		};

		memcpy(peer.gid, m.gid, sizeof(peer.gid));
		memcpy(peer.mac, m.mac, sizeof(peer.mac));
		WRITE_ONCE(link->num, m.link_num);
		if (smc_link_bind(link, &peer) || smc_links_unfit(lgr, link) ||
		    smc_add_map_keys(lgr, link) ||
		    (v2 && smc_add_v2_take_keys(on, link))) {
			smc_links_remove(lgr, link);
			link = NULL;
		}
	}
	if (!link) {
		smc_add_reject(on, m.link_num, reason);
		return false;
	}
	lgr->flow.link = link->uid;
	lgr->flow.carrier = on->uid;
	smc_flow_step(lgr, v2 ? SMC_FLOW_EV_OFFER_V2 : SMC_FLOW_EV_OFFER);
	return true;
}

static void on_reply(struct smc_link *on, const struct smc_llc_add_link *m)
{
	struct smc_lgr *lgr = on->lgr;
	struct smc_link *link = subject(lgr);
	bool v2 = smc_add_is_v2(lgr);
	struct smc_ep_addr peer = {
		.qpn = m->qpn, .psn = m->psn, .mtu = m->mtu_code,
	};

	if (m->reject) {
		/* not of an earlier offer, for which nobody waits any more */
		if (link && (!m->link_num || m->link_num == link->num))
			smc_flow_step(lgr, SMC_FLOW_EV_REJECTED);
		return;
	}
	if (lgr->flow.state != SMC_FLOW_ADD || !link ||
	    link->num != m->link_num) {
		/* repeated: what it says was taken, and the link is wanted */
		if (smc_links_by_num(lgr, m->link_num))
			return;
		/* too late: the client has to forget it */
		lgr->flow.past = m->link_num;
		note_deleted(&lgr->flow, m->link_num);
		send_delete(on, m->link_num, SMC_LLC_DEL_LOST_PATH, false);
		return;
	}
	memcpy(peer.gid, m->gid, sizeof(peer.gid));
	memcpy(peer.mac, m->mac, sizeof(peer.mac));
	/* deployed peers take an adapter that is on another network */
	if (!smc_dev_on_link(&link->choice, m->gid) ||
	    smc_link_bind(link, &peer) || smc_links_unfit(lgr, link) ||
	    (v2 ? smc_add_v2_take_keys(on, link) : smc_add_map_keys(lgr, link))) {
		/* R-C.7.1-22: it exists at the client */
		lgr->flow.state = SMC_FLOW_CONT;
		smc_flow_step(lgr, SMC_FLOW_EV_BROKEN);
		return;
	}
	smc_flow_step(lgr, v2 ? SMC_FLOW_EV_ACCEPTED_V2 : SMC_FLOW_EV_ACCEPTED);
}

static void on_add_link(struct smc_link *on, const u8 *msg)
{
	struct smc_lgr *lgr = on->lgr;
	struct smc_llc_add_link m;

	if (smc_llc_decode_add_link(msg, &m) ||
	    (m.reply && lgr->role == SMC_CLNT))
		smc_lgr_violation(lgr);
	else if (m.reply)
		on_reply(on, &m);
	else if (lgr->role == SMC_CLNT)
		smc_flow_offer(on, msg);
	else
		smc_flow_asked(lgr);
}

/* The exchange that a message belongs to is over, or there was none. */
static void late(struct smc_lgr *lgr, u8 link_num)
{
	if (!link_num || link_num != lgr->flow.past)
		smc_lgr_violation(lgr);		/* R-C.7.1-32 */
}

static void on_cont(struct smc_link *on, const u8 *msg)
{
	bool server = on->lgr->role == SMC_SERV;
	struct smc_lgr *lgr = on->lgr;
	struct smc_llc_add_link_cont m;
	struct smc_link *link = subject(lgr);
	unsigned int left;

	if (smc_llc_decode_add_link_cont(msg, &m) || m.reply != server) {
		smc_lgr_violation(lgr);
		return;
	}
	if (!link || link->num != m.link_num || lgr->flow.carrier != on->uid) {
		late(lgr, m.link_num);
		return;
	}
	if (smc_add_take_keys(on, link, &m)) {
		smc_flow_step(lgr, SMC_FLOW_EV_BROKEN);
		return;
	}
	/* the client's answer carries two more */
	left = lgr->flow.left;
	if (!server)
		left -= min(left, 2U);
	smc_flow_step(lgr, left || lgr->flow.peer_left ?
			   SMC_FLOW_EV_MORE : SMC_FLOW_EV_LAST);
}

static void on_confirm_link(struct smc_link *on, const u8 *msg)
{
	bool server = on->lgr->role == SMC_SERV;
	struct smc_lgr *lgr = on->lgr;
	struct smc_llc_confirm_link m;

	if (smc_llc_decode_confirm_link(msg, &m) || m.reply != server) {
		smc_lgr_violation(lgr);
		return;
	}
	if (lgr->flow.link != on->uid)
		return;		/* repeated, or too late */
	on->peer_uid = m.link_uid;
	if (m.qpn != on->peer.qpn || m.link_num != on->num)
		smc_flow_step(lgr, SMC_FLOW_EV_BROKEN);	/* R-C.7.1-20 */
	else
		smc_flow_step(lgr, m.reply ? SMC_FLOW_EV_CONFIRMED :
					     SMC_FLOW_EV_CONFIRM);
}

/* The server says so: it need not hear of it from us. */
static void link_leaves(struct smc_lgr *lgr, struct smc_link *link, u32 reason)
{
	link->silent = true;
	smc_links_failed(lgr, link, -ECONNRESET, reason);
}

/* One link of several; the end of the group is not handled here. */
static void on_delete_link(struct smc_link *on, const u8 *msg)
{
	struct smc_lgr *lgr = on->lgr;
	struct smc_llc_delete_link m;
	struct smc_link *link;
	bool subj;

	if (smc_llc_decode_delete_link(msg, &m))
		return;
	link = smc_links_by_num(lgr, m.link_num);
	subj = link && link->uid == lgr->flow.link;
	if (m.reply) {	/* unknown is as good (R-L-15) */
		if (subj)
			smc_flow_step(lgr, SMC_FLOW_EV_DELETED);
		else if (!was_deleted(&lgr->flow, m.link_num))
			late(lgr, m.link_num);
		return;
	}
	if (lgr->role == SMC_SERV) {	/* R-3.5.5.1.4-03 */
		if (!link)
			smc_llc_reply_unknown(on, m.link_num);
		else if (link->state == SMC_LINK_SETUP)
			smc_flow_step(lgr, SMC_FLOW_EV_BROKEN);
		else
			smc_links_failed(lgr, link, -ECONNRESET, m.reason);
		return;
	}
	if (link && link->state == SMC_LINK_ACTIVE)
		link_leaves(lgr, link, m.reason);
	if (!link) {
		smc_llc_reply_unknown(on, m.link_num);	/* R-C.7.1-26 */
		return;
	}
	on = smc_links_carrier(lgr, link);
	if (on)		/* R-3.5.5.1.3-05 */
		send_delete(on, m.link_num, 0, true);
	if (subj)
		smc_flow_step(lgr, SMC_FLOW_EV_DELETED);
	else
		smc_links_remove(lgr, link);
}

/**
 * smc_flow_llc - a message about links arrived; worker
 * @link: on this link
 * @msg: SMC_LLC_LEN bytes
 */
void smc_flow_llc(struct smc_link *link, const u8 *msg)
{
	switch (smc_llc_opcode(msg)) {
	case SMC_LLC_CONFIRM_LINK:
		on_confirm_link(link, msg);
		break;
	case SMC_LLC_ADD_LINK:
		on_add_link(link, msg);
		break;
	case SMC_LLC_ADD_LINK_CONT:
		on_cont(link, msg);
		break;
	case SMC_LLC_DELETE_LINK:
		on_delete_link(link, msg);
		break;
	}
}

// SPDX-License-Identifier: GPL-2.0
/*
 * First contact over the new link: CONFIRM LINK, and the wait for the attempt
 * at a second link (RFC 7609 3.5.1.5 and 3.5.1.6), which is made in flow.c. A
 * server that has none to offer still sends an ADD LINK, which cannot be
 * accepted: deployed clients wait for one (R-L-13).
 */
#include "../base/mib.h"
#include "../wire/clc.h"
#include "lgr_priv.h"

#define LINK_NUM_FIRST	1

/* Longer than an adapter tries to deliver a message. */
#define CONFIRM_WAITS	3

/* Within the two seconds that deployed clients wait. */
#define CONFIRM_REPEATS	2

static u8 step(struct smc_lgr *lgr, enum smc_first_event ev)
{
	return smc_fsm_step(&smc_first_fsm, &lgr->first, ev)->action;
}

static bool violates(struct smc_lgr *lgr, enum smc_first_event ev)
{
	const struct smc_fsm_cell *cell;

	cell = &smc_first_fsm.cells[lgr->first * SMC_FIRST_NR_EVENTS + ev];
	return cell->kind == SMC_FSM_VIOLATION;
}

/** smc_first_confirm_link - CONFIRM LINK, of the first or another link */
int smc_first_confirm_link(struct smc_link *link, bool reply)
{
	const struct smc_lgr *lgr = link->lgr;
	struct smc_llc_confirm_link m = {
		.reply = reply,
		.no_eyecatcher = true,		/* X-03, R-L-06 */
		.link_num = link->num,
		.link_uid = link->uid,
		.max_links = lgr->terms.max_links ?:
			     max_t(u8, lgr->max_links, SMC_LINKS_STATED_MIN),
		.max_conns = lgr->terms.release ? lgr->terms.max_conns : 0,
	};
	u8 out[SMC_LLC_LEN];
	int err;

	memcpy(m.mac, link->self.mac, sizeof(m.mac));
	memcpy(m.gid, link->self.gid, sizeof(m.gid));
	m.qpn = link->self.qpn;
	err = smc_llc_encode_confirm_link(out, &m);
	return err ?: smc_link_send(link, out);
}

/* A request, or with a @reason the reply that refuses. */
static int send_add_link(struct smc_link *link, u8 reason, u8 link_num)
{
	struct smc_llc_add_link m = {
		.reply = reason,
		.reject = reason,
		.reason = reason,
		.link_num = link_num,
		/* MTU code 0 is always refused, R-C.7.1-21 */
	};
	u8 out[SMC_LLC_LEN];
	int err;

	memcpy(m.mac, link->self.mac, sizeof(m.mac));
	memcpy(m.gid, link->self.gid, sizeof(m.gid));
	m.qpn = link->self.qpn;	/* never an all-zero body, R-L-10 */
	err = smc_llc_encode_add_link(out, &m);
	return err ?: smc_link_send(link, out);
}

static void reject_add(struct smc_link *link, const struct smc_llc_add_link *add)
{
	bool valid = smc_clc_mtu_valid(add->mtu_code);	/* R-C.7.1-21 */

	send_add_link(link, valid ? SMC_LLC_REJECT_NO_PATH : SMC_LLC_REJECT_MTU,
		      add->link_num);
}

/* R-3.5.1.5-05, X-26: the peer must be who Accept or Confirm said. */
static bool names_peer(const struct smc_link *link,
		       const struct smc_llc_confirm_link *m)
{
	const struct smc_ep_addr *p = &link->peer;

	return m->qpn == p->qpn && !memcmp(m->gid, p->gid, sizeof(p->gid)) &&
	       !memcmp(m->mac, p->mac, sizeof(p->mac));
}

static void fail(struct smc_lgr *lgr, int err, u32 decline)
{
	lgr->first_decline = decline;
	smc_lgr_end(lgr, err, SMC_LLC_DEL_LOST_PATH, SMC_LGR_END_NOW);
}

static void confirmed(struct smc_link *link, u32 peer_uid)
{
	link->peer_uid = peer_uid;
	link->since = jiffies;
	smc_link_step(link, SMC_LINK_EV_CONFIRMED);
}

static void reply_confirm(struct smc_link *link,
			  const struct smc_llc_confirm_link *m)
{
	struct smc_lgr *lgr = link->lgr;
	int err;

	WRITE_ONCE(link->num, m->link_num);
	err = smc_link_start(link);
	if (!err)
		err = smc_rmb_open(lgr, link);
	if (!err)
		err = smc_first_confirm_link(link, true);
	if (!err)
		confirmed(link, m->link_uid);
	if (err) {	/* R-C.7-06 */
		step(lgr, SMC_FIRST_EV_FAIL);
		fail(lgr, err, SMC_DECL_ERR_RDYLNK);
		return;
	}
	smc_lgr_set_deadline(lgr, SMC_LGR_DL_FIRST, SMC_LLC_WAIT_MS);
}

/* The two agreed on one link: nobody offers a second, nobody waits for one. */
static bool alone(const struct smc_lgr *lgr)
{
	return lgr->terms.max_links == 1;
}

static void run(struct smc_link *link, u8 action,
		const struct smc_llc_add_link *add)
{
	struct smc_lgr *lgr = link->lgr;

	switch (action) {
	case SMC_FIRST_DO_SEND_ADD:
		send_add_link(link, 0, LINK_NUM_FIRST + 1);
		smc_lgr_set_deadline(lgr, SMC_LGR_DL_FIRST, SMC_LLC_WAIT_MS);
		break;
	case SMC_FIRST_DO_REJECT_FORM:
		reject_add(link, add);
		smc_lgr_formed(lgr);
		break;
	case SMC_FIRST_DO_REJECT_ADD:
		/* the server ignores a notice: it is at its limit */
		if (lgr->role == SMC_CLNT)
			reject_add(link, add);
		break;
	case SMC_FIRST_DO_FORM:
		smc_lgr_formed(lgr);
		break;
	}
}

/* Server: over the second adapter, or so that nobody waits (R-L-13). */
static void second_link(struct smc_link *link)
{
	struct smc_lgr *lgr = link->lgr;

	smc_lgr_clear_deadline(lgr, SMC_LGR_DL_FIRST);
	if (!smc_flow_first(lgr) && lgr->first == SMC_FIRST_ADD_RSP)
		run(link, SMC_FIRST_DO_SEND_ADD, NULL);
}

/* R-2.2.2-07, -08; 0: the client takes the server's (R-2.2.2-06) */
static void agree(struct smc_lgr *lgr, u8 peers)
{
	if (peers)
		lgr->max_links = min(lgr->max_links, peers);
}

/* Server: each request that was repeated may have been answered as well. */
static bool answered_again(struct smc_lgr *lgr, enum smc_first_event ev)
{
	if (ev != SMC_FIRST_EV_CONFIRMED || lgr->role != SMC_SERV ||
	    lgr->first <= SMC_FIRST_CONFIRM_RSP || !lgr->first_waits)
		return false;
	lgr->first_waits--;
	return true;
}

/*
 * Client: it was repeated when the first was read already, and there is no ADD
 * LINK that comes after all of them.
 */
static bool asked_again(struct smc_lgr *lgr, enum smc_first_event ev)
{
	if (ev != SMC_FIRST_EV_CONFIRM || lgr->role != SMC_CLNT ||
	    lgr->first != SMC_FIRST_DONE || !alone(lgr) ||
	    lgr->first_waits >= CONFIRM_REPEATS)
		return false;
	lgr->first_waits++;
	return true;
}

static void on_confirm_link(struct smc_link *link, const u8 *msg)
{
	enum smc_first_event ev = SMC_FIRST_EV_CONFIRM;
	struct smc_lgr *lgr = link->lgr;
	struct smc_llc_confirm_link m;

	if (smc_llc_decode_confirm_link(msg, &m)) {
		smc_lgr_violation(lgr);
		return;
	}
	if (m.reply)
		ev = SMC_FIRST_EV_CONFIRMED;
	if (answered_again(lgr, ev) || asked_again(lgr, ev))
		return;
	if (violates(lgr, ev)) {
		smc_lgr_violation(lgr);
		return;
	}
	if (lgr->first == SMC_FIRST_CONFIRM_REQ ||
	    lgr->first == SMC_FIRST_CONFIRM_RSP) {
		u32 decline = 0;

		if (!names_peer(link, &m) ||
		    (m.reply && m.link_num != link->num))
			decline = SMC_DECL_ERR_RDYLNK;	/* R-C.7.1-20 */
		else if (!m.no_eyecatcher)
			decline = SMC_DECL_EYECATCHER;	/* R-L-06 */
		if (decline) {
			step(lgr, SMC_FIRST_EV_FAIL);
			fail(lgr, -EPROTO, decline);
			return;
		}
	}
	switch (step(lgr, ev)) {
	case SMC_FIRST_DO_REPLY_CONFIRM:
		agree(lgr, m.max_links);
		reply_confirm(link, &m);
		break;
	case SMC_FIRST_DO_SEND_ADD:
		agree(lgr, m.max_links);
		confirmed(link, m.link_uid);
		if (!alone(lgr))
			second_link(link);
		break;
	default:
		return;
	}
	if (alone(lgr) && lgr->first != SMC_FIRST_FAILED)
		run(link, step(lgr, SMC_FIRST_EV_ALONE), NULL);
}

static void on_add_link(struct smc_link *link, const u8 *msg)
{
	enum smc_first_event ev = SMC_FIRST_EV_ADD;
	struct smc_lgr *lgr = link->lgr;
	struct smc_llc_add_link m;

	if (smc_llc_decode_add_link(msg, &m)) {
		smc_lgr_violation(lgr);
		return;
	}
	/* a reply belongs to the server, accepted or not: our MTU was invalid */
	if (m.reply)
		ev = SMC_FIRST_EV_ADDED;
	if (violates(lgr, ev) || (m.reply && lgr->role == SMC_CLNT)) {
		smc_lgr_violation(lgr);
		return;
	}
	run(link, step(lgr, ev), &m);
}

/**
 * smc_first_second_done - the attempt at a second link is over; worker
 * @lgr: group
 */
void smc_first_second_done(struct smc_lgr *lgr)
{
	if (lgr->first == SMC_FIRST_ADD_REQ || lgr->first == SMC_FIRST_ADD_RSP)
		run(smc_links_first(lgr), step(lgr, SMC_FIRST_EV_ALONE), NULL);
}

/**
 * smc_first_offer - client: the ADD LINK of first contact; worker
 * @link: on this link
 * @msg: SMC_LLC_LEN bytes
 */
void smc_first_offer(struct smc_link *link, const u8 *msg)
{
	struct smc_lgr *lgr = link->lgr;

	smc_lgr_clear_deadline(lgr, SMC_LGR_DL_FIRST);
	if (!smc_flow_offer(link, msg))
		smc_first_second_done(lgr);
}

/**
 * smc_first_llc - CONFIRM LINK or ADD LINK arrived; worker
 * @link: on this link
 * @msg: SMC_LLC_LEN bytes
 */
void smc_first_llc(struct smc_link *link, const u8 *msg)
{
	if (smc_llc_opcode(msg) == SMC_LLC_CONFIRM_LINK)
		on_confirm_link(link, msg);
	else
		on_add_link(link, msg);
}

/**
 * smc_first_client - the client's endpoint is about to be bound
 * @lgr: group
 */
void smc_first_client(struct smc_lgr *lgr)
{
	step(lgr, SMC_FIRST_EV_CLIENT);
}

/**
 * smc_first_server - the server got the Confirm and its endpoint is bound
 * @link: the group's first
 *
 * Context: creator's, may sleep for memory. The worker changes lgr->first and
 * the deadline from the step on, if a peer answers before it was asked.
 */
int smc_first_server(struct smc_link *link)
{
	struct smc_lgr *lgr = link->lgr;
	int err;

	lgr->last_num = LINK_NUM_FIRST;
	WRITE_ONCE(link->num, LINK_NUM_FIRST);
	err = smc_link_start(link);
	if (!err)
		err = smc_rmb_open(lgr, link);
	if (err)
		return err;
	spin_lock_bh(&lgr->lock);
	if (lgr->state == SMC_LGR_FORMING)	/* else it is about to end */
		smc_lgr_deadline_locked(lgr, SMC_LGR_DL_FIRST,
					SMC_LLC_FIRST_AGAIN_MS);
	spin_unlock_bh(&lgr->lock);
	step(lgr, SMC_FIRST_EV_SERVER);
	return smc_first_confirm_link(link, false);
}

/*
 * As long as the server has not got our CONFIRM LINK the link is not confirmed.
 * If that cannot be sent both go on over TCP (R-C.2-03, R-C.7-06), and the adapter
 * may take longer to say so than a server to offer a link.
 */
static bool unheard(struct smc_lgr *lgr)
{
	struct smc_link *link = smc_links_first(lgr);

	/* partner: llc_sent() */
	return lgr->first == SMC_FIRST_ADD_REQ && link &&
	       !READ_ONCE(link->delivered);
}

/* Server: the client has CONFIRM LINK and may have dropped it. */
static bool repeat(struct smc_lgr *lgr)
{
	struct smc_link *link = smc_links_first(lgr);
	unsigned int left = SMC_LLC_FIRST_WAIT_MS -
			    CONFIRM_REPEATS * SMC_LLC_FIRST_AGAIN_MS;

	/* the creator is about to say it for the first time */
	if (lgr->first == SMC_FIRST_IDLE && lgr->role == SMC_SERV) {
		smc_lgr_set_deadline(lgr, SMC_LGR_DL_FIRST,
				     SMC_LLC_FIRST_AGAIN_MS);
		return true;
	}
	if (lgr->first != SMC_FIRST_CONFIRM_RSP ||
	    lgr->first_waits >= CONFIRM_REPEATS)
		return false;
	lgr->first_waits++;
	smc_lgr_set_deadline(lgr, SMC_LGR_DL_FIRST,
			     lgr->first_waits < CONFIRM_REPEATS ?
			     SMC_LLC_FIRST_AGAIN_MS : left);
	/* partner: llc_sent() */
	if (link && READ_ONCE(link->delivered))
		smc_first_confirm_link(link, false);
	return true;
}

/**
 * smc_first_timeout - the peer's next message did not come in time; worker
 * @lgr: group
 */
void smc_first_timeout(struct smc_lgr *lgr)
{
	u8 action;

	if (repeat(lgr))
		return;
	smc_mib_inc(NULL, SMC_MIB_LLC_TIMEOUT);
	if (unheard(lgr)) {
		if (lgr->first_waits++ < CONFIRM_WAITS) {
			smc_lgr_set_deadline(lgr, SMC_LGR_DL_FIRST,
					     SMC_LLC_WAIT_MS);
		} else {
			step(lgr, SMC_FIRST_EV_FAIL);
			fail(lgr, -ETIMEDOUT, SMC_DECL_ERR_RDYLNK);
		}
		return;
	}
	action = step(lgr, SMC_FIRST_EV_TIMEOUT);
	if (action == SMC_FIRST_DO_FAIL)
		/* R-C.7-04, R-C.7.1-01, X-12 */
		fail(lgr, -ETIMEDOUT, 0);
	else
		run(smc_links_first(lgr), action, NULL);
}

/**
 * smc_first_decline - what a Decline may say when first contact failed
 * @lgr: group, its link is closed
 *
 * As long as the peer has not got our CONFIRM LINK it cannot consider the link
 * confirmed: a Decline puts both sides on TCP (C.2, R-C.2-03, R-C.7-05).
 *
 * Return: enum smc_decline, or 0 when it is too late for one.
 */
u32 smc_first_decline(struct smc_lgr *lgr)
{
	struct smc_link *link = smc_links_first(lgr);

	if (lgr->first_decline || (link && READ_ONCE(link->delivered)))
		return lgr->first_decline;
	return SMC_DECL_ERR_RDYLNK;
}

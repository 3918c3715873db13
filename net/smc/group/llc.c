// SPDX-License-Identifier: GPL-2.0
/* LLC messages that arrive, by opcode; all in the group's worker. */
#include "../base/mib.h"
#include "lgr_priv.h"

/**
 * smc_llc_orderly - whether a DELETE LINK with this reason says that all is well
 * @reason: enum smc_llc_del_reason
 */
bool smc_llc_orderly(u32 reason)
{
	return reason == SMC_LLC_DEL_PROGRAM || reason == SMC_LLC_DEL_OPERATOR;
}

/**
 * smc_llc_delete_all - send DELETE LINK for the whole group
 * @lgr: group
 * @reason: enum smc_llc_del_reason
 *
 * Return: 0: event SENT follows, else it cannot be sent.
 */
int smc_llc_delete_all(struct smc_lgr *lgr, u32 reason)
{
	struct smc_llc_delete_link m = {
		.all = true,
		/* the peer gets time to finish only when all is well */
		.orderly = smc_llc_orderly(reason),
		.reason = reason,
	};
	struct smc_link *link = smc_links_carrier(lgr, NULL);
	u8 out[SMC_LLC_LEN];

	if (!link)	/* the last one has just failed: it may get through */
		link = smc_links_first(lgr);
	if (!link || !READ_ONCE(link->started) ||
	    smc_llc_encode_delete_link(out, &m))
		return -EINVAL;
	lgr->end_uid = link->uid;
	return smc_link_send_last(link, out);
}

/** smc_llc_reply_unknown - DELETE LINK for a link that is not there */
void smc_llc_reply_unknown(struct smc_link *link, u8 link_num)
{
	struct smc_llc_delete_link m = {
		.reply = true,
		.link_num = link_num,
		.reason = SMC_LLC_DEL_NO_LINK,	/* R-C.7.1-25, -26 */
	};
	u8 out[SMC_LLC_LEN];

	if (!smc_llc_encode_delete_link(out, &m))
		smc_link_send(link, out);
}

static void reply_and_end(struct smc_link *link, struct smc_llc_delete_link *m)
{
	u32 reason = m->reason;
	u8 out[SMC_LLC_LEN];
	bool sent;

	m->reply = true;
	m->reason = 0;
	link->lgr->end_uid = link->uid;
	sent = !smc_llc_encode_delete_link(out, m) &&
		    !smc_link_send_last(link, out);

	smc_lgr_end(link->lgr, -ECONNRESET, reason,
		    sent ? SMC_LGR_END_SENT : SMC_LGR_END_NOW);
}

/* Nothing is said, as if it had been. */
static void end_silently(struct smc_lgr *lgr)
{
	smc_lgr_end(lgr, -ECONNRESET, SMC_LLC_DEL_PROGRAM, SMC_LGR_END_SENT);
	smc_lgr_event(lgr, SMC_LGR_EVB_SENT);
}

/* The last link takes the group with it. */
static bool is_last(struct smc_lgr *lgr, u8 link_num)
{
	struct smc_link *link = smc_links_by_num(lgr, link_num);

	return link && !smc_links_carrier(lgr, link);
}

static void on_delete_link(struct smc_link *link, const u8 *msg)
{
	struct smc_lgr *lgr = link->lgr;
	struct smc_llc_delete_link m;

	if (smc_llc_decode_delete_link(msg, &m)) {
		smc_lgr_violation(lgr);
		return;
	}
	/* it will say nothing to our own */
	lgr->answered |= m.all;
	/* groups get no reply, and neither does a single link that stays one */
	if (m.reply && !smc_lgr_may_add(lgr))
		smc_lgr_violation(lgr);
	else if (m.reply || (!m.all && !is_last(lgr, m.link_num)))
		smc_flow_llc(link, msg);
	else if (lgr->role == SMC_SERV)	/* R-3.5.4-07, R-3.5.5.1.4-03 */
		smc_lgr_end(lgr, -ECONNRESET, SMC_LLC_DEL_PROGRAM,
			    SMC_LGR_END_TELL);
	else if (m.all)			/* R-3.5.4-06: no reply */
		end_silently(lgr);
	else				/* R-3.5.5.1.3-05, -06 */
		reply_and_end(link, &m);
}

static void on_add_link(struct smc_link *link, const u8 *msg)
{
	struct smc_lgr *lgr = link->lgr;
	bool first = lgr->first == SMC_FIRST_ADD_REQ;

	if (smc_lgr_may_add(lgr) && first && !smc_llc_is_reply(msg) &&
	    smc_flow_idle(lgr))
		smc_first_offer(link, msg);
	else if (smc_lgr_may_add(lgr) && !first &&
		 (lgr->first == SMC_FIRST_DONE || !smc_flow_idle(lgr)))
		smc_flow_llc(link, msg);
	else
		smc_first_llc(link, msg);
}

/**
 * smc_llc_handle - act on a known LLC message; worker
 * @link: on this link, which is not down
 * @msg: SMC_LLC_LEN bytes
 */
void smc_llc_handle(struct smc_link *link, const u8 *msg)
{
	switch (smc_llc_opcode(msg)) {
	case SMC_LLC_CONFIRM_LINK:
		if (link->uid == link->lgr->flow.link)
			smc_flow_llc(link, msg);
		else
			smc_first_llc(link, msg);
		break;
	case SMC_LLC_ADD_LINK:
		on_add_link(link, msg);
		break;
	case SMC_LLC_ADD_LINK_CONT:
		if (smc_lgr_may_add(link->lgr) && !smc_add_is_v2(link->lgr))
			smc_flow_llc(link, msg);
		else
			smc_lgr_violation(link->lgr);
		break;
	case SMC_LLC_DELETE_LINK:
		on_delete_link(link, msg);
		break;
	case SMC_LLC_REQ_ADD_LINK:
		smc_add_v2_on_request(link, smc_llc_is_reply(msg));
		break;
	case SMC_LLC_CONFIRM_RKEY:
	case SMC_LLC_DELETE_RKEY:
		smc_rkey_llc(link, msg);
		break;
	case SMC_LLC_TEST_LINK:
		smc_link_probe_reply(link, msg);
		break;
	default:
		/* CONFIRM RKEY CONTINUATION: for more links than a group has */
		smc_lgr_violation(link->lgr);
		break;
	}
}

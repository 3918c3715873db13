// SPDX-License-Identifier: GPL-2.0
/* LLC messages that arrive, by opcode; all in the group's worker. */
#include "../base/mib.h"
#include "../wire/llc_v2.h"
#include "add.h"
#include "end.h"
#include "first_contact.h"
#include "first_contact_fsm.h"
#include "flow.h"
#include "lgr.h"
#include "lgr_fsm.h"
#include "lgr_types.h"
#include "link.h"
#include "link_types.h"
#include "links.h"
#include "llc_in.h"
#include "rkey.h"

/* The last link takes the group with it. */
static bool llc_in_is_last(struct smc_lgr *lgr, u8 link_num)
{
	struct smc_link *link = smc_links_by_num(lgr, link_num);

	return link && !smc_links_carrier(lgr, link);
}

static void llc_in_delete_link(struct smc_link *link, const u8 *msg)
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
	else if (m.reply || (!m.all && !llc_in_is_last(lgr, m.link_num)))
		smc_flow_llc(link, msg);
	else if (lgr->role == SMC_SERV)	/* R-3.5.4-07, R-3.5.5.1.4-03 */
		smc_end_group(lgr, -ECONNRESET, SMC_LLC_DEL_PROGRAM,
			      SMC_LGR_END_TELL);
	else if (m.all)			/* R-3.5.4-06: no reply */
		smc_end_silently(lgr);
	else				/* R-3.5.5.1.3-05, -06 */
		smc_end_with_reply(link, &m);
}

static void llc_in_add_link(struct smc_link *link, const u8 *msg)
{
	struct smc_lgr *lgr = link->lgr;
	bool first = lgr->first == SMC_FIRST_ADD_REQ;

	if (smc_lgr_may_add(lgr) && first && !smc_llc_is_reply(msg) &&
	    smc_flow_idle(lgr))
		smc_first_contact_offer(link, msg);
	else if (smc_lgr_may_add(lgr) && !first &&
		 (lgr->first == SMC_FIRST_DONE || !smc_flow_idle(lgr)))
		smc_flow_llc(link, msg);
	else
		smc_first_contact_llc(link, msg);
}

/* A message on a link that is not down. */
static void llc_in_handle(struct smc_link *link, const u8 *msg)
{
	switch (smc_llc_opcode(msg)) {
	case SMC_LLC_CONFIRM_LINK:
		if (link->uid == link->lgr->flow.link)
			smc_flow_llc(link, msg);
		else
			smc_first_contact_llc(link, msg);
		break;
	case SMC_LLC_ADD_LINK:
		llc_in_add_link(link, msg);
		break;
	case SMC_LLC_ADD_LINK_CONT:
		if (smc_lgr_may_add(link->lgr) && !smc_add_is_v2(link->lgr))
			smc_flow_llc(link, msg);
		else
			smc_lgr_violation(link->lgr);
		break;
	case SMC_LLC_DELETE_LINK:
		llc_in_delete_link(link, msg);
		break;
	case SMC_LLC_REQ_ADD_LINK:
		smc_flow_on_request(link, smc_llc_is_reply(msg));
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

/* This counts on any link that there is, other commands on those that work. */
static bool llc_in_ends_group(const struct smc_lgr *lgr, const u8 *msg)
{
	struct smc_llc_delete_link m;

	return lgr->role == SMC_CLNT &&
	       smc_llc_opcode(msg) == SMC_LLC_DELETE_LINK &&
	       !smc_llc_decode_delete_link(msg, &m) && m.all && !m.reply;
}

/**
 * smc_llc_in_message - act on an LLC message
 * @lgr: group
 * @msg: message with a known opcode
 *
 * Context: worker.
 */
void smc_llc_in_message(struct smc_lgr *lgr, const struct smc_llc_buf *msg)
{
	struct smc_link *link;

	if (READ_ONCE(lgr->state) == SMC_LGR_ENDING) {
		if (smc_llc_opcode(msg->b) == SMC_LLC_DELETE_LINK)
			smc_end_answered(lgr);
		return;
	}
	lgr->flow.more = msg->page;
	lgr->flow.more_len = msg->len;
	link = smc_links_by_uid(lgr, msg->uid);
	/* R-C.7.1-23 */
	if (link &&
	    (link->state <= SMC_LINK_ACTIVE || llc_in_ends_group(lgr, msg->b)) &&
	    READ_ONCE(lgr->state) < SMC_LGR_ENDING)
		llc_in_handle(link, msg->b);
	lgr->flow.more = NULL;
}

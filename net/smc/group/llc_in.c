// SPDX-License-Identifier: GPL-2.0
/*
 * Received LLC messages. Each message is decoded once, and one table names the
 * function that acts on it. The code of this file runs in the group's worker.
 */
#include <linux/mm.h>
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
#include "llc_in.h"
#include "rkey.h"
#include "redundancy.h"

/* Is this the last active link? If so, the end of the link ends the group. */
static bool llc_in_is_last(struct smc_lgr *lgr, u8 link_num)
{
	struct smc_link *link = smc_link_num_find(lgr, link_num);

	return link && !smc_links_carrier(lgr, link);
}

static void llc_in_delete_link(struct smc_link *link,
			       const struct smc_llc_in *in)
{
	const struct smc_llc_delete_link *m = &in->m.delete_link;
	struct smc_lgr *lgr = link->lgr;

	if (m->all)
		smc_end_answered(lgr);
	/* this side deletes no single link if the group can have only one */
	if (m->reply && !smc_lgr_may_add(lgr))
		smc_lgr_violation(lgr);
	else if (m->reply || (!m->all && !llc_in_is_last(lgr, m->link_num)))
		smc_flow_delete_link(link, in);
	else if (lgr->key.role == SMC_SERV)	/* R-3.5.4-07, R-3.5.5.1.4-03 */
		smc_end_group(lgr, -ECONNRESET, SMC_LLC_DEL_PROGRAM,
			      SMC_LGR_END_TELL);
	else if (m->all)		/* R-3.5.4-06: no reply */
		smc_end_silently(lgr);
	else				/* R-3.5.5.1.3-05, -06 */
		smc_end_with_reply(link, m);
}

static void llc_in_confirm_link(struct smc_link *link,
				const struct smc_llc_in *in)
{
	if (smc_flow_is_about(link))
		smc_flow_confirm_link(link, in);
	else
		smc_first_contact_confirm_link(link, in);
}

static void llc_in_add_link(struct smc_link *link, const struct smc_llc_in *in)
{
	struct smc_lgr *lgr = link->lgr;
	bool first = lgr->first.state == SMC_FIRST_ADD_REQ;

	if (smc_lgr_may_add(lgr) && first && !in->m.add_link.reply &&
	    smc_flow_idle(lgr))
		smc_first_contact_offer(link, in);
	else if (smc_lgr_may_add(lgr) && !first &&
		 (lgr->first.state == SMC_FIRST_DONE || !smc_flow_idle(lgr)))
		smc_flow_add_link(link, in);
	else
		smc_first_contact_add_link(link, in);
}

static void llc_in_add_cont(struct smc_link *link, const struct smc_llc_in *in)
{
	if (smc_lgr_may_add(link->lgr))
		smc_flow_add_cont(link, in);
	else
		smc_lgr_violation(link->lgr);
}

typedef void (*llc_in_fn)(struct smc_link *link, const struct smc_llc_in *in);

static const llc_in_fn llc_in_rooms[SMC_LLC_MSG_TYPES] = {
	[SMC_LLC_CONFIRM_LINK]		= llc_in_confirm_link,
	[SMC_LLC_ADD_LINK]		= llc_in_add_link,
	[SMC_LLC_ADD_LINK_CONT]		= llc_in_add_cont,
	[SMC_LLC_DELETE_LINK]		= llc_in_delete_link,
	[SMC_LLC_REQ_ADD_LINK]		= smc_redundancy_request,
	[SMC_LLC_CONFIRM_RKEY]		= smc_rkey_confirm,
	[SMC_LLC_TEST_LINK]		= smc_link_test,
	[SMC_LLC_CONFIRM_RKEY_CONT]	= smc_rkey_confirm_cont,
	[SMC_LLC_DELETE_RKEY]		= smc_rkey_delete,
};

/*
 * Does the message end the group? Such a message is valid on any link, all
 * others only on a link that works.
 */
static bool llc_in_ends_group(const struct smc_lgr *lgr,
			      const struct smc_llc_msg *m)
{
	return lgr->key.role == SMC_CLNT && m->type == SMC_LLC_DELETE_LINK &&
	       m->delete_link.all && !m->delete_link.reply;
}

/*
 * Does the message answer our DELETE LINK for the group, or delete the group
 * itself? The answer names link 0. A message about one link has crossed ours.
 */
static bool llc_in_answers_end(const struct smc_llc_msg *m)
{
	return m->type == SMC_LLC_DELETE_LINK &&
	       (m->delete_link.all ||
		(m->delete_link.reply && !m->delete_link.link_num));
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
	struct smc_llc_in in = {
		.buf = msg->page ? page_address(msg->page) : msg->b,
		.len = msg->page ? msg->len : SMC_LLC_LEN,
		.cut = msg->len && !msg->page ? msg->len - SMC_LLC_LEN : 0,
	};
	struct smc_link *link = smc_links_by_uid(lgr, msg->uid);
	llc_in_fn act;
	int err;

	if (READ_ONCE(lgr->state) > SMC_LGR_ENDING)
		return;
	err = smc_llc_msg_decode(lgr->terms.version, in.buf, in.len, &in.m);
	if (READ_ONCE(lgr->state) == SMC_LGR_ENDING) {
		if (!err && llc_in_answers_end(&in.m))
			smc_end_answered(lgr);
		return;
	}
	if (!link)
		return;
	/* R-C.7.1-23 */
	if (link->state > SMC_LINK_ACTIVE &&
	    (err || !llc_in_ends_group(lgr, &in.m)))
		return;
	act = in.m.type < SMC_LLC_MSG_TYPES ? llc_in_rooms[in.m.type] : NULL;
	if (err || !act)
		smc_lgr_violation(lgr);
	else
		act(link, &in);
}

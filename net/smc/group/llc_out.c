// SPDX-License-Identifier: GPL-2.0
/*
 * LLC messages that several files of this floor send. The code of this file
 * runs in the group's worker.
 */
#include "../wire/clc.h"
#include "lgr.h"
#include "lgr_types.h"
#include "link.h"
#include "link_types.h"
#include "links.h"
#include "llc_out.h"

/**
 * smc_llc_out_orderly - does a DELETE LINK with this reason announce an orderly
 * end?
 * @reason: enum smc_llc_del_reason
 */
bool smc_llc_out_orderly(u32 reason)
{
	return reason == SMC_LLC_DEL_PROGRAM || reason == SMC_LLC_DEL_OPERATOR;
}

/**
 * smc_llc_out_delete_all - send DELETE LINK for the whole group
 * @lgr: group
 * @reason: enum smc_llc_del_reason
 *
 * Return: 0, and event SENT follows, or a negative errno if the message cannot
 * be sent.
 */
int smc_llc_out_delete_all(struct smc_lgr *lgr, u32 reason)
{
	struct smc_llc_msg m = {
		.type = SMC_LLC_DELETE_LINK,
		.delete_link = {
			.all = true,
			/* an orderly end gives the peer time to finish */
			.orderly = smc_llc_out_orderly(reason),
			.reason = reason,
		},
	};
	struct smc_link *link = smc_links_carrier(lgr, NULL);

	if (!link)	/* the last link has failed only now: the message may still arrive */
		link = smc_links_first(lgr);
	if (!link || READ_ONCE(link->reach) < SMC_LINK_STARTED)
		return -EINVAL;
	lgr->end.uid = link->uid;
	return smc_link_send_last(link, &m);
}

/** smc_llc_out_unknown_link - answer a DELETE LINK for an unknown link */
void smc_llc_out_unknown_link(struct smc_link *link, u8 link_num)
{
	struct smc_llc_msg m = {
		.type = SMC_LLC_DELETE_LINK,
		.delete_link = {
			.reply = true,
			.link_num = link_num,
			.reason = SMC_LLC_DEL_NO_LINK,	/* R-C.7.1-25, -26 */
		},
	};

	smc_link_send(link, &m);
}

/**
 * smc_llc_out_delete - send DELETE LINK of one link, or the answer to one
 * @on: link that carries the message
 * @num: number of the link
 * @reason: enum smc_llc_del_reason, for a request
 * @reply: true: the answer
 */
int smc_llc_out_delete(struct smc_link *on, u8 num, u32 reason, bool reply)
{
	struct smc_llc_msg m = {
		.type = SMC_LLC_DELETE_LINK,
		.delete_link = {
			.reply = reply,
			/* a link that has failed is deleted at once */
			.orderly = reason == SMC_LLC_DEL_ASYMMETRIC ||
				   reason == SMC_LLC_DEL_OPERATOR,
			.link_num = num,
			.reason = reply ? 0 : reason,
		},
	};

	return smc_link_send(on, &m);
}

/** smc_llc_out_confirm_link - send CONFIRM LINK, or the answer to it */
int smc_llc_out_confirm_link(struct smc_link *link, bool reply)
{
	const struct smc_lgr *lgr = link->lgr;
	struct smc_llc_msg msg = { .type = SMC_LLC_CONFIRM_LINK };
	struct smc_llc_confirm_link *m = &msg.confirm_link;

	m->reply = reply;
	m->no_eyecatcher = !lgr->terms.eye;	/* X-03, R-L-06 */
	m->link_num = link->num;
	m->link_uid = link->uid;
	m->max_links = lgr->terms.max_links ?:
		       max_t(u8, lgr->numbers.max_links, SMC_LINKS_STATED_MIN);
	m->max_conns = lgr->terms.release ? lgr->terms.max_conns : 0;
	memcpy(m->mac, link->self.mac, sizeof(m->mac));
	memcpy(m->gid, link->self.gid, sizeof(m->gid));
	m->qpn = link->self.qpn;
	return smc_link_send(link, &msg);
}

/**
 * smc_llc_out_add_nothing - send an ADD LINK that adds nothing, or the reply
 *	that refuses an ADD LINK (R-3.5.1.6.1-06)
 * @link: link that carries the message
 * @reason: enum smc_llc_reject: a reply; 0: a request
 * @link_num: number of the link in question
 */
void smc_llc_out_add_nothing(struct smc_link *link, u8 reason, u8 link_num)
{
	struct smc_llc_msg msg = { .type = SMC_LLC_ADD_LINK };
	struct smc_llc_add_link *m = &msg.add_link;

	m->reply = reason;
	m->reject = reason;
	m->reason = reason;
	m->link_num = link_num;
	memcpy(m->mac, link->self.mac, sizeof(m->mac));
	memcpy(m->gid, link->self.gid, sizeof(m->gid));
	m->qpn = link->self.qpn;	/* the body must not be all zero, R-L-10 */
	/* peers always refuse MTU code 0, R-C.7.1-21 */
	smc_link_send(link, &msg);
}

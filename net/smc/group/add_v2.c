// SPDX-License-Identifier: GPL-2.0
/*
 * A further link in version 2: ADD LINK lists the keys itself, in both
 * directions, and a client asks for a link by REQUEST ADD LINK.
 */
#include "../wire/llc_v2.h"
#include "lgr_priv.h"

/** smc_add_is_v2 - keys travel in ADD LINK */
bool smc_add_is_v2(const struct smc_lgr *lgr)
{
	return lgr->terms.version > SMC_CLC_V1;
}

static struct page *message_page(void)
{
	return alloc_pages(GFP_KERNEL | __GFP_COMP, get_order(SMC_EP_MSG_MAX));
}

/* Pairs of all RMBs that have a key on @link. Return: how many. */
static unsigned int list_pairs(struct smc_link *carrier, struct smc_link *link,
			       struct smc_llc_rtok_pair *pair)
{
	struct smc_lgr *lgr = link->lgr;
	struct smc_rmb *rmb;
	unsigned int n = 0;

	list_for_each_entry(rmb, &lgr->rmbs.list, list) {
		if (!smc_add_known_rmb(rmb) || !rmb->tok[link->slot].mr)
			continue;
		pair[n++] = (struct smc_llc_rtok_pair) {
			.ref_rkey = rmb->tok[carrier->slot].rkey,
			.new_rkey = rmb->tok[link->slot].rkey,
			.new_addr = rmb->tok[link->slot].addr,
		};
		smc_rmb_tell(lgr, rmb, BIT(link->slot));
	}
	return n;
}

/**
 * smc_add_v2_send - ADD LINK, or its positive reply, with the keys
 * @carrier: over this link
 * @link: new link, with a key for each RMB
 * @a: what version 1 says
 *
 * Context: worker, may sleep. Return: 0 or negative errno.
 */
int smc_add_v2_send(struct smc_link *carrier, struct smc_link *link,
		    const struct smc_llc_add_link *a)
{
	struct smc_llc_v2_add m = { .direct = true };
	struct smc_llc_rtok_pair *pair;
	struct page *page;
	int len;

	BUILD_BUG_ON(SMC_LLC_V2_ADD_LEN +
		     SMC_RMBS_PER_LGR_MAX * SMC_LLC_V2_PAIR_LEN >
		     SMC_EP_MSG_MAX);
	pair = kvcalloc(SMC_RMBS_PER_LGR_MAX, sizeof(*pair), GFP_KERNEL);
	if (!pair)
		return -ENOMEM;
	page = message_page();
	if (!page) {
		kvfree(pair);
		return -ENOMEM;
	}
	memcpy(m.gid, link->self.gid, sizeof(m.gid));
	m.n = list_pairs(carrier, link, pair);
	len = smc_llc_v2_encode_add(page_address(page), SMC_EP_MSG_MAX, a, &m,
				    pair);
	kvfree(pair);
	if (len < 0) {
		put_page(page);
		return len;
	}
	return smc_link_send_long(carrier, page, len);
}

/**
 * smc_add_v2_take_keys - the peer's keys on the new link
 * @carrier: link that the message came on, whose keys are the reference
 * @link: new link
 *
 * A key that is not known here yet is not missed: the message that will tell it
 * names all links. Return: 0, -EPROTO (no keys could have been told).
 */
int smc_add_v2_take_keys(struct smc_link *carrier, struct smc_link *link)
{
	struct smc_flow *f = &link->lgr->flow;
	struct smc_llc_rtok_pair pair;
	struct smc_llc_v2_add m;
	const u8 *buf;
	u32 id;
	int i;

	if (!f->more)
		return -EPROTO;
	buf = page_address(f->more);
	if (smc_llc_v2_decode_add(buf, f->more_len, &m))
		return -EPROTO;
	for (i = 0; i < m.n; i++) {
		if (smc_llc_v2_add_pair(buf, f->more_len, i, &pair))
			return -EPROTO;
		if (smc_rtok_find(&link->lgr->rtoks, carrier->slot,
				  pair.ref_rkey, &id))
			continue;
		smc_rtok_set(&link->lgr->rtoks, id, link->slot, pair.new_rkey,
			     pair.new_addr);
	}
	return 0;
}

/**
 * smc_add_v2_request - client: a port has come, which the server may use; worker
 * @carrier: over this link
 * @choice: port and GID; the server looks at the first GID
 */
int smc_add_v2_request(struct smc_link *carrier,
		       const struct smc_dev_choice *choice)
{
	struct smc_llc_v2_req m = { .n = 2 };
	u8 gid[2][SMC_GID_LEN];
	struct page *page;
	int len;

	page = message_page();
	if (!page)
		return -ENOMEM;
	memcpy(gid[0], choice->gid, SMC_GID_LEN);
	memcpy(gid[1], carrier->self.gid, SMC_GID_LEN);
	len = smc_llc_v2_encode_req(page_address(page), SMC_EP_MSG_MAX, &m,
				    gid[0]);
	if (len < 0) {
		put_page(page);
		return len;
	}
	if (carrier->lgr->flow.asked < U8_MAX)
		carrier->lgr->flow.asked++;
	return smc_link_send_long(carrier, page, len);
}

static void nothing_to_add(struct smc_link *link)
{
	u8 out[SMC_LLC_LEN] = { SMC_LLC_REQ_ADD_LINK, SMC_LLC_LEN, 0, 0x80 };

	smc_link_send(link, out);
}

/**
 * smc_add_v2_on_request - REQUEST ADD LINK, or the answer that none will come
 * @link: on this link
 * @reply: the answer
 *
 * Context: worker.
 */
void smc_add_v2_on_request(struct smc_link *link, bool reply)
{
	struct smc_lgr *lgr = link->lgr;

	if (reply && lgr->role == SMC_CLNT && lgr->flow.asked) {
		lgr->flow.asked--;
		smc_lgr_clear_deadline(lgr, SMC_LGR_DL_ADD_RETRY);
		return;
	}
	if (reply || lgr->role == SMC_CLNT) {
		smc_lgr_violation(lgr);
		return;
	}
	if (lgr->first == SMC_FIRST_DONE && smc_lgr_may_add(lgr))
		smc_flow_asked(lgr);
	/* an ADD LINK is an answer, too */
	if (smc_flow_idle(lgr) && !lgr->flow.want)
		nothing_to_add(link);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Adds a link to a group: chooses the ports (RFC 7609 2.2.1, 3.5.1.6), and
 * handles the keys of the RMBs and the messages. flow.c controls the order of
 * the steps.
 */
#include <linux/slab.h>
#include "../wire/clc.h"
#include "../wire/llc_msg.h"
#include "add.h"
#include "device.h"
#include "lgr.h"
#include "lgr_types.h"
#include "link.h"
#include "link_types.h"
#include "links.h"
#include "rmb.h"
#include "rmb_types.h"
#include "rtok.h"
#include "symmetry.h"

/* ---- ports ---- */

static bool add_tried(struct smc_lgr *lgr, const struct smc_port *port)
{
	unsigned int i;

	for (i = 0; i < lgr->flow.n_tried; i++)
		if (lgr->flow.tried[i] == port)
			return true;
	return false;
}

static bool port_unused(const struct smc_port *port, void *arg)
{
	return !smc_symmetry_on_port(arg, port, true);
}

/*
 * No symmetric link uses this port. An asymmetric link may use it, because the
 * new link can replace that link.
 */
static bool port_spare(const struct smc_port *port, void *arg)
{
	return !smc_symmetry_on_port(arg, port, false);
}

static bool port_untried(const struct smc_port *port, void *arg)
{
	return port_unused(port, arg) && !add_tried(arg, port);
}

static bool port_untried_spare(const struct smc_port *port, void *arg)
{
	return port_spare(port, arg) && !add_tried(arg, port);
}

static bool port_better_unused(const struct smc_port *port, void *arg)
{
	struct smc_lgr *lgr = arg;

	return port != lgr->flow.avoid && port_unused(port, arg);
}

static bool port_better_spare(const struct smc_port *port, void *arg)
{
	struct smc_lgr *lgr = arg;

	return port != lgr->flow.avoid && port_spare(port, arg);
}

static bool port_better_untried(const struct smc_port *port, void *arg)
{
	struct smc_lgr *lgr = arg;

	return port != lgr->flow.avoid && port_untried(port, arg);
}

static bool port_any(const struct smc_port *port, void *arg)
{
	return true;
}

/*
 * Limit of links of a group that were deleted and whose endpoints are not
 * closed. Each link needs a queue pair, and a peer can delete links faster than
 * a device destroys queue pairs.
 */
#define ADD_UNCLOSED_MAX	8

static struct smc_link *add_open_on(struct smc_lgr *lgr,
				    struct smc_dev_choice *choice)
{
	struct smc_link *link = ERR_PTR(-ENOSPC);

	if (!smc_links_full(lgr) &&
	    atomic_read(&lgr->end.unclosed) < ADD_UNCLOSED_MAX)
		link = smc_device_open(lgr, choice);
	smc_dev_choice_put(choice);
	/*
	 * the port is about to go down, or its device to be removed; the caller
	 * reads -ENODEV as "no port left"
	 */
	if (IS_ERR(link))
		return link == ERR_PTR(-ENODEV) ? ERR_PTR(-ENETDOWN) : link;
	/* cannot fail: a slot is free, and only the worker takes slots */
	smc_links_add(lgr, link);
	return link;
}

typedef bool (*fit_t)(const struct smc_port *port, void *arg);

/*
 * Tries the rules one after the other until a port fits. NULL ends the list of
 * rules.
 */
static int add_choose(struct smc_lgr *lgr, const struct smc_link *like,
		      const u8 *peer_gid, const fit_t *rules,
		  struct smc_dev_choice *choice)
{
	int err = -ENODEV;

	for (; err && *rules; rules++)
		err = smc_dev_choose_other(&like->choice, lgr->key.net_cookie,
					   peer_gid, *rules, lgr, choice);
	return err;
}

/**
 * smc_add_open_server - choose the server's port for a new link and create the
 * link
 * @lgr: group
 *
 * Prefers a port that has no link yet (R-3.5.1.6-02). The second choice is a
 * port that only the asymmetric link uses, because the client may have a second
 * adapter by now (R-2.2.1-04). A group with a single link may use the port of
 * that link again, because the client may have another port (R-3.5.1.6-03). A
 * client that gets another port later asks for a link. Context: worker. Return:
 * link in state SETUP, -ENODEV (no port is left to try), -EAGAIN or -EDQUOT
 * (as smc_device_open()) or another error (the port is there, but the link
 * could not be created).
 */
struct smc_link *smc_add_open_server(struct smc_lgr *lgr)
{
	static const fit_t rules[] = {
		port_better_untried, port_untried, port_untried_spare, NULL,
	};
	struct smc_link *like = smc_links_carrier(lgr, NULL);
	struct smc_dev_choice choice;
	struct smc_flow *f = &lgr->flow;

	if (!like || f->n_tried == SMC_FLOW_TRIED_MAX)
		return ERR_PTR(-ENODEV);
	smc_symmetry_classify(lgr);
	if (add_choose(lgr, like, NULL, rules, &choice)) {
		if (smc_links_active(lgr) > 1 || f->again == like->choice.port ||
		    add_tried(lgr, like->choice.port))
			return ERR_PTR(-ENODEV);
		f->again = like->choice.port;
		choice = like->choice;
		smc_dev_choice_get(&choice);
	}
	f->tried[f->n_tried++] = choice.port;
	return add_open_on(lgr, &choice);
}

/**
 * smc_add_open_client - choose the client's port for a link that the server
 * offers and create the link
 * @carrier: link on which the ADD LINK arrived
 * @m: content of the ADD LINK
 *
 * R-3.5.1.6.1-01 to -04. Context: worker. Return: link in state SETUP,
 * -EMSGSIZE (no such MTU), -ENODEV (no port fits), -EAGAIN or -EDQUOT (as
 * smc_device_open()) or another error (the link could not be created).
 */
struct smc_link *smc_add_open_client(struct smc_link *carrier,
				     const struct smc_llc_add_link *m)
{
	/*
	 * "single": the only link of the group ends at another adapter of the
	 * server, so a second link that shares our port is asymmetric
	 */
	static const fit_t rules[] = {
		port_better_unused, port_better_spare, port_unused, port_spare,
		NULL,
	}, single[] = { port_any, NULL };
	struct smc_lgr *lgr = carrier->lgr;
	struct smc_ep_addr peer = { .qpn = m->qpn };
	struct smc_dev_choice choice;
	const struct smc_port *port;
	bool alone, known;
	struct smc_link *link;
	int err;

	if (!smc_clc_mtu_valid(m->mtu_code))
		return ERR_PTR(-EMSGSIZE);
	memcpy(peer.gid, m->gid, sizeof(peer.gid));
	memcpy(peer.mac, m->mac, sizeof(peer.mac));
	smc_symmetry_classify(lgr);
	alone = smc_links_active(lgr) == 1;
	known = smc_symmetry_to_adapter(lgr, &peer);
	/* a second asymmetric link is forbidden (R-2.2.2-12) */
	if (known && !alone)
		return ERR_PTR(-ENODEV);
	err = add_choose(lgr, carrier, m->gid, rules, &choice);
	if (err && !known && alone)
		err = add_choose(lgr, carrier, m->gid, single, &choice);
	if (err)
		return ERR_PTR(err);
	port = choice.port;
	link = add_open_on(lgr, &choice);
	if (IS_ERR(link) && link != ERR_PTR(-EDQUOT))
		lgr->flow.avoid = port;
	return link;
}

/* ---- keys ---- */

/* CONFIRM RKEY announces the keys of all other RMBs later. */
static bool add_known_rmb(const struct smc_rmb *rmb)
{
	return rmb->state == SMC_RMB_READY;
}

/**
 * smc_add_map_keys - reserve keys of all RMBs on a new link, in the worker
 * @lgr: group
 * @link: link
 *
 * If ADD LINK does not list the keys, the caller reserves them only after the
 * peer has accepted the link. The client rejects most offers of a server that
 * has one adapter, so an earlier reservation is usually wasted. The order is
 * not visible on the wire (R-3.5.1.6-04).
 */
int smc_add_map_keys(struct smc_lgr *lgr, struct smc_link *link)
{
	struct smc_rmb *rmb;
	int err = 0;

	lgr->flow.left = 0;
	lgr->flow.peer_left = SMC_RMBS_PER_LGR_MAX;
	lgr->flow.rounds = 0;
	list_for_each_entry(rmb, &lgr->rmbs.list, list) {
		if (err || !add_known_rmb(rmb))
			continue;
		err = smc_rmb_map(rmb, link);
		lgr->flow.left++;
	}
	lgr->flow.keys_end = jiffies + msecs_to_jiffies(SMC_LLC_KEYS_WAIT_MS);
	return err;
}

/** smc_add_open_keys - let the peer use the keys, after smc_link_start() */
int smc_add_open_keys(struct smc_lgr *lgr, struct smc_link *link)
{
	struct smc_rmb *rmb;
	unsigned int n = 0;
	int err = 0;

	list_for_each_entry(rmb, &lgr->rmbs.list, list) {
		struct smc_mr *mr = rmb->tok[link->slot].mr;

		if (err || !mr || rmb->opened & BIT(link->slot))
			continue;
		err = smc_rmb_register(lgr, rmb, link->slot);
		if (err)
			continue;
		/*
		 * registrations complete in order, so the earlier keys are also
		 * valid
		 */
		if (!(++n % smc_mr_batch(link->ep)))
			err = smc_device_await(link, mr);
	}
	return err;
}

/**
 * smc_add_send_keys - send ADD LINK CONTINUATION with the next two keys
 * @carrier: link that carries the exchange
 * @link: new link
 * @reply: client
 *
 * The count is 0 when this side has no keys left (R-A.3.3-04, -05).
 */
int smc_add_send_keys(struct smc_link *carrier, struct smc_link *link,
		      bool reply)
{
	struct smc_lgr *lgr = link->lgr;
	struct smc_llc_msg msg = { .type = SMC_LLC_ADD_LINK_CONT };
	struct smc_llc_add_link_cont *m = &msg.add_link_cont;
	u8 bit = BIT(link->slot);
	struct smc_rmb *rmb;
	unsigned int n = 0;

	m->reply = reply;
	m->link_num = link->num;
	m->num_left = lgr->flow.left;
	list_for_each_entry(rmb, &lgr->rmbs.list, list) {
		if (n == min_t(unsigned int, lgr->flow.left,
			       ARRAY_SIZE(m->pair)))
			break;
		if (!rmb->tok[link->slot].mr || rmb->told & bit)
			continue;
		m->pair[n].ref_rkey = rmb->tok[carrier->slot].rkey;
		m->pair[n].new_rkey = rmb->tok[link->slot].rkey;
		m->pair[n++].new_addr = rmb->tok[link->slot].addr;
		smc_rmb_tell(lgr, rmb, bit);
	}
	lgr->flow.left -= n;
	return smc_link_send(carrier, &msg);
}

/**
 * smc_add_take_keys - store the peer's keys on the new link (R-3.5.5.2.3-03)
 * @carrier: link on which the message arrived; the message names each RMB by
 * its key on this link
 * @link: new link
 * @m: message
 *
 * Return: 0, -EPROTO (R-A.3.3-06, -08, X-27, or the keys take too long).
 * lgr->flow.peer_left says how many keys the peer still has to send.
 */
int smc_add_take_keys(struct smc_link *carrier, struct smc_link *link,
		      const struct smc_llc_add_link_cont *m)
{
	struct smc_flow *f = &link->lgr->flow;
	unsigned int i, n = min_t(unsigned int, m->num_left,
				  ARRAY_SIZE(m->pair));
	u32 id;

	if (m->link_num != link->num || m->num_left > f->peer_left ||
	    ++f->rounds > SMC_ADD_LINK_CONT_ROUNDS_MAX ||
	    time_after(jiffies, f->keys_end))
		return -EPROTO;
	for (i = 0; i < n; i++) {
		if (smc_rtok_find(&link->lgr->rtoks, carrier->slot,
				  m->pair[i].ref_rkey, &id))
			return -EPROTO;
		smc_rtok_set(&link->lgr->rtoks, id, link->slot,
			     m->pair[i].new_rkey, m->pair[i].new_addr);
	}
	f->peer_left = m->num_left - n;
	return 0;
}

/* ---- keys inside ADD LINK ---- */

/**
 * smc_add_lists_keys - does ADD LINK itself carry the keys?
 * @lgr: group
 *
 * Return: true: ADD LINK carries them; false: continuations carry them.
 */
bool smc_add_lists_keys(const struct smc_lgr *lgr)
{
	return smc_llc_msg_keys_in_add(lgr->terms.version);
}

/*
 * Writes a key pair for each RMB that has a key on @link. Return: number of
 * pairs.
 */
static unsigned int add_list_pairs(struct smc_link *carrier, struct smc_link *link,
				   struct smc_llc_rtok_pair *pair)
{
	struct smc_lgr *lgr = link->lgr;
	struct smc_rmb *rmb;
	unsigned int n = 0;

	list_for_each_entry(rmb, &lgr->rmbs.list, list) {
		if (!add_known_rmb(rmb) || !rmb->tok[link->slot].mr)
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

/* Sends ADD LINK, or its positive reply, with the keys of all RMBs. */
static int add_send_pairs(struct smc_link *carrier, struct smc_link *link,
			  struct smc_llc_msg *msg)
{
	struct smc_llc_rtok_pair *pair;
	int err;

	pair = kvcalloc(SMC_RMBS_PER_LGR_MAX, sizeof(*pair), GFP_KERNEL);
	if (!pair)
		return -ENOMEM;
	msg->lists_keys = true;
	msg->n_pairs = add_list_pairs(carrier, link, pair);
	err = smc_link_send_list(carrier, msg, pair);
	kvfree(pair);
	return err;
}

/**
 * smc_add_take_pairs - store the peer's keys on the new link
 * @carrier: link on which the message arrived; the message names each RMB by
 *	its key on this link
 * @link: new link
 * @in: ADD LINK, or its reply
 *
 * The function skips a pair if it does not know the RMB yet. The CONFIRM RKEY
 * that announces this RMB later names the keys on all links. Return: 0, -EPROTO
 * (the message has no readable list of keys), -ENOMEM (there was no memory for
 * the list).
 */
int smc_add_take_pairs(struct smc_link *carrier, struct smc_link *link,
		       const struct smc_llc_in *in)
{
	struct smc_llc_rtok_pair pair;
	u32 id;
	int i;

	if (in->cut)
		return -ENOMEM;
	if (!in->m.lists_keys)
		return -EPROTO;
	for (i = 0; i < in->m.n_pairs; i++) {
		if (smc_llc_msg_pair(in->buf, in->len, i, &pair))
			return -EPROTO;
		if (smc_rtok_find(&link->lgr->rtoks, carrier->slot,
				  pair.ref_rkey, &id))
			continue;
		smc_rtok_set(&link->lgr->rtoks, id, link->slot, pair.new_rkey,
			     pair.new_addr);
	}
	return 0;
}

/* ---- messages ---- */

/** smc_add_send - send ADD LINK, or its positive reply, about @link; worker */
int smc_add_send(struct smc_link *carrier, struct smc_link *link, bool reply)
{
	struct smc_llc_msg msg = { .type = SMC_LLC_ADD_LINK };
	struct smc_llc_add_link *m = &msg.add_link;

	m->reply = reply;
	m->qpn = link->self.qpn;
	m->link_num = link->num;
	m->mtu_code = link->self.mtu;
	m->psn = link->self.psn;
	if (reply)	/* R-A.3.2-04 */
		m->mtu_code = min(link->self.mtu, link->peer.mtu);
	memcpy(m->mac, link->self.mac, sizeof(m->mac));
	memcpy(m->gid, link->self.gid, sizeof(m->gid));
	if (smc_add_lists_keys(link->lgr))
		return add_send_pairs(carrier, link, &msg);
	return smc_link_send(carrier, &msg);
}

/**
 * smc_add_notice - client: ask the server for a link (R-3.5.5.1.2-01), in the
 * worker
 * @lgr: group
 *
 * A client asks if it has a new port, or if it has refused an offer that it may
 * accept by now. That offer may have been for a port which has a link.
 *
 * Return: true if the client asks again later, unless the server answers; false
 * if the client has no reason to ask, or if it has asked and the protocol
 * version has no answer (R-3.5.5.1.2-05).
 */
bool smc_add_notice(struct smc_lgr *lgr)
{
	static const fit_t fresh[] = { port_unused, NULL },
			   any[] = { port_unused, port_spare, port_any, NULL };
	struct smc_link *carrier = smc_links_carrier(lgr, NULL);
	struct smc_llc_msg m = { .type = SMC_LLC_REQ_ADD_LINK };
	struct smc_llc_request *r = &m.request;
	struct smc_dev_choice choice;

	if (!carrier || add_choose(lgr, carrier, NULL,
				   lgr->flow.again ? any : fresh, &choice))
		return false;
	memcpy(r->mac, choice.mac, sizeof(r->mac));
	memcpy(r->gid[r->n++], choice.gid, SMC_GID_LEN);
	memcpy(r->gid[r->n++], carrier->self.gid, SMC_GID_LEN);
	smc_dev_choice_put(&choice);
	if (smc_link_send_list(carrier, &m, NULL))
		return true;
	lgr->flow.want = SMC_FLOW_WANT_ANSWER;
	if (!smc_llc_msg_request_is_answered(lgr->terms.version))
		return false;
	if (lgr->flow.asked < U8_MAX)
		lgr->flow.asked++;
	return true;
}

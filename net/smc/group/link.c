// SPDX-License-Identifier: GPL-2.0
/*
 * One link: its endpoint, sorting of what arrives, sending of LLC messages, and
 * the TEST LINK probe.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include "../base/mib.h"
#include "../base/trace.h"
#include "../wire/clc.h"
#include "../wire/llc_msg.h"
#include "lgr.h"
#include "lgr_types.h"
#include "link.h"
#include "link_types.h"
#include "slots.h"

static const struct smc_link_user *link_cdc_user;

static atomic_t link_uids = ATOMIC_INIT(0);

/**
 * smc_link_init_user - who gets the CDC messages of all links
 * @user: floor above
 */
void smc_link_init_user(const struct smc_link_user *user)
{
	link_cdc_user = user;
}

/* ---- receiving; softirq ---- */

static void link_llc_in(struct smc_link *link, struct smc_llc_buf *msg)
{
	struct smc_lgr *lgr = link->lgr;
	bool room;

	msg->uid = link->uid;
	spin_lock_bh(&lgr->mail.lock);
	room = kfifo_put(&lgr->mail.llc_in, *msg);
	spin_unlock_bh(&lgr->mail.lock);
	if (room) {
		smc_lgr_event(lgr, SMC_LGR_EVB_LLC);
		return;
	}
	/* a peer that does not wait for answers floods us: end of the link */
	if (msg->page)
		put_page(msg->page);
	smc_lgr_violation(lgr);
}

/*
 * Of the messages that may be longer than in version 1, ADD LINK alone says
 * something there that matters. Without memory it is one that lists no keys.
 */
static void link_keep(struct smc_llc_buf *msg, const u8 *buf, u32 len)
{
	memcpy(msg->b, buf, SMC_LLC_LEN);
	if (len <= SMC_LLC_LEN || smc_llc_msg_type(buf) != SMC_LLC_ADD_LINK)
		return;
	msg->page = alloc_pages(GFP_ATOMIC | __GFP_COMP | __GFP_NOWARN,
				get_order(len));
	if (!msg->page)
		return;
	memcpy(page_address(msg->page), buf, len);
	msg->len = len;
}

/* R-A.3.8-02: answered at once, whatever else is going on. */
static bool link_echo(struct smc_link *link, const struct smc_llc_msg *m)
{
	struct smc_llc_msg answer = *m;

	if (m->test_link.reply)
		return false;
	answer.test_link.reply = true;
	return !smc_link_send(link, &answer);
}

/* Return: it was a TEST LINK that is answered. */
static bool link_echoed(struct smc_link *link, const u8 *buf, u32 len)
{
	struct smc_llc_msg m;

	return smc_llc_msg_type(buf) == SMC_LLC_TEST_LINK &&
	       !smc_llc_msg_decode(link->lgr->terms.version, buf, len, &m) &&
	       link_echo(link, &m);
}

static void link_receive(void *ctx, const u8 *buf, u32 len)
{
	struct smc_link *link = ctx;
	struct smc_llc_buf msg = {};
	struct smc_lgr *lgr = link->lgr;

	WRITE_ONCE(link->probe.last_rx, jiffies);
	switch (smc_llc_msg_classify(lgr->terms.version, buf, len)) {
	case SMC_LLC_CLASS_CDC:
		smc_mib_inc(NULL, SMC_MIB_CDC_RX);
		link_cdc_user->cdc(lgr, buf);
		break;
	case SMC_LLC_CLASS_LLC:
		smc_mib_inc(NULL, SMC_MIB_LLC_RX);
		if (link_echoed(link, buf, len))
			break;
		link_keep(&msg, buf, len);
		link_llc_in(link, &msg);
		break;
	case SMC_LLC_CLASS_DISCARD:	/* R-3.3-06 */
		smc_mib_inc(NULL, SMC_MIB_LLC_DISCARD);
		break;
	default:			/* R-C.7.1-31, X-21 */
		smc_lgr_violation(lgr);
		break;
	}
}

/* ---- sending ---- */

static int link_send_or_keep(struct smc_link *link, struct smc_llc_buf msg)
{
	bool kept;

	spin_lock_bh(&link->queue.lock);
	kept = kfifo_put(&link->queue.ctrl_out, msg);
	spin_unlock_bh(&link->queue.lock);
	if (!kept)
		return -ENOBUFS;
	smc_mib_inc(NULL, SMC_MIB_LLC_TX);
	smc_slots_flush(link);
	return 0;
}

/**
 * smc_link_send - send an LLC message, or keep it until a slot is free
 * @link: link
 * @m: message without a list
 *
 * Context: any, BH safe. Return: 0, -ENOBUFS (too many are kept: the link is
 * as good as dead), -EINVAL.
 */
int smc_link_send(struct smc_link *link, const struct smc_llc_msg *m)
{
	struct smc_llc_buf buf = {};
	int err = smc_llc_msg_encode(link->lgr->terms.version, buf.b, m);

	return err ?: link_send_or_keep(link, buf);
}

/**
 * smc_link_send_long - the same with a message of another length
 * @link: link
 * @page: the message, of version 2; its reference goes with it, whatever comes
 * @len: length
 *
 * Context and return: as smc_link_send().
 */
int smc_link_send_long(struct smc_link *link, struct page *page, u16 len)
{
	struct smc_llc_buf msg = { .page = page, .len = len };
	int err = link_send_or_keep(link, msg);

	if (err)
		put_page(page);
	return err;
}

static void link_last_sent(struct smc_ep_slot *slot, int err)
{
	struct smc_lgr *lgr = slot->cookie;

	smc_lgr_event(lgr, SMC_LGR_EVB_SENT);
	smc_lgr_put(lgr);
}

/**
 * smc_link_send_last - send the last message of the link; event SENT follows
 * @link: link
 * @m: message without a list
 *
 * Context: worker. Return: 0, or negative errno: it cannot leave.
 */
int smc_link_send_last(struct smc_link *link, const struct smc_llc_msg *m)
{
	struct smc_ep_slot *slot = smc_ep_slot_get(link->ep, SMC_EP_CTRL);
	int err;

	if (!slot)
		return -ENOBUFS;
	err = smc_llc_msg_encode(link->lgr->terms.version, slot->msg, m);
	if (err) {
		smc_ep_slot_cancel(link->ep, slot);
		return err;
	}
	slot->done = link_last_sent;
	slot->cookie = smc_lgr_get(link->lgr);
	err = smc_ep_slot_post(link->ep, slot);
	if (err)
		smc_lgr_put(link->lgr);
	else
		smc_mib_inc(NULL, SMC_MIB_LLC_TX);
	return err;
}

/* ---- TEST LINK ---- */

/**
 * smc_link_probe - the idle time may be over: ask whether the peer lives
 * @link: link
 *
 * Context: worker. R-4.5.3-03; both triggers of X-20 end here.
 */
void smc_link_probe(struct smc_link *link)
{
	struct smc_lgr *lgr = link->lgr;
	unsigned long idle = lgr->testlink_secs * HZ;
	unsigned long since = jiffies - READ_ONCE(link->probe.last_rx);

	if (lgr->mail.deadline[SMC_LGR_DL_PROBE_REPLY + link->slot])
		return;		/* the peer is being asked */
	if (since < idle && !xchg(&link->probe.asked, false)) {
		smc_lgr_set_deadline(lgr, SMC_LGR_DL_PROBE + link->slot,
				     jiffies_to_msecs(idle - since));
		return;
	}
	smc_link_probe_now(link);
}

/** smc_link_probe_now - ask at once; worker */
void smc_link_probe_now(struct smc_link *link)
{
	struct smc_lgr *lgr = link->lgr;
	struct smc_llc_msg m = { .type = SMC_LLC_TEST_LINK };

	if (lgr->mail.deadline[SMC_LGR_DL_PROBE_REPLY + link->slot])
		return;		/* is being asked */
	smc_mib_inc(NULL, SMC_MIB_LLC_PROBE);
	link->probe.seq++;
	memcpy(link->probe.data, &link->probe.seq, sizeof(link->probe.seq));
	memcpy(m.test_link.data, link->probe.data, sizeof(m.test_link.data));
	/*
	 * If it could not even be kept, the peer has not taken a message for
	 * long: no answer will come, and that ends the link just the same.
	 */
	smc_link_send(link, &m);
	smc_lgr_set_deadline(lgr, SMC_LGR_DL_PROBE_REPLY + link->slot,
			     SMC_TEST_LINK_WAIT_MS);
}

/** smc_link_watch - begin to probe an active link when it is idle; worker */
void smc_link_watch(struct smc_link *link)
{
	struct smc_lgr *lgr = link->lgr;

	if (lgr->testlink_secs)
		smc_lgr_set_deadline(lgr, SMC_LGR_DL_PROBE + link->slot,
				     lgr->testlink_secs * MSEC_PER_SEC);
}

/**
 * smc_link_test - TEST LINK, or the answer to it, arrived (R-C.7.1-29)
 * @link: on this link
 * @in: message
 *
 * Context: worker.
 */
void smc_link_test(struct smc_link *link, const struct smc_llc_in *in)
{
	const struct smc_llc_test_link *m = &in->m.test_link;
	struct smc_lgr *lgr = link->lgr;

	if (!m->reply) {
		/*
		 * A request that found no slot for its echo. If there is still
		 * none, the peer goes on asking and takes no answer.
		 */
		if (!link_echo(link, &in->m))
			smc_lgr_violation(lgr);
		return;
	}
	if (!lgr->mail.deadline[SMC_LGR_DL_PROBE_REPLY + link->slot] ||
	    memcmp(m->data, link->probe.data, sizeof(m->data))) {
		smc_lgr_violation(lgr);
		return;
	}
	smc_lgr_clear_deadline(lgr, SMC_LGR_DL_PROBE_REPLY + link->slot);
	smc_link_watch(link);
}

/* ---- the links of a group; see links.c for what may be done with them ---- */

/** smc_link_next - the first link at *@slot or behind, which is set, or NULL */
struct smc_link *smc_link_next(struct smc_lgr *lgr, int *slot)
{
	struct smc_link *link = NULL;

	/* partners: smc_links_add(), smc_links_remove() */
	for (; *slot < SMC_LINK_SLOTS; (*slot)++) {
		link = READ_ONCE(lgr->links[*slot]);
		if (link)
			break;
	}
	return link;
}

/**
 * smc_link_owns - are the keys of this place those of the link?
 * @lgr: group, its lock held
 * @slot: place that the link had
 * @uid: its user ID
 *
 * A handshake names a link and its keys, and takes its time: the link may go
 * meanwhile. Its keys stay until another link takes the place.
 */
bool smc_link_owns(const struct smc_lgr *lgr, u8 slot, u32 uid)
{
	lockdep_assert_held(&lgr->lock);
	return lgr->owner[slot] == uid;
}

/* ---- life ---- */

static void link_down(void *ctx, int err)
{
	struct smc_link *link = ctx;

	smc_mib_inc(NULL, SMC_MIB_LINK_DOWN);
	WRITE_ONCE(link->broken, err);	/* partner: smc_failover_check() */
	smc_lgr_event(link->lgr, SMC_LGR_EVB_LINK_DOWN);
}

/* An announcement may wait for it. */
static void link_registered(void *ctx)
{
	struct smc_link *link = ctx;

	smc_lgr_event(link->lgr, SMC_LGR_EVB_RMB);
}

static const struct smc_ep_user link_user = {
	.message = link_receive,
	.room = smc_slots_room,
	.registered = link_registered,
	.down = link_down,
};

/** smc_link_step - the only writer of the state. Return: true if it changed. */
bool smc_link_step(struct smc_link *link, enum smc_link_event ev)
{
	u8 before = link->state;

	smc_fsm_step(&smc_link_fsm, &link->state, ev);
	return link->state != before;
}

/**
 * smc_link_give_up - leave a note that a link has to go
 * @link: link
 * @fate: how
 * @err: negative errno for views and members
 * @reason: enum smc_llc_del_reason, for the peer
 *
 * The first note counts. Context: worker, which does it next (failover.c).
 */
void smc_link_give_up(struct smc_link *link, enum smc_link_fate fate, int err,
		      u32 reason)
{
	if (link->fate.how != SMC_LINK_STAYS)
		return;
	link->fate.how = fate;
	link->fate.err = err;
	link->fate.reason = reason;
	smc_lgr_due(link->lgr, SMC_LGR_DUE_LINKS);
}

static struct smc_ep *link_open_ep(struct smc_link *link)
{
	if (!link->choice.port)
		return smc_ep_open_loop(&link_user, link);
	return smc_ep_open_roce(link->choice.port, link->choice.gid_idx,
				&link_user, link);
}

static void link_free(struct work_struct *work)
{
	struct smc_link *link = container_of(work, struct smc_link, free_work);

	/*
	 * Not earlier: a member that saw a free slot just before the end
	 * schedules the tasklet just after it. All members have left now.
	 */
	tasklet_kill(&link->queue.tasklet);
	smc_slots_drop(link);
	smc_ep_put(link->ep);
	smc_dev_choice_put(&link->choice);
	kfree(link);
}

static void link_release(struct kref *ref)
{
	struct smc_link *link = container_of(ref, struct smc_link, ref);

	smc_lgr_queue_work(&link->free_work);
}

struct smc_link *smc_link_get(struct smc_link *link)
{
	kref_get(&link->ref);
	return link;
}

/** smc_link_put - drop a reference. Context: any. */
void smc_link_put(struct smc_link *link)
{
	kref_put(&link->ref, link_release);
}

/**
 * smc_link_open - a link with its endpoint, one reference, in no group's list
 * @lgr: group
 * @choice: own port and GID; copied. Without a port it is in-host.
 *
 * Context: may sleep. Return: link or ERR_PTR.
 */
struct smc_link *smc_link_open(struct smc_lgr *lgr,
			       const struct smc_dev_choice *choice)
{
	struct smc_link *link = kzalloc(sizeof(*link), GFP_KERNEL);
	struct smc_ep *ep;

	if (!link)
		return ERR_PTR(-ENOMEM);
	kref_init(&link->ref);
	link->lgr = lgr;
	link->uid = atomic_inc_return(&link_uids);
	link->probe.last_rx = jiffies;
	link->choice = *choice;
	INIT_WORK(&link->free_work, link_free);
	smc_slots_init(link);
	ep = link_open_ep(link);
	if (IS_ERR(ep)) {
		kfree(link);
		return ERR_CAST(ep);
	}
	link->ep = ep;
	smc_ep_describe(ep, &link->self);
	if (link->choice.port)
		smc_port_get(link->choice.port);
	return link;
}

/**
 * smc_link_bind - tell the endpoint its peer; receiving works afterwards
 * @link: link
 * @peer: peer's address
 */
int smc_link_bind(struct smc_link *link, const struct smc_ep_addr *peer)
{
	int err;

	/* before anything can arrive: the worker compares CONFIRM LINK to it */
	link->peer = *peer;
	err = smc_ep_accept(link->ep, peer);
	if (err)
		return err;
	smc_slots_reached(link, SMC_LINK_BOUND);
	return 0;
}

/**
 * smc_link_start - sending works afterwards; may sleep
 * @link: link
 */
int smc_link_start(struct smc_link *link)
{
	int err = smc_ep_start(link->ep);

	if (!err)
		smc_slots_reached(link, SMC_LINK_STARTED);
	return err;
}

/**
 * smc_link_close - end the endpoint; may sleep; the object stays
 * @link: link
 */
void smc_link_close(struct smc_link *link)
{
	smc_ep_close(link->ep);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * One link: its endpoint, received messages, sending of LLC messages, and the
 * TEST LINK probe.
 */
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include "../base/memcg.h"
#include "../base/mib.h"
#include "../base/trace.h"
#include "../transport/call.h"
#include "../wire/clc.h"
#include "../wire/frame.h"
#include "../wire/llc_msg.h"
#include "framing.h"
#include "lgr.h"
#include "lgr_types.h"
#include "link.h"
#include "link_types.h"
#include "slots.h"

static_assert(SMC_EP_MSG_MAX >= SMC_LLC_MSG_MAX);

static const struct smc_link_user *link_cdc_user;

static atomic_t link_uids = ATOMIC_INIT(0);

/**
 * smc_link_init_user - set the receiver of all CDC messages
 * @user: callbacks of the receiver
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
	/* a peer that does not wait for answers overloads us: end the group */
	if (msg->page)
		put_page(msg->page);
	smc_lgr_violation(lgr);
}

/*
 * Keeps the first 44 bytes of a message. If the rest of the message matters,
 * the function copies the whole message to a page. If there is no memory for
 * that page, an ADD LINK is kept without its list of keys.
 * Return: false if the message is useless without the rest.
 */
static bool link_keep(struct smc_llc_buf *msg, const u8 *buf, u32 len)
{
	u8 type = smc_llc_msg_type(buf);

	memcpy(msg->b, buf, SMC_LLC_LEN);
	if (len <= SMC_LLC_LEN || !smc_llc_msg_list_matters(type))
		return true;
	msg->len = len;
	msg->page = alloc_pages(GFP_ATOMIC | __GFP_COMP | __GFP_NOWARN,
				get_order(len));
	if (!msg->page)
		return type == SMC_LLC_ADD_LINK;
	memcpy(page_address(msg->page), buf, len);
	return true;
}

/* R-A.3.8-02: TEST LINK is answered at once, even during an exchange. */
static bool link_echo(struct smc_link *link, const struct smc_llc_msg *m)
{
	struct smc_llc_msg answer = *m;

	if (m->test_link.reply)
		return false;
	answer.test_link.reply = true;
	return !smc_link_send(link, &answer);
}

/* Return: true if the message is a TEST LINK and the answer is on its way. */
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
		link_cdc_user->cdc(lgr, link, buf);
		break;
	case SMC_LLC_CLASS_LLC:
		smc_mib_inc(NULL, SMC_MIB_LLC_RX);
		if (link_echoed(link, buf, len))
			break;
		if (link_keep(&msg, buf, len))
			link_llc_in(link, &msg);
		else
			smc_mib_inc(NULL, SMC_MIB_LLC_DISCARD);
		break;
	case SMC_LLC_CLASS_DISCARD:	/* R-3.3-06 */
		smc_mib_inc(NULL, SMC_MIB_LLC_DISCARD);
		break;
	default:			/* R-C.7.1-31, X-21 */
		smc_lgr_violation(lgr);
		break;
	}
}

/* Passes a record of a frame to its connection. */
static int link_record(void *ctx, const struct smc_frame_record *rec)
{
	struct smc_link *link = ctx;

	return link_cdc_user->record(link->lgr, link, rec);
}

static int link_take_message(struct smc_link *link, const u8 *buf, u32 len)
{
	int err;

	if (!smc_framing_on(link)) {
		link_receive(link, buf, len);
		return 0;
	}
	if (!smc_frame_is(buf, len)) {
		err = smc_framing_llc_arrived(link);
		if (!err)
			link_receive(link, buf, len);
		return err;
	}
	WRITE_ONCE(link->probe.last_rx, jiffies);
	smc_mib_inc(NULL, SMC_MIB_FRAME_RX);
	return smc_framing_take(link, buf, len, link_record);
}

/*
 * Handles a message that has arrived on a link that may carry frames.
 * Connections may answer with records. They are sent together after the whole
 * frame was handled.
 */
static int link_take(void *ctx, const u8 *buf, u32 len)
{
	struct smc_link *link = ctx;
	bool held = smc_slots_hold(link);
	int err;

	err = link_take_message(link, buf, len);
	smc_slots_release(link, held);
	return err;
}

static u32 link_posted(void *ctx, u32 n)
{
	struct smc_link *link = ctx;
	u32 depth = smc_framing_posted(link, n);

	if (smc_framing_must_serve(link))
		smc_slots_room(link);
	return depth;
}

/* The peer may not have repeated the answer. Then it counts nothing (F-31). */
static bool link_counted(void *ctx)
{
	return smc_framing_on(ctx);
}

/* ---- sending ---- */

/**
 * smc_link_serve - send the records that members have queued
 * @link: link with frames
 *
 * Context: any but irq, no lock of a member held.
 */
void smc_link_serve(struct smc_link *link)
{
	smc_slots_room(link);
}

static int link_send_or_keep(struct smc_link *link, struct smc_llc_buf msg)
{
	if (!smc_slots_llc_add(link, &msg))
		return -ENOBUFS;
	smc_mib_inc(NULL, SMC_MIB_LLC_TX);
	smc_slots_flush(link);
	return 0;
}

/**
 * smc_link_send - send an LLC message, or queue it until a send slot is free
 * @link: link
 * @m: message; its lists are not sent
 *
 * Context: any, BH safe. Return: 0, -ENOBUFS (the queue is full: the peer takes
 * almost no messages), -EINVAL.
 */
int smc_link_send(struct smc_link *link, const struct smc_llc_msg *m)
{
	struct smc_llc_buf buf = {};
	int err = smc_llc_msg_encode(link->lgr->terms.version, buf.b, m);

	return err ?: link_send_or_keep(link, buf);
}

/**
 * smc_link_send_list - send an LLC message that may have a list
 * @link: link
 * @m: message
 * @pair: ADD LINK: @m->n_pairs pairs of keys, or NULL
 *
 * The version of the group decides whether the message has a list, and so its
 * length. Context: worker, may sleep. Return: as smc_link_send(), -ENOMEM.
 */
int smc_link_send_list(struct smc_link *link, const struct smc_llc_msg *m,
		       const struct smc_llc_rtok_pair *pair)
{
	u8 version = link->lgr->terms.version;
	size_t room = smc_llc_msg_long_len(version, m);
	struct smc_llc_buf msg = {};
	int err;

	if (!room)
		return smc_link_send(link, m);
	if (room > SMC_LLC_MSG_MAX)
		return -EINVAL;
	msg.page = alloc_pages(GFP_KERNEL | __GFP_COMP, get_order(room));
	if (!msg.page)
		return -ENOMEM;
	err = smc_llc_msg_encode_long(version, page_address(msg.page), room, m,
				      pair);
	msg.len = max(err, 0);
	if (err >= 0)
		err = link_send_or_keep(link, msg);
	if (err)
		put_page(msg.page);
	return err;
}

static void link_last_sent(struct smc_ep_slot *slot, int err)
{
	struct smc_lgr *lgr = slot->cookie;

	smc_lgr_event(lgr, SMC_LGR_EVB_SENT);
	smc_lgr_put(lgr, SMC_LGR_REF_LAST_WORD);
}

static int link_post_last(struct smc_link *link, struct smc_ep_slot *slot)
{
	struct smc_lgr *lgr = smc_lgr_get(link->lgr, SMC_LGR_REF_LAST_WORD);
	int err = -ENOBUFS;

	spin_lock_bh(&link->queue.lock);
	if (smc_framing_take_credit(link)) {
		err = smc_ep_slot_post(link->ep, slot);
		if (err)
			smc_framing_return_credit(link);
	} else {
		smc_ep_slot_cancel(link->ep, slot);
	}
	spin_unlock_bh(&link->queue.lock);
	if (err)
		smc_lgr_put(lgr, SMC_LGR_REF_LAST_WORD);
	return err;
}

/**
 * smc_link_send_last - send the last message of the link; event SENT follows
 * @link: link
 * @m: message without a list
 *
 * Context: worker. Return: 0, or a negative errno: the message cannot leave.
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
	slot->cookie = link->lgr;
	err = link_post_last(link, slot);
	if (!err)
		smc_mib_inc(NULL, SMC_MIB_LLC_TX);
	return err;
}

/* ---- TEST LINK ---- */

/* Returns the time until an idle link needs a TEST LINK, in jiffies. */
static unsigned long link_idle_left(const struct smc_link *link)
{
	unsigned long since = jiffies - READ_ONCE(link->probe.last_rx);
	unsigned long idle = link->lgr->testlink_secs * HZ;

	if (!idle)
		return MAX_JIFFY_OFFSET;
	return since < idle ? idle - since : 0;
}

/** smc_link_watch - start the timer of an active link, in the worker */
void smc_link_watch(struct smc_link *link)
{
	unsigned long left = min(link_idle_left(link),
				 msecs_to_jiffies(SMC_LINK_CHECK_MS));

	smc_lgr_set_deadline(link->lgr, SMC_LGR_DL_PROBE + link->slot,
			     jiffies_to_msecs(left));
}

/*
 * Has the peer taken nothing for long? Notes the time of the first look that
 * finds this. The caller looks again later: if the host did not run for a
 * while, the first look may come before the completions are handled.
 */
static bool link_is_stuck(struct smc_link *link)
{
	if (!smc_ep_stuck(link->ep)) {
		link->probe.stuck = 0;
		return false;
	}
	if (!link->probe.stuck)
		link->probe.stuck = jiffies ?: 1;
	return true;
}

/* Ends a link that is stuck, or whose device should not be used any more. */
static bool link_gives_up(struct smc_link *link)
{
	bool stuck = link_is_stuck(link) &&
		     time_after_eq(jiffies, link->probe.stuck +
				   msecs_to_jiffies(SMC_TEST_LINK_WAIT_MS));

	if (!stuck && !(smc_ep_cannot_map(link->ep) && smc_link_has_other(link)))
		return false;
	smc_link_give_up(link, SMC_LINK_FAILS, -ETIMEDOUT,
			 SMC_LLC_DEL_LOST_PATH);
	return true;
}

/**
 * smc_link_probe - send TEST LINK if the link has been idle for long enough
 * @link: link
 *
 * Ends the link if the peer takes nothing.
 * Context: worker. Both triggers of X-20 call this function (R-4.5.3-03).
 */
void smc_link_probe(struct smc_link *link)
{
	struct smc_lgr *lgr = link->lgr;

	if (link_gives_up(link))
		return;
	if (link->probe.stuck)
		smc_lgr_set_deadline(lgr, SMC_LGR_DL_PROBE + link->slot,
				     SMC_TEST_LINK_WAIT_MS);
	if (link->probe.stuck ||
	    lgr->mail.deadline[SMC_LGR_DL_PROBE_REPLY + link->slot])
		return;		/* a TEST LINK is under way, or would wait */
	if (!xchg(&link->probe.asked, false) && link_idle_left(link))
		smc_link_watch(link);
	else
		smc_link_probe_now(link);
}

/** smc_link_probe_now - send TEST LINK at once, in the worker */
void smc_link_probe_now(struct smc_link *link)
{
	struct smc_lgr *lgr = link->lgr;
	struct smc_llc_msg m = { .type = SMC_LLC_TEST_LINK };

	if (lgr->mail.deadline[SMC_LGR_DL_PROBE_REPLY + link->slot])
		return;		/* a TEST LINK is under way */
	smc_mib_inc(NULL, SMC_MIB_LLC_PROBE);
	link->probe.seq++;
	memcpy(link->probe.data, &link->probe.seq, sizeof(link->probe.seq));
	memcpy(m.test_link.data, link->probe.data, sizeof(m.test_link.data));
	/*
	 * If the queue is full, TEST LINK is not sent. Then no answer arrives,
	 * and the link fails as if the answer were lost.
	 */
	link->probe.wait_end = smc_link_wait_end(smc_link_send(link, &m));
	smc_lgr_set_deadline(lgr, SMC_LGR_DL_PROBE_REPLY + link->slot,
			     SMC_TEST_LINK_WAIT_MS);
}

/**
 * smc_link_wait_end - limit the wait for the answer to a request
 * @err: 0: the request was sent; otherwise it was not, and no answer arrives
 *
 * Return: the time, in jiffies, at which smc_link_wait_on() ends the wait.
 */
unsigned long smc_link_wait_end(int err)
{
	return err ? jiffies : jiffies + msecs_to_jiffies(SMC_LLC_BUSY_WAIT_MS);
}

/**
 * smc_link_wait_on - continue to wait for an overdue answer if the link works
 * @link: link that carries the request, or NULL
 * @d: deadline of the answer, which has expired
 * @end: value of smc_link_wait_end() for the request, or an earlier time
 *
 * An answer may be late because it waits behind the data of all connections in
 * a send queue. If a message of the peer has arrived in the last
 * SMC_LLC_WAIT_MS, the link works, and its connections continue (R-4.5.3-05).
 * The new deadline expires SMC_LLC_WAIT_MS after that message, or at @end if
 * that is earlier.
 *
 * Context: worker. Return: true if @d is set again; false if the wait is over.
 */
bool smc_link_wait_on(const struct smc_link *link, enum smc_lgr_deadline d,
		      unsigned long end)
{
	unsigned long now = jiffies, silent;
	long left;

	if (!link)
		return false;
	silent = READ_ONCE(link->probe.last_rx) + msecs_to_jiffies(SMC_LLC_WAIT_MS);
	left = min((long)(silent - now), (long)(end - now));
	if (left <= 0)
		return false;
	smc_lgr_set_deadline(link->lgr, d, jiffies_to_msecs(left));
	return true;
}

/**
 * smc_link_mute - the answer to TEST LINK is overdue
 * @link: link
 *
 * Lets the link fail, or extends the wait (R-C.7.1-18). Context: worker.
 */
void smc_link_mute(struct smc_link *link)
{
	if (smc_link_wait_on(link, SMC_LGR_DL_PROBE_REPLY + link->slot,
			     link->probe.wait_end))
		return;
	smc_mib_inc(NULL, SMC_MIB_LLC_TIMEOUT);
	smc_link_give_up(link, SMC_LINK_FAILS, -ETIMEDOUT,
			 SMC_LLC_DEL_LOST_PATH);
}

/**
 * smc_link_test - TEST LINK, or its answer, has arrived (R-C.7.1-29)
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
		 * When this request arrived, no send slot was free for the
		 * answer. If no slot is free now, the peer keeps sending
		 * requests without taking answers.
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

/* ---- the links of a group; links.c changes them ---- */

/**
 * smc_link_next - first link at or after *@slot, or NULL; sets *@slot
 * @lgr: group
 * @slot: input and output
 *
 * A link that was removed keeps its slot for a while, see smc_links_remove().
 * This function skips it. Context: worker, creator, or lgr->lock held.
 */
struct smc_link *smc_link_next(struct smc_lgr *lgr, int *slot)
{
	struct smc_link *link;

	/* partners: smc_links_add(), links_vacate() */
	for (; *slot < SMC_LINK_SLOTS; (*slot)++) {
		link = READ_ONCE(lgr->links[*slot]);
		/* partner: smc_link_step() */
		if (link && READ_ONCE(link->state) != SMC_LINK_GONE)
			return link;
	}
	return NULL;
}

/**
 * smc_link_port_gone - is the port of the link gone, or its device being
 * removed?
 * @link: link; in-host it has no port
 *
 * Context: any. Return: true if it is.
 */
bool smc_link_port_gone(const struct smc_link *link)
{
	return link->choice.port && smc_port_gone(link->choice.port);
}

/* Does this link work, and has nobody given it up? */
static bool link_stays(const struct smc_link *link)
{
	/* partner: link_down() */
	return link->state == SMC_LINK_ACTIVE &&
	       link->fate.how == SMC_LINK_STAYS && !READ_ONCE(link->broken) &&
	       !smc_link_port_gone(link) && !smc_call_hangs(link->choice.port) &&
	       !smc_ep_cannot_map(link->ep);
}

/**
 * smc_link_has_other - has the group another link that works?
 * @link: link
 *
 * Context: worker of the group, or its creator, which runs while the group has
 * only one link.
 */
bool smc_link_has_other(const struct smc_link *link)
{
	struct smc_link *other;
	int i;

	smc_link_for_each(link->lgr, i, other)
		if (other != link && link_stays(other))
			return true;
	return false;
}

/**
 * smc_link_owns - do the keys of this slot still belong to the link?
 * @lgr: group, its lock held
 * @slot: slot that the link had
 * @uid: user ID of the link
 *
 * A handshake names a link and its keys. The link may end before the handshake
 * does. The keys remain valid until another link takes the slot.
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

/* Keys may be waiting to be announced until this registration completes. */
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

/** smc_link_step - the only writer of the state. Return: has it changed? */
bool smc_link_step(struct smc_link *link, enum smc_link_event ev)
{
	u8 before = link->state;

	smc_fsm_step(&smc_link_fsm, &link->state, ev);
	return link->state != before;
}

/**
 * smc_link_give_up - tell the worker to end a link
 * @link: link
 * @fate: how the link ends
 * @err: negative errno for views and members
 * @reason: enum smc_llc_del_reason, for the peer
 *
 * Later calls for the same link have no effect. Context: worker, which acts
 * next (failover.c).
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

static const struct smc_ep_user link_frames_user = {
	.message = link_receive,
	.take = link_take,
	.posted = link_posted,
	.counted = link_counted,
	.room = smc_slots_room,
	.registered = link_registered,
	.down = link_down,
};

static struct smc_ep *link_open_ep(struct smc_link *link)
{
	if (!link->choice.port)
		return smc_ep_open_loop(&link_user, link);
	return smc_ep_open_roce(&link->choice, link->queue.framing ? &link_frames_user :
							     &link_user, link);
}

/*
 * Does the new link receive frames? At the server of first contact the answer
 * decides, because the endpoint of the first link opens before the Confirm
 * arrives (F-31). The Confirm may lack the extension, and so a second link has
 * none.
 */
static bool link_has_frames(struct smc_lgr *lgr)
{
	u8 caps = lgr->terms.ext.caps;
	int i = 0;

	if (lgr->key.in_host)
		return false;	/* connections exchange their records directly */
	if (lgr->key.role == SMC_SERV && !lgr->terms.ext.version &&
	    READ_ONCE(lgr->state) == SMC_LGR_FORMING) {
		spin_lock_bh(&lgr->lock);
		if (!smc_link_next(lgr, &i))
			caps = lgr->terms.answer.caps;
		spin_unlock_bh(&lgr->lock);
	}
	return caps & SMC_EXT_FRAMES;
}

/**
 * smc_link_agree - server: take the terms of the Confirm
 * @link: first link of the group, not bound yet
 *
 * Context: creator.
 */
void smc_link_agree(struct smc_link *link)
{
	smc_framing_agree(link, &link->lgr->terms.ext);
}

static void link_free(struct work_struct *work)
{
	struct smc_link *link = container_of(work, struct smc_link, free_work);

	WARN_ON_ONCE(!hlist_unhashed(&link->by_peer));
	/*
	 * All members have left by now. Until then a member that has seen a
	 * free slot may schedule the tasklet.
	 */
	tasklet_kill(&link->queue.tasklet);
	smc_slots_drop(link);
	smc_framing_free(link->queue.framing);
	smc_ep_put(link->ep, SMC_EP_REF_OWNER);
	smc_dev_choice_put(&link->choice);
	kfree(link);
}

static void link_release(struct kref *ref)
{
	struct smc_link *link = container_of(ref, struct smc_link, ref);

	smc_lgr_queue_work(link->lgr, &link->free_work);
}

static const char *const link_ref_names[SMC_LINK_NR_REFS] = {
	[SMC_LINK_REF_GROUP]	= "group",
	[SMC_LINK_REF_CONTACT]	= "contact",
	[SMC_LINK_REF_MEMBER]	= "member",
	[SMC_LINK_REF_TARGET]	= "target",
	[SMC_LINK_REF_GRAVE]	= "grave",
	[SMC_LINK_REF_CALL]	= "call",
	[SMC_LINK_REF_SERVE]	= "serve",
	[SMC_LINK_REF_ELEMENT]	= "element",
	[SMC_LINK_REF_VIEW]	= "view",
};

static void link_ref_trace(const struct smc_link *link, enum smc_link_ref why,
			   int change)
{
	trace_smc_ref("link", link, link_ref_names[why], change);
}

/**
 * smc_link_get - take one more reference
 * @link: link
 * @why: reason, for the trace
 *
 * Context: any. Return: @link.
 */
struct smc_link *smc_link_get(struct smc_link *link, enum smc_link_ref why)
{
	kref_get(&link->ref);
	link_ref_trace(link, why, 1);
	return link;
}

/**
 * smc_link_put - drop a reference
 * @link: link
 * @why: reason, as in smc_link_get()
 *
 * Context: any. After the last reference a work item frees the object.
 */
void smc_link_put(struct smc_link *link, enum smc_link_ref why)
{
	link_ref_trace(link, why, -1);
	kref_put(&link->ref, link_release);
}

static struct smc_link *link_new(struct smc_lgr *lgr,
				 const struct smc_dev_choice *choice)
{
	struct smc_link *link = kzalloc(sizeof(*link), SMC_GFP_PAID);
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
	ep = ERR_PTR(-ENOMEM);
	if (link_has_frames(lgr))
		link->queue.framing = smc_framing_new();
	/* the server of first contact does not know the terms yet */
	smc_framing_agree(link, &lgr->terms.ext);
	if (link->queue.framing || !link_has_frames(lgr))
		ep = link_open_ep(link);
	if (IS_ERR(ep)) {
		smc_framing_free(link->queue.framing);
		kfree(link);
		return ERR_CAST(ep);
	}
	link->ep = ep;
	smc_ep_describe(ep, &link->self);
	smc_dev_choice_get(&link->choice);
	link_ref_trace(link, SMC_LINK_REF_GROUP, 1);
	return link;
}

/**
 * smc_link_open - create a link and its endpoint, with one reference
 *	(SMC_LINK_REF_GROUP)
 * @lgr: group, whose payer is charged for the memory
 * @choice: own port and GID; copied. A link without a port is in-host.
 *
 * Context: may sleep. Return: link or ERR_PTR.
 */
struct smc_link *smc_link_open(struct smc_lgr *lgr,
			       const struct smc_dev_choice *choice)
{
	struct mem_cgroup *old = set_active_memcg(lgr->first.payer);
	struct smc_link *link = link_new(lgr, choice);

	set_active_memcg(old);
	return link;
}

/**
 * smc_link_bind - tell the endpoint the address of its peer, after which it can
 * receive
 * @link: link; link->peer is set
 */
int smc_link_bind(struct smc_link *link)
{
	int err = smc_ep_accept(link->ep, &link->peer);

	if (err)
		return err;
	smc_slots_reached(link, SMC_LINK_BOUND);
	return 0;
}

/**
 * smc_link_start - let the endpoint send; may sleep
 * @link: link
 */
int smc_link_start(struct smc_link *link)
{
	int err = smc_ep_start(link->ep);

	if (!err)
		smc_slots_reached(link, SMC_LINK_STARTED);
	return err;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * One link: its endpoint, sorting of what arrives, sending of LLC messages, the
 * queue of members that wait for a send slot, and the TEST LINK probe.
 */
#include <linux/random.h>
#include "../base/mib.h"
#include "../base/trace.h"
#include "lgr_priv.h"

const struct smc_lgr_user *smc_group_user;
static atomic_t link_uids = ATOMIC_INIT(0);

/* ---- receiving; softirq ---- */

static void llc_in(struct smc_lgr *lgr, const u8 *buf)
{
	struct smc_llc_buf msg;
	bool room;

	memcpy(msg.b, buf, SMC_LLC_LEN);
	spin_lock_bh(&lgr->in_lock);
	room = kfifo_put(&lgr->llc_in, msg);
	spin_unlock_bh(&lgr->in_lock);
	/* a peer that does not wait for answers floods us: end of the link */
	if (room)
		smc_lgr_event(lgr, SMC_LGR_EVB_LLC);
	else
		smc_lgr_violation(lgr);
}

static bool is_v2(const struct smc_lgr *lgr)
{
	return lgr->terms.version > SMC_CLC_V1;
}

/* R-A.3.8-02: answered at once, whatever else is going on. */
static bool echo_test_link(struct smc_link *link, const u8 *buf)
{
	struct smc_llc_test_link m;
	u8 out[SMC_LLC_LEN];

	if (smc_llc_decode_test_link(buf, &m) || m.reply)
		return false;
	m.reply = true;
	smc_llc_encode_test_link(out, &m);
	return !smc_link_send(link, out);
}

static void link_message(void *ctx, const u8 *buf, u32 len)
{
	struct smc_link *link = ctx;
	struct smc_lgr *lgr = link->lgr;
	enum smc_llc_class class;
	u8 v1[SMC_LLC_LEN];

	WRITE_ONCE(link->last_rx, jiffies);
	if (is_v2(lgr) && len && smc_llc_is_v2(*buf)) {
		class = smc_llc_v2_classify(buf, len);
		if (class == SMC_LLC_CLASS_LLC) {
			smc_llc_v2_to_v1(v1, buf);
			buf = v1;
		}
	} else {
		class = smc_llc_classify(buf, len);
	}
	switch (class) {
	case SMC_LLC_CLASS_CDC:
		smc_mib_inc(NULL, SMC_MIB_CDC_RX);
		smc_group_user->cdc(lgr, buf);
		break;
	case SMC_LLC_CLASS_LLC:
		smc_mib_inc(NULL, SMC_MIB_LLC_RX);
		if (smc_llc_opcode(buf) == SMC_LLC_TEST_LINK &&
		    echo_test_link(link, buf))
			break;
		llc_in(lgr, buf);
		break;
	case SMC_LLC_CLASS_DISCARD:	/* R-3.3-06 */
		smc_mib_inc(NULL, SMC_MIB_LLC_DISCARD);
		break;
	default:			/* R-C.7.1-31, X-21 */
		smc_lgr_violation(lgr);
		break;
	}
}

/* ---- waiting for send slots ---- */

static bool slot_free(struct smc_link *link)
{
	struct smc_ep_slot *slot = smc_ep_slot_get(link->ep, SMC_EP_DATA);

	if (slot)
		smc_ep_slot_cancel(link->ep, slot);
	return slot;
}

static struct smc_lgr_member *next_waiter(struct smc_link *link)
{
	struct smc_lgr_member *m;

	spin_lock_bh(&link->wait_lock);
	m = list_first_entry_or_null(&link->waiters, struct smc_lgr_member,
				     wait);
	if (m)
		list_del_init(&m->wait);
	link->running = m;
	spin_unlock_bh(&link->wait_lock);
	return m;
}

static void llc_sent(struct smc_ep_slot *slot, int err)
{
	struct smc_link *link = slot->cookie;

	/* a failure takes the endpoint down, which is reported by itself */
	if (!err)
		WRITE_ONCE(link->delivered, true);
}

static void flush_ctrl(struct smc_link *link)
{
	struct smc_llc_buf msg;
	struct smc_ep_slot *slot;
	bool got;

	for (;;) {
		slot = smc_ep_slot_get(link->ep, SMC_EP_CTRL);
		if (!slot)
			return;
		/*
		 * Posted under the lock: worker and softirq both come here, and
		 * whoever took the older message must not post it second.
		 */
		spin_lock_bh(&link->wait_lock);
		got = kfifo_get(&link->ctrl_out, &msg);
		if (got) {
			memcpy(slot->msg, msg.b, SMC_LLC_LEN);
			slot->done = llc_sent;
			slot->cookie = link;
			smc_ep_slot_post(link->ep, slot);
		}
		spin_unlock_bh(&link->wait_lock);
		if (!got) {
			smc_ep_slot_cancel(link->ep, slot);
			return;
		}
	}
}

/*
 * First come, first served, one bundle each: a bulk sender queues up again
 * behind those who have a single small message. One server at a time: a
 * member whose ->run() posts nothing cannot be served twice in a round.
 */
static void serve(struct smc_link *link)
{
	struct smc_lgr_member *m;

	if (test_and_set_bit(0, &link->serving))
		return;		/* the one who serves looks again, see below */
	do {
		clear_bit(1, &link->serving);
		/* clear, then look: who sets it later is seen below */
		smp_mb__after_atomic();
		flush_ctrl(link);
		while (slot_free(link)) {
			m = next_waiter(link);
			if (!m)
				break;
			m->ops->run(m);
			spin_lock_bh(&link->wait_lock);
			link->running = NULL;
			spin_unlock_bh(&link->wait_lock);
		}
		clear_bit_unlock(0, &link->serving);
		/* full barrier between giving up and looking: link_room() */
		smp_mb__after_atomic();
	} while (test_bit(1, &link->serving) &&
		 !test_and_set_bit(0, &link->serving));
}

static void link_room(void *ctx)
{
	struct smc_link *link = ctx;

	set_bit(1, &link->serving);
	/* pairs with the barrier in serve() */
	smp_mb__after_atomic();
	local_bh_disable();
	serve(link);
	local_bh_enable();
}

static void serve_tasklet(struct tasklet_struct *t)
{
	struct smc_link *link = from_tasklet(link, t, tasklet);

	link_room(link);
}

void smc_lgr_wait_slot(struct smc_lgr_member *m)
{
	struct smc_link *link = m->link;

	spin_lock_bh(&link->wait_lock);
	if (list_empty(&m->wait))
		list_add_tail(&m->wait, &link->waiters);
	spin_unlock_bh(&link->wait_lock);
	/*
	 * A slot may have become free between the failed try and the queueing,
	 * and nobody would come for it. The caller may hold its connection's
	 * lock, so it is served from elsewhere.
	 */
	if (slot_free(link))
		tasklet_schedule(&link->tasklet);
}

/* @m is not and will not be served when this returns. */
void smc_link_unwait(struct smc_lgr_member *m)
{
	struct smc_link *link = m->link;

	spin_lock_bh(&link->wait_lock);
	list_del_init(&m->wait);
	while (link->running == m) {
		spin_unlock_bh(&link->wait_lock);
		cpu_relax();
		spin_lock_bh(&link->wait_lock);
		list_del_init(&m->wait);
	}
	spin_unlock_bh(&link->wait_lock);
}

/* ---- sending ---- */

/**
 * smc_link_send - send an LLC message, or keep it until a slot is free
 * @link: link
 * @msg: SMC_LLC_LEN bytes
 *
 * Context: any, BH safe. Return: 0, -ENOBUFS (too many are kept: the link is
 * as good as dead).
 */
int smc_link_send(struct smc_link *link, const u8 *msg)
{
	struct smc_llc_buf copy;
	bool kept;

	memcpy(copy.b, msg, SMC_LLC_LEN);
	if (is_v2(link->lgr))
		smc_llc_v2_from_v1(copy.b);
	spin_lock_bh(&link->wait_lock);
	kept = kfifo_put(&link->ctrl_out, copy);
	spin_unlock_bh(&link->wait_lock);
	if (!kept)
		return -ENOBUFS;
	smc_mib_inc(NULL, SMC_MIB_LLC_TX);
	flush_ctrl(link);
	return 0;
}

static void last_sent(struct smc_ep_slot *slot, int err)
{
	struct smc_lgr *lgr = slot->cookie;

	smc_lgr_event(lgr, SMC_LGR_EVB_SENT);
	smc_lgr_put(lgr);
}

/**
 * smc_link_send_last - send the last message of the link; event SENT follows
 * @link: link
 * @msg: SMC_LLC_LEN bytes
 *
 * Context: worker. Return: 0, or negative errno: it cannot leave.
 */
int smc_link_send_last(struct smc_link *link, const u8 *msg)
{
	struct smc_ep_slot *slot = smc_ep_slot_get(link->ep, SMC_EP_CTRL);
	int err;

	if (!slot)
		return -ENOBUFS;
	memcpy(slot->msg, msg, SMC_LLC_LEN);
	if (is_v2(link->lgr))
		smc_llc_v2_from_v1(slot->msg);
	slot->done = last_sent;
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
	unsigned long since = jiffies - READ_ONCE(link->last_rx);
	struct smc_llc_test_link m = {};
	u8 out[SMC_LLC_LEN];

	if (since < idle) {
		smc_lgr_set_deadline(lgr, SMC_LGR_DL_PROBE,
				     jiffies_to_msecs(idle - since));
		return;
	}
	link->probe_seq++;
	memcpy(link->probe_data, &link->probe_seq, sizeof(link->probe_seq));
	memcpy(m.data, link->probe_data, sizeof(m.data));
	smc_llc_encode_test_link(out, &m);
	/*
	 * If it could not even be kept, the peer has not taken a message for
	 * long: no answer will come, and that ends the link just the same.
	 */
	smc_link_send(link, out);
	smc_lgr_set_deadline(lgr, SMC_LGR_DL_PROBE_REPLY,
			     SMC_TEST_LINK_WAIT_MS);
}

/**
 * smc_link_probe_reply - answer to TEST LINK; worker; R-C.7.1-29
 * @link: link
 * @msg: SMC_LLC_LEN bytes
 */
void smc_link_probe_reply(struct smc_link *link, const u8 *msg)
{
	struct smc_lgr *lgr = link->lgr;
	struct smc_llc_test_link m;

	if (smc_llc_decode_test_link(msg, &m) || !m.reply) {
		/* a request that found no slot for its echo */
		echo_test_link(link, msg);
		return;
	}
	if (!lgr->deadline[SMC_LGR_DL_PROBE_REPLY] ||
	    memcmp(m.data, link->probe_data, sizeof(m.data))) {
		smc_lgr_violation(lgr);
		return;
	}
	smc_lgr_clear_deadline(lgr, SMC_LGR_DL_PROBE_REPLY);
	smc_lgr_set_deadline(lgr, SMC_LGR_DL_PROBE,
			     lgr->testlink_secs * MSEC_PER_SEC);
}

/* ---- life ---- */

static void link_down(void *ctx, int err)
{
	struct smc_link *link = ctx;

	smc_mib_inc(NULL, SMC_MIB_LINK_DOWN);
	smc_lgr_event(link->lgr, SMC_LGR_EVB_LINK_DOWN);
}

static const struct smc_ep_user link_user = {
	.message = link_message,
	.room = link_room,
	.down = link_down,
};

void smc_link_init(struct smc_link *link, struct smc_lgr *lgr)
{
	link->lgr = lgr;
	link->uid = atomic_inc_return(&link_uids);
	spin_lock_init(&link->wait_lock);
	INIT_LIST_HEAD(&link->waiters);
	INIT_KFIFO(link->ctrl_out);
	tasklet_setup(&link->tasklet, serve_tasklet);
	link->last_rx = jiffies;
}

/**
 * smc_link_open - endpoint for the group's path; 0 or negative errno; sleeps
 * @link: link
 */
int smc_link_open(struct smc_link *link)
{
	struct smc_lgr *lgr = link->lgr;
	struct smc_ep *ep;

	if (lgr->in_host)
		ep = smc_ep_open_loop(&link_user, link);
	else
		ep = smc_ep_open_roce(lgr->choice.port, lgr->choice.gid_idx,
				      &link_user, link);
	if (IS_ERR(ep))
		return PTR_ERR(ep);
	/* views look without a lock: READ_ONCE() in info.c */
	smp_store_release(&link->ep, ep);
	return 0;
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
	/* pairs with smp_load_acquire() in smc_lgr_find_client() */
	smp_store_release(&link->bound, true);
	return 0;
}

/**
 * smc_link_start - sending works afterwards; may sleep
 * @link: link
 */
int smc_link_start(struct smc_link *link)
{
	int err = smc_ep_start(link->ep);

	if (!err)	/* partner: smc_lgr_end() */
		WRITE_ONCE(link->started, true);
	return err;
}

/**
 * smc_link_close - end the endpoint; may sleep; the object stays
 * @link: link
 */
void smc_link_close(struct smc_link *link)
{
	if (link->ep)
		smc_ep_close(link->ep);
}

/**
 * smc_link_destroy - the group is freed; its link was closed
 * @link: link
 *
 * Not before: a member that saw a free slot just before the end schedules the
 * tasklet just after it. All members have left now. Context: may sleep.
 */
void smc_link_destroy(struct smc_link *link)
{
	tasklet_kill(&link->tasklet);
	if (link->ep)
		smc_ep_put(link->ep);
}

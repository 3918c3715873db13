// SPDX-License-Identifier: GPL-2.0
/*
 * The worker of a group. One work item per group runs all its state machines.
 * Softirq and other tasks only set event bits and deadlines.
 *
 * No state machine calls another state machine, except those of files below its
 * own (see architecture.rst). Instead the machine puts an item on the agenda.
 * The worker acts on the agenda as soon as the machine has returned: after each
 * message, event and deadline, in the order of worker_settle().
 */
#include <linux/kfifo.h>
#include <linux/mm.h>
#include "../base/mib.h"
#include "../wire/llc.h"
#include "end.h"
#include "failover.h"
#include "first_contact.h"
#include "flow.h"
#include "lgr.h"
#include "lgr_fsm.h"
#include "lgr_types.h"
#include "link.h"
#include "link_types.h"
#include "links.h"
#include "llc_in.h"
#include "rkey.h"
#include "rmb_exchange.h"
#include "rmbe.h"
#include "table.h"
#include "redundancy.h"
#include "worker.h"

/* ---- agenda ---- */

static void worker_next_exchange(struct smc_lgr *lgr)
{
	if (!smc_rkey_idle(lgr))
		return;
	/* first contact does not wait for the next exchange */
	smc_first_contact_settled(lgr);
	smc_flow_next(lgr);
}

/* Acts on the agenda, from the top. Each action may add items to the agenda. */
static void worker_settle(struct smc_lgr *lgr)
{
	static const struct {
		enum smc_lgr_due due;
		void (*act)(struct smc_lgr *lgr);
	} agenda[] = {
		/*
		 * links come first, because later actions send over links and
		 * choose among them
		 */
		{ SMC_LGR_DUE_LINKS, smc_failover_run },
		/*
		 * links before keys, because one message announces a key on all
		 * links
		 */
		{ SMC_LGR_DUE_FLOW, worker_next_exchange },
		/*
		 * after the exchange of links, which may offer the link that a
		 * client asks for
		 */
		{ SMC_LGR_DUE_ANSWER, smc_flow_answer_request },
		/*
		 * after the exchange of links, because first contact may wait
		 * for another one
		 */
		{ SMC_LGR_DUE_FIRST, smc_first_contact_flow_ended },
		{ SMC_LGR_DUE_RMB, smc_rmb_exchange_run },
	};
	int i = 0;

	static_assert(ARRAY_SIZE(agenda) == SMC_LGR_DUE_NOW);
	while (i < ARRAY_SIZE(agenda)) {
		if (READ_ONCE(lgr->state) >= SMC_LGR_ENDING)
			return;
		if (__test_and_clear_bit(agenda[i].due, &lgr->mail.agenda)) {
			agenda[i].act(lgr);
			i = 0;
		} else {
			i++;
		}
	}
}

/* ---- events ---- */

/*
 * A deadline that has expired and stays would start the timer again and again.
 */
static void worker_forget_probes(struct smc_lgr *lgr)
{
	int i;

	for (i = 0; i < SMC_LINK_SLOTS; i++) {
		smc_lgr_expired(lgr, SMC_LGR_DL_PROBE + i);
		smc_lgr_expired(lgr, SMC_LGR_DL_PROBE_REPLY + i);
	}
}

static void worker_probes(struct smc_lgr *lgr)
{
	struct smc_link *link;
	bool idle, mute;
	int i;

	if (READ_ONCE(lgr->state) >= SMC_LGR_ENDING) {
		worker_forget_probes(lgr);
		return;
	}
	smc_link_for_each(lgr, i, link) {
		idle = smc_lgr_expired(lgr, SMC_LGR_DL_PROBE + i);
		mute = smc_lgr_expired(lgr, SMC_LGR_DL_PROBE_REPLY + i);
		if (idle && link->state == SMC_LINK_LEAVING)
			smc_links_remove(lgr, link);
		else if (mute)
			smc_link_mute(link);
		else if (idle)
			smc_link_probe(link);
	}
}

static void worker_probe_asked(struct smc_lgr *lgr)
{
	struct smc_link *link;
	int i;

	if (READ_ONCE(lgr->state) >= SMC_LGR_ENDING)
		return;
	smc_link_for_each(lgr, i, link)
		if (link->state == SMC_LINK_ACTIVE && READ_ONCE(link->probe.asked))
			smc_link_probe(link);
}

/* First contact and the end of a group share one deadline. */
static void worker_first_deadline(struct smc_lgr *lgr)
{
	/* only this worker enters and leaves these two states */
	u8 state = READ_ONCE(lgr->state);

	if (state == SMC_LGR_ENDING)
		smc_end_timeout(lgr);
	else if (state == SMC_LGR_FORMING)
		smc_first_contact_timeout(lgr);
}

static void worker_end_if_idle(struct smc_lgr *lgr)
{
	smc_end_group(lgr, -ENOLINK, SMC_LLC_DEL_PROGRAM, SMC_LGR_END_IDLE);
}

static void worker_keys_due(struct smc_lgr *lgr)
{
	smc_rmbe_reclaim(lgr);
	smc_lgr_due(lgr, SMC_LGR_DUE_RMB);
}

struct worker_deadline {
	enum smc_lgr_deadline deadline;
	void (*act)(struct smc_lgr *lgr);
};

static void worker_expire(struct smc_lgr *lgr,
			  const struct worker_deadline *deadlines, int n)
{
	int i;

	for (i = 0; i < n; i++) {
		if (!smc_lgr_expired(lgr, deadlines[i].deadline))
			continue;
		deadlines[i].act(lgr);
		worker_settle(lgr);
	}
}

/* Acts on expired deadlines, in the order of this function. */
static void worker_timers(struct smc_lgr *lgr)
{
	static const struct worker_deadline exchanges[] = {
		{ SMC_LGR_DL_FIRST, worker_first_deadline },
		{ SMC_LGR_DL_FLOW, smc_flow_timeout },
		{ SMC_LGR_DL_ADD_RETRY, smc_redundancy_ports },	/* R-C.8-03 */
		{ SMC_LGR_DL_PORTS, smc_redundancy_ports },
		{ SMC_LGR_DL_RKEY, smc_rkey_timeout },
	};
	static const struct worker_deadline idle[] = {
		{ SMC_LGR_DL_LINGER, worker_end_if_idle },
		{ SMC_LGR_DL_RMB_IDLE, worker_keys_due },
		{ SMC_LGR_DL_RKEY_AGAIN, worker_keys_due },
	};

	worker_expire(lgr, exchanges, ARRAY_SIZE(exchanges));
	/* A silent link must fail before the group sends DELETE LINK
	 * over it.
	 */
	worker_probes(lgr);
	worker_settle(lgr);
	worker_expire(lgr, idle, ARRAY_SIZE(idle));
	smc_lgr_rearm(lgr);
}

static void worker_messages(struct smc_lgr *lgr)
{
	struct smc_llc_buf msg;
	bool got;
	int n;

	for (n = 0; n < SMC_LLC_BACKLOG_MSGS; n++) {
		spin_lock_bh(&lgr->mail.lock);
		got = kfifo_get(&lgr->mail.llc_in, &msg);
		spin_unlock_bh(&lgr->mail.lock);
		if (!got)
			return;
		smc_llc_in_message(lgr, &msg);
		if (msg.page)
			put_page(msg.page);
		worker_settle(lgr);
	}
	/* a peer that sends as fast as this loop reads must not delay the
	 * timers
	 */
	smc_lgr_event(lgr, SMC_LGR_EVB_LLC);
}

/* Events that end the group. The first match wins. */
static const struct {
	enum smc_lgr_event_bit bit;
	int err;
	u32 reason;
	enum smc_end_how how;
} worker_end_causes[] = {
	{ SMC_LGR_EVB_OUT_OF_SYNC, -ECONNRESET, SMC_LLC_DEL_LOST_PATH,
	  SMC_LGR_END_NOW },
	{ SMC_LGR_EVB_FIRST_DROPPED, -ECONNABORTED, SMC_LLC_DEL_LOST_PATH,
	  SMC_LGR_END_NOW },
	{ SMC_LGR_EVB_VIOLATION, -EPROTO, SMC_LLC_DEL_VIOLATION,
	  SMC_LGR_END_TELL },
	{ SMC_LGR_EVB_SHUTDOWN, -ECONNRESET, SMC_LLC_DEL_PROGRAM,
	  SMC_LGR_END_TELL },
	/* R-3.5.4-04: a client asks the server to end the group */
	{ SMC_LGR_EVB_OPERATOR, -ECONNRESET, SMC_LLC_DEL_OPERATOR,
	  SMC_LGR_END_TELL },
};

static void worker_causes_of_end(struct smc_lgr *lgr, unsigned long ev)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(worker_end_causes); i++)
		if (test_bit(worker_end_causes[i].bit, &ev))
			smc_end_group(lgr, worker_end_causes[i].err,
				      worker_end_causes[i].reason,
				      worker_end_causes[i].how);
}

/**
 * smc_worker_run - work function of a group
 * @work: work item of the group
 *
 * The worker handles messages, failed links and ports first, then events that
 * end the group, then all others. After each of these it acts on the agenda.
 */
void smc_worker_run(struct work_struct *work)
{
	static const struct {
		enum smc_lgr_event_bit bit;
		void (*act)(struct smc_lgr *lgr);
	} early[] = {
		/* messages that arrived before the end of the group
		 * still count
		 */
		{ SMC_LGR_EVB_LLC, worker_messages },
		{ SMC_LGR_EVB_LINK_DOWN, smc_failover_check },
		{ SMC_LGR_EVB_STOPPED, smc_links_stopped },
		{ SMC_LGR_EVB_PORT_READY, smc_redundancy_ports },
		{ SMC_LGR_EVB_PORT_LEAVING, smc_failover_leave_port },
	}, late[] = {
		{ SMC_LGR_EVB_SENT, smc_end_sent },
		{ SMC_LGR_EVB_PROBE, worker_probe_asked },
		{ SMC_LGR_EVB_TIMER, worker_timers },
		{ SMC_LGR_EVB_RMB, worker_keys_due },
		{ SMC_LGR_EVB_EVICT, worker_end_if_idle },
		{ SMC_LGR_EVB_CROWDED, smc_table_make_room },
	};
	struct smc_lgr *lgr = container_of(work, struct smc_lgr, mail.work);
	unsigned long ev = xchg(&lgr->mail.events, 0);
	int i;

	if (READ_ONCE(lgr->state) == SMC_LGR_DEAD)
		goto out;
	lgr->mail.waited_ms = 0;
	for (i = 0; i < ARRAY_SIZE(early); i++) {
		if (!test_bit(early[i].bit, &ev))
			continue;
		early[i].act(lgr);
		worker_settle(lgr);
	}
	worker_causes_of_end(lgr, ev);
	for (i = 0; i < ARRAY_SIZE(late); i++) {
		if (!test_bit(late[i].bit, &ev))
			continue;
		late[i].act(lgr);
		worker_settle(lgr);
	}
	/* event ARRIVED, or the failure of a link or port */
	if (READ_ONCE(lgr->state) < SMC_LGR_ENDING)
		smc_links_left(lgr, false);
	else if (READ_ONCE(lgr->state) == SMC_LGR_DEAD)
		smc_end_close(lgr);
out:
	smc_lgr_put(lgr, SMC_LGR_REF_WORK);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Frames on a link (frames.rst): members wait in the queue of the link, and the
 * server of this queue puts their records into frames. The server posts one
 * frame before it begins the next, so frames, counts and records arrive in the
 * order in which they were made. No lock of a member is held while another one
 * is taken.
 *
 * A job is a frame from its first record to its completion. link->queue.lock
 * protects everything in this file, but a job that is being filled belongs to
 * the server.
 */
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include "../base/memcg.h"
#include "../base/mib.h"
#include "framing.h"
#include "hold.h"
#include "link_types.h"
#include "member_types.h"
#include "pack.h"
#include "unpack.h"
#include "writes.h"

enum {
	FRAMING_FRAME_MAX	= (1 << SMC_EXT_FRAME_LOG) + SMC_EXT_HEADS,
	/*
	 * Limits of free jobs, while frames are in flight and otherwise. The
	 * server fills one frame while another one is in flight, so it needs
	 * two.
	 */
	FRAMING_JOBS_BUSY	= 4,
	FRAMING_JOBS_IDLE	= 2,
	/*
	 * If this many frames without records leave within this time, the link
	 * posts more receives, up to this number. Then it needs fewer such
	 * frames.
	 */
	FRAMING_RAISES		= 16,
	FRAMING_RAISES_MS	= 100,
	FRAMING_RAISES_DEPTH	= 16,
};

static_assert(FRAMING_FRAME_MAX <= SMC_EP_FRAME_MAX);

/**
 * struct smc_job - a frame that is being filled, or is in flight
 * @list:	entry in struct smc_framing.jobs
 * @link:	link that carries it
 * @slot:	send slot, until it is posted
 * @buf:	memory of FRAMING_FRAME_MAX bytes for the frame
 * @len:	length of the finished frame; 0: not finished
 * @pack:	its records
 * @writes:	WRITEs of one of the records, posted before the frame
 */
struct smc_job {
	struct list_head list;
	struct smc_link *link;
	struct smc_ep_slot *slot;
	u8 *buf;
	u32 len;
	struct smc_pack pack;
	struct smc_writes writes;
};

/**
 * struct smc_framing - frames of a link; link->queue.lock
 * @credit:	how many SENDs each side takes
 * @coalesce:	frames in flight
 * @unpack:	state of the received frame; used only in the link's receive
 *		context
 * @depth:	receives that should be posted
 * @n_raises:	frames without records since @raises_from
 * @raises_from: jiffies
 * @due:	estimate of the bytes in records that wait
 * @n_waiting:	members in link->queue.waiters. READ_ONCE by framing_fill()
 * @n_prompt:	how many of them have a record that must not wait for the
 *		application
 * @round:	number of the newest frame, see struct smc_lgr_member.round
 * @jobs:	free jobs; at least one when nothing is in flight
 * @n_jobs:	entries of @jobs
 * @ready:	finished frame that could not be posted, or NULL; stays NULL
 *		after smc_framing_drop()
 * @work:	0: no member waits, @ready is NULL, and the peer's count need
 *		not be raised. READ_ONCE by smc_framing_serve() and
 *		smc_framing_must_serve(); written by framing_note()
 */
struct smc_framing {
	struct smc_credit credit;
	struct smc_coalesce coalesce;
	struct smc_unpack unpack;
	u32 depth;
	u32 n_raises;
	unsigned long raises_from;
	u64 due;
	u32 n_waiting;
	u32 n_prompt;
	u32 round;
	struct list_head jobs;
	u32 n_jobs;
	struct smc_job *ready;
	u8 work;
};

/* ---- jobs ---- */

static struct smc_job *job_new(gfp_t gfp)
{
	struct smc_job *job = kmalloc(sizeof(*job), gfp | __GFP_NOWARN);

	if (!job)
		return NULL;
	job->buf = alloc_pages_exact(FRAMING_FRAME_MAX, gfp | __GFP_NOWARN);
	if (job->buf)
		return job;
	kfree(job);
	return NULL;
}

static void job_free(struct smc_job *job)
{
	free_pages_exact(job->buf, FRAMING_FRAME_MAX);
	kfree(job);
}

static struct smc_job *job_get(struct smc_framing *c)
{
	struct smc_job *job;

	job = list_first_entry_or_null(&c->jobs, struct smc_job, list);
	if (!job)
		return job_new(GFP_ATOMIC);
	list_del(&job->list);
	c->n_jobs--;
	return job;
}

static void job_put(struct smc_framing *c, struct smc_job *job)
{
	list_add(&job->list, &c->jobs);
	c->n_jobs++;
	while (c->n_jobs > (c->coalesce.flying ? FRAMING_JOBS_BUSY :
						 FRAMING_JOBS_IDLE)) {
		job = list_first_entry(&c->jobs, struct smc_job, list);
		list_del(&job->list);
		c->n_jobs--;
		job_free(job);
	}
}

/* ---- life ---- */

/**
 * smc_framing_new - allocate the frames of a link
 * The function allocates one job, so that the link can send even if no memory
 * is free later. Context: may sleep. Return: object or NULL.
 */
struct smc_framing *smc_framing_new(void)
{
	struct smc_framing *c = kzalloc(sizeof(*c), SMC_GFP_PAID);
	struct smc_job *job = job_new(SMC_GFP_PAID);

	if (!c || !job) {
		if (job)
			job_free(job);
		kfree(c);
		return NULL;
	}
	smc_credit_init(&c->credit);
	c->depth = SMC_CREDIT_INITIAL;
	INIT_LIST_HEAD(&c->jobs);
	job_put(c, job);
	return c;
}

/** smc_framing_free - free the frames of a closed link; NULL is valid */
void smc_framing_free(struct smc_framing *c)
{
	struct smc_job *job, *tmp;

	if (!c)
		return;
	list_for_each_entry_safe(job, tmp, &c->jobs, list)
		job_free(job);
	kfree(c);
}

/**
 * smc_framing_agree - set what both hosts have agreed on
 * @link: link that is not bound yet
 * @terms: terms of its group; if they lack FRAMES, the link does not use frames
 *
 * The server takes the terms from the Confirm (F-31). Context: creator of the
 * link or the group.
 */
void smc_framing_agree(struct smc_link *link, const struct smc_ext_terms *terms)
{
	struct smc_link_queue *q = &link->queue;

	if (!q->framing)
		return;
	q->version = terms->version;
	/* partner: smc_framing_on() */
	WRITE_ONCE(q->frame_size, min_t(u32, terms->send_max, FRAMING_FRAME_MAX));
}

/*
 * Notes whether the server has something to do. If a caller gives it something
 * that it can do now, the caller then calls smc_slots_room(). That function
 * sets a bit. A server that misses the new value of @work sees the bit, and
 * looks again.
 */
static void framing_note(struct smc_framing *c)
{
	/* partners: smc_framing_serve(), smc_framing_must_serve() */
	WRITE_ONCE(c->work,
		   c->n_waiting || c->ready || smc_credit_raise_due(&c->credit));
}

/* ---- what to send next ---- */

/*
 * Chooses what the link sends next, and notes if that waits for a credit.
 * Return: SMC_PACK_NOTHING also while a finished frame waits for a slot. The
 * queue is locked.
 */
static enum smc_pack_do framing_choose(struct smc_link *link)
{
	struct smc_framing *c = link->queue.framing;
	u32 size = link->queue.frame_size;
	bool unread;
	u64 due;

	lockdep_assert_held(&link->queue.lock);
	if (c->ready)
		return SMC_PACK_NOTHING;
	/* the number of records may fill a frame, too */
	due = c->n_waiting < SMC_PACK_RECORDS ? c->due : size;
	unread = due && !c->n_prompt && smc_hold_wanted(link, c->n_waiting);
	return smc_pack_next(&c->credit, &c->coalesce, due, size, unread);
}

/*
 * A member has just been queued. Would the server do nothing now? Then a
 * completion, an arrival or a slot calls it, after it has taken the lock; or
 * the timer of the hold does. That timer was started while the other members
 * waited, so the server of the timer sees @work. The queue is locked.
 */
static bool framing_would_wait(struct smc_link *link)
{
	const struct smc_framing *c = link->queue.framing;

	switch (framing_choose(link)) {
	case SMC_PACK_NOTHING:
		return true;
	case SMC_PACK_HOLD:
		return c->n_waiting > 1 &&
		       hrtimer_is_queued(&link->queue.hold.timer);
	default:
		return false;
	}
}

/* ---- members that wait ---- */

/* Replaces what a member that waits adds to the sums of its link. */
static void framing_weigh(struct smc_framing *c, struct smc_lgr_member *m, u32 due,
			  u8 prompt)
{
	c->due += due;
	c->due -= m->due;
	m->due = due;
	c->n_prompt += prompt;
	c->n_prompt -= m->prompt;
	m->prompt = prompt;
}

/**
 * smc_framing_queue - queue a member that has a record to send
 * @m: member; may be queued already. Its owner's lock, which protects m->link,
 *	is held.
 * @due: estimate of the bytes of its record and of the data that wait
 * @how: bits of enum smc_queue_how, or 0
 *
 * Context: BH off. Return: true if the caller must serve the link after it has
 * released its own lock; false if the record has to wait.
 */
bool smc_framing_queue(struct smc_lgr_member *m, u32 due, u8 how)
{
	struct smc_link *link = m->link;
	struct smc_framing *c = link->queue.framing;
	bool serve;

	lockdep_assert_in_softirq();	/* or bottom halves are off */
	if (WARN_ON_ONCE(!c))
		return false;
	spin_lock(&link->queue.lock);
	if (list_empty(&m->wait)) {
		if (how & SMC_QUEUE_FIRST)
			list_add(&m->wait, &link->queue.waiters);
		else
			list_add_tail(&m->wait, &link->queue.waiters);
		m->due = 0;
		WRITE_ONCE(c->n_waiting, c->n_waiting + 1);
	}
	framing_weigh(c, m, due, how & SMC_QUEUE_PROMPT ? 1 : 0);
	framing_note(c);
	/* the server that is filling a frame looks again */
	serve = link->queue.running || !framing_would_wait(link);
	spin_unlock(&link->queue.lock);
	return serve;
}

/**
 * smc_framing_unqueue - take a member off the queue of its link, if it is there
 * @link: link, its queue locked; with frames or without
 * @m: member
 */
void smc_framing_unqueue(struct smc_link *link, struct smc_lgr_member *m)
{
	struct smc_framing *c = link->queue.framing;

	lockdep_assert_held(&link->queue.lock);
	if (list_empty(&m->wait))
		return;
	list_del_init(&m->wait);
	if (!c)
		return;
	WRITE_ONCE(c->n_waiting, c->n_waiting - 1);
	framing_weigh(c, m, 0, 0);
}

/* ---- the builder ---- */

/*
 * Takes the next member from the queue, unless this frame already has a record
 * of this member. The queue is locked.
 */
static struct smc_lgr_member *framing_next(struct smc_link *link)
{
	struct smc_framing *c = link->queue.framing;
	struct smc_lgr_member *m;

	lockdep_assert_held(&link->queue.lock);
	m = list_first_entry_or_null(&link->queue.waiters,
				     struct smc_lgr_member, wait);
	if (m && m->round == c->round)
		m = NULL;
	if (m) {
		m->round = c->round;
		smc_framing_unqueue(link, m);
	}
	link->queue.running = m;
	return m;
}

/*
 * Fills a frame, beginning with the record of link->queue.running, until no
 * other member waits, or the frame has no room. framing_post() clears that
 * pointer.
 */
static void framing_fill(struct smc_link *link, struct smc_job *job)
{
	struct smc_framing *c = link->queue.framing;
	struct smc_lgr_member *m = link->queue.running;

	/*
	 * partners of n_waiting: smc_framing_queue(), smc_framing_unqueue().
	 * Whoever queues a member after this test calls the server, too, unless
	 * another event will.
	 */
	while (m && m->ops->fill(m, link, &job->pack, &job->writes,
				 READ_ONCE(c->n_waiting)) &&
	       READ_ONCE(c->n_waiting)) {
		spin_lock(&link->queue.lock);
		m = framing_next(link);
		spin_unlock(&link->queue.lock);
	}
}

/*
 * Chooses what to send, and takes a slot, a job and a credit for it. A frame
 * that could not be posted comes first. For a frame with records the first
 * member becomes link->queue.running. Return: job; NULL if nothing can be sent
 * now. Then a completion, an arrival, a slot, the timer of the hold or a member
 * calls the server.
 */
static struct smc_job *framing_begin(struct smc_link *link, enum smc_pack_do *what)
{
	struct smc_framing *c = link->queue.framing;
	u32 size = link->queue.frame_size;
	struct smc_ep_slot *slot = NULL;
	struct smc_job *job = NULL;

	spin_lock(&link->queue.lock);
	*what = framing_choose(link);
	if (*what == SMC_PACK_HOLD) {
		if (!test_bit(SMC_LINK_DROPPED, &link->grave))
			smc_hold_begin(link, c->coalesce.mean_ns);
		smc_coalesce_held(&c->coalesce, c->n_waiting);
		*what = SMC_PACK_NOTHING;
	}
	if (c->ready || *what != SMC_PACK_NOTHING)
		slot = smc_ep_slot_get(link->ep, SMC_EP_DATA);
	if (!slot)
		goto out;
	smc_hold_end(link);
	if (c->ready) {
		job = c->ready;
		c->ready = NULL;
	} else {
		job = job_get(c);
		if (!job) {
			/*
			 * all jobs are in flight; their completions call the
			 * server
			 */
			smc_ep_slot_cancel(link->ep, slot);
			goto out;
		}
		job->link = link;
		job->len = 0;
		smc_pack_begin(&job->pack, job->buf, size,
			       link->queue.version, &c->credit);
		smc_writes_init(&job->writes, link->ep);
		if (*what == SMC_PACK_FRAME) {
			smc_coalesce_leaves(&c->coalesce, c->n_waiting);
			smc_hold_left(link);
		}
		c->round++;
		if (*what == SMC_PACK_FRAME)
			framing_next(link);
	}
	job->slot = slot;
out:
	/* otherwise framing_post() does that */
	if (!job)
		framing_note(c);
	spin_unlock(&link->queue.lock);
	return job;
}

/* Tells the members of a frame that it has completed, or will not be posted. */
static void framing_settle(struct smc_job *job, int err)
{
	u32 i;

	for (i = 0; i < job->pack.n; i++) {
		const struct smc_pack_entry *e = &job->pack.entry[i];
		struct smc_lgr_member *m = e->who;

		m->ops->settled(m, e->move, e->prod, err);
	}
	if (unlikely(job->writes.n))
		smc_writes_drop(&job->writes);
}

/*
 * A peer that sends much gets a frame without records each time that it has
 * used half of its credits, unless a frame with records carries the count.
 */
static void framing_count_raise(struct smc_framing *c)
{
	if (time_after(jiffies, c->raises_from +
				msecs_to_jiffies(FRAMING_RAISES_MS))) {
		c->raises_from = jiffies;
		c->n_raises = 0;
	}
	if (++c->n_raises < FRAMING_RAISES || c->depth >= FRAMING_RAISES_DEPTH)
		return;
	c->depth = smc_credit_new_depth(&c->credit, 2 * c->depth);
	c->n_raises = 0;
}

/* Posts a frame. Return: false if no other one can follow. */
static bool framing_post(struct smc_link *link, struct smc_job *job, bool records,
			 void (*done)(struct smc_ep_slot *slot, int err))
{
	struct smc_framing *c = link->queue.framing;
	struct smc_ep_slot *slot = job->slot;
	int err;

	spin_lock(&link->queue.lock);
	link->queue.running = NULL;
	if (records && smc_pack_cancel(&job->pack, &c->credit)) {
		smc_ep_slot_cancel(link->ep, slot);
		job_put(c, job);
		spin_unlock(&link->queue.lock);
		return true;
	}
	if (!job->len) {
		if (!records)
			framing_count_raise(c);
		job->len = smc_pack_end(&job->pack, &c->credit);
	}
	if (unlikely(job->writes.n))
		smc_writes_add(&job->writes, link->ep, slot);
	slot->page = virt_to_page(job->buf);
	slot->len = job->len;
	slot->done = done;
	slot->cookie = job;
	err = smc_ep_slot_post(link->ep, slot);
	/* the endpoint has stopped after the slot was taken */
	if (err == -EAGAIN && test_bit(SMC_LINK_DROPPED, &link->grave))
		err = -ECONNABORTED;
	if (!err)
		smc_coalesce_posted(&c->coalesce, ktime_get_ns());
	else if (err == -EAGAIN)
		c->ready = job;		/* smc_slots_room() follows */
	framing_note(c);
	spin_unlock(&link->queue.lock);
	if (!err) {
		smc_mib_inc(NULL, SMC_MIB_FRAME_TX);
		return true;
	}
	if (err == -EAGAIN)
		return false;
	framing_settle(job, err);
	spin_lock(&link->queue.lock);
	job_put(c, job);
	spin_unlock(&link->queue.lock);
	return false;
}

/**
 * smc_framing_serve - send frames while members wait, or the peer needs credits
 * @link: link with frames; the caller is the server of its queue
 * @budget: limit of frames, counted down
 * @done: called for each frame that completes; it calls smc_framing_done()
 *
 * Context: BH off, no lock held. Return: true if nothing can be sent now, false
 * if @budget is used up.
 */
bool smc_framing_serve(struct smc_link *link, unsigned int *budget,
		       void (*done)(struct smc_ep_slot *slot, int err))
{
	const struct smc_framing *c = link->queue.framing;
	enum smc_pack_do what;
	struct smc_job *job;

	lockdep_assert_in_softirq();	/* or bottom halves are off */
	/* partner: framing_note() */
	while (READ_ONCE(c->work) && (job = framing_begin(link, &what))) {
		if (what == SMC_PACK_FRAME)
			framing_fill(link, job);
		if (!framing_post(link, job, what == SMC_PACK_FRAME, done))
			break;
		if (!--*budget)
			return false;
	}
	return true;
}

/**
 * smc_framing_must_serve - does a member wait, or the peer for credits?
 * @link: link with frames, or whose peer did not repeat the answer
 *
 * Context: any. It needs no lock: whoever adds work later calls the server.
 */
bool smc_framing_must_serve(const struct smc_link *link)
{
	return READ_ONCE(link->queue.framing->work);	/* framing_note() */
}

/** smc_framing_link - link of a frame that has completed */
struct smc_link *smc_framing_link(const struct smc_ep_slot *slot)
{
	const struct smc_job *job = slot->cookie;

	return job->link;
}

/**
 * smc_framing_done - a frame has completed
 * @slot: its slot
 * @err: 0, or a negative errno
 *
 * Context: softirq, or process context with BH off; no lock held.
 */
void smc_framing_done(struct smc_ep_slot *slot, int err)
{
	struct smc_job *job = slot->cookie;
	struct smc_link *link = job->link;
	u64 now;

	lockdep_assert_in_softirq();	/* or bottom halves are off */
	now = ktime_get_ns();
	framing_settle(job, err);
	spin_lock(&link->queue.lock);
	smc_coalesce_done(&link->queue.framing->coalesce, now);
	job_put(link->queue.framing, job);
	spin_unlock(&link->queue.lock);
}

/**
 * smc_framing_drop - discard the frame that could not be posted
 * @link: link whose endpoint is quiet; with frames or without
 *
 * A server that is still filling a frame discards it itself.
 * Context: process.
 */
void smc_framing_drop(struct smc_link *link)
{
	struct smc_framing *c = link->queue.framing;
	struct smc_job *job;

	if (!c)
		return;
	spin_lock_bh(&link->queue.lock);
	job = c->ready;
	c->ready = NULL;
	set_bit(SMC_LINK_DROPPED, &link->grave);
	spin_unlock_bh(&link->queue.lock);
	smc_hold_stop(link);
	if (!job)
		return;
	framing_settle(job, -ECONNABORTED);
	job_free(job);
}

/* ---- LLC messages of the link ---- */

/**
 * smc_framing_take_credit - take the credit of an LLC message (F-07)
 * @link: link, its queue locked; with frames or without
 *
 * Return: false: there is no credit; the server is called when a credit
 * arrives.
 */
bool smc_framing_take_credit(struct smc_link *link)
{
	struct smc_framing *c = link->queue.framing;

	lockdep_assert_held(&link->queue.lock);
	if (!smc_framing_on(link))
		return true;
	if (!smc_credit_may_send(&c->credit, SMC_CREDIT_LLC))
		return false;
	smc_credit_sent(&c->credit);
	return true;
}

/** smc_framing_return_credit - the message was not posted; queue locked */
void smc_framing_return_credit(struct smc_link *link)
{
	lockdep_assert_held(&link->queue.lock);
	if (smc_framing_on(link))
		link->queue.framing->credit.sent--;
}

/**
 * smc_framing_llc_arrived - another message than a frame took a receive
 * @link: link with frames
 *
 * Context: where the link receives. Return: as smc_credit_arrived().
 */
int smc_framing_llc_arrived(struct smc_link *link)
{
	int err;

	lockdep_assert_in_softirq();	/* or bottom halves are off */
	spin_lock(&link->queue.lock);
	err = smc_credit_arrived(&link->queue.framing->credit);
	framing_note(link->queue.framing);
	spin_unlock(&link->queue.lock);
	if (err)
		smc_mib_inc(NULL, SMC_MIB_FRAME_VIOLATION);
	return err;
}

/* ---- receiving ---- */

/**
 * smc_framing_take - take a received frame
 * @link: link with frames
 * @buf: the frame
 * @len: number of received bytes
 * @take: takes a record; see smc_unpack_records(), its argument is @link
 *
 * Context: the link's receive context, which runs one call at a time. Return:
 * as smc_unpack_records(), or as smc_unpack_open().
 */
int smc_framing_take(struct smc_link *link, const u8 *buf, u32 len,
		     int (*take)(void *ctx, const struct smc_frame_record *rec))
{
	struct smc_framing *c = link->queue.framing;
	struct smc_frame_in in;
	bool again;
	int err;

	lockdep_assert_in_softirq();	/* or bottom halves are off */
	spin_lock(&link->queue.lock);
	again = c->unpack.next;		/* it was kept, because memory was short */
	err = smc_unpack_open(&c->unpack, &c->credit, buf, len, &in);
	if (!again)
		c->depth = smc_credit_depth(&c->credit, c->depth);
	framing_note(c);
	spin_unlock(&link->queue.lock);
	if (err) {
		smc_mib_inc(NULL, SMC_MIB_FRAME_VIOLATION);
		return err;
	}
	return smc_unpack_records(&c->unpack, &in, take, link);
}

/**
 * smc_framing_posted - the link has posted more receives
 * @link: link with frames, or whose peer did not repeat the answer
 * @n: number of receives
 *
 * The peer may wait for the count, so the caller then serves the link if
 * smc_framing_must_serve().
 * Context: as smc_framing_take(). Return: number of receives that should be
 * posted.
 */
u32 smc_framing_posted(struct smc_link *link, u32 n)
{
	struct smc_framing *c = link->queue.framing;
	u32 depth;

	if (!smc_framing_on(link))
		return SMC_CREDIT_RECEIVES;
	lockdep_assert_in_softirq();	/* or bottom halves are off */
	spin_lock(&link->queue.lock);
	smc_credit_posted(&c->credit, n);
	framing_note(c);
	depth = c->depth;
	spin_unlock(&link->queue.lock);
	return depth;
}

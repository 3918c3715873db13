// SPDX-License-Identifier: GPL-2.0
/* Tests how members wait for a send slot of a link. The link is a pair of
 * in-host endpoints.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/interrupt.h>
#include "../../transport/ep.h"
#include "../../transport/roce_depth.h"
#include "../../group/slots.c"
#include "../../group/framing.c"
#include "../../group/hold.c"
#include "../../group/writes.c"

enum {
	RUNS		= 1000,
	/* limit that stops an endless run */
	RUNS_MAX	= 100000,
	/* long for an emulated host that looks for data races */
	WAIT_MS		= 60000,
};

/* An endpoint posts what its link tells the peer. */
static_assert((int)SMC_CREDIT_INITIAL == (int)SMC_ROCE_FRAMES_INITIAL);
static_assert((int)SMC_CREDIT_RECEIVES == (int)SMC_ROCE_FRAMES_MAX);

struct slots_case {
	struct smc_link link;
	struct smc_ep *peer;
	struct smc_lgr_member member;
	unsigned int runs;
	struct completion enough;
};

static void ignore_message(void *ctx, const u8 *buf, u32 len)
{
}

static void ignore_down(void *ctx, int err)
{
}

static const struct smc_ep_user user = {
	.message = ignore_message,
	.room = smc_slots_room,
	.down = ignore_down,
};

/* A sender that always has more to send, on a link that always has a
 * free slot.
 */
static void run_again(struct smc_lgr_member *m)
{
	struct slots_case *c = container_of(m, struct slots_case, member);

	if (++c->runs == RUNS)
		complete(&c->enough);
	if (c->runs < RUNS_MAX)
		smc_slots_wait(m);
}

static const struct smc_lgr_member_ops member_ops = {
	.run = run_again,
};

static void open_link(struct kunit *test, struct slots_case *c)
{
	struct smc_ep_addr own, his;

	smc_slots_init(&c->link);
	init_completion(&c->enough);
	c->link.ep = smc_ep_open_loop(&user, &c->link);
	KUNIT_ASSERT_FALSE(test, IS_ERR(c->link.ep));
	c->peer = smc_ep_open_loop(&user, &c->link);
	KUNIT_ASSERT_FALSE(test, IS_ERR(c->peer));
	smc_ep_describe(c->link.ep, &own);
	smc_ep_describe(c->peer, &his);
	KUNIT_ASSERT_EQ(test, smc_ep_accept(c->link.ep, &his), 0);
	KUNIT_ASSERT_EQ(test, smc_ep_accept(c->peer, &own), 0);
	KUNIT_ASSERT_EQ(test, smc_ep_start(c->link.ep), 0);
	c->member.ops = &member_ops;
	c->member.link = &c->link;
	INIT_LIST_HEAD(&c->member.wait);
}

static void close_link(struct slots_case *c)
{
	smc_ep_close(c->link.ep);
	smc_ep_close(c->peer);
	tasklet_kill(&c->link.queue.tasklet);
	smc_ep_put(c->link.ep, SMC_EP_REF_OWNER);
	smc_ep_put(c->peer, SMC_EP_REF_OWNER);
}

/*
 * Checks that one run serves a limited number of members, although slots are
 * free and members wait. The tasklet must serve the others.
 */
static void a_run_has_an_end(struct kunit *test)
{
	struct slots_case *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);
	unsigned int once;

	KUNIT_ASSERT_NOT_NULL(test, c);
	open_link(test, c);
	local_bh_disable();	/* keeps the tasklet of this CPU from running */
	smc_slots_wait(&c->member);
	smc_slots_room(&c->link);
	once = c->runs;
	local_bh_enable();
	KUNIT_EXPECT_EQ(test, once, SLOTS_BUDGET);
	KUNIT_EXPECT_TRUE(test,
			  wait_for_completion_timeout(&c->enough,
						      msecs_to_jiffies(WAIT_MS)));
	close_link(c);
}

/* ---- frames ---- */

/* A member with a number of records to send. */
struct talker {
	struct smc_lgr_member member;
	u32 left;
	u32 settled;
	u32 failed;
	u8 version;	/* of the frame of its newest record */
};

struct frames_case {
	struct slots_case s;
	struct talker talker[3];
};

static bool talk(struct smc_lgr_member *m, struct smc_link *link,
		 struct smc_pack *pack, struct smc_writes *writes, u32 others)
{
	struct talker *t = container_of(m, struct talker, member);
	const struct smc_frame_record rec = { .token = 1, .prod = 100, .len = 100 };
	u8 *data;

	if (smc_pack_room(pack, 0, rec.len, others) < (int)rec.len) {
		smc_framing_queue(m, rec.len, SMC_QUEUE_FIRST);
		return false;
	}
	t->version = pack->version;
	data = smc_pack_add(pack, &rec, m, 0);
	if (data)
		memset(data, 'x', rec.len);
	if (--t->left)
		smc_framing_queue(m, rec.len, 0);
	return true;
}

static void talk_settled(struct smc_lgr_member *m, u32 move, u64 prod, int err)
{
	struct talker *t = container_of(m, struct talker, member);

	if (err)
		t->failed++;
	else
		t->settled++;
}

static const struct smc_lgr_member_ops talker_ops = {
	.fill = talk,
	.settled = talk_settled,
};

static struct frames_case *open_frames(struct kunit *test, u32 left)
{
	static const struct smc_ext_terms terms = {
		.version = SMC_EXT_SHORT_VERSION, .send_max = 4096,
	};
	struct frames_case *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, c);
	open_link(test, &c->s);
	c->s.link.queue.framing = smc_framing_new();
	KUNIT_ASSERT_NOT_NULL(test, c->s.link.queue.framing);
	smc_framing_agree(&c->s.link, &terms);
	for (i = 0; i < ARRAY_SIZE(c->talker); i++) {
		c->talker[i].left = left;
		c->talker[i].member.ops = &talker_ops;
		c->talker[i].member.link = &c->s.link;
		INIT_LIST_HEAD(&c->talker[i].member.wait);
	}
	return c;
}

static void close_frames(struct frames_case *c)
{
	smc_ep_quiesce(c->s.link.ep);
	smc_framing_drop(&c->s.link);
	close_link(&c->s);
	smc_framing_free(c->s.link.queue.framing);
}

/* Return: true if the link must be served. */
static bool queue_one(struct frames_case *c, int i, u8 how)
{
	bool serve;

	local_bh_disable();
	serve = smc_framing_queue(&c->talker[i].member, 132, how);
	local_bh_enable();
	return serve;
}

static void queue_all(struct frames_case *c)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(c->talker); i++)
		queue_one(c, i, 0);
	smc_slots_room(&c->s.link);
}

/* Members that wait together share a frame; each has one record in it. */
static void members_share_a_frame(struct kunit *test)
{
	struct frames_case *c = open_frames(test, 1);
	struct smc_framing *framing = c->s.link.queue.framing;
	int i;

	queue_all(c);
	KUNIT_EXPECT_EQ(test, framing->credit.sent, 1);
	KUNIT_EXPECT_EQ(test, framing->due, 0);
	KUNIT_EXPECT_EQ(test, framing->n_waiting, 0);
	close_frames(c);
	for (i = 0; i < ARRAY_SIZE(c->talker); i++) {
		KUNIT_EXPECT_EQ(test, c->talker[i].settled +
				      c->talker[i].failed, 1);
		/* F-38: the member knows what both hosts have agreed on */
		KUNIT_EXPECT_EQ(test, c->talker[i].version,
				SMC_EXT_SHORT_VERSION);
	}
}

/*
 * Without credits no frame leaves. When credits arrive, the records that wait
 * are sent.
 */
static void frames_need_credits(struct kunit *test)
{
	struct frames_case *c = open_frames(test, 1);
	struct smc_framing *framing = c->s.link.queue.framing;

	framing->credit.sent = framing->credit.allowed - SMC_CREDIT_RESERVE;
	queue_all(c);
	KUNIT_EXPECT_EQ(test, framing->n_waiting, 3);
	framing->credit.allowed++;
	local_bh_disable();
	smc_slots_room(&c->s.link);
	local_bh_enable();
	KUNIT_EXPECT_EQ(test, framing->n_waiting, 0);
	/* LLC messages may use credits that frames may not use */
	spin_lock_bh(&c->s.link.queue.lock);
	KUNIT_EXPECT_TRUE(test, smc_framing_take_credit(&c->s.link));
	spin_unlock_bh(&c->s.link.queue.lock);
	close_frames(c);
}

/* When a member leaves the queue, its estimated bytes no longer count. */
static void a_member_leaves_the_queue(struct kunit *test)
{
	struct frames_case *c = open_frames(test, 1);
	struct smc_framing *framing = c->s.link.queue.framing;

	framing->credit.sent = framing->credit.allowed;
	queue_all(c);
	KUNIT_EXPECT_EQ(test, framing->due, 3 * 132);
	smc_slots_unwait(&c->talker[1].member);
	smc_slots_leave(&c->talker[1].member);
	KUNIT_EXPECT_EQ(test, framing->due, 2 * 132);
	KUNIT_EXPECT_EQ(test, framing->n_waiting, 2);
	smc_slots_unwait(&c->talker[0].member);
	smc_slots_unwait(&c->talker[2].member);
	KUNIT_EXPECT_EQ(test, framing->due, 0);
	close_frames(c);
}

/*
 * While the queue is held, records are not sent. When it is released, one frame
 * carries all records that were queued.
 */
static void holding_gathers(struct kunit *test)
{
	struct frames_case *c = open_frames(test, 1);
	struct smc_framing *framing = c->s.link.queue.framing;
	bool held;

	local_bh_disable();
	held = smc_slots_hold(&c->s.link);
	KUNIT_EXPECT_TRUE(test, held);
	queue_all(c);
	KUNIT_EXPECT_EQ(test, framing->credit.sent, 0);
	smc_slots_release(&c->s.link, held);
	KUNIT_EXPECT_EQ(test, framing->credit.sent, 1);
	local_bh_enable();
	close_frames(c);
}

static int take_nothing(void *ctx, const struct smc_frame_record *rec)
{
	return 0;
}

/*
 * Takes a frame without records, and posts its receive again. Return: number of
 * receives that the link wants.
 */
static u32 arrives(struct kunit *test, struct smc_link *link)
{
	struct smc_frame_out f;
	u8 buf[16];
	u32 want;

	smc_frame_begin(&f, buf, sizeof(buf));
	local_bh_disable();
	KUNIT_EXPECT_EQ(test,
			smc_framing_take(link, buf,
					 smc_frame_end(&f, link->queue.framing->credit.allowed,
						       true),
					 take_nothing), 0);
	smc_slots_room(link);
	want = smc_framing_posted(link, 1);
	smc_slots_room(link);
	local_bh_enable();
	return want;
}

/*
 * The server looks at the queue only if a member waits or the count of the peer
 * must be raised. Each arrival uses a receive, which is posted again.
 */
static void an_idle_queue_has_no_work(struct kunit *test)
{
	struct frames_case *c = open_frames(test, 1);
	struct smc_framing *framing = c->s.link.queue.framing;

	KUNIT_EXPECT_EQ(test, framing->work, 0);
	queue_one(c, 0, 0);
	KUNIT_EXPECT_EQ(test, framing->work, 1);
	smc_slots_room(&c->s.link);
	KUNIT_EXPECT_EQ(test, framing->credit.sent, 1);
	KUNIT_EXPECT_EQ(test, framing->work, 0);

	arrives(test, &c->s.link);
	KUNIT_EXPECT_EQ(test, framing->work, 0);
	KUNIT_EXPECT_EQ(test, framing->credit.told, SMC_CREDIT_INITIAL);
	arrives(test, &c->s.link);
	KUNIT_EXPECT_EQ(test, framing->credit.told, SMC_CREDIT_INITIAL + 2);
	KUNIT_EXPECT_EQ(test, framing->work, 0);
	close_frames(c);
}

/* A peer gets more receives if it says that it has waited for credits. */
static void a_busy_peer_gets_more_receives(struct kunit *test)
{
	struct frames_case *c = open_frames(test, 1);
	struct smc_link *link = &c->s.link;
	u32 want = 0;
	int i;

	for (i = 0; i <= SMC_CREDIT_INITIAL / 2; i++) {
		KUNIT_EXPECT_LE(test, want, SMC_CREDIT_INITIAL);
		want = arrives(test, link);
	}
	KUNIT_EXPECT_EQ(test, want, 2 * SMC_CREDIT_INITIAL);
	KUNIT_EXPECT_GT(test, link->queue.framing->credit.told,
			SMC_CREDIT_INITIAL);
	close_frames(c);
}

/*
 * Opens a link with a slow device: a frame takes @ns. The application has data
 * to read on one connection.
 */
static struct frames_case *open_slow(struct kunit *test, u32 ns)
{
	struct frames_case *c = open_frames(test, 1);

	c->s.link.queue.framing->coalesce.mean_ns = ns;
	smc_hold_unread(&c->s.link);
	return c;
}

/*
 * The application has data to read on two connections of a slow device. Records
 * wait until it has handled both.
 */
static void a_frame_waits_for_readers(struct kunit *test)
{
	struct frames_case *c = open_slow(test, NSEC_PER_SEC);
	struct smc_link *link = &c->s.link;
	struct smc_framing *framing = link->queue.framing;

	smc_hold_unread(link);
	queue_all(c);
	KUNIT_EXPECT_EQ(test, framing->credit.sent, 0);
	smc_hold_seen(link);
	smc_slots_room(link);
	KUNIT_EXPECT_EQ(test, framing->credit.sent, 0);
	KUNIT_EXPECT_TRUE(test, hrtimer_active(&link->queue.hold.timer));
	smc_hold_seen(link);
	smc_slots_room(link);
	KUNIT_EXPECT_EQ(test, framing->credit.sent, 1);
	KUNIT_EXPECT_EQ(test, framing->n_waiting, 0);
	KUNIT_EXPECT_FALSE(test, hrtimer_active(&link->queue.hold.timer));
	/* the count does not become negative */
	smc_hold_seen(link);
	KUNIT_EXPECT_EQ(test, atomic_read(&link->queue.hold.unread), 0);
	close_frames(c);
}

/* An application that does not read delays a frame for a short time only. */
static void a_timer_ends_the_wait(struct kunit *test)
{
	struct frames_case *c = open_slow(test, 16 * SMC_COALESCE_NS);
	struct smc_link *link = &c->s.link;
	struct smc_framing *framing = link->queue.framing;
	int ms;

	queue_all(c);
	for (ms = 0; ms < WAIT_MS && (READ_ONCE(framing->n_waiting) ||
				      !READ_ONCE(framing->credit.sent)); ms++)
		usleep_range(1000, 2000);
	KUNIT_EXPECT_EQ(test, framing->n_waiting, 0);
	KUNIT_EXPECT_EQ(test, framing->credit.sent, 1);
	KUNIT_EXPECT_EQ(test, link->queue.hold.state, (u8)SMC_HOLD_ALLOWED);
	/* the connection does not delay another frame */
	KUNIT_EXPECT_EQ(test, atomic_read(&link->queue.hold.unread), 0);
	close_frames(c);
}

/* Data that arrives when the limit passes does not hold the frame again. */
static void a_frame_waits_once(struct kunit *test)
{
	struct frames_case *c = open_slow(test, NSEC_PER_SEC);
	struct smc_link *link = &c->s.link;
	struct smc_framing *framing = link->queue.framing;

	queue_all(c);
	KUNIT_EXPECT_EQ(test, framing->credit.sent, 0);
	local_bh_disable();	/* keeps the tasklet of this CPU from running */
	hold_over(&link->queue.hold.timer);
	smc_hold_unread(link);
	smc_slots_room(link);
	KUNIT_EXPECT_EQ(test, framing->credit.sent, 1);
	local_bh_enable();
	/* the next one may wait again */
	KUNIT_EXPECT_TRUE(test, smc_hold_wanted(link, 1));
	close_frames(c);
}

static void set_unread(struct smc_link *link, int n)
{
	atomic_set(&link->queue.hold.unread, n);
}

static void frame_left(struct smc_link *link)
{
	spin_lock_bh(&link->queue.lock);
	smc_hold_left(link);
	spin_unlock_bh(&link->queue.lock);
}

/*
 * If many records wait, they wait only until the application has read from half
 * of the connections, so that the peer has work while it reads from the others.
 */
static void half_of_many_leave(struct kunit *test)
{
	struct frames_case *c = open_slow(test, NSEC_PER_SEC);
	struct smc_link *link = &c->s.link;

	set_unread(link, 9);
	KUNIT_EXPECT_TRUE(test, smc_hold_wanted(link, 8));
	KUNIT_EXPECT_FALSE(test, smc_hold_wanted(link, 9));
	set_unread(link, 8);
	KUNIT_EXPECT_FALSE(test, smc_hold_wanted(link, 8));
	/* few records are not worth a frame of their own */
	KUNIT_EXPECT_TRUE(test, smc_hold_wanted(link, 7));
	set_unread(link, 1);
	KUNIT_EXPECT_TRUE(test, smc_hold_wanted(link, 7));
	set_unread(link, 0);
	KUNIT_EXPECT_FALSE(test, smc_hold_wanted(link, 7));
	close_frames(c);
}

/*
 * Checks that the other half leaves in one frame, and the next one in halves.
 */
static void halves_are_not_split(struct kunit *test)
{
	struct frames_case *c = open_slow(test, NSEC_PER_SEC);
	struct smc_link *link = &c->s.link;

	set_unread(link, 32);
	frame_left(link);
	set_unread(link, 16);
	KUNIT_EXPECT_TRUE(test, smc_hold_wanted(link, 16));
	set_unread(link, 0);
	frame_left(link);
	set_unread(link, 16);
	KUNIT_EXPECT_FALSE(test, smc_hold_wanted(link, 16));
	/* the same if there is always something to read */
	frame_left(link);
	KUNIT_EXPECT_TRUE(test, smc_hold_wanted(link, 16));
	frame_left(link);
	KUNIT_EXPECT_FALSE(test, smc_hold_wanted(link, 16));
	close_frames(c);
}

/* Checks that the builder counts the records that wait. */
static void builder_counts_waiters(struct kunit *test)
{
	struct frames_case *c = open_slow(test, NSEC_PER_SEC);
	struct smc_link *link = &c->s.link;
	struct smc_framing *framing = link->queue.framing;

	set_unread(link, 8);
	framing->n_waiting += 4;	/* as if others waited, too */
	queue_all(c);
	KUNIT_EXPECT_EQ(test, framing->credit.sent, 0);
	framing->n_waiting++;
	local_bh_disable();
	smc_slots_room(link);
	local_bh_enable();
	KUNIT_EXPECT_EQ(test, framing->credit.sent, 1);
	KUNIT_EXPECT_EQ(test, link->queue.hold.half, 1);
	framing->n_waiting -= 5;
	close_frames(c);
}

/*
 * A record that the peer needs, for example a new window, does not wait, and
 * takes the others with it.
 */
static void a_prompt_record_does_not_wait(struct kunit *test)
{
	struct frames_case *c = open_slow(test, NSEC_PER_SEC);
	struct smc_link *link = &c->s.link;
	struct smc_framing *framing = link->queue.framing;

	queue_one(c, 0, 0);
	smc_slots_room(link);
	KUNIT_EXPECT_EQ(test, framing->credit.sent, 0);
	queue_one(c, 1, SMC_QUEUE_PROMPT);
	smc_slots_room(link);
	KUNIT_EXPECT_EQ(test, framing->credit.sent, 1);
	KUNIT_EXPECT_EQ(test, framing->n_waiting, 0);
	KUNIT_EXPECT_EQ(test, framing->n_prompt, 0);
	/* a record that leaves the queue, or becomes one that can wait */
	queue_one(c, 2, SMC_QUEUE_PROMPT);
	queue_one(c, 2, 0);
	KUNIT_EXPECT_EQ(test, framing->n_prompt, 0);
	queue_one(c, 2, SMC_QUEUE_PROMPT);
	smc_slots_leave(&c->talker[2].member);
	KUNIT_EXPECT_EQ(test, framing->n_prompt, 0);
	close_frames(c);
}

/*
 * Whoever queues a record serves the link only if the record can leave, or must
 * start the timer.
 */
static void a_record_that_waits_serves_nobody(struct kunit *test)
{
	struct frames_case *c = open_slow(test, U32_MAX);
	struct smc_link *link = &c->s.link;

	KUNIT_EXPECT_TRUE(test, queue_one(c, 0, 0));	/* starts the timer */
	smc_slots_room(link);
	KUNIT_EXPECT_FALSE(test, queue_one(c, 1, 0));
	KUNIT_EXPECT_TRUE(test, queue_one(c, 2, SMC_QUEUE_PROMPT));
	/* the server of the timer would look for work without a lock */
	smc_slots_leave(&c->talker[0].member);
	smc_slots_leave(&c->talker[1].member);
	smc_slots_leave(&c->talker[2].member);
	KUNIT_EXPECT_TRUE(test, queue_one(c, 0, 0));
	close_frames(c);
}

/* A record waits for the frame in flight. The completion serves the link. */
static void a_completion_serves_who_waits(struct kunit *test)
{
	struct frames_case *c = open_frames(test, 1);
	struct smc_framing *framing = c->s.link.queue.framing;
	int ms;

	queue_one(c, 0, 0);
	local_bh_disable();	/* until then the frame is in flight */
	smc_slots_room(&c->s.link);
	KUNIT_EXPECT_EQ(test, framing->credit.sent, 1);
	KUNIT_EXPECT_FALSE(test, queue_one(c, 1, 0));
	KUNIT_EXPECT_EQ(test, framing->n_waiting, 1);
	local_bh_enable();
	for (ms = 0; ms < WAIT_MS && READ_ONCE(framing->n_waiting); ms++)
		usleep_range(1000, 2000);
	KUNIT_EXPECT_EQ(test, framing->n_waiting, 0);
	close_frames(c);
}

/*
 * A finished frame waits for a slot. It is posted before any other frame, so a
 * new record serves nobody.
 */
static void a_frame_without_slot_serves_nobody(struct kunit *test)
{
	struct frames_case *c = open_frames(test, 1);
	struct smc_framing *framing = c->s.link.queue.framing;
	struct smc_job *job = job_new(GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, job);
	framing->ready = job;
	KUNIT_EXPECT_FALSE(test, queue_one(c, 0, 0));
	framing->ready = NULL;
	job_free(job);
	close_frames(c);
}

/* A frame that has waited in vain makes the next one leave at once. */
static void a_link_learns_not_to_wait(struct kunit *test)
{
	struct frames_case *c = open_slow(test, NSEC_PER_SEC);
	struct smc_link *link = &c->s.link;
	struct smc_framing *framing = link->queue.framing;
	int ms;

	queue_one(c, 0, 0);
	smc_slots_room(link);
	KUNIT_EXPECT_EQ(test, framing->credit.sent, 0);
	hold_over(&link->queue.hold.timer);
	smc_slots_room(link);
	KUNIT_EXPECT_EQ(test, framing->credit.sent, 1);
	for (ms = 0; ms < WAIT_MS && READ_ONCE(framing->coalesce.flying); ms++)
		usleep_range(1000, 2000);
	framing->coalesce.mean_ns = NSEC_PER_SEC;
	smc_hold_unread(link);
	queue_one(c, 1, 0);
	smc_slots_room(link);
	KUNIT_EXPECT_EQ(test, framing->credit.sent, 2);
	close_frames(c);
}

/* More records than a frame may have do not wait. */
static void many_records_do_not_wait(struct kunit *test)
{
	struct frames_case *c = open_slow(test, NSEC_PER_SEC);
	struct smc_link *link = &c->s.link;
	struct smc_framing *framing = link->queue.framing;

	framing->n_waiting = SMC_PACK_RECORDS - 3;
	queue_all(c);
	KUNIT_EXPECT_EQ(test, framing->credit.sent, 1);
	framing->n_waiting = 0;
	close_frames(c);
}

/* A link that is being closed starts no timer. */
static void a_closed_link_does_not_wait(struct kunit *test)
{
	struct frames_case *c = open_slow(test, NSEC_PER_SEC);
	struct smc_link *link = &c->s.link;

	queue_all(c);
	KUNIT_EXPECT_TRUE(test, hrtimer_active(&link->queue.hold.timer));
	smc_ep_quiesce(link->ep);
	smc_framing_drop(link);
	KUNIT_EXPECT_FALSE(test, hrtimer_active(&link->queue.hold.timer));
	smc_slots_room(link);
	KUNIT_EXPECT_FALSE(test, hrtimer_active(&link->queue.hold.timer));
	close_frames(c);
}

static int map_nothing(struct smc_ep *ep, struct smc_ep_bundle *b)
{
	return -EIO;
}

/*
 * The endpoint becomes quiet while a frame is being filled, and the device maps
 * no memory for it. Nobody posts this frame later, so its members must be told
 * that it has failed.
 */
static void a_late_frame_is_given_up(struct kunit *test)
{
	struct frames_case *c = open_frames(test, 1);
	struct smc_link *link = &c->s.link;
	struct smc_framing *framing = link->queue.framing;
	const struct smc_ep_ops *before = link->ep->ops;
	struct smc_ep_ops ops = *before;
	enum smc_pack_do what;
	struct smc_job *job;
	int i;

	ops.map = map_nothing;
	for (i = 0; i < ARRAY_SIZE(c->talker); i++)
		queue_one(c, i, 0);
	local_bh_disable();
	job = framing_begin(link, &what);
	if (job)
		framing_fill(link, job);
	local_bh_enable();
	KUNIT_ASSERT_NOT_NULL(test, job);
	smc_ep_quiesce(link->ep);
	smc_framing_drop(link);
	link->ep->ops = &ops;
	local_bh_disable();
	KUNIT_EXPECT_FALSE(test, framing_post(link, job, true, slots_frame_done));
	local_bh_enable();
	link->ep->ops = before;
	for (i = 0; i < ARRAY_SIZE(c->talker); i++)
		KUNIT_EXPECT_EQ(test, c->talker[i].failed, 1);
	KUNIT_EXPECT_NULL(test, framing->ready);
	close_frames(c);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(a_run_has_an_end),
	KUNIT_CASE(members_share_a_frame),
	KUNIT_CASE(frames_need_credits),
	KUNIT_CASE(a_member_leaves_the_queue),
	KUNIT_CASE(holding_gathers),
	KUNIT_CASE(an_idle_queue_has_no_work),
	KUNIT_CASE(a_busy_peer_gets_more_receives),
	KUNIT_CASE(a_frame_waits_for_readers),
	KUNIT_CASE(a_timer_ends_the_wait),
	KUNIT_CASE(a_frame_waits_once),
	KUNIT_CASE(half_of_many_leave),
	KUNIT_CASE(halves_are_not_split),
	KUNIT_CASE(builder_counts_waiters),
	KUNIT_CASE(a_prompt_record_does_not_wait),
	KUNIT_CASE(a_record_that_waits_serves_nobody),
	KUNIT_CASE(a_completion_serves_who_waits),
	KUNIT_CASE(a_frame_without_slot_serves_nobody),
	KUNIT_CASE(a_link_learns_not_to_wait),
	KUNIT_CASE(many_records_do_not_wait),
	KUNIT_CASE(a_closed_link_does_not_wait),
	KUNIT_CASE(a_late_frame_is_given_up),
	{}
};

static int suite_init(struct kunit_suite *suite)
{
	return smc_ep_workers_init();
}

static void suite_exit(struct kunit_suite *suite)
{
	smc_ep_workers_exit();
}

static struct kunit_suite smc_slots_suite = {
	.name = "smc-slots",
	.suite_init = suite_init,
	.suite_exit = suite_exit,
	.test_cases = cases,
};

kunit_test_suite(smc_slots_suite);

// SPDX-License-Identifier: GPL-2.0
/* Tests how members wait for a send slot of a link. The link is a pair of
 * in-host endpoints.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/interrupt.h>
#include "../../transport/ep.h"
#include "../../group/slots.c"

enum {
	RUNS		= 1000,
	/* stops a run that would never end */
	RUNS_MAX	= 100000,
	WAIT_MS		= 5000,
};

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

static struct kunit_case cases[] = {
	KUNIT_CASE(a_run_has_an_end),
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

// SPDX-License-Identifier: GPL-2.0
/*
 * Tests calls that execute commands of a device: when the caller gives up, who
 * frees the result, and what a device that hangs costs the next callers.
 */
#include <kunit/test.h>
#include <linux/slab.h>

/* Other suites of this module have functions with these names. */
#define smc_queues_calls	own_queues_calls
#define smc_port_get		own_port_get_for_call
#define smc_port_put		own_port_put_for_call
#include "../../transport/call.c"

/* ---- the port ---- */

static struct smc_queues_calls calls;

struct smc_queues_calls *own_queues_calls(const struct smc_port *port)
{
	return &calls;
}

static atomic_t port_refs;

struct smc_port *own_port_get_for_call(struct smc_port *port,
				       enum smc_port_ref why)
{
	atomic_inc(&port_refs);
	return port;
}

void own_port_put_for_call(struct smc_port *port, enum smc_port_ref why)
{
	atomic_dec(&port_refs);
}

/* ---- calls ---- */

#define RESULT	42

static atomic_t n_freed, n_lost, n_run;

/* A command that takes until @end is complete. */
struct command {
	struct smc_call call;
	struct completion *end;
	int result;
	int err;
};

static int command_run(struct smc_call *call)
{
	struct command *c = container_of(call, struct command, call);

	atomic_inc(&n_run);
	if (c->end)
		wait_for_completion(c->end);
	if (!c->err)
		c->result = RESULT;
	return c->err;
}

static void command_free(struct smc_call *call)
{
	struct command *c = container_of(call, struct command, call);

	atomic_add(!!c->result, &n_lost);
	atomic_inc(&n_freed);
	kfree(c);
}

static struct command *new_command(struct kunit *test, struct completion *end)
{
	struct command *c = kzalloc(sizeof(*c), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, c);
	c->end = end;
	smc_call_init(&c->call, test->priv, command_run, command_free);
	return c;
}

#define WAIT_MS	1000
/* for a command that ends at once; the host may be slow */
#define LONG_MS	60000

/* Makes the call as its users do. Return: its result or a negative errno. */
static int make(struct command *c)
{
	int result = smc_call_run(&c->call, c->end ? WAIT_MS : LONG_MS);

	if (!result)
		swap(result, c->result);
	smc_call_put(&c->call);
	return result;
}

static int init(struct kunit *test)
{
	struct smc_port *port = kzalloc(sizeof(*port), GFP_KERNEL);

	test->priv = port;
	/* one command at a time */
	calls.wq = alloc_workqueue("smc_call_test", WQ_UNBOUND, 1);
	atomic_set(&calls.running, 0);
	atomic_set(&calls.waiting, 0);
	atomic_set(&n_freed, 0);
	atomic_set(&n_lost, 0);
	atomic_set(&n_run, 0);
	return port && calls.wq ? 0 : -ENOMEM;
}

static void tidy(struct kunit *test)
{
	if (calls.wq)
		destroy_workqueue(calls.wq);
	KUNIT_EXPECT_EQ(test, atomic_read(&calls.running), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&calls.waiting), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&port_refs), 0);
	kfree(test->priv);
}

/* ---- cases ---- */

static void returns_the_result(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, make(new_command(test, NULL)), RESULT);
	drain_workqueue(calls.wq);
	KUNIT_EXPECT_EQ(test, atomic_read(&n_freed), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&n_lost), 0);
}

/*
 * If the device is late, the caller gets an error, and nobody takes the result.
 */
static void gives_up(struct kunit *test)
{
	DECLARE_COMPLETION_ONSTACK(end);

	KUNIT_EXPECT_EQ(test, make(new_command(test, &end)), -ETIMEDOUT);
	KUNIT_EXPECT_EQ(test, atomic_read(&n_freed), 0);
	complete(&end);
	drain_workqueue(calls.wq);
	KUNIT_EXPECT_EQ(test, atomic_read(&n_freed), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&n_lost), 1);
	KUNIT_EXPECT_EQ(test, make(new_command(test, NULL)), RESULT);
}

/* Lets the time pass after which a device that ends nothing hangs. */
static void let_time_pass(void)
{
	calls.progress = jiffies - msecs_to_jiffies(CALL_HANG_MS) - 1;
}

/*
 * While the device hangs, smc_call_run() asks it for nothing. When the call has
 * ended, smc_call_run() asks it again.
 */
static void hangs(struct kunit *test)
{
	DECLARE_COMPLETION_ONSTACK(end);

	let_time_pass();
	KUNIT_EXPECT_FALSE(test, smc_call_hangs(test->priv));
	KUNIT_EXPECT_EQ(test, make(new_command(test, &end)), -ETIMEDOUT);
	KUNIT_EXPECT_FALSE(test, smc_call_hangs(test->priv));
	let_time_pass();
	KUNIT_EXPECT_TRUE(test, smc_call_hangs(test->priv));
	KUNIT_EXPECT_EQ(test, make(new_command(test, NULL)), -EBUSY);
	KUNIT_EXPECT_EQ(test, atomic_read(&n_run), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&n_freed), 1);
	complete(&end);
	drain_workqueue(calls.wq);
	KUNIT_EXPECT_FALSE(test, smc_call_hangs(test->priv));
	KUNIT_EXPECT_EQ(test, make(new_command(test, NULL)), RESULT);
}

/* A call whose turn does not come costs the device nothing. */
static void leaves_before_its_turn(struct kunit *test)
{
	DECLARE_COMPLETION_ONSTACK(end);

	KUNIT_EXPECT_EQ(test, make(new_command(test, &end)), -ETIMEDOUT);
	KUNIT_EXPECT_EQ(test, make(new_command(test, &end)), -EAGAIN);
	KUNIT_EXPECT_EQ(test, atomic_read(&n_run), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&n_freed), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&calls.waiting), 0);
	complete(&end);
	drain_workqueue(calls.wq);
	KUNIT_EXPECT_EQ(test, atomic_read(&n_run), 1);
}

/* Only what can come back later gives up because of those who wait. */
static void crowded(struct kunit *test)
{
	atomic_set(&calls.waiting, CALL_WAITING_MAX - 1);
	KUNIT_EXPECT_FALSE(test, smc_call_crowded(test->priv));
	atomic_inc(&calls.waiting);
	KUNIT_EXPECT_TRUE(test, smc_call_crowded(test->priv));
	KUNIT_EXPECT_FALSE(test, smc_call_crowded(NULL));
	KUNIT_EXPECT_EQ(test, make(new_command(test, NULL)), RESULT);
	KUNIT_EXPECT_EQ(test, atomic_read(&calls.waiting), CALL_WAITING_MAX);
	atomic_set(&calls.waiting, 0);
}

/* No error of the device looks like an error of smc_call_run() itself. */
static void errors_of_the_device(struct kunit *test)
{
	static const int errors[] = { -EAGAIN, -EBUSY, -ETIMEDOUT, -ENOMEM };
	static const int seen[] = { -EIO, -EIO, -EIO, -ENOMEM };
	struct command *c;
	int i;

	for (i = 0; i < ARRAY_SIZE(errors); i++) {
		c = new_command(test, NULL);
		c->err = errors[i];
		KUNIT_EXPECT_EQ(test, make(c), seen[i]);
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE(returns_the_result),
	KUNIT_CASE(gives_up),
	KUNIT_CASE(hangs),
	KUNIT_CASE(leaves_before_its_turn),
	KUNIT_CASE(crowded),
	KUNIT_CASE(errors_of_the_device),
	{}
};

static struct kunit_suite suite = {
	.name = "smc-call",
	.init = init,
	.exit = tidy,
	.test_cases = cases,
};

kunit_test_suite(suite);

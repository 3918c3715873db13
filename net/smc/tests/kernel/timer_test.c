// SPDX-License-Identifier: GPL-2.0
/* Tests of a connection's timers. All of them share one work item. */
#include <kunit/test.h>
#include <linux/limits.h>
#include <linux/slab.h>

#include "../../conn/timer.c"

struct workqueue_struct *smc_conn_wq;

#define LONG_TIME	(1000 * HZ)

static unsigned int runs;

static void count_run(struct work_struct *work)
{
	runs++;
}

/*
 * Returns a connection that is in its group. When the work item of the
 * connection runs, it only counts that.
 */
static struct smc_conn *new_conn(struct kunit *test)
{
	struct smc_conn *conn = kunit_kzalloc(test, sizeof(*conn), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, conn);
	spin_lock_init(&conn->lock);
	INIT_DELAYED_WORK(&conn->timers.work, count_run);
	conn->life.place = SMC_PLACE_IN;
	smc_conn_wq = system_wq;
	runs = 0;
	return conn;
}

static void set(struct smc_conn *conn, enum smc_conn_timer which,
		unsigned long delay)
{
	spin_lock_bh(&conn->lock);
	smc_timer_set(conn, which, delay);
	spin_unlock_bh(&conn->lock);
}

static void start(struct smc_conn *conn, enum smc_conn_timer which,
		  unsigned long delay)
{
	spin_lock_bh(&conn->lock);
	smc_timer_start(conn, which, delay);
	spin_unlock_bh(&conn->lock);
}

static void stop(struct smc_conn *conn, enum smc_conn_timer which)
{
	spin_lock_bh(&conn->lock);
	smc_timer_stop(conn, which);
	spin_unlock_bh(&conn->lock);
}

static bool is_set(struct smc_conn *conn, enum smc_conn_timer which)
{
	bool yes;

	spin_lock_bh(&conn->lock);
	yes = smc_timer_runs(conn, which);
	spin_unlock_bh(&conn->lock);
	return yes;
}

static unsigned long expired(struct smc_conn *conn)
{
	unsigned long bits;

	spin_lock_bh(&conn->lock);
	bits = smc_timer_expired(conn);
	spin_unlock_bh(&conn->lock);
	return bits;
}

static bool take(struct smc_conn *conn, enum smc_conn_timer which)
{
	bool taken;

	spin_lock_bh(&conn->lock);
	taken = smc_timer_take(conn, which);
	spin_unlock_bh(&conn->lock);
	return taken;
}

static void rearm(struct smc_conn *conn)
{
	spin_lock_bh(&conn->lock);
	smc_timer_rearm(conn);
	spin_unlock_bh(&conn->lock);
}

/* Lets the timer expire without a wait. */
static void pass(struct smc_conn *conn, enum smc_conn_timer which)
{
	spin_lock_bh(&conn->lock);
	conn->timers.at[which] = (u32)(jiffies - 1) ?: U32_MAX;
	spin_unlock_bh(&conn->lock);
}

/* Does the work item run about @delay from now? */
static bool runs_in(struct smc_conn *conn, unsigned long delay)
{
	struct delayed_work *work = &conn->timers.work;
	unsigned long left = work->timer.expires - jiffies;

	return delayed_work_pending(work) && left <= delay &&
	       left + LONG_TIME / 10 > delay;
}

/* A late timer does not delay an early one, whichever is started first. */
static void first_counts(struct kunit *test)
{
	struct smc_conn *conn = new_conn(test);

	set(conn, SMC_TIMER_CLOSE, 2 * LONG_TIME);
	KUNIT_EXPECT_TRUE(test, runs_in(conn, 2 * LONG_TIME));
	set(conn, SMC_TIMER_STALL, LONG_TIME);
	KUNIT_EXPECT_TRUE(test, runs_in(conn, LONG_TIME));
	set(conn, SMC_TIMER_GAP, 3 * LONG_TIME);
	KUNIT_EXPECT_TRUE(test, runs_in(conn, LONG_TIME));
	set(conn, SMC_TIMER_CORK, 0);
	flush_delayed_work(&conn->timers.work);
	KUNIT_EXPECT_EQ(test, runs, 1);
	KUNIT_EXPECT_EQ(test, expired(conn), BIT(SMC_TIMER_CORK));
	KUNIT_EXPECT_TRUE(test, take(conn, SMC_TIMER_CORK));
	rearm(conn);
	KUNIT_EXPECT_TRUE(test, runs_in(conn, LONG_TIME));
	cancel_delayed_work_sync(&conn->timers.work);
}

/* Each timer that has expired is reported until its handler takes it. */
static void each_once(struct kunit *test)
{
	struct smc_conn *conn = new_conn(test);

	set(conn, SMC_TIMER_CLOSE, LONG_TIME);
	set(conn, SMC_TIMER_STALL, LONG_TIME);
	set(conn, SMC_TIMER_IDLE, LONG_TIME);
	KUNIT_EXPECT_EQ(test, expired(conn), 0);
	pass(conn, SMC_TIMER_CLOSE);
	pass(conn, SMC_TIMER_IDLE);
	KUNIT_EXPECT_EQ(test, expired(conn),
			BIT(SMC_TIMER_CLOSE) | BIT(SMC_TIMER_IDLE));
	KUNIT_EXPECT_TRUE(test, is_set(conn, SMC_TIMER_CLOSE));
	KUNIT_EXPECT_TRUE(test, take(conn, SMC_TIMER_CLOSE));
	KUNIT_EXPECT_FALSE(test, is_set(conn, SMC_TIMER_CLOSE));
	KUNIT_EXPECT_FALSE(test, take(conn, SMC_TIMER_CLOSE));
	KUNIT_EXPECT_FALSE(test, take(conn, SMC_TIMER_STALL));
	KUNIT_EXPECT_TRUE(test, is_set(conn, SMC_TIMER_STALL));
	KUNIT_EXPECT_EQ(test, expired(conn), BIT(SMC_TIMER_IDLE));
	cancel_delayed_work_sync(&conn->timers.work);
}

/* smc_timer_start() leaves a timer that runs, smc_timer_set() does not. */
static void start_keeps(struct kunit *test)
{
	struct smc_conn *conn = new_conn(test);

	start(conn, SMC_TIMER_CORK, LONG_TIME);
	start(conn, SMC_TIMER_CORK, 2 * LONG_TIME);
	KUNIT_EXPECT_TRUE(test, runs_in(conn, LONG_TIME));
	set(conn, SMC_TIMER_CORK, 2 * LONG_TIME);
	KUNIT_EXPECT_TRUE(test, runs_in(conn, 2 * LONG_TIME));
	cancel_delayed_work_sync(&conn->timers.work);
}

/*
 * Another context stops or restarts a timer before its handler has the lock.
 * The handler does nothing.
 */
static void overtaken(struct kunit *test)
{
	struct smc_conn *conn = new_conn(test);

	set(conn, SMC_TIMER_CORK, LONG_TIME);
	pass(conn, SMC_TIMER_CORK);
	KUNIT_EXPECT_EQ(test, expired(conn), BIT(SMC_TIMER_CORK));
	stop(conn, SMC_TIMER_CORK);
	KUNIT_EXPECT_FALSE(test, take(conn, SMC_TIMER_CORK));
	KUNIT_EXPECT_EQ(test, expired(conn), 0);
	start(conn, SMC_TIMER_CORK, LONG_TIME);
	pass(conn, SMC_TIMER_CORK);
	set(conn, SMC_TIMER_CORK, LONG_TIME);
	KUNIT_EXPECT_FALSE(test, take(conn, SMC_TIMER_CORK));
	KUNIT_EXPECT_TRUE(test, is_set(conn, SMC_TIMER_CORK));
	cancel_delayed_work_sync(&conn->timers.work);
}

/* A deadline has 32 bits of the time. A long delay must not look expired. */
static void far_away(struct kunit *test)
{
	struct smc_conn *conn = new_conn(test);

	set(conn, SMC_TIMER_STALL, S32_MAX);
	KUNIT_EXPECT_FALSE(test, take(conn, SMC_TIMER_STALL));
	set(conn, SMC_TIMER_CLOSE, ULONG_MAX / 2);
	KUNIT_EXPECT_EQ(test, expired(conn), 0);
	cancel_delayed_work_sync(&conn->timers.work);
}

/* Nothing queues the work item again after the step leave has cancelled it. */
static void not_outside(struct kunit *test)
{
	struct smc_conn *conn = new_conn(test);

	set(conn, SMC_TIMER_STALL, LONG_TIME);
	conn->life.place = SMC_PLACE_LEAVING;
	cancel_delayed_work_sync(&conn->timers.work);
	set(conn, SMC_TIMER_CLOSE, LONG_TIME);
	start(conn, SMC_TIMER_CORK, LONG_TIME);
	KUNIT_EXPECT_FALSE(test, is_set(conn, SMC_TIMER_CLOSE));
	KUNIT_EXPECT_FALSE(test, is_set(conn, SMC_TIMER_CORK));
	KUNIT_EXPECT_TRUE(test, is_set(conn, SMC_TIMER_STALL));
	rearm(conn);
	KUNIT_EXPECT_FALSE(test, delayed_work_pending(&conn->timers.work));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(first_counts),
	KUNIT_CASE(each_once),
	KUNIT_CASE(start_keeps),
	KUNIT_CASE(overtaken),
	KUNIT_CASE(far_away),
	KUNIT_CASE(not_outside),
	{}
};

static struct kunit_suite smc_timer_suite = {
	.name = "smc-timer",
	.test_cases = cases,
};

kunit_test_suite(smc_timer_suite);

// SPDX-License-Identifier: GPL-2.0
/*
 * Tests the limits of first contacts: per source, listener, namespace and port.
 * Tests which contacts wait, which of them are told to ask again, and in which
 * order the sources get their turns.
 */
#include <kunit/test.h>
#include <linux/string.h>
#include "../../base/limits.h"
#include "../../group/admit.c"

enum {
	PER_SOURCE	= 2,
	PER_LISTENER	= 6,
	PER_NET		= 4,
	FLOOD		= 100,
};

static struct smc_tunables tunables;

struct smc_tunables *smc_tunables(struct net *net)
{
	return &tunables;
}

/* The contacts that were told to ask again. */
static struct smc_contact *told[FLOOD];
static unsigned int n_told;

static void notify(struct smc_contact *c, enum smc_contact_event ev)
{
	if (ev == SMC_CONTACT_READY && n_told < ARRAY_SIZE(told))
		told[n_told++] = c;
}

static struct net *new_net(struct kunit *test, u64 cookie)
{
	struct net *net = kunit_kzalloc(test, sizeof(*net), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, net);
	net->net_cookie = cookie;
	return net;
}

/* Returns @n contacts of the source with this number. */
static struct smc_contact *from(struct kunit *test, struct net *net,
				u8 source, int n)
{
	struct smc_contact *c = kunit_kcalloc(test, n, sizeof(*c), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, c);
	for (i = 0; i < n; i++) {
		c[i].role = SMC_SERV;
		c[i].net = net;
		c[i].source[15] = source;
		c[i].listener = net;
		c[i].choice.port = (struct smc_port *)&tunables;
		c[i].notify = notify;
	}
	return c;
}

/* Return: the number of contacts that got a place. */
static int ask(struct smc_contact *c, int n)
{
	int i, got = 0;

	for (i = 0; i < n; i++)
		got += !smc_admit_ask(&c[i], true);
	return got;
}

static void leave(struct smc_contact *c, int n)
{
	while (n--)
		smc_admit_leave(&c[n]);
}

static int init(struct kunit *test)
{
	tunables = (struct smc_tunables) {
		.first_max_source = PER_SOURCE,
		.first_max_listener = PER_LISTENER,
		.first_max_net = PER_NET,
	};
	n_told = 0;
	return 0;
}

static void as_client(struct smc_contact *c, int n)
{
	while (n--) {
		c[n].role = SMC_CLNT;
		c[n].listener = NULL;
	}
}

static void nothing_is_left(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, hash_empty(admit_counts));
	KUNIT_EXPECT_TRUE(test, list_empty(&admit_turns));
}

/* Checks that a source that floods gets no more than its share, and that other
 * sources still get a place.
 */
static void by_source(struct kunit *test)
{
	struct net *net = new_net(test, 1);
	struct smc_contact *flood = from(test, net, 1, FLOOD);
	struct smc_contact *decent = from(test, net, 2, 1);

	KUNIT_EXPECT_EQ(test, ask(flood, FLOOD), PER_SOURCE);
	KUNIT_EXPECT_EQ(test, ask(decent, 1), 1);
	leave(decent, 1);
	leave(flood, FLOOD);
	nothing_is_left(test);
}

/* Checks that the same address in two namespaces counts as two sources. */
static void by_net(struct kunit *test)
{
	struct net *nets[] = { new_net(test, 1), new_net(test, 2) };
	struct smc_contact *c[2][PER_NET];
	int i, k, got = 0;

	for (i = 0; i < 2; i++)
		for (k = 0; k < PER_NET; k++) {
			c[i][k] = from(test, nets[i], k, PER_SOURCE);
			got += ask(c[i][k], PER_SOURCE);
		}
	KUNIT_EXPECT_EQ(test, got, 2 * PER_NET);
	for (i = 0; i < 2; i++)
		for (k = 0; k < PER_NET; k++)
			leave(c[i][k], PER_SOURCE);
	nothing_is_left(test);
}

static void by_listener_and_port(struct kunit *test)
{
	struct net *net = new_net(test, 1);
	struct smc_contact *c = from(test, net, 1, SMC_FIRST_MAX_PORT + 1);
	int i;

	tunables.first_max_net = FLOOD * FLOOD;
	tunables.first_max_source = FLOOD * FLOOD;
	KUNIT_EXPECT_EQ(test, ask(c, SMC_FIRST_MAX_PORT), PER_LISTENER);
	leave(c, SMC_FIRST_MAX_PORT);
	for (i = 0; i <= SMC_FIRST_MAX_PORT; i++)
		c[i].listener = &c[i];
	KUNIT_EXPECT_EQ(test, ask(c, SMC_FIRST_MAX_PORT + 1),
			SMC_FIRST_MAX_PORT);
	leave(c, SMC_FIRST_MAX_PORT + 1);
	nothing_is_left(test);
}

/* Checks that clients have limits of their own, but none per listener. */
static void by_role(struct kunit *test)
{
	struct net *net = new_net(test, 1);
	struct smc_contact *guests = from(test, net, 1, FLOOD);
	struct smc_contact *calls = from(test, net, 1, FLOOD);

	as_client(calls, FLOOD);
	KUNIT_EXPECT_EQ(test, ask(guests, FLOOD), PER_SOURCE);
	KUNIT_EXPECT_EQ(test, ask(calls, FLOOD), PER_SOURCE);
	leave(calls, FLOOD);
	tunables.first_max_source = FLOOD;
	tunables.first_max_net = FLOOD;
	KUNIT_EXPECT_EQ(test, ask(calls, FLOOD), FLOOD);
	leave(calls, FLOOD);
	leave(guests, FLOOD);
	nothing_is_left(test);
}

/* Checks that a contact that waits is told once, and then has the place. */
static void waits(struct kunit *test)
{
	struct net *net = new_net(test, 1);
	struct smc_contact *c = from(test, net, 1, PER_SOURCE + 2);
	struct smc_contact *first = &c[PER_SOURCE], *second = first + 1;

	ask(c, PER_SOURCE + 2);
	KUNIT_EXPECT_EQ(test, n_told, 0);
	smc_admit_leave(&c[0]);
	KUNIT_ASSERT_EQ(test, n_told, 1);
	KUNIT_EXPECT_PTR_EQ(test, told[0], first);
	/* the contact asks again, as all waiting contacts may do */
	KUNIT_EXPECT_EQ(test, smc_admit_ask(first, true), 0);
	KUNIT_EXPECT_EQ(test, smc_admit_ask(second, true), -EINPROGRESS);
	/* a contact that was told leaves: the next contact gets its place */
	smc_admit_leave(first);
	KUNIT_ASSERT_EQ(test, n_told, 2);
	KUNIT_EXPECT_PTR_EQ(test, told[1], second);
	leave(c, PER_SOURCE + 2);
	KUNIT_EXPECT_EQ(test, n_told, 2);
	nothing_is_left(test);
}

/* Checks that a contact that has something else to do is not queued. */
static void does_not_wait(struct kunit *test)
{
	struct net *net = new_net(test, 1);
	struct smc_contact *c = from(test, net, 1, PER_SOURCE + 1);
	struct smc_contact *last = &c[PER_SOURCE];

	KUNIT_EXPECT_EQ(test, ask(c, PER_SOURCE), PER_SOURCE);
	KUNIT_EXPECT_EQ(test, smc_admit_ask(last, false), -EBUSY);
	KUNIT_EXPECT_NULL(test, last->admit);
	smc_admit_leave(&c[0]);
	KUNIT_EXPECT_EQ(test, n_told, 0);
	KUNIT_EXPECT_EQ(test, smc_admit_ask(last, false), 0);
	leave(c, PER_SOURCE + 1);
	nothing_is_left(test);
}

/* Checks that a source with many waiting contacts does not delay another
 * source.
 */
static void turns(struct kunit *test)
{
	struct net *net = new_net(test, 1);
	struct smc_contact *flood[] = { from(test, net, 1, FLOOD),
					from(test, net, 2, FLOOD) };
	struct smc_contact *decent = from(test, net, 3, 1);
	int i;

	for (i = 0; i < 2; i++)
		KUNIT_EXPECT_EQ(test, ask(flood[i], FLOOD), PER_SOURCE);
	KUNIT_EXPECT_EQ(test, ask(decent, 1), 0);
	for (i = 0; i < 3; i++)
		smc_admit_leave(&flood[i % 2][i / 2]);
	KUNIT_EXPECT_EQ(test, n_told, 3);
	KUNIT_EXPECT_EQ(test, smc_admit_ask(decent, true), 0);
	leave(decent, 1);
	for (i = 0; i < 2; i++)
		leave(flood[i], FLOOD);
	nothing_is_left(test);
}

/* Checks that a group keeps the place of its contact, and frees it later. */
static void group_has_it(struct kunit *test)
{
	struct net *net = new_net(test, 1);
	struct smc_contact *c = from(test, net, 1, PER_SOURCE + 1);
	struct smc_admit *place;

	ask(c, PER_SOURCE + 1);
	place = c[0].admit;
	c[0].admit = NULL;
	smc_admit_leave(&c[0]);
	KUNIT_EXPECT_EQ(test, n_told, 0);
	smc_admit_end(place);
	KUNIT_EXPECT_EQ(test, n_told, 1);
	leave(c, PER_SOURCE + 1);
	nothing_is_left(test);
}

/* Checks that the counter counts contacts that were declined while they waited
 * for a place, and no others.
 */
static void who_counts(struct kunit *test)
{
	struct net *net = new_net(test, 1);
	struct smc_contact *c = from(test, net, 1, PER_SOURCE + 2);
	struct smc_contact *lucky = &c[PER_SOURCE], *late = lucky + 1;
	u64 before = smc_mib_read(net, SMC_MIB_FIRST_CAPPED);

	ask(c, PER_SOURCE + 2);
	smc_admit_leave(lucky);
	KUNIT_EXPECT_EQ(test, smc_mib_read(net, SMC_MIB_FIRST_CAPPED), before);
	smc_admit_expired(late);
	smc_admit_leave(late);
	/* declined for another reason */
	smc_admit_expired(&c[0]);
	KUNIT_EXPECT_EQ(test, smc_mib_read(net, SMC_MIB_FIRST_CAPPED),
			before + 1);
	leave(c, PER_SOURCE);
	nothing_is_left(test);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(by_source),
	KUNIT_CASE(by_net),
	KUNIT_CASE(by_listener_and_port),
	KUNIT_CASE(by_role),
	KUNIT_CASE(waits),
	KUNIT_CASE(does_not_wait),
	KUNIT_CASE(turns),
	KUNIT_CASE(group_has_it),
	KUNIT_CASE(who_counts),
	{}
};

static struct kunit_suite smc_admit_suite = {
	.name = "smc-admit",
	.init = init,
	.test_cases = cases,
};

kunit_test_suite(smc_admit_suite);
